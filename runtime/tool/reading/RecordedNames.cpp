// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordedNames.h"
#include "support/Diagnostics.h"
#include "trace/format/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace patchbay;

Expected<const RecordedNames *> RecordedNames::read(StringRef Bytes) {
  static StringMap<RecordedNames> Known; // by Bytes, which the names point into
  constexpr size_t EntryAt = offsetof(pbd_names, entry) - offsetof(pbd_names, nr);
  if (auto At = Known.find(Bytes); At != Known.end())
    return &At->second;
  if (Bytes.size() < EntryAt)
    return makeError("chunk of names is too small");
  uint64_t Nr = support::endian::read32le(Bytes.data());
  if (Nr > (Bytes.size() - EntryAt) / sizeof(uint64_t))
    return makeError(Twine(Nr) + " names in a chunk of " + Twine(Bytes.size()) +
                     " bytes");
  auto &Kept = *Known.try_emplace(Bytes).first;
  Bytes = Kept.getKey();
  StringRef Text = Bytes.drop_front(EntryAt + Nr * sizeof(uint64_t));
  for (uint64_t I = 0; I != Nr; ++I) {
    size_t End = Text.find('\0');
    if (End == StringRef::npos) {
      Known.erase(Known.find(Bytes));
      return makeError("name has no end");
    }
    uint64_t Entry =
        support::endian::read64le(Bytes.data() + EntryAt + I * sizeof(uint64_t));
    Kept.second.Names.push_back({Entry, Text.take_front(End)});
    Text = Text.drop_front(End + 1);
  }
  llvm::stable_sort(Kept.second.Names, llvm::less_first());
  return &Kept.second;
}

ArrayRef<RecordedNames::Name> RecordedNames::at(uint64_t Entry) const {
  auto Begin = partition_point(Names, [&](const Name &N) { return N.first < Entry; });
  auto End = Begin;
  while (End != Names.end() && End->first == Entry)
    ++End;
  return ArrayRef(Names).slice(Begin - Names.begin(), End - Begin);
}
