// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which calling conventions assign arguments to registers and
// stack, as far as counting goes: how many registers of each kind, up to where
// on the stack.
#ifndef PATCHBAY_LLVM_PASS_ARGUMENTASSIGNMENT_H
#define PATCHBAY_LLVM_PASS_ARGUMENTASSIGNMENT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGenTypes/MachineValueType.h"
#include "llvm/Support/Alignment.h"
#include <cstdint>
#include <memory>

namespace llvm {
class MachineFrameInfo;
class MachineFunction;
} // namespace llvm

namespace patchbay {

struct ArgumentRegisters;
struct SlotLayout;

/// A value of an argument, in as many registers of a type as the target splits
/// it into.
struct ArgumentValue {
  llvm::MVT Type;
  unsigned Parts;
};

/// An argument that the callee finds in memory (byval), or its values.
struct LoweredArgument {
  bool ByVal = false;
  uint64_t Size = 0;
  llvm::Align Alignment;

  llvm::SmallVector<ArgumentValue, 4> Values;
  bool Together = false;
  bool OfVariadic = false;
};

class ArgumentAssignment {
protected:
  unsigned MaxGP, MaxFP;

  void onStack(uint64_t Size, llvm::Align Alignment);
  void integer(unsigned Parts);

public:
  unsigned GP = 0, FP = 0;
  uint64_t StackSize = 0;

  /// False once there was an argument for which there is no rule here.
  bool Known = true;

  explicit ArgumentAssignment(const ArgumentRegisters &Registers);
  virtual ~ArgumentAssignment();
  virtual void argument(const LoweredArgument &Arg) = 0;

  /// The pointer to the result, if it is passed like a first argument.
  virtual void hiddenPointer() { integer(1); }

  /// PATCHBAY_RECORD_RETURN_* of a part of the result.
  virtual uint8_t returnKind(llvm::MVT Type) const;

  /// Whether the code keeps what callers pass as `...`; all registers for
  /// arguments are live in then.
  virtual bool keepsUnnamed(const llvm::MachineFrameInfo &MFI) const;

  /// End of the incoming stack arguments, by the frame's fixed objects, and
  /// where it should be by the rules. Where `...` is kept, an object of up to
  /// eight bytes marks where unnamed arguments on the stack begin.
  uint64_t stackEnd(const llvm::MachineFrameInfo &MFI) const;
  virtual uint64_t expectedStackEnd(const llvm::MachineFrameInfo &MFI) const;

protected:
  /// Where stack arguments begin, from the stack pointer at the entry as fixed
  /// objects count it.
  virtual int64_t stackBase() const { return 0; }
};

std::unique_ptr<ArgumentAssignment>
createAssignment(const llvm::MachineFunction &MF, const SlotLayout &Layout,
                 const ArgumentRegisters &Registers);

} // namespace patchbay

#endif
