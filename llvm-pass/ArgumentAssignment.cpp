// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArgumentAssignment.h"
#include "Arguments.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

ArgumentAssignment::ArgumentAssignment(const ArgumentRegisters &Registers)
    : MaxGP(Registers.Integer.size()), MaxFP(Registers.Float.size()) {}

ArgumentAssignment::~ArgumentAssignment() = default;

void ArgumentAssignment::onStack(uint64_t Size, Align Alignment) {
  // Who copies the arguments has to know how the copy must lie.
  Known &= Alignment <= Align(PATCHBAY_RECORD_STACK_ALIGN_MAX);
  StackSize = alignTo(StackSize, Alignment) + Size;
}

void ArgumentAssignment::integer(unsigned Parts) {
  for (; Parts; --Parts)
    GP < MaxGP ? void(++GP) : onStack(8, Align(8));
}

uint8_t ArgumentAssignment::returnKind(MVT Type) const {
  if (Type.isScalarInteger())
    return PATCHBAY_RECORD_RETURN_GP;
  return Type.isFloatingPoint() && !Type.isVector()
             ? PATCHBAY_RECORD_RETURN_FP
             : PATCHBAY_RECORD_RETURN_OTHER;
}

bool ArgumentAssignment::keepsUnnamed(const MachineFrameInfo &MFI) const {
  return MFI.hasVAStart();
}

uint64_t ArgumentAssignment::stackEnd(const MachineFrameInfo &MFI) const {
  int64_t End = stackBase();
  for (int I = MFI.getObjectIndexBegin(); I != 0; ++I)
    End = std::max(End, MFI.getObjectOffset(I) + MFI.getObjectSize(I));
  return alignTo(End - stackBase(), 8);
}

uint64_t
ArgumentAssignment::expectedStackEnd(const MachineFrameInfo &MFI) const {
  return alignTo(StackSize, 8) + (keepsUnnamed(MFI) ? 8 : 0);
}

namespace {

/// System V Application Binary Interface, AMD64 Supplement, 3.2.3.
class SystemV_X86_64 : public ArgumentAssignment {
  void floating(MVT Type, bool OfVariadic) {
    uint64_t Size = std::max<uint64_t>(Type.getStoreSize(), 8);
    // Wide vectors of variadic functions go to the stack.
    if (FP < MaxFP && !(OfVariadic && Size > 16))
      ++FP;
    else
      onStack(Size, Align(Size));
  }

  /// All in registers, or all on the stack.
  void together(unsigned Parts) {
    if (GP + Parts <= MaxGP)
      integer(Parts);
    else
      onStack(Parts * 8, Align(Parts * 8));
  }

public:
  using ArgumentAssignment::ArgumentAssignment;

  void argument(const LoweredArgument &Arg) override {
    if (Arg.ByVal) {
      onStack(std::max<uint64_t>(Arg.Size, 8), Arg.Alignment);
      return;
    }
    unsigned Block = 0;
    for (auto [Type, Parts] : Arg.Values) {
      if (Arg.Together)
        Block += Parts;
      else if (Type.isScalableVector())
        Known = false;
      else if (Type.isScalarInteger())
        integer(Parts);
      else if (Type == MVT::f80)
        onStack(16, Align(16));
      else if (Type.isFloatingPoint() || Type.isFixedLengthVector())
        for (; Parts; --Parts)
          floating(Type, Arg.OfVariadic);
      else
        Known = false;
    }
    if (Block)
      together(Block);
  }

  uint8_t returnKind(MVT Type) const override {
    return Type == MVT::f80 ? PATCHBAY_RECORD_RETURN_OTHER
                            : ArgumentAssignment::returnKind(Type);
  }
};

/// Procedure Call Standard for the Arm 64-bit Architecture, 6.8.2.
class AAPCS64 : public ArgumentAssignment {
  /// GlobalISel does not say whether a function uses `...`: it keeps what is
  /// passed so in any case. It compiles what is not optimized; since LLVM 23
  /// also functions that are `optnone` among others that are.
  bool KeepsAll;

  /// All in registers, the first a multiple of \p Step, or all on the stack;
  /// and then no later argument gets the registers that are left.
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

