// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets keep the code that assigns arguments to registers to themselves.
// Here the same rules are applied to the same input, the IR's argument types
// split the way the target splits them, and the result is compared with what
// the target really did: the live-in registers and the frame's incoming stack
// objects. Where the two disagree the record says so (UNKNOWN_ARGS).
#include "Arguments.h"
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

namespace {

/// Registers and stack that arguments take: registers while there are any, then
/// the stack.
struct Assignment {
  unsigned MaxGP, MaxFP;
  unsigned GP = 0, FP = 0;
  uint64_t StackSize = 0;
  bool Known = true;

  void onStack(uint64_t Size, Align Alignment) {
    StackSize = alignTo(StackSize, Alignment) + Size;
  }

  void integer(unsigned Parts, bool TogetherOnly) {
    if (TogetherOnly && GP + Parts > MaxGP) {
      onStack(Parts * 8, Align(Parts * 8));
      return;
    }
    for (; Parts; --Parts)
      GP < MaxGP ? void(++GP) : onStack(8, Align(8));
  }

  /// AAPCS64: all in registers, the first a multiple of \p Step, or all on the
  /// stack; and then no later argument gets the registers that are left.
  void block(ArrayRef<MVT> Parts, unsigned Step, uint64_t Alignment) {
    bool Integer = Parts.front().isScalarInteger();
    unsigned &Used = Integer ? GP : FP, &Max = Integer ? MaxGP : MaxFP;
    unsigned End = alignTo(Used, Step) + Parts.size();
    if (End <= Max) {
      Used = End;
      return;
    }
    Max = Used;
    onStack(Parts.size() * Parts.front().getStoreSize(),
            Align(std::max<uint64_t>(Alignment, 8)));
  }

  /// AAPCS64: an integer of more than one register. C has one, __int128.
  void wideInteger(unsigned Parts) {
    if (Parts == 2)
      block({MVT::i64, MVT::i64}, 2, 16);
    else
      Known = false;
  }

  void floating(MVT VT, bool IsVarArg) {
    uint64_t Size = std::max<uint64_t>(VT.getStoreSize(), 8);
    // Wide vectors of variadic functions go to the stack.
    if (FP < MaxFP && !(IsVarArg && Size > 16))
      ++FP;
    else
      onStack(Size, Align(Size));
  }

  void part(MVT VT, bool IsVarArg) {
    if (VT.isScalableVector())
      Known = false;
    else if (VT.isScalarInteger())
      integer(1, false);
    else if (VT == MVT::f80)
      onStack(16, Align(16));
    else if (VT.isFloatingPoint() || VT.isFixedLengthVector())
      floating(VT, IsVarArg);
    else
      Known = false;
  }
};

} // namespace

/// AAPCS64 has a register of its own, x8, for the address of the result.
static bool countsHiddenPointer(const SlotLayout &Layout) {
  return Layout.Standard == CallingStandard::SystemV_X86_64;
}

static Assignment assignArguments(const MachineFunction &MF,
                                  const SlotLayout &Layout, bool HiddenReturn) {
  const Function &F = MF.getFunction();
  const DataLayout &DL = F.getDataLayout();
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();
  LLVMContext &Ctx = F.getContext();
  const bool AAPCS64 = Layout.Standard == CallingStandard::AAPCS64;
  Assignment A{unsigned(Layout.IntegerRegisters.size()),
               unsigned(Layout.FloatRegisters.size())};

  if (HiddenReturn && countsHiddenPointer(Layout))
    A.integer(1, false);
  for (const Argument &Arg : F.args()) {
    if (Arg.hasByValAttr()) {
      Align Alignment = std::max(
          TLI.getByValTypeAlignment(Arg.getParamByValType(), DL), Align(8));
      if (MaybeAlign Asked = Arg.getParamStackAlign())
        Alignment = std::max(*Asked, Align(8));
      else if (MaybeAlign Asked = Arg.getParamAlign())
        Alignment = std::max(*Asked, Align(8));
      uint64_t Size = DL.getTypeAllocSize(Arg.getParamByValType());
      A.onStack(std::max<uint64_t>(Size, 8), Alignment);
      continue;
    }
    // These have registers of their own.
    if (Arg.hasNestAttr() || Arg.hasSwiftErrorAttr() ||
        Arg.hasAttribute(Attribute::SwiftSelf) ||
        Arg.hasAttribute(Attribute::SwiftAsync) ||
        (Arg.hasStructRetAttr() && !countsHiddenPointer(Layout)))
      continue;

    bool Together = TLI.functionArgumentNeedsConsecutiveRegisters(
        Arg.getType(), F.getCallingConv(), F.isVarArg(), DL);
    SmallVector<EVT, 4> Types;
    ComputeValueVTs(TLI, DL, Arg.getType(), Types);
    SmallVector<MVT, 8> All;
    for (EVT VT : Types) {
      MVT Part = TLI.getRegisterTypeForCallingConv(Ctx, F.getCallingConv(), VT);
      unsigned Parts =
          TLI.getNumRegistersForCallingConv(Ctx, F.getCallingConv(), VT);
      if (Together)
        All.append(Parts, Part);
      else if (AAPCS64 && Parts > 1 && VT.isScalarInteger())
        A.wideInteger(Parts);
      else
        for (; Parts; --Parts)
          A.part(Part, F.isVarArg());
    }
    if (All.empty())
      continue;
    if (AAPCS64)
      A.block(All, 1, All.front().getStoreSize());
    else
      A.integer(All.size(), true);
  }
  return A;
}

