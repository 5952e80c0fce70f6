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

// What trampolines do, and why in this order, is said at the runtime's own, whose
// instructions are the same (runtime/core/arch/x86_64/entry.S). But these find by the
// table what is the runtime's, and go on in its trampolines for tracers of exits:
// with the registers saved, since in rax, the cell in r11, and the flags of the test.
constexpr StringLiteral TrampolinesText = R"(
	.irp n, 0, 1, 2, 3, 4, 5
	.org {2}+@OWN_OFFSET@+\n*@OWN_SIZE@, 0xcc
	endbr64
	clc
	retq
	.org {2}+@OWN_OFFSET@+\n*@OWN_SIZE@+@OWN_OPEN@, 0xcc
	endbr64
	subq $@REGS_SIZE@, %rsp
	.cfi_def_cfa_offset @REGS_SIZE@+8
	movq %r10, (%rsp)
	movq %rdi, 8(%rsp)
	movq %rsi, 16(%rsp)
	movq $@MARK@, @REGS_MARK@(%rsp)
	.if \n >= 2
	movq %rdx, 24(%rsp)
	movq %rcx, 32(%rsp)
	.endif
	.if \n >= 4
	movq %r8, 40(%rsp)
	movq %r9, 48(%rsp)
	movq %rax, 56(%rsp)
	.endif
	movq @REGS_SIZE@(%rsp), %r11
	movq @SLOT@-@BRANCH@-(\n&1)*@ENDBR64@(%r11), %r11
	movq @CELL_SINCE@(%r11), %rax
	testb $@SINCE_EXITS@, %al
	jnz {2}_exits_\n
{2}_enter_\n:
	movq {3}+@THREAD@(%rip), %rax
	movq @REGS_SIZE@(%rsp), %rdi
	movq @REGS_SIZE@+8(%rsp), %rsi
	movq %rsp, %rcx
	cmpq $@THREAD_OUTSIDE@, %fs:@THREAD_PHASE@(%rax)
	jne {2}_slowly_\n
	movq %rcx, %fs:@THREAD_FRAME@(%rax)
	movq {3}+@PHASE@(%rip), %rdx
	movq (%rdx), %rdx
	movq %rdx, %fs:@THREAD_PHASE@(%rax)
	movq @SLOT@-@BRANCH@-(\n&1)*@ENDBR64@(%rdi), %rdx
	subq $@BRANCH@+(\n&1)*@ENDBR64@, %rdi
	callq *@CELL_ENTER@(%rdx)
	movq {3}+@THREAD@(%rip), %r11
	btl $31, @REGS_CALLED@(%rsp)
	movq $@THREAD_OUTSIDE@, %fs:@THREAD_PHASE@(%r11)
	movq $0, %fs:@THREAD_FRAME@(%r11)
{2}_leave_\n:
	.cfi_remember_state
	movq (%rsp), %r10
	movq 8(%rsp), %rdi
	movq 16(%rsp), %rsi
	.if \n >= 2
	movq 24(%rsp), %rdx
	movq 32(%rsp), %rcx
	.endif
	.if \n >= 4
	movq 40(%rsp), %r8
	movq 48(%rsp), %r9
	movq 56(%rsp), %rax
	.endif
	leaq @REGS_SIZE@(%rsp), %rsp
	.cfi_def_cfa_offset 8
	retq
{2}_slowly_\n:
	.cfi_restore_state
	leaq @SLOT@-@BRANCH@-(\n&1)*@ENDBR64@(%rdi), %rdx
	subq $@BRANCH@+(\n&1)*@ENDBR64@, %rdi
	callq *{3}+@SLOWLY@(%rip)
	testl %eax, %eax
	jz {2}_leave_\n
	jmp {2}_enter_\n
{2}_exits_\n:
	notrack jmpq *{3}+@EXITS@+8*\n(%rip)
	.cfi_def_cfa_offset 8
	.endr
)";

// The numbers in it.
constexpr struct {
  StringLiteral Name;
  int64_t Value;
} Numbers[] = {
    {"@OWN_OFFSET@", PATCHBAY_X86_64_OWN_OFFSET},
    {"@OWN_SIZE@", PATCHBAY_X86_64_OWN_SIZE},
    {"@OWN_OPEN@", PATCHBAY_X86_64_OWN_OPEN},
    {"@SLOT@", PATCHBAY_SLOT_OFFSET},
    {"@BRANCH@", PATCHBAY_X86_64_SITE_BRANCH_SIZE},
    {"@ENDBR64@", PATCHBAY_X86_64_ENDBR64_SIZE},
    {"@THREAD@", PATCHBAY_X86_64_TABLE_THREAD},
    {"@PHASE@", PATCHBAY_X86_64_TABLE_PHASE},
    {"@SLOWLY@", PATCHBAY_X86_64_TABLE_SLOWLY},
    {"@EXITS@", PATCHBAY_X86_64_TABLE_EXITS},
    {"@CELL_ENTER@", PATCHBAY_X86_64_LAYOUT_CELL_ENTER},
    {"@CELL_SINCE@", PATCHBAY_X86_64_LAYOUT_CELL_SINCE},
    {"@SINCE_EXITS@", PATCHBAY_X86_64_LAYOUT_SINCE_EXITS},
    {"@THREAD_PHASE@", PATCHBAY_X86_64_LAYOUT_THREAD_PHASE},
    {"@THREAD_FRAME@", PATCHBAY_X86_64_LAYOUT_THREAD_FRAME},
    {"@THREAD_OUTSIDE@", PATCHBAY_X86_64_LAYOUT_THREAD_OUTSIDE},
    {"@REGS_SIZE@", PATCHBAY_X86_64_LAYOUT_REGS_SIZE},
    {"@REGS_MARK@", PATCHBAY_X86_64_LAYOUT_REGS_MARK},
    {"@REGS_CALLED@", PATCHBAY_X86_64_LAYOUT_REGS_CALLED},
    {"@MARK@", PATCHBAY_X86_64_LAYOUT_MARK},
};

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

static std::string trampolines() {
  std::string Text = TrampolinesText.str();
  for (const auto &[Name, Value] : Numbers)
    for (size_t At; (At = Text.find(Name.data())) != std::string::npos;)
      Text.replace(At, Name.size(), std::to_string(Value));
  return Text;
}

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
    static const std::string Trampolines = trampolines();
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
