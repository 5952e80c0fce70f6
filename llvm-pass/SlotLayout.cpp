// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pass.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace patchbay;

static_assert(LandingPadSize == PATCHBAY_X86_64_ENDBR64_SIZE &&
              LandingPadSize == PATCHBAY_AARCH64_BTI_SIZE &&
              LandingPadSize == PATCHBAY_RISCV64_LPAD_SIZE);

/// PadOf_<id>: the pads in abi.h's table of architectures.
#define PAD_OF(id, triple, llvm, linux, machine, pad) PadOf_##id = pad,
enum : uint32_t { PATCHBAY_ARCH_TABLE(PAD_OF) };
#undef PAD_OF

constexpr uint32_t ReservedHashes[] = {0xFA1E0FF3 /* endbr64 */,
                                       0xFB1E0FF3 /* endbr32 */};

// The common information entry for the frame of a function's first instruction,
// as LLVM emits it (System V ABI, AMD64, 3.7; Linux Standard Base, Core,
// "Exception Frames"): the CFA is rsp+8, the return address is at CFA-8, and
// addresses are 32-bit PC-relative.
constexpr char PadFrame[] = "\x14\0\0\0"
                            "\0\0\0\0"
                            "\x01zR\0"
                            "\x01\x78\x10\x01\x1b"
                            "\x0c\x07\x08"
                            "\x90\x01"
                            "\0\0";

#include "X86_64Stubs.inc"

constexpr ModuleCode X86_64Code = {{TextBytes, TextFixups},
                                   {ExceptTableBytes, ExceptTableFixups},
                                   {FramesBytes, FramesFixups},
                                   StubsSize,
                                   {PadFrame, sizeof(PadFrame) - 1}};

static SlotLayout layoutX86_64() {
  SlotLayout L;
  L.PadWord = PadOf_X86_64;
  L.FillByte = 0xCC; // int3
  L.HashOpcode = PATCHBAY_X86_64_MOV_EAX_IMM32;
  L.ArityClasses = "GR8 GR16 GR32 GR64";
  L.ReservedHashes = ReservedHashes;
  L.LandingPads = "ENDBR64";
  L.InsertAfter = "funclet-layout";
  L.SiteSize = PATCHBAY_X86_64_SITE_SIZE;
  // test $stub,%eax. emitBranches() emits the jump after the test as data,
  // because -mrelax-all would lengthen the jump.
  L.Site = "TEST32i32 0";
  L.Code = &X86_64Code;
  L.OldestProcessor = "x86-64";
  L.IntegerRegisters = "RDI RSI RDX RCX R8 R9";
  L.FloatRegisters = "ZMM0 ZMM1 ZMM2 ZMM3 ZMM4 ZMM5 ZMM6 ZMM7";
  L.OtherKeptRegisters = "RAX R10";
  return L;
}

static SlotLayout layoutAArch64() {
  SlotLayout L;
  L.PadWord = PadOf_AARCH64;
  // bti c; bti jc, if the entry block is also the target of indirect jumps.
  L.LandingPads = "HINT 34;HINT 38";
  L.InsertAfter = "unpack-mi-bundles";
  L.BranchReach = 1 << 15;
  L.Directives = "EMITBKEY;EMITMTETAGGED";
  L.ImpliedLandingPads = "PACIASP;PACIBSP";
  L.LandingPadAttribute = "branch-target-enforcement";
  L.OwnLandingPad = "HINT 34";
  L.SiteSize = PATCHBAY_AARCH64_SITE_SIZE;
  L.Site = "ORRXrs X9 XZR LR 0;HINT 0"; // mov x9, x30; nop
  L.ScratchRegisters = "X8 X9 X10 X11 X12 X13 X14 X15";
  L.ExecuteOnlyFeature = "+execute-only";
  L.ResultPointerIsArgument = false;
  L.IntegerRegisters = "X0 X1 X2 X3 X4 X5 X6 X7";
  L.FloatRegisters = "Q0 Q1 Q2 Q3 Q4 Q5 Q6 Q7";
  L.OtherKeptRegisters = "X8 X15 X18";
  L.ResultFloats = 4;
  return L;
}

static SlotLayout layoutPPC64LE() {
  SlotLayout L;
  L.PadWord = PadOf_PPC64LE;
  L.LowersKCFIInIR = true;
  L.InsertAfter = "ppc-branch-select";
  L.BranchReach = 1 << 15;
  L.SiteSize = PATCHBAY_PPC64LE_SITE_SIZE;
  L.Site = "NOP";
  // The linkage area and the parameter save area.
  L.StackArgumentsOffset = 96;
  L.FastStackIsC = false;
  L.IntegerRegisters = "X3 X4 X5 X6 X7 X8 X9 X10";
  L.FloatRegisters = "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13";
  L.OtherKeptRegisters = "X2 X11 LR8 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13";
  L.ResultFloats = 8;
  return L;
}

static SlotLayout layoutRISCV64() {
  SlotLayout L;
  L.PadWord = PadOf_RISCV64;
  L.LandingPads = "AUIPC X0"; // lpad is auipc with the destination x0.
  L.InsertAfter = "funclet-layout";
  L.BranchReach = 1 << 12;
  L.SiteSize = PATCHBAY_RISCV64_SITE_SIZE;
  L.Site = "ADDI X0 X0 0;ADDI X0 X0 0"; // nop; nop
  L.ScratchRegisters =
      "X5 X6 X7 X10 X11 X12 X13 X14 X15 X16 X17 X28 X29 X30 X31";
  L.TextBefore = "\t.option\tpush\n\t.option\tnorvc";
  L.TextAfter = "\t.option\tpop";
  L.IntegerRegisters = "X10 X11 X12 X13 X14 X15 X16 X17";
  L.FloatRegisters = "F10_D F11_D F12_D F13_D F14_D F15_D F16_D F17_D";
  L.ResultVectors = false;
  L.OtherKeptRegisters = "X7 X28";
  return L;
}

const SlotLayout *patchbay::findSlotLayout(const Triple &TT) {
  // The pauthtest ABI signs addresses of functions, also in .init_array.
  if (!TT.isOSBinFormatELF() || TT.isX32() ||
      TT.getEnvironment() == Triple::GNUILP32 ||
      TT.getEnvironment() == Triple::PAuthTest)
    return nullptr;
  static const SlotLayout X86_64 = layoutX86_64(), AArch64 = layoutAArch64(),
                          PPC64LE = layoutPPC64LE(), RISCV64 = layoutRISCV64();
  switch (TT.getArch()) {
  case Triple::x86_64:
    return &X86_64;
  case Triple::aarch64:
    return &AArch64;
  case Triple::ppc64le:
    return &PPC64LE;
  case Triple::riscv64:
    return &RISCV64;
  default:
    return nullptr;
  }
}