  void floating(MVT Type) {
    uint64_t Size = std::max<uint64_t>(Type.getStoreSize(), 8);
    FP < MaxFP ? void(++FP) : onStack(Size, Align(Size));
  }

public:
  AAPCS64(const MachineFunction &MF, const ArgumentRegisters &Registers)
      : ArgumentAssignment(Registers),
        KeepsAll(MF.getFunction().isVarArg() &&
                 MF.getProperties().hasSelected()) {}

  void argument(const LoweredArgument &Arg) override {
    if (Arg.ByVal) {
      onStack(std::max<uint64_t>(Arg.Size, 8), Arg.Alignment);
      return;
    }
    SmallVector<MVT, 8> Block;
    for (auto [Type, Parts] : Arg.Values) {
      if (Arg.Together)
        Block.append(Parts, Type);
      else if (Type.isScalableVector())
        Known = false;
      else if (Type.isScalarInteger() && Parts == 2)
        block({MVT::i64, MVT::i64}, 2, 16); // __int128
      else if (Type.isScalarInteger() && Parts == 1)
        integer(1);
      else if (Type.isFloatingPoint() || Type.isFixedLengthVector())
        for (; Parts; --Parts)
          floating(Type);
      else
        Known = false;
    }
    if (!Block.empty())
      block(Block, 1, Block.front().getStoreSize());
  }

  /// There is a register of its own, x8, for the address of the result.
  void hiddenPointer() override {}

  bool keepsUnnamed(const MachineFrameInfo &MFI) const override {
    return KeepsAll || ArgumentAssignment::keepsUnnamed(MFI);
  }
};

/// 64-Bit ELF V2 ABI Specification, Power Architecture, 2.2.3. Every argument
/// has a place in the parameter save area; the first eight doublewords of that
/// are the integer registers. Floating-point registers are taken besides.
/// LLVM's fastcc gives no place to what is in a floating-point register, and
/// puts what is on the stack where a record does not look for it.
class ELFv2 : public ArgumentAssignment {
  static constexpr uint64_t LinkageArea = 32;
  uint64_t Offset = 0;
  bool Fast;

  uint64_t inRegisters() const { return MaxGP * 8; }

  /// A place that the callee looks at, in a register or in memory.
  void place(uint64_t Size) {
    uint64_t End = Offset + Size;
    Known &= !Fast || End <= inRegisters();
    if (Offset < inRegisters())
      GP = divideCeil(std::min(End, inRegisters()), 8);
    if (End > inRegisters())
      StackSize = alignTo(End, 8) - inRegisters();
    Offset = End;
  }

  void floating(MVT Type, bool Packed) {
    uint64_t Size = Packed ? Type.getStoreSize().getFixedValue() : 8;
    if (FP == MaxFP) {
      Known &= !Fast;
      place(Size);
      return;
    }
    ++FP;
    if (!Fast)
      Offset += Size;
  }

public:
  ELFv2(const MachineFunction &MF, const ArgumentRegisters &Registers)
      : ArgumentAssignment(Registers),
        Fast(MF.getFunction().getCallingConv() == CallingConv::Fast) {}

  void argument(const LoweredArgument &Arg) override {
    if (Arg.ByVal) {
      Offset = alignTo(LinkageArea + Offset, Arg.Alignment) - LinkageArea;
      place(alignTo(Arg.Size, 8));
      return;
    }
    for (auto [Type, Parts] : Arg.Values) {
      // A member of an array that is wider than a register.
      if (Arg.Together && Type.isScalarInteger() && !Fast)
        Offset = alignTo(Offset, Parts * 8);
      for (; Parts; --Parts)
        if (Type.isScalarInteger())
          place(8);
        else if (Type == MVT::f32 || Type == MVT::f64)
          floating(Type, Arg.Together);
        else
          Known = false; // vectors have registers of a third kind
    }
    Offset = alignTo(Offset, 8);
  }

  uint8_t returnKind(MVT Type) const override {
    return Type == MVT::f128 ? PATCHBAY_RECORD_RETURN_OTHER
                             : ArgumentAssignment::returnKind(Type);
  }

  void hiddenPointer() override { place(8); }
  int64_t stackBase() const override { return LinkageArea + inRegisters(); }

