// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where the calling convention puts a function's arguments. LLVM does not
// record this, and a function's code does not show unused arguments. So run the
// target's LowerFormalArguments() again, for an empty function, and read the
// registers and stack objects that the target uses.
#include "Pass.h"
#include "patchbay/abi.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/CodeGen/Analysis.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/CodeGen/TargetLowering.h"

using namespace llvm;
using namespace patchbay;

namespace {
/// Where values are. Integers and Floats count the argument registers from the
/// first to the last one that a value is in.
struct Locations {
  unsigned Integers = 0, Floats = 0;
  uint64_t StackSize = 0;
  bool InMemory = false; // some values are on the stack
  bool Known = true;     // false: some values are in other registers
};
} // namespace

using Parts = SmallVector<ISD::InputArg, 8>;

/// Whether an argument has a special register instead of an argument register.
static bool isApart(const Argument &Arg, const SlotLayout &Layout) {
  return Arg.hasNestAttr() || Arg.hasSwiftErrorAttr() ||
         Arg.hasAttribute(Attribute::SwiftSelf) ||
         Arg.hasAttribute(Attribute::SwiftAsync) ||
         (Arg.hasStructRetAttr() && !Layout.ResultPointerIsArgument);
}

static ISD::ArgFlagsTy flagsOf(const Argument &Arg, const TargetLowering &TLI) {
  const DataLayout &DL = Arg.getParent()->getDataLayout();
  ISD::ArgFlagsTy Flags;
  if (Arg.getType()->isPointerTy())
    Flags.setPointer();
  if (Arg.hasAttribute(Attribute::ZExt))
    Flags.setZExt();
  if (Arg.hasAttribute(Attribute::SExt))
    Flags.setSExt();
  if (Arg.hasAttribute(Attribute::InReg))
    Flags.setInReg();
  if (Arg.hasStructRetAttr())
    Flags.setSRet();
  MaybeAlign Alignment = Arg.getParamStackAlign();
  if (Arg.hasByValAttr()) {
    Type *Pointee = Arg.getParamByValType();
    Flags.setByVal();
    Flags.setByValSize(DL.getTypeAllocSize(Pointee));
    if (!Alignment)
      Alignment = Arg.getParamAlign();
    if (!Alignment)
      Alignment = TLI.getByValTypeAlignment(Pointee, DL);
  }
  Flags.setMemAlign(Alignment ? *Alignment : DL.getABITypeAlign(Arg.getType()));
  return Flags;
}

/// Splits an argument into parts, as instruction selection does.
static void addParts(const Argument &Arg, const TargetLowering &TLI,
                     Parts &All) {
  const Function &F = *Arg.getParent();
  const DataLayout &DL = F.getDataLayout();
  LLVMContext &Context = F.getContext();
  const CallingConv::ID Convention = F.getCallingConv();
  ISD::ArgFlagsTy Flags = flagsOf(Arg, TLI);
  const bool Together = TLI.functionArgumentNeedsConsecutiveRegisters(
      Arg.getType(), Convention, F.isVarArg(), DL);
  if (Together)
    Flags.setInConsecutiveRegs();
  SmallVector<EVT, 4> Types;
  ComputeValueVTs(TLI, DL, Arg.getType(), Types);
  unsigned Offset = 0;
  for (EVT VT : Types) {
    Type *Ty = VT.getTypeForEVT(Context);
    Flags.setOrigAlign(TLI.getABIAlignmentForCallingConv(Ty, DL));
    const MVT Register =
        TLI.getRegisterTypeForCallingConv(Context, Convention, VT);
    const unsigned Size = Register.getStoreSize().getKnownMinValue();
    const unsigned Number =
        TLI.getNumRegistersForCallingConv(Context, Convention, VT);
    for (unsigned I = 0; I != Number; ++I) {
      ISD::ArgFlagsTy OfPart = Flags;
      if (Number > 1 && I == 0)
        OfPart.setSplit();
      if (I)
        OfPart.setOrigAlign(Align(1));
      if (I && I == Number - 1)
        OfPart.setSplitEnd();
      All.emplace_back(OfPart, Register, VT, Ty, /*Used=*/true, Arg.getArgNo(),
                       Offset + I * Size);
    }
    Offset += VT.getStoreSize().getKnownMinValue();
  }
  if (Together && !Types.empty())
    All.back().Flags.setInConsecutiveRegsLast();
}

