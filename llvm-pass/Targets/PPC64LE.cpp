// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

constexpr StringLiteral IntegerRegisters[] = {"X3", "X4", "X5", "X6",
                                              "X7", "X8", "X9", "X10"};
constexpr StringLiteral FloatRegisters[] = {"F1",  "F2",  "F3", "F4", "F5",
                                            "F6",  "F7",  "F8", "F9", "F10",
                                            "F11", "F12", "F13"};

constexpr CodeTemplate Site[] = {{"NOP", {}}};

// The caller of a constructor called it through a pointer, so it restores its
// own r2, whoever returns to it.
constexpr StringLiteral ModuleCall = R"(
	addis 2, 12, .TOC.-{4}@ha
	addi 2, 2, .TOC.-{4}@l
	.localentry {4}, .-{4}
	addis 3, 2, {0}@toc@ha
	addi 3, 3, {0}@toc@l
	addis 4, 2, {1}@toc@ha
	addi 4, 4, {1}@toc@l
	cmpd 3, 4
	bne {3}
	li 5, {6}
	addis 4, 2, {5}@toc@ha
	stb 5, {5}@toc@l(4)
	addis 12, 2, {2}@got@ha
	ld 12, {2}@got@l(12)
{8}	addis 12, 2, {7}@toc@ha
	ld 12, {7}@toc@l(12)
{3}_call:
	cmpdi 12, 0
	beq {3}
	mtctr 12
	bctr
{3}:
	blr
)";
// Only sync keeps a load behind an earlier store (Power ISA 3.1, book II, 1.7.1).
constexpr StringLiteral ChooseInConstructor = R"(	cmpdi 12, 0
	bne {0}
	sync
	addis 4, 2, {1}@toc@ha
	lbz 5, {1}@toc@l(4)
	lwsync
	cmpwi 5, 0
	beq {0}
)";
constexpr StringLiteral ChooseInDestructor = R"(	addis 4, 2, {1}@toc@ha
	lbz 5, {1}@toc@l(4)
	lwsync
	cmpwi 5, 0
	beq {0}
)";

static const char *whyNotModule(const TargetMachine &TM) {
  if (TM.Options.MCOptions.getABIName() == "elfv1")
    return "-mabi=elfv1 makes an entry a descriptor, not code; nothing is "
           "instrumented";
  return nullptr;
}

const SlotLayout &patchbay::layoutPPC64LE() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_PPC64LE;
    L.FillByte = 0; // Zeros are an illegal instruction.
    L.LowersKCFIInIR = true;
    L.Behind = "ppc-branch-select";
    L.BranchReach = 1 << 15;
    L.SiteSize = PATCHBAY_PPC64LE_SITE_SIZE;
    L.Site = Site;
    L.WhyNotModule = whyNotModule;
    L.Standard = CallingStandard::ELFv2;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ResultFloats = 8;
    L.ModuleCall = ModuleCall;
    L.ChooseInConstructor = ChooseInConstructor;
    L.ChooseInDestructor = ChooseInDestructor;
    return L;
  }();
  return Layout;
}
