// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets keep the code that assigns arguments to registers to themselves.
// Here the same rules are applied to the same input, the IR's argument types
// split the way the target splits them, and the result is compared with what
// the target really did: the live-in registers and the frame's incoming stack
// objects. Where the two disagree the record says so (UNKNOWN_ARGS).
#include "Arguments.h"
#include "ArgumentAssignment.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/CodeGen/Analysis.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

/// The argument as its target splits it.
static LoweredArgument lower(const Argument &Arg, const TargetLowering &TLI) {
  const Function &F = *Arg.getParent();
  const DataLayout &DL = F.getDataLayout();
  LLVMContext &Context = F.getContext();
  LoweredArgument Lowered;
  Lowered.ByVal = Arg.hasByValAttr();
  if (Lowered.ByVal) {
    Type *Pointee = Arg.getParamByValType();
    Lowered.Size = DL.getTypeAllocSize(Pointee);
    MaybeAlign Asked = Arg.getParamStackAlign();
    if (!Asked)
      Asked = Arg.getParamAlign();
    if (!Asked)
      Asked = TLI.getByValTypeAlignment(Pointee, DL);
    Lowered.Alignment = std::max(*Asked, Align(8));
    return Lowered;
  }
  Lowered.OfVariadic = F.isVarArg();
  Lowered.Together = TLI.functionArgumentNeedsConsecutiveRegisters(
      Arg.getType(), F.getCallingConv(), F.isVarArg(), DL);
  SmallVector<EVT, 4> Types;
  ComputeValueVTs(TLI, DL, Arg.getType(), Types);
  for (EVT VT : Types)
    Lowered.Values.push_back(
        {TLI.getRegisterTypeForCallingConv(Context, F.getCallingConv(), VT),
         TLI.getNumRegistersForCallingConv(Context, F.getCallingConv(), VT)});
  return Lowered;
}

static void assignArguments(ArgumentAssignment &A, const MachineFunction &MF,
                            const SlotLayout &Layout, bool HiddenReturn) {
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();
  if (HiddenReturn)
    A.hiddenPointer();
  for (const Argument &Arg : MF.getFunction().args()) {
    // These have registers of their own.
    if (Arg.hasNestAttr() || Arg.hasSwiftErrorAttr() ||
        Arg.hasAttribute(Attribute::SwiftSelf) ||
        Arg.hasAttribute(Attribute::SwiftAsync) ||
        (Arg.hasStructRetAttr() && !Layout.ResultPointerIsArgument))
      continue;
    A.argument(lower(Arg, TLI));
  }
}

bool patchbay::usesAny(const MachineFunction &MF,
                       ArrayRef<MCRegister> Registers) {
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  return any_of(MF.getRegInfo().liveins(), [&](auto &LiveIn) {
    return any_of(Registers, [&](MCRegister Register) {
      return TRI->regsOverlap(Register, LiveIn.first);
    });
  });
}

/// Whether an assignment agrees with the lowered function. Unused arguments
/// leave no trace in registers, so those can only show too small a count.
static bool agrees(const MachineFunction &MF,
                   const ArgumentRegisters &Registers,
                   const ArgumentAssignment &A) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  return A.Known && A.stackEnd(MFI) == A.expectedStackEnd(MFI) &&
         (A.keepsUnnamed(MFI) ||
          (!usesAny(MF, ArrayRef(Registers.Integer).drop_front(A.GP)) &&
           !usesAny(MF, ArrayRef(Registers.Float).drop_front(A.FP))));
}

/// PATCHBAY_RECORD_RETURN_*: two registers of one kind are the most that
/// a tracer is asked to keep.
static uint8_t classifyReturn(ArrayRef<ISD::OutputArg> Parts,
                              const ArgumentAssignment &A) {
  if (Parts.empty())
    return PATCHBAY_RECORD_RETURN_VOID;
  uint8_t Kind = A.returnKind(Parts.front().VT);
  if (Parts.size() > 2 || any_of(Parts, [&](const ISD::OutputArg &Part) {
        return A.returnKind(Part.VT) != Kind;
      }))
    return PATCHBAY_RECORD_RETURN_OTHER;
  return Kind;
}

/// Whether a tracer of exits keeps all registers that the result is in. LLVM returns
/// more in registers than a C compiler asks of it.
static bool keepsResult(ArrayRef<ISD::OutputArg> Parts,
                        const SlotLayout &Layout) {
  unsigned Integers = 0, Floats = 0;
  for (const ISD::OutputArg &Part : Parts) {
    if (Part.VT.isScalableVector() ||
        (Part.VT.isVector() && !Layout.ResultVectors))
      return false;
    // Of x87's registers all are kept.
    if (Part.VT.isScalarInteger())
      ++Integers;
    else if (Part.VT != MVT::f80)
      ++Floats;
  }
  return Integers <= Layout.ResultIntegers && Floats <= Layout.ResultFloats;
}

ArgumentSummary
patchbay::summarizeArguments(const MachineFunction &MF,
                             const SlotLayout &Layout,
                             const ArgumentRegisters &Registers) {
  const Function &F = MF.getFunction();
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();

  SmallVector<ISD::OutputArg, 4> Return;
  GetReturnInfo(F.getCallingConv(), F.getReturnType(), F.getAttributes(),
                Return, TLI, F.getDataLayout());
  bool HiddenReturn = !TLI.CanLowerReturn(
      F.getCallingConv(), const_cast<MachineFunction &>(MF), F.isVarArg(),
      Return, F.getContext(), F.getReturnType());

  std::unique_ptr<ArgumentAssignment> A =
      createAssignment(MF, Layout, Registers);
  ArgumentSummary Summary = {};
  // Where the hidden pointer counts it is also what such a function returns.
  if (HiddenReturn || F.hasStructRetAttr())
    Summary.Flags |= PATCHBAY_RECORD_SRET | (Layout.ResultPointerIsArgument
                                                 ? PATCHBAY_RECORD_RETURN_GP
                                                 : PATCHBAY_RECORD_RETURN_VOID);
  else
    Summary.Flags |= classifyReturn(Return, *A);
  if (F.isVarArg())
    Summary.Flags |= PATCHBAY_RECORD_VARIADIC;
  if (F.doesNotReturn())
    Summary.Flags |= PATCHBAY_RECORD_NORETURN;
  if (any_of(F, [](const BasicBlock &BB) {
        return BB.getTerminatingMustTailCall();
      }))
    Summary.Flags |= PATCHBAY_RECORD_MUSTTAIL;

  assignArguments(*A, MF, Layout, HiddenReturn);
  uint64_t StackWords = divideCeil(A->StackSize, 8);
  if (!agrees(MF, Registers, *A) || StackWords > PATCHBAY_RECORD_COUNT_MAX ||
      (!HiddenReturn && !keepsResult(Return, Layout)))
    Summary.Flags |= PATCHBAY_RECORD_UNKNOWN_ARGS;
  Summary.GPArgs = A->GP;
  Summary.FPArgs = A->FP;
  Summary.StackArgWords =
      std::min<uint64_t>(StackWords, PATCHBAY_RECORD_COUNT_MAX);
  return Summary;
}
