// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelNames.h"
#include "support/MappedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

// Reads lines "ADDRESS TYPE NAME [MODULE]". For users without the right to see
// addresses, all of them are 0.
void KernelNames::read() {
  IsRead = true;
  const std::string All = fileText("/proc/kallsyms");
  for (StringRef Line : split(All, '\n')) {
    auto [Address, Rest] = Line.split(' ');
    auto [Type, Name] = Rest.split(' ');
    Symbol S;
    if (Address.getAsInteger(16, S.Address) || !S.Address || !Type.equals_insensitive("t"))
      continue;
    S.Name = Name.take_until([](char C) { return C == '\t' || C == ' '; }).str();
    Symbols.push_back(std::move(S));
  }
  llvm::sort(Symbols, [](const Symbol &A, const Symbol &B) {
    return std::tie(A.Address, A.Name) < std::tie(B.Address, B.Name);
  });
}

StringRef KernelNames::at(uint64_t Address, StringRef Of) {
  if (!BootId)
    BootId = StringRef(fileText("/proc/sys/kernel/random/boot_id")).rtrim().str();
  if (Of.empty() || Of != *BootId)
    return "";
  // Read the list, which has some megabytes, only for a recording of this boot.
  if (!IsRead)
    read();
  auto Above = llvm::upper_bound(Symbols, Address, [](uint64_t A, const Symbol &S) {
    return A < S.Address;
  });
  return Above == Symbols.begin() ? "" : StringRef(std::prev(Above)->Name);
}