  uint64_t expectedStackEnd(const MachineFrameInfo &MFI) const override {
    uint64_t End = Offset + 8;
    if (MFI.hasVAStart() && End > inRegisters())
      return End - inRegisters();
    return StackSize;
  }
};

/// RISC-V ABIs Specification, integer and hardware floating-point calling
/// convention. For arguments LLVM's fastcc uses floating-point registers
/// whatever the ABI, and more registers of both kinds, FastRegisters.
class RISCV64 : public ArgumentAssignment {
  /// Which types have floating-point registers.
  struct FloatTypes {
    bool Single, Double;
    bool contain(MVT Type) const { return Type == MVT::f64 ? Double : Single; }
  };
  bool Fast, Variadic;
  FloatTypes OfResult, OfArguments;

  /// Two words that belong together may be split between the last register and
  /// the stack, but on the stack alone they are aligned.
  void pair() {
    if (GP < MaxGP)
      integer(2);
    else
      onStack(16, Align(16));
  }

  void floating(MVT Type) {
    if (!OfArguments.contain(Type))
      integer(1);
    else if (FP < MaxFP)
      ++FP;
    else if (Fast)
      Known = false;
    else
      integer(1);
  }

public:
  RISCV64(const MachineFunction &MF, const ArgumentRegisters &Registers)
      : ArgumentAssignment(Registers) {
    StringRef ABI = MF.getTarget().Options.MCOptions.getABIName();
    if (auto *Flag = dyn_cast_or_null<MDString>(
            MF.getFunction().getParent()->getModuleFlag("target-abi")))
      ABI = Flag->getString();
    const TargetSubtargetInfo &Subtarget = MF.getSubtarget();
    Fast = MF.getFunction().getCallingConv() == CallingConv::Fast;
    Variadic = MF.getFunction().isVarArg();
    FloatTypes Supported = {Subtarget.checkFeatures("+f"),
                            Subtarget.checkFeatures("+d")};
    bool Double = ABI == "lp64d";
    OfResult =
        ABI.empty() ? Supported : FloatTypes{Double || ABI == "lp64f", Double};
    OfArguments = Fast ? Supported : OfResult;
    if (Subtarget.checkFeatures("+e"))
      MaxGP = 6;
  }

  void argument(const LoweredArgument &Arg) override {
    if (Arg.ByVal)
      Known = false; // clang passes a pointer that it declares as one
    for (auto [Type, Parts] : Arg.Values)
      if (Type.isScalarInteger() && Fast) {
        Known &= GP + Parts <= MaxGP;
        integer(Parts);
      } else if (Type.isScalarInteger() && Parts == 2)
        pair();
      else if (Type.isScalarInteger())
        integer(1); // of a wider integer, the address
      else if (Type == MVT::f16 || Type == MVT::bf16 || Type == MVT::f32 ||
               Type == MVT::f64)
        for (; Parts; --Parts)
          floating(Type);
      else
        Known = false;
  }

  uint8_t returnKind(MVT Type) const override {
    bool Floating = Type.isFloatingPoint() && !Type.isVector();
    return Floating && !OfResult.contain(Type)
               ? PATCHBAY_RECORD_RETURN_GP
               : ArgumentAssignment::returnKind(Type);
  }

  bool keepsUnnamed(const MachineFrameInfo &) const override {
    return Variadic;
  }

  /// As long as there are registers, unnamed arguments begin in these.
  uint64_t expectedStackEnd(const MachineFrameInfo &MFI) const override {
    return alignTo(StackSize, 8) + (Variadic && GP == MaxGP ? 8 : 0);
  }
};

} // namespace

std::unique_ptr<ArgumentAssignment>
patchbay::createAssignment(const MachineFunction &MF, const SlotLayout &Layout,
                           const ArgumentRegisters &Registers) {
  switch (Layout.Standard) {
  case CallingStandard::SystemV_X86_64:
    return std::make_unique<SystemV_X86_64>(Registers);
  case CallingStandard::AAPCS64:
    return std::make_unique<AAPCS64>(MF, Registers);
  case CallingStandard::ELFv2:
    return std::make_unique<ELFv2>(MF, Registers);
  case CallingStandard::RISCV64:
    return std::make_unique<RISCV64>(MF, Registers);
  }
  llvm_unreachable("every row of SlotLayout.cpp names one of these");
}
