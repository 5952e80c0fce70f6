// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MachineCode.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"

using namespace llvm;
using namespace patchbay;

static std::optional<unsigned> findOpcode(const MCInstrInfo &Instructions,
                                          StringRef Name) {
  for (unsigned Opcode = Instructions.getNumOpcodes(); Opcode--;)
    if (Instructions.getName(Opcode) == Name)
      return Opcode;
  return std::nullopt;
}

static MCRegister findRegister(const MCRegisterInfo &Registers,
                               StringRef Name) {
  for (unsigned Register = 1; Register != Registers.getNumRegs(); ++Register)
    if (Registers.getName(Register) == Name)
      return Register;
  return MCRegister();
}

static std::optional<MCOperand> buildOperand(const CodeOperand &Operand,
                                             const MCContext &Context) {
  if (!Operand.Register)
    return MCOperand::createImm(Operand.Immediate);
  MCRegister Register =
      findRegister(*Context.getRegisterInfo(), Operand.Register);
  if (!Register)
    return std::nullopt;
  return MCOperand::createReg(Register);
}

std::optional<SmallVector<MCInst, 2>>
patchbay::buildInstructions(ArrayRef<CodeTemplate> Code,
                            const MCInstrInfo &Instructions,
                            const MCContext &Context) {
  SmallVector<MCInst, 2> Built;
  for (const CodeTemplate &Template : Code) {
    std::optional<unsigned> Opcode = findOpcode(Instructions, Template.Opcode);
    if (!Opcode)
      return std::nullopt;
    MCInst Inst;
    Inst.setOpcode(*Opcode);
    for (const CodeOperand &Template : Template.Operands) {
      std::optional<MCOperand> Operand = buildOperand(Template, Context);
      if (!Operand)
        return std::nullopt;
      Inst.addOperand(*Operand);
    }
    Built.push_back(std::move(Inst));
  }
  return Built;
}

std::optional<SmallVector<MCRegister>>
patchbay::findRegisters(ArrayRef<StringLiteral> Names,
                        const MCRegisterInfo &Registers) {
  SmallVector<MCRegister> Found;
  for (StringRef Name : Names) {
    Found.push_back(findRegister(Registers, Name));
    if (!Found.back())
      return std::nullopt;
  }
  return Found;
}
