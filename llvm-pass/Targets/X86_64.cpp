// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

constexpr uint32_t ReservedHashes[] = {0xFA1E0FF3 /* endbr64 */,
                                       0xFB1E0FF3 /* endbr32 */};
constexpr LandingPad LandingPads[] = {{"ENDBR64", std::nullopt}};
constexpr StringLiteral IntegerRegisters[] = {"RDI", "RSI", "RDX",
                                              "RCX", "R8",  "R9"};
constexpr StringLiteral FloatRegisters[] = {"XMM0", "XMM1", "XMM2", "XMM3",
                                            "XMM4", "XMM5", "XMM6", "XMM7"};

// test $stub,%eax; the jump that follows is data (PadBranch), because -mrelax-all
// would lengthen it.
constexpr CodeOperand Zero[] = {int64_t(0)};
constexpr CodeTemplate Site[] = {{"TEST32i32", Zero}};

// Each is entered by the `call` of an armed site, and left at once, so the frame
// is that of an entry throughout. As a site's jb asks, what is behind them clears
// CF. jrcxz is never reached: BOLT leaves a function with it as it is.
constexpr StringLiteral Stubs = R"(
	.irp n, 0, 1, 2, 3, 4, 5
	endbr64
	jmpq *{0}+8*\n(%rip)
	.p2align 4, 0xcc
	.endr
{1}:
	endbr64
	clc
	retq
	.byte 0xe3, 0xfe
)";

// The runtime's source of them, preprocessed (CMakeLists.txt).
constexpr StringLiteral Trampolines =
#include "X86_64Trampolines.inc"
    ;

constexpr StringLiteral ModuleCall = R"(
	endbr64
	leaq {0}(%rip), %rdi
	leaq {1}(%rip), %rcx
	cmpq %rcx, %rdi
	jne {3}
	movb ${6}, {5}(%rip)
	movq {2}@GOTPCREL(%rip), %rax
{8}	movq {7}(%rip), %rax
{3}_call:
	testq %rax, %rax
	je {3}
	jmpq *%rax
{3}:
	retq
)";
// A load may pass an earlier store to another place, but not an mfence (Intel SDM
// vol. 3A, "Memory Ordering in P6 and More Recent Processor Families").
constexpr StringLiteral ChooseInConstructor = R"(	testq %rax, %rax
	jne {0}
	mfence
	cmpb $0, {1}(%rip)
	je {0}
)";
constexpr StringLiteral ChooseInDestructor = R"(	cmpb $0, {1}(%rip)
	je {0}
)";

// The classes of the registers that LLVM counts for kcfi-arity.
constexpr StringLiteral ArityClasses[] = {"GR8", "GR16", "GR32", "GR64"};

static const char *whyNotModule(const TargetMachine &TM) {
  if (TM.getCodeModel() == CodeModel::Kernel)
    return "-mcmodel=kernel: x86 kernels want the hash's symbol where the slot "
           "would be; nothing is instrumented";
  return nullptr;
}

const SlotLayout &patchbay::layoutX86_64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_X86_64;
    L.FillByte = 0xCC; // int3
    L.HashOpcode = PATCHBAY_X86_64_MOV_EAX_IMM32;
    L.ArityClasses = ArityClasses;
    L.ReservedHashes = ReservedHashes;
    L.LandingPads = LandingPads;
    L.LandingPadSize = PATCHBAY_X86_64_ENDBR64_SIZE;
    L.Behind = "funclet-layout";
    L.SiteSize = PATCHBAY_X86_64_SITE_SIZE;
    L.Site = Site;
    L.StubOpcode = PATCHBAY_X86_64_SITE_DISARMED;
    L.PadBranch = PATCHBAY_X86_64_SITE_JB;
    L.StubsSymbol = PATCHBAY_X86_64_STUBS_SYMBOL;
    L.StubSize = PATCHBAY_X86_64_STUB_SIZE;
    L.StubOf = patchbay_x86_64_stub;
    L.Stubs = Stubs;
    L.NumStubs = PATCHBAY_X86_64_NR_STUBS;
    L.Trampolines = Trampolines;
    L.TrampolinesLayout = PATCHBAY_X86_64_LAYOUT;
    L.TableSize = PATCHBAY_X86_64_TABLE_SIZE;
    L.WhyNotModule = whyNotModule;
    L.NameOfC = CallingConv::X86_64_SysV;
    L.Standard = CallingStandard::SystemV_X86_64;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ModuleCall = ModuleCall;
    L.ChooseInConstructor = ChooseInConstructor;
    L.ChooseInDestructor = ChooseInDestructor;
    return L;
  }();
  return Layout;
}
