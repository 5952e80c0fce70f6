// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions get a slot. Selection by name list or size belongs here.
#ifndef PATCHBAY_LLVM_PASS_SELECTION_H
#define PATCHBAY_LLVM_PASS_SELECTION_H

#include <string>

namespace llvm {
class MachineFunction;
class Module;
class TargetMachine;
} // namespace llvm

namespace patchbay {

struct SlotLayout;

/// Why no function of a module can have a slot; empty if they can.
std::string whyNotModule(const llvm::TargetMachine &TM,
                         const SlotLayout *Layout);

/// Why a function must not have a slot; null if it gets one.
const char *whyNotFunction(const llvm::MachineFunction &MF, bool KernelMode);

} // namespace patchbay

#endif
