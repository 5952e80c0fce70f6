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
constexpr StringLiteral ScratchRegisters[] = {"X8",  "X9",  "X10", "X11",
                                              "X12", "X13", "X14", "X15"};
constexpr StringLiteral OtherKeptRegisters[] = {"X8", "X15", "X18"};

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
    L.ScratchRegisters = ScratchRegisters;
    L.ExecuteOnlyFeature = "+execute-only";
    L.ModeAttributes = "aarch64_";
    L.ResultPointerIsArgument = false;
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.OtherKeptRegisters = OtherKeptRegisters;
    L.ResultFloats = 4;
    return L;
  }();
  return Layout;
}
