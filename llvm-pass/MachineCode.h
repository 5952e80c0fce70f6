// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions by name. A plugin cannot use a target's opcode and register
// enumerations, because their headers are not installed; the names are in the
// tables that every target has.
#ifndef PATCHBAY_LLVM_PASS_MACHINECODE_H
#define PATCHBAY_LLVM_PASS_MACHINECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"
#include <cstdint>
#include <optional>

namespace llvm {
class MCContext;
class MCInstrInfo;
class MCRegisterInfo;
} // namespace llvm

namespace patchbay {

/// A register by LLVM's name or, if that is null, an immediate.
struct CodeOperand {
  const char *Register;
  int64_t Immediate;

  constexpr CodeOperand(const char *Register)
      : Register(Register), Immediate(0) {}
  constexpr CodeOperand(int64_t Immediate)
      : Register(nullptr), Immediate(Immediate) {}
};

/// An instruction: LLVM's name of the opcode, and its operands.
struct CodeTemplate {
  llvm::StringLiteral Opcode;
  llvm::ArrayRef<CodeOperand> Operands;
};

/// The instructions that \p Code names, or nothing if LLVM has no such name.
std::optional<llvm::SmallVector<llvm::MCInst, 2>>
buildInstructions(llvm::ArrayRef<CodeTemplate> Code,
                  const llvm::MCInstrInfo &Instructions,
                  const llvm::MCContext &Context);

/// The registers that have \p Names, or nothing if LLVM has no such name.
std::optional<llvm::SmallVector<llvm::MCRegister>>
findRegisters(llvm::ArrayRef<llvm::StringLiteral> Names,
              const llvm::MCRegisterInfo &Registers);

} // namespace patchbay

#endif
