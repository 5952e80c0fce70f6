// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

using namespace llvm;
using namespace patchbay;

// bti c, and bti jc, which it is in a block that is also jumped to.
constexpr LandingPad LandingPads[] = {{"HINT", CodeOperand(34)},
                                      {"HINT", CodeOperand(38)}};
constexpr StringLiteral Directives[] = {"EMITBKEY", "EMITMTETAGGED"};
constexpr StringLiteral ImpliedLandingPads[] = {"PACIASP", "PACIBSP"};
constexpr StringLiteral IntegerRegisters[] = {"X0", "X1", "X2", "X3",
                                              "X4", "X5", "X6", "X7"};
constexpr StringLiteral FloatRegisters[] = {"Q0", "Q1", "Q2", "Q3",
                                            "Q4", "Q5", "Q6", "Q7"};

constexpr CodeOperand BTI_C[] = {34};
constexpr CodeTemplate OwnLandingPad[] = {{"HINT", BTI_C}};

// mov x9, x30; nop
constexpr CodeOperand X9FromX30[] = {"X9", "XZR", "LR", int64_t(0)};
constexpr CodeOperand NOP[] = {int64_t(0)};
constexpr CodeTemplate Site[] = {{"ORRXrs", X9FromX30}, {"HINT", NOP}};
constexpr StringLiteral SiteRegisters[] = {"X9"};

constexpr StringLiteral ModuleCall = R"(
	hint #34
	adrp x0, {0}
	add x0, x0, :lo12:{0}
	adrp x1, {1}
	add x1, x1, :lo12:{1}
	cmp x0, x1
	b.ne {3}
	mov w2, #{6}
	adrp x1, {5}
	strb w2, [x1, :lo12:{5}]
	adrp x16, :got:{2}
	ldr x16, [x16, :got_lo12:{2}]
{8}	adrp x16, {7}
	ldr x16, [x16, :lo12:{7}]
{3}_call:
	cbz x16, {3}
	br x16
{3}:
	ret
)";
// Only dmb keeps a load behind an earlier store (Arm ARM, DDI 0487, B2.3).
constexpr StringLiteral ChooseInConstructor = R"(	cbnz x16, {0}
	dmb ish
	adrp x1, {1}
	add x1, x1, :lo12:{1}
	ldarb w2, [x1]
	cbz w2, {0}
)";
constexpr StringLiteral ChooseInDestructor = R"(	adrp x1, {1}
	add x1, x1, :lo12:{1}
	ldarb w2, [x1]
	cbz w2, {0}
)";

const SlotLayout &patchbay::layoutAArch64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_AARCH64;
    L.FillByte = 0; // Zeros are udf, an undefined instruction.
    L.LandingPads = LandingPads;
    L.LandingPadSize = PATCHBAY_AARCH64_BTI_SIZE;
    L.Behind = "unpack-mi-bundles";
    L.BranchReach = 1 << 15;
    L.Directives = Directives;
    L.ImpliedLandingPads = ImpliedLandingPads;
    L.LandingPadAttribute = "branch-target-enforcement";
    L.OwnLandingPad = OwnLandingPad;
    L.SiteSize = PATCHBAY_AARCH64_SITE_SIZE;
    L.Site = Site;
    L.SiteRegisters = SiteRegisters;
    L.ModeAttributes = "aarch64_";
    L.Standard = CallingStandard::AAPCS64;
    L.ResultPointerIsArgument = false;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ResultFloats = 4;
    L.ModuleCall = ModuleCall;
    L.ChooseInConstructor = ChooseInConstructor;
    L.ChooseInDestructor = ChooseInDestructor;
    return L;
  }();
  return Layout;
}