/// Makes a part for a result or a hidden argument.
static ISD::InputArg makePart(MVT VT, LLVMContext &Context, bool IsResultPointer) {
  ISD::ArgFlagsTy Flags;
  if (IsResultPointer)
    Flags.setSRet();
  Flags.setOrigAlign(Align(1));
  return ISD::InputArg(Flags, VT, VT, EVT(VT).getTypeForEVT(Context),
                       /*Used=*/true, ISD::InputArg::NoArgIndex, 0);
}

/// If \p Register is one of \p All, raises \p Count to include it.
static bool countRegister(MCRegister Register, ArrayRef<MCRegister> All,
                          unsigned &Count, const TargetRegisterInfo &TRI) {
  auto It = find_if(All, [&](MCRegister Whole) {
    return TRI.isSubRegisterEq(Whole, Register);
  });
  if (It == All.end())
    return false;
  Count = std::max<unsigned>(Count, It - All.begin() + 1);
  return true;
}

/// Where the target puts \p All on entry to a function with \p MF's attributes.
static Locations locate(const Parts &All, CallingConv::ID Convention,
                        const MachineFunction &MF, MachineModuleInfo &MMI,
                        const SlotLayout &Layout,
                        const ArgumentRegisters &Registers) {
  Locations Found;
  if (All.empty())
    return Found;
  Function &F = const_cast<Function &>(MF.getFunction());
  const TargetMachine &TM = MF.getTarget();
  const TargetSubtargetInfo &Subtarget = MF.getSubtarget();
  MachineFunction Other(F, TM, Subtarget, MF.getContext(), 0);
  Other.initTargetMachineFunctionInfo(Subtarget);
  OptimizationRemarkEmitter ORE(&F);
  SelectionDAG DAG(TM, TM.getOptLevel());
#if LLVM_VERSION_MAJOR >= 23
  DAG.init(Other, ORE, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, MMI,
           nullptr);
#else
  DAG.init(Other, ORE, nullptr, nullptr, nullptr, nullptr, nullptr, MMI, nullptr);
#endif
  SmallVector<SDValue, 8> Values;
  // For a variadic function, count its named arguments.
  Subtarget.getTargetLowering()->LowerFormalArguments(
      DAG.getEntryNode(), Convention, /*isVarArg=*/false, All, SDLoc(), DAG,
      Values);
  const TargetRegisterInfo &TRI = *Subtarget.getRegisterInfo();
  for (auto &[Register, Virtual] : Other.getRegInfo().liveins())
    Found.Known &=
        countRegister(Register, Registers.Integer, Found.Integers, TRI) ||
        countRegister(Register, Registers.Float, Found.Floats, TRI);
  const MachineFrameInfo &MFI = Other.getFrameInfo();
  int64_t End = Layout.StackArgumentsOffset;
  for (int I = MFI.getObjectIndexBegin(); I != 0; ++I)
    End = std::max<int64_t>(End, MFI.getObjectOffset(I) + MFI.getObjectSize(I));
  Found.StackSize = End - Layout.StackArgumentsOffset;
  Found.InMemory = MFI.getNumFixedObjects();
  return Found;
}

/// Whether a trampoline's copy of stack arguments keeps the part's alignment.
static bool canBeCopied(const ISD::InputArg &Part) {
  const Align Max(PATCHBAY_RECORD_STACK_ALIGN_MAX);
  return (Part.Flags.isByVal() ? Part.Flags.getNonZeroMemAlign()
                               : Align(PowerOf2Ceil(std::max<uint64_t>(
                                     Part.VT.getStoreSize().getKnownMinValue(), 1)))) <=
         Max;
}

/// Whether a tracer of exits keeps all registers of the result. LLVM may return
/// more values in registers than the C calling convention does.
static bool keepsResult(ArrayRef<ISD::OutputArg> Results,
                        const SlotLayout &Layout) {
  unsigned Integers = 0, Floats = 0;
  for (const ISD::OutputArg &Part : Results) {
    if (Part.VT.isScalableVector() ||
        (Part.VT.isVector() && !Layout.ResultVectors))
      return false;
    // Trampolines keep all x87 registers.
    if (Part.VT.isScalarInteger())
      ++Integers;
    else if (Part.VT != MVT::f80)
      ++Floats;
  }
  return Integers <= 2 && Floats <= Layout.ResultFloats;
}

