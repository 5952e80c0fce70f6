// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions by name. A plugin cannot use a target's opcode and register
// enumerations, because their headers are not installed; the names are in the
// tables that every target has.
//
// A string has the names of several instructions, separated by `;`: each is LLVM's
// name of the opcode, then operands, which are registers and decimal numbers.
#ifndef PATCHBAY_LLVM_PASS_MACHINECODE_H
#define PATCHBAY_LLVM_PASS_MACHINECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"
#include <optional>

namespace llvm {
class MachineInstr;
class MCInstrInfo;
class MCRegisterInfo;
} // namespace llvm

namespace patchbay {

/// The instructions of \p Code, or nothing if LLVM has no such name.
std::optional<llvm::SmallVector<llvm::MCInst, 2>>
buildInstructions(llvm::StringRef Code, const llvm::MCInstrInfo &Instructions,
                  const llvm::MCRegisterInfo &Registers);

/// The registers of \p Names, which spaces separate, or nothing if LLVM has no such
/// name.
std::optional<llvm::SmallVector<llvm::MCRegister>>
findRegisters(llvm::StringRef Names, const llvm::MCRegisterInfo &Registers);

/// Whether \p MI is one of \p Code's instructions, of which no operands or the first
/// one are given.
bool isOneOf(const llvm::MachineInstr &MI, llvm::StringRef Code);

} // namespace patchbay

#endif
