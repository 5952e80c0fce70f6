// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions are too small to be worth a slot.
#ifndef PATCHBAY_LLVM_PASS_THRESHOLD_H
#define PATCHBAY_LLVM_PASS_THRESHOLD_H

namespace llvm {
class MachineFunction;
} // namespace llvm

namespace patchbay {

/// Why \p MF is too small; null if it is not.
const char *whyTooSmall(const llvm::MachineFunction &MF);

} // namespace patchbay

#endif
