// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

using namespace llvm;
using namespace patchbay;

// lpad is auipc with no result.
constexpr LandingPad LandingPads[] = {{"AUIPC", CodeOperand("X0")}};
constexpr StringLiteral IntegerRegisters[] = {"X10", "X11", "X12", "X13",
                                              "X14", "X15", "X16", "X17"};
constexpr StringLiteral FloatRegisters[] = {"F10_D", "F11_D", "F12_D", "F13_D",
                                            "F14_D", "F15_D", "F16_D", "F17_D"};
constexpr StringLiteral FastRegisters[] = {
    "X28",  "X29",  "X30",  "X31",  "F0_D",  "F1_D",  "F2_D",  "F3_D",
    "F4_D", "F5_D", "F6_D", "F7_D", "F28_D", "F29_D", "F30_D", "F31_D"};

// nop; nop
constexpr CodeOperand NOP[] = {"X0", "X0", int64_t(0)};
constexpr CodeTemplate Site[] = {{"ADDI", NOP}, {"ADDI", NOP}};
constexpr StringLiteral SiteRegisters[] = {"X5"};

// The first instruction is lpad 0 where there are landing pads, and else none:
// auipc zero, 0. It is not called by either name, because LLVM 23 prints it as
// lpad, which GNU as takes only where there are landing pads.
constexpr StringLiteral ModuleCall = R"(
	.insn u 0x17, zero, 0
	lla a0, {0}
	lla a1, {1}
	bne a0, a1, {3}
	li a2, {6}
	lla a1, {5}
	sb a2, 0(a1)
{3}_got:
	auipc a5, %got_pcrel_hi({2})
	ld a5, %pcrel_lo({3}_got)(a5)
{8}	lla a5, {7}
	ld a5, 0(a5)
{3}_call:
	beqz a5, {3}
	jr a5
{3}:
	ret
)";
// A load may pass an earlier store without a fence (Unprivileged ISA, RVWMO).
constexpr StringLiteral ChooseInConstructor = R"(	bnez a5, {0}
	fence rw, rw
	lla a1, {1}
	lbu a2, 0(a1)
	fence r, rw
	beqz a2, {0}
)";
constexpr StringLiteral ChooseInDestructor = R"(	lla a1, {1}
	lbu a2, 0(a1)
	fence r, rw
	beqz a2, {0}
)";

const SlotLayout &patchbay::layoutRISCV64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_RISCV64;
    L.FillByte = 0; // Zeros are an illegal instruction.
    L.LandingPads = LandingPads;
    L.LandingPadSize = PATCHBAY_RISCV64_LPAD_SIZE;
    L.Behind = "funclet-layout";
    L.BranchReach = 1 << 12;
    L.SiteSize = PATCHBAY_RISCV64_SITE_SIZE;
    L.Site = Site;
    L.SiteRegisters = SiteRegisters;
    L.TextBefore = "\t.option\tpush\n\t.option\tnorvc";
    L.TextAfter = "\t.option\tpop";
    L.Standard = CallingStandard::RISCV64;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ResultVectors = false;
    L.FastRegisters = FastRegisters;
    L.ModuleCall = ModuleCall;
    L.ChooseInConstructor = ChooseInConstructor;
    L.ChooseInDestructor = ChooseInDestructor;
    return L;
  }();
  return Layout;
}
