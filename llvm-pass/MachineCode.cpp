// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static MCRegister findRegister(StringRef Name,
                               const MCRegisterInfo &Registers) {
  unsigned Register = Registers.getNumRegs() - 1;
  while (Register && Registers.getName(Register) != Name)
    --Register;
  return Register;
}

bool patchbay::buildInstructions(StringRef Code,
                                 const MCInstrInfo &Instructions,
                                 const MCRegisterInfo &Registers,
                                 SmallVectorImpl<MCInst> &Built) {
  for (StringRef Text : split(Code, ';')) {
    auto [Name, Operands] = Text.split(' ');
    unsigned Opcode = Instructions.getNumOpcodes();
    while (Opcode && Instructions.getName(Opcode - 1) != Name)
      --Opcode;
    if (!Opcode)
      return false;
    MCInst &Inst = Built.emplace_back();
    Inst.setOpcode(Opcode - 1);
    for (StringRef Operand : split(Operands, ' ')) {
      int64_t Number;
      if (!Operand.getAsInteger(10, Number))
        Inst.addOperand(MCOperand::createImm(Number));
      else if (MCRegister Register = findRegister(Operand, Registers))
        Inst.addOperand(MCOperand::createReg(Register));
      else
        return false;
    }
  }
  return true;
}

bool patchbay::findRegisters(StringRef Names, const MCRegisterInfo &Registers,
                             SmallVectorImpl<MCRegister> &Found) {
  for (StringRef Name : split(Names, ' ')) {
    Found.push_back(findRegister(Name, Registers));
    if (!Found.back())
      return false;
  }
  return true;
}

bool patchbay::isOneOf(const MachineInstr &MI, StringRef Code) {
  const TargetSubtargetInfo &Subtarget = MI.getMF()->getSubtarget();
  StringRef Opcode = Subtarget.getInstrInfo()->getName(MI.getOpcode());
  return any_of(split(Code, ';'), [&](StringRef Text) {
    auto [Name, Operand] = Text.split(' ');
    if (Name != Opcode || Operand.empty())
      return Name == Opcode;
    const MachineOperand &First = MI.getOperand(0);
    int64_t Number;
    if (!Operand.getAsInteger(10, Number))
      return First.isImm() && First.getImm() == Number;
    return First.isReg() &&
           Operand == Subtarget.getRegisterInfo()->getName(First.getReg());
  });
}
