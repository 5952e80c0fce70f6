// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace patchbay;

// The pads, by the names of the ABI header's table.
#define PAD_OF(id, triple, llvm, linux, machine, pad) PadOf_##id = pad,
enum : uint32_t { PATCHBAY_ARCH_TABLE(PAD_OF) };
#undef PAD_OF

namespace {

namespace x86_64 {

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

constexpr StringLiteral ModuleCall = "\tendbr64\n"
                                     "\tmovq {2}@GOTPCREL(%rip), %rax\n"
                                     "\ttestq %rax, %rax\n"
                                     "\tje {3}\n"
                                     "\tleaq {0}(%rip), %rdi\n"
                                     "\tleaq {1}(%rip), %rcx\n"
                                     "\tcmpq %rcx, %rdi\n"
                                     "\tjne {3}\n"
                                     "\tjmpq *%rax\n"
                                     "{3}:\n"
                                     "\tretq\n";

} // namespace x86_64

namespace aarch64 {

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

constexpr StringLiteral ModuleCall = "\thint #34\n"
                                     "\tadrp x16, :got:{2}\n"
                                     "\tldr x16, [x16, :got_lo12:{2}]\n"
                                     "\tcbz x16, {3}\n"
                                     "\tadrp x0, {0}\n"
                                     "\tadd x0, x0, :lo12:{0}\n"
                                     "\tadrp x1, {1}\n"
                                     "\tadd x1, x1, :lo12:{1}\n"
                                     "\tcmp x0, x1\n"
                                     "\tb.ne {3}\n"
                                     "\tbr x16\n"
                                     "{3}:\n"
                                     "\tret\n";

} // namespace aarch64

namespace ppc64le {

constexpr StringLiteral IntegerRegisters[] = {"X3", "X4", "X5", "X6",
                                              "X7", "X8", "X9", "X10"};
constexpr StringLiteral FloatRegisters[] = {"F1",  "F2",  "F3", "F4", "F5",
                                            "F6",  "F7",  "F8", "F9", "F10",
                                            "F11", "F12", "F13"};

constexpr CodeTemplate Site[] = {{"NOP", {}}};

// The caller of a constructor called it through a pointer, so it restores its
// own r2, whoever returns to it.
constexpr StringLiteral ModuleCall = "\taddis 2, 12, .TOC.-{4}@ha\n"
                                     "\taddi 2, 2, .TOC.-{4}@l\n"
                                     "\t.localentry {4}, .-{4}\n"
                                     "\taddis 12, 2, {2}@got@ha\n"
                                     "\tld 12, {2}@got@l(12)\n"
                                     "\tcmpdi 12, 0\n"
                                     "\tbeq {3}\n"
                                     "\taddis 3, 2, {0}@toc@ha\n"
                                     "\taddi 3, 3, {0}@toc@l\n"
                                     "\taddis 4, 2, {1}@toc@ha\n"
                                     "\taddi 4, 4, {1}@toc@l\n"
                                     "\tcmpd 3, 4\n"
                                     "\tbne {3}\n"
                                     "\tmtctr 12\n"
                                     "\tbctr\n"
                                     "{3}:\n"
                                     "\tblr\n";

} // namespace ppc64le

namespace riscv64 {

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

// The first instruction is lpad 0 where there are landing pads, and else none.
constexpr StringLiteral ModuleCall = "\tauipc zero, 0\n"
                                     "{3}_got:\n"
                                     "\tauipc a5, %got_pcrel_hi({2})\n"
                                     "\tld a5, %pcrel_lo({3}_got)(a5)\n"
                                     "\tbeqz a5, {3}\n"
                                     "\tlla a0, {0}\n"
                                     "\tlla a1, {1}\n"
                                     "\tbne a0, a1, {3}\n"
                                     "\tjr a5\n"
                                     "{3}:\n"
                                     "\tret\n";

} // namespace riscv64

const SlotLayout Layouts[] = {
    {Triple::x86_64,
     PadOf_X86_64,
     /*FillByte=*/0xCC,
     PATCHBAY_X86_64_MOV_EAX_IMM32,
     /*LowersKCFIInIR=*/false,
     x86_64::ReservedHashes,
     x86_64::LandingPads,
     PATCHBAY_X86_64_ENDBR64_SIZE,
     "funclet-layout",
     /*BranchReach=*/0,
     /*Directives=*/{},
     /*ImpliedLandingPads=*/{},
     /*LandingPadAttribute=*/"",
     /*OwnLandingPad=*/{},
     PATCHBAY_X86_64_SITE_SIZE,
     x86_64::Site,
     PATCHBAY_X86_64_SITE_JB,
     /*SiteRegisters=*/{},
     /*TextBefore=*/"",
     /*TextAfter=*/"",
     CallingStandard::SystemV_X86_64,
     x86_64::IntegerRegisters,
     x86_64::FloatRegisters,
     /*FastRegisters=*/{},
     x86_64::ModuleCall},
    // Zeros are udf, an undefined instruction.
    {Triple::aarch64,
     PadOf_AARCH64,
     /*FillByte=*/0,
     /*HashOpcode=*/{},
     /*LowersKCFIInIR=*/false,
     /*ReservedHashes=*/{},
     aarch64::LandingPads,
     PATCHBAY_AARCH64_BTI_SIZE,
     "unpack-mi-bundles",
     /*BranchReach=*/1 << 15,
     aarch64::Directives,
     aarch64::ImpliedLandingPads,
     "branch-target-enforcement",
     aarch64::OwnLandingPad,
     PATCHBAY_AARCH64_SITE_SIZE,
     aarch64::Site,
     /*PadBranch=*/{},
     aarch64::SiteRegisters,
     /*TextBefore=*/"",
     /*TextAfter=*/"",
     CallingStandard::AAPCS64,
     aarch64::IntegerRegisters,
     aarch64::FloatRegisters,
     /*FastRegisters=*/{},
     aarch64::ModuleCall},
    // Zeros are an illegal instruction.
    {Triple::ppc64le,
     PadOf_PPC64LE,
     /*FillByte=*/0,
     /*HashOpcode=*/{},
     /*LowersKCFIInIR=*/true,
     /*ReservedHashes=*/{},
     /*LandingPads=*/{},
     /*LandingPadSize=*/0,
     "ppc-branch-select",
     /*BranchReach=*/1 << 15,
     /*Directives=*/{},
     /*ImpliedLandingPads=*/{},
     /*LandingPadAttribute=*/"",
     /*OwnLandingPad=*/{},
     PATCHBAY_PPC64LE_SITE_SIZE,
     ppc64le::Site,
     /*PadBranch=*/{},
     /*SiteRegisters=*/{},
     /*TextBefore=*/"",
     /*TextAfter=*/"",
     CallingStandard::ELFv2,
     ppc64le::IntegerRegisters,
     ppc64le::FloatRegisters,
     /*FastRegisters=*/{},
     ppc64le::ModuleCall},
    // Zeros are an illegal instruction.
    {Triple::riscv64,
     PadOf_RISCV64,
     /*FillByte=*/0,
     /*HashOpcode=*/{},
     /*LowersKCFIInIR=*/false,
     /*ReservedHashes=*/{},
     riscv64::LandingPads,
     PATCHBAY_RISCV64_LPAD_SIZE,
     "funclet-layout",
     /*BranchReach=*/1 << 12,
     /*Directives=*/{},
     /*ImpliedLandingPads=*/{},
     /*LandingPadAttribute=*/"",
     /*OwnLandingPad=*/{},
     PATCHBAY_RISCV64_SITE_SIZE,
     riscv64::Site,
     /*PadBranch=*/{},
     riscv64::SiteRegisters,
     "\t.option\tpush\n\t.option\tnorvc",
     "\t.option\tpop",
     CallingStandard::RISCV64,
     riscv64::IntegerRegisters,
     riscv64::FloatRegisters,
     riscv64::FastRegisters,
     riscv64::ModuleCall},
};

} // namespace