/// Whether every live-in register among \p Names is one of the first \p Count.
static bool fits(const MachineFunction &MF, ArrayRef<StringLiteral> Names,
                 unsigned Count) {
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();
  return all_of(Names.drop_front(Count), [&](StringRef Name) {
    Register Reg =
        TLI.getRegForInlineAsmConstraint(TRI, Name, MVT::Other).first;
    return none_of(MF.getRegInfo().liveins(), [&](auto &LiveIn) {
      return TRI->regsOverlap(Reg, LiveIn.first);
    });
  });
}

/// Whether an assignment agrees with the lowered function. Unused arguments
/// leave no trace in registers, so those can only show too small a count.
static bool agrees(const MachineFunction &MF, const SlotLayout &Layout,
                   const Assignment &A) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  int64_t End = 0;
  for (int I = MFI.getObjectIndexBegin(); I != 0; ++I)
    End = std::max(End, MFI.getObjectOffset(I) + MFI.getObjectSize(I));
  // Where `...` is used, all argument registers are live in, and an object of
  // up to eight bytes marks where unnamed arguments on the stack begin.
  uint64_t Marker = MFI.hasVAStart() ? 8 : 0;
  return A.Known && alignTo(A.StackSize, 8) + Marker == alignTo(End, 8) &&
         (MFI.hasVAStart() || (fits(MF, Layout.IntegerRegisters, A.GP) &&
                               fits(MF, Layout.FloatRegisters, A.FP)));
}

/// PATCHBAY_RECORD_RETURN_*: two registers of one kind are the most that
/// a tracer is asked to keep.
static uint8_t classifyReturn(ArrayRef<ISD::OutputArg> Parts) {
  if (Parts.empty())
    return PATCHBAY_RECORD_RETURN_VOID;
  if (Parts.size() > 2)
    return PATCHBAY_RECORD_RETURN_OTHER;
  if (all_of(Parts, [](auto &Part) { return Part.VT.isScalarInteger(); }))
    return PATCHBAY_RECORD_RETURN_GP;
  if (all_of(Parts, [](auto &Part) {
        return Part.VT.isFloatingPoint() && !Part.VT.isVector() &&
               Part.VT != MVT::f80;
      }))
    return PATCHBAY_RECORD_RETURN_FP;
  return PATCHBAY_RECORD_RETURN_OTHER;
}

ArgumentSummary patchbay::summarizeArguments(const MachineFunction &MF,
                                             const SlotLayout &Layout) {
  const Function &F = MF.getFunction();
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();

  SmallVector<ISD::OutputArg, 4> Return;
  GetReturnInfo(F.getCallingConv(), F.getReturnType(), F.getAttributes(),
                Return, TLI, F.getDataLayout());
  bool HiddenReturn = !TLI.CanLowerReturn(
      F.getCallingConv(), const_cast<MachineFunction &>(MF), F.isVarArg(),
      Return, F.getContext(), F.getReturnType());

  ArgumentSummary Summary = {};
  // Where the hidden pointer counts it is also what such a function returns.
  if (HiddenReturn || F.hasStructRetAttr())
    Summary.Flags |= PATCHBAY_RECORD_SRET | (countsHiddenPointer(Layout)
                                                 ? PATCHBAY_RECORD_RETURN_GP
                                                 : PATCHBAY_RECORD_RETURN_VOID);
  else
    Summary.Flags |= classifyReturn(Return);
  if (F.isVarArg())
    Summary.Flags |= PATCHBAY_RECORD_VARIADIC;
  if (F.doesNotReturn())
    Summary.Flags |= PATCHBAY_RECORD_NORETURN;
  if (any_of(F, [](const BasicBlock &BB) {
        return BB.getTerminatingMustTailCall();
      }))
    Summary.Flags |= PATCHBAY_RECORD_MUSTTAIL;

  Assignment A = assignArguments(MF, Layout, HiddenReturn);
  uint64_t StackWords = divideCeil(A.StackSize, 8);
  if (!agrees(MF, Layout, A) || StackWords > PATCHBAY_RECORD_COUNT_MAX)
    Summary.Flags |= PATCHBAY_RECORD_UNKNOWN_ARGS;
  Summary.GPArgs = A.GP;
  Summary.FPArgs = A.FP;
  Summary.StackArgWords =
      std::min<uint64_t>(StackWords, PATCHBAY_RECORD_COUNT_MAX);
  return Summary;
}