void patchbay::describeArguments(const MachineFunction &MF,
                                 MachineModuleInfo &MMI,
                                 const SlotLayout &Layout,
                                 const ArgumentRegisters &Registers,
                                 patchbay_record &Record) {
  const Function &F = MF.getFunction();
  LLVMContext &Context = F.getContext();
  const CallingConv::ID Convention = F.getCallingConv();
  const TargetLowering &TLI = *MF.getSubtarget().getTargetLowering();

  SmallVector<ISD::OutputArg, 4> Results;
  GetReturnInfo(Convention, F.getReturnType(), F.getAttributes(), Results, TLI,
                F.getDataLayout());
  const bool HiddenReturn = !TLI.CanLowerReturn(
      Convention, const_cast<MachineFunction &>(MF), F.isVarArg(), Results,
      Context, F.getReturnType());

  Parts All;
  bool Known = HiddenReturn || keepsResult(Results, Layout);
  if (HiddenReturn && Layout.ResultPointerIsArgument)
    All.push_back(makePart(TLI.getPointerTy(F.getDataLayout()), Context,
                           /*IsResultPointer=*/true));
  for (const Argument &Arg : F.args()) {
    Known &= !Arg.hasInAllocaAttr() && !Arg.hasAttribute(Attribute::Preallocated);
    if (!isApart(Arg, Layout))
      addParts(Arg, TLI, All);
  }
  // Some targets pass vectors differently in variadic functions.
  Known &= none_of(All, [&](const ISD::InputArg &Part) {
    return Part.VT.isScalableVector() ||
           (F.isVarArg() && Part.VT.getStoreSize().getKnownMinValue() > 16);
  });
  const Locations Arguments =
      locate(All, Convention, MF, MMI, Layout, Registers);

  // A result is in registers of the same kind as an argument of its type.
  Parts AsArguments;
  bool Vectors = false;
  for (const ISD::OutputArg &Part : Results) {
    AsArguments.push_back(makePart(Part.VT, Context, /*IsResultPointer=*/false));
    Vectors |= Part.VT.isVector();
  }
  // The function also returns the hidden pointer if it counts as an argument.
  if (HiddenReturn || F.hasStructRetAttr())
    Record.flags = PATCHBAY_RECORD_SRET | (Layout.ResultPointerIsArgument
                                               ? PATCHBAY_RECORD_RETURN_GP
                                               : PATCHBAY_RECORD_RETURN_VOID);
  else if (Results.size() > 2 || Vectors)
    Record.flags = PATCHBAY_RECORD_RETURN_OTHER;
  else if (all_of(Results, [](const ISD::OutputArg &Part) { return Part.VT.isScalarInteger(); }))
    Record.flags = Results.empty() ? PATCHBAY_RECORD_RETURN_VOID
                                   : PATCHBAY_RECORD_RETURN_GP;
  else {
    const Locations Result =
        locate(AsArguments, CallingConv::C, MF, MMI, Layout, Registers);
    Record.flags =
        !Result.Known || Result.StackSize || (Result.Integers && Result.Floats)
            ? PATCHBAY_RECORD_RETURN_OTHER
        : Result.Floats ? PATCHBAY_RECORD_RETURN_FP
                        : PATCHBAY_RECORD_RETURN_GP;
  }
  if (F.isVarArg())
    Record.flags |= PATCHBAY_RECORD_VARIADIC;
  if (F.doesNotReturn())
    Record.flags |= PATCHBAY_RECORD_NORETURN;
  if (any_of(F, [](const BasicBlock &BB) {
        return BB.getTerminatingMustTailCall();
      }))
    Record.flags |= PATCHBAY_RECORD_MUSTTAIL;

  const uint64_t StackWords = divideCeil(Arguments.StackSize, 8);
  Known &= Arguments.Known && StackWords <= PATCHBAY_RECORD_COUNT_MAX;
  if (Arguments.InMemory)
    Known &= all_of(All, canBeCopied) &&
             (Layout.FastStackIsC || Convention != CallingConv::Fast);
  if (!Known)
    Record.flags |= PATCHBAY_RECORD_UNKNOWN_ARGS;
  Record.gp_args = Arguments.Integers;
  Record.fp_args = Arguments.Floats;
  Record.stack_arg_words =
      std::min<uint64_t>(StackWords, PATCHBAY_RECORD_COUNT_MAX);
}
