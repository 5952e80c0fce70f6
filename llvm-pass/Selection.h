// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions get a slot.
#ifndef PATCHBAY_LLVM_PASS_SELECTION_H
#define PATCHBAY_LLVM_PASS_SELECTION_H

#include <string>

namespace llvm {
class MachineFunction;
class Module;
class TargetMachine;
} // namespace llvm

namespace patchbay {

struct ArgumentRegisters;
class Requests;
struct SlotLayout;

/// Why no function of a module can have a slot; empty if they can.
std::string whyNotModule(const llvm::TargetMachine &TM,
                         const SlotLayout *Layout);

/// Why a function cannot have a slot, whoever asks for it; null if it can.
const char *whyNotFunction(const llvm::MachineFunction &MF, bool KernelMode,
                           const SlotLayout &Layout,
                           const ArgumentRegisters &Registers);

struct Choice {
  bool Instrument;
  const char *Reason; // null if the function is one like any other
};

/// Decides about one function: what cannot be is decided by whyNotFunction, the
/// rest by the user's requests and then by the threshold.
Choice choose(const llvm::MachineFunction &MF, bool KernelMode,
              const SlotLayout &Layout, const ArgumentRegisters &Registers,
              const Requests &Requested);

} // namespace patchbay

#endif
