// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes slot, site and record of one function, and what an object file has
// once.
#ifndef PATCHBAY_LLVM_PASS_SLOTEMITTER_H
#define PATCHBAY_LLVM_PASS_SLOTEMITTER_H

namespace llvm {
class MachineFunction;
} // namespace llvm

namespace patchbay {

struct SlotLayout;

/// Instruments \p MF; with \p FirstInObject also emits the object's note and
/// its module descriptor. Returns the size of the prefix.
unsigned emitSlot(llvm::MachineFunction &MF, const SlotLayout &Layout,
                  bool FirstInObject);

} // namespace patchbay

#endif
