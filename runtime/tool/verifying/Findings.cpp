// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::hex(uint64_t Number) {
  return "0x" + utohexstr(Number, /*LowerCase=*/true);
}

std::string patchbay::hex(ArrayRef<uint8_t> Bytes) {
  return join(
      map_range(Bytes, [](uint8_t Byte) { return utohexstr(Byte, true, 2); }),
      " ");
}

void Findings::add(StringRef Name, int64_t Offset, const Twine &What,
                   const Twine &Expected, const Twine &Found) {
  ++Count;
  std::string Place = Offset < 0 ? "-" + hex(0 - static_cast<uint64_t>(Offset))
                                 : "+" + hex(static_cast<uint64_t>(Offset));
  outs() << printable((Twine(Path) + ": " + Name + Place + ": " + What +
                       ": expected " + Expected + ", found " + Found)
                          .str())
         << '\n';
}
