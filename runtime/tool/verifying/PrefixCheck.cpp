// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"

using namespace llvm;
using namespace patchbay;

void patchbay::checkBytes(const ImageView &View, const Subject &Function,
                          int64_t Offset, const Twine &What,
                          ArrayRef<uint8_t> Expected, Findings &Out) {
  ArrayRef<uint8_t> Found =
      View.map().bytes(Function.Entry + Offset, Expected.size());
  if (Found != Expected)
    Out.add(Function.Name, Offset, What, hex(Expected), hex(Found));
}

void patchbay::checkSlot(const ImageView &View, const Subject &Function,
                         Findings &Out) {
  uint64_t Slot = Function.Entry + PATCHBAY_SLOT_OFFSET;
  if (Slot % PATCHBAY_SLOT_SIZE)
    Out.add(Function.Name, PATCHBAY_SLOT_OFFSET, "slot is not aligned",
            "a multiple of " + Twine(PATCHBAY_SLOT_SIZE), hex(Slot));
  constexpr uint8_t Empty[PATCHBAY_SLOT_SIZE] = {};
  checkBytes(View, Function, PATCHBAY_SLOT_OFFSET, "slot is not empty", Empty,
             Out);
}

void patchbay::checkOwned(const ImageView &View, const Subject &Function,
                          int64_t From, int64_t To, Findings &Out) {
  uint64_t Start = Function.Entry + From;
  if (const SymbolNames::Symbol *Other = View.bodyBefore(Function.Entry);
      Other && bodyEnd(*Other) > Start)
    Out.add(Function.Name, From, "prefix overlaps another function",
            "code before it to end by " + hex(Start),
            View.nameAt(Other->Address) + " up to " + hex(bodyEnd(*Other)));
  if (const auto *R = View.relocations().in(Start, To - From))
    Out.add(Function.Name, R->Address - Function.Entry,
            "the dynamic loader changes code", "no relocation",
            "one of type " + Twine(R->Type));
}
