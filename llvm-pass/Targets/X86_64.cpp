// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

constexpr uint32_t ReservedHashes[] = {0xFA1E0FF3 /* endbr64 */,
                                       0xFB1E0FF3 /* endbr32 */};

// The frame of a function's first instruction, as LLVM describes it (System V ABI,
// AMD64, 3.7; Linux Standard Base, Core, "Exception Frames"): the CFA is rsp+8 and
// the return address is at CFA-8. Addresses are 4 bytes, relative to themselves.
constexpr char PadFrame[] = "\x14\0\0\0" "\0\0\0\0" "\x01zR\0"
                            "\x01\x78\x10\x01\x1b" "\x0c\x07\x08" "\x90\x01"
                            "\0\0";

#include "X86_64Stubs.inc"

static const char *whyNotModule(const TargetMachine &TM) {
  if (TM.getCodeModel() == CodeModel::Kernel)
    return "-mcmodel=kernel: x86 kernels want the hash's symbol where the slot "
           "would be; nothing is instrumented";
  return nullptr;
}

const SlotLayout &patchbay::layoutX86_64() {
  static const ModuleCode Code = {{TextBytes, TextFixups},
                                  {ExceptTableBytes, ExceptTableFixups},
                                  {FramesBytes, FramesFixups},
                                  StubsSize,
                                  StringRef(PadFrame, sizeof(PadFrame) - 1)};
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_X86_64;
    L.FillByte = 0xCC; // int3
    L.HashOpcode = PATCHBAY_X86_64_MOV_EAX_IMM32;
    L.ArityClasses = "GR8 GR16 GR32 GR64";
    L.ReservedHashes = ReservedHashes;
    L.LandingPads = "ENDBR64";
    L.Behind = "funclet-layout";
    L.SiteSize = PATCHBAY_X86_64_SITE_SIZE;
    // test $stub,%eax; the jump that follows is data, because -mrelax-all would
    // lengthen it.
    L.Site = "TEST32i32 0";
    L.Code = &Code;
    L.OldestProcessor = "x86-64";
    L.WhyNotModule = whyNotModule;
    L.NameOfC = CallingConv::X86_64_SysV;
    L.IntegerRegisters = "RDI RSI RDX RCX R8 R9";
    L.FloatRegisters = "ZMM0 ZMM1 ZMM2 ZMM3 ZMM4 ZMM5 ZMM6 ZMM7";
    L.OtherKeptRegisters = "RAX R10";
    return L;
  }();
  return Layout;
}