const SlotLayout *patchbay::findSlotLayout(const Triple &TT) {
  if (!TT.isOSBinFormatELF() || TT.isX32() ||
      TT.getEnvironment() == Triple::GNUILP32)
    return nullptr;
  const SlotLayout *Layout = find_if(
      Layouts, [&](const SlotLayout &L) { return L.Arch == TT.getArch(); });
  return Layout == std::end(Layouts) ? nullptr : Layout;
}

int patchbay::padOffset(const PrefixWords &Words) {
  return Words.SanitizerWords ? PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET
                              : PATCHBAY_PAD_OFFSET;
}

SmallVector<uint8_t> patchbay::layOutPrefix(const SlotLayout &Layout,
                                            const PrefixWords &Words,
                                            Align Alignment) {
  static_assert(PATCHBAY_SLOT_OFFSET == -PATCHBAY_PREFIX_SIZE &&
                    PATCHBAY_PAD_OFFSET ==
                        PATCHBAY_SLOT_OFFSET + PATCHBAY_SLOT_SIZE &&
                    PATCHBAY_HASH_OFFSET == -PATCHBAY_HASH_SIZE,
                "the prefix is slot, pad, hash");
  static_assert(PATCHBAY_X86_64_MOV_OFFSET == PATCHBAY_HASH_OFFSET - 1,
                "an opcode sits directly before the hash");
  int PadOffset = padOffset(Words);
  size_t Size = alignTo(std::max(PATCHBAY_PREFIX_SIZE, -PadOffset), Alignment);
  SmallVector<uint8_t> Prefix(Size, Layout.FillByte);
  uint8_t *Entry = Prefix.end();
  std::fill_n(Entry + PATCHBAY_SLOT_OFFSET, PATCHBAY_SLOT_SIZE, 0);
  for (int Word = 0; Word != 2; ++Word)
    support::endian::write32le(Entry + PadOffset + 4 * Word, Layout.PadWord);
  if (Words.HashOpcode)
    Entry[PATCHBAY_HASH_OFFSET - 1] = *Words.HashOpcode;
  if (Words.Hash)
    support::endian::write32le(Entry + PATCHBAY_HASH_OFFSET,
                               maskHash(Layout, *Words.Hash));
  if (Words.SanitizerWords)
    Prefix.truncate(Size + PATCHBAY_PAD_OFFSET);
  return Prefix;
}

uint32_t patchbay::maskHash(const SlotLayout &Layout, uint32_t Hash) {
  bool Reserved = any_of(Layout.ReservedHashes, [&](uint32_t Value) {
    return Hash == Value || Hash == 0 - Value;
  });
  return Reserved ? Hash + 1 : Hash;
}
