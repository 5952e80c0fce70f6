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

// test $0,%eax; the jump that follows is data (PadBranch), because -mrelax-all
// would lengthen it.
constexpr CodeOperand Zero[] = {int64_t(0)};
constexpr CodeTemplate Site[] = {{"TEST32i32", Zero}};

constexpr StringLiteral ModuleCall = R"(
	endbr64
	movq {2}@GOTPCREL(%rip), %rax
	testq %rax, %rax
	je {3}
	leaq {0}(%rip), %rdi
	leaq {1}(%rip), %rcx
	cmpq %rcx, %rdi
	jne {3}
	jmpq *%rax
{3}:
	retq
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
    L.PadBranch = PATCHBAY_X86_64_SITE_JB;
    L.WhyNotModule = whyNotModule;
    L.NameOfC = CallingConv::X86_64_SysV;
    L.Standard = CallingStandard::SystemV_X86_64;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ModuleCall = ModuleCall;
    return L;
  }();
  return Layout;
}
