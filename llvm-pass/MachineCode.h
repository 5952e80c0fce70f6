// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions by name. A plugin cannot use a target's enumerations of opcodes
// and registers, because their headers are not installed. The names are in
// tables that every target has.
//
// A string names several instructions, separated by `;`. Each is LLVM's name of
// the opcode, then operands, separated by spaces: registers and decimal
// numbers.
#ifndef PATCHBAY_LLVM_PASS_MACHINECODE_H
#define PATCHBAY_LLVM_PASS_MACHINECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"

namespace llvm {
class MachineInstr;
class MCInstrInfo;
class MCRegisterInfo;
} // namespace llvm

namespace patchbay {

/// Appends the instructions of \p Code to \p Built. False if LLVM has no such
/// name.
bool buildInstructions(llvm::StringRef Code,
                       const llvm::MCInstrInfo &Instructions,
                       const llvm::MCRegisterInfo &Registers,
                       llvm::SmallVectorImpl<llvm::MCInst> &Built);

/// The same for registers, whose \p Names are separated by spaces.
bool findRegisters(llvm::StringRef Names, const llvm::MCRegisterInfo &Registers,
                   llvm::SmallVectorImpl<llvm::MCRegister> &Found);

/// Whether \p MI is one of the instructions of \p Code, which have no operands
/// or only the first one.
bool isOneOf(const llvm::MachineInstr &MI, llvm::StringRef Code);

} // namespace patchbay

#endif
