// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record's description of a function's arguments and return value: where
// the calling convention puts them, so that a tracer can pass them on.
#ifndef PATCHBAY_LLVM_PASS_ARGUMENTS_H
#define PATCHBAY_LLVM_PASS_ARGUMENTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"

struct patchbay_record;

namespace llvm {
class MachineFunction;
class MachineModuleInfo;
} // namespace llvm

namespace patchbay {

struct SlotLayout;

/// A target's argument registers in order, the other registers that trampolines
/// keep, and those that trampolines and sites change.
struct ArgumentRegisters {
  llvm::SmallVector<llvm::MCRegister> Integer, Float, OtherKept, Scratch;
};

/// Sets the last four bytes of \p Record.
void describeArguments(const llvm::MachineFunction &MF,
                       llvm::MachineModuleInfo &MMI, const SlotLayout &Layout,
                       const ArgumentRegisters &Registers,
                       patchbay_record &Record);

} // namespace patchbay

#endif
