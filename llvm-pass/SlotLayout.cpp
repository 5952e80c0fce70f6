// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlotLayout.h"
#include "Targets/Targets.h"
#include "patchbay/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace patchbay;

const SlotLayout *patchbay::findSlotLayout(const Triple &TT) {
  // On pauthtest addresses of functions are signed, also those of constructors.
  if (!TT.isOSBinFormatELF() || TT.isX32() ||
      TT.getEnvironment() == Triple::GNUILP32 ||
      TT.getEnvironment() == Triple::PAuthTest)
    return nullptr;
  switch (TT.getArch()) {
  case Triple::x86_64:
    return &layoutX86_64();
  case Triple::aarch64:
    return &layoutAArch64();
  case Triple::ppc64le:
    return &layoutPPC64LE();
  case Triple::riscv64:
    return &layoutRISCV64();
  default:
    return nullptr;
  }
}

int patchbay::padOffset(const PrefixWords &Words) {
  return Words.SanitizerWords ? PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET
                              : PATCHBAY_PAD_OFFSET;
}

SmallVector<uint8_t> patchbay::layOutPrefix(const SlotLayout &Layout,
                                            const PrefixWords &Words,
                                            Align Alignment) {
  static_assert(PATCHBAY_SLOT_OFFSET == -PATCHBAY_PREFIX_SIZE &&
                    PATCHBAY_PAD_OFFSET ==
                        PATCHBAY_SLOT_OFFSET + PATCHBAY_SLOT_SIZE &&
                    PATCHBAY_HASH_OFFSET == -PATCHBAY_HASH_SIZE,
                "the prefix is slot, pad, hash");
  static_assert(PATCHBAY_X86_64_MOV_OFFSET == PATCHBAY_HASH_OFFSET - 1,
                "an opcode sits directly before the hash");
  int PadOffset = padOffset(Words);
  size_t Size = alignTo(std::max(PATCHBAY_PREFIX_SIZE, -PadOffset), Alignment);
  SmallVector<uint8_t> Prefix(Size, Layout.FillByte);
  uint8_t *Entry = Prefix.end();
  std::fill_n(Entry + PATCHBAY_SLOT_OFFSET, PATCHBAY_SLOT_SIZE, 0);
  for (int Word = 0; Word != 2; ++Word)
    support::endian::write32le(Entry + PadOffset + 4 * Word, Layout.PadWord);
  if (Words.HashOpcode)
    Entry[PATCHBAY_HASH_OFFSET - 1] = *Words.HashOpcode;
  if (Words.Hash)
    support::endian::write32le(Entry + PATCHBAY_HASH_OFFSET,
                               maskHash(Layout, *Words.Hash));
  if (Words.SanitizerWords)
    Prefix.truncate(Size + PATCHBAY_PAD_OFFSET);
  return Prefix;
}

uint32_t patchbay::maskHash(const SlotLayout &Layout, uint32_t Hash) {
  bool Reserved = any_of(Layout.ReservedHashes, [&](uint32_t Value) {
    return Hash == Value || Hash == 0 - Value;
  });
  return Reserved ? Hash + 1 : Hash;
}
