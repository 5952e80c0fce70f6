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

constexpr uint32_t X86ReservedHashes[] = {0xFA1E0FF3 /* endbr64 */,
                                          0xFB1E0FF3 /* endbr32 */};
constexpr LandingPad X86LandingPads[] = {{"ENDBR64", std::nullopt}};
constexpr StringLiteral X86IntegerRegisters[] = {"{rdi}", "{rsi}", "{rdx}",
                                                 "{rcx}", "{r8}",  "{r9}"};
constexpr StringLiteral X86FloatRegisters[] = {"{xmm0}", "{xmm1}", "{xmm2}",
                                               "{xmm3}", "{xmm4}", "{xmm5}",
                                               "{xmm6}", "{xmm7}"};

// The first part of the site is an instruction, not data, because it is the
// first thing in the function, and GNU as hangs line tables on instructions.
// The second is data because -mrelax-all would lengthen a jump.
constexpr StringLiteral X86Site = "\ttestl $$0, %eax\n"
                                  "\t.byte 0x72, {0}\n";

constexpr StringLiteral X86ModuleCall = "\tendbr64\n"
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

// bti c, and bti jc, which it is in a block that is also jumped to.
constexpr LandingPad AArch64LandingPads[] = {{"HINT", 34}, {"HINT", 38}};
constexpr StringLiteral AArch64Directives[] = {"EMITBKEY", "EMITMTETAGGED"};
constexpr StringLiteral AArch64ImpliedLandingPads[] = {"PACIASP", "PACIBSP"};
constexpr StringLiteral AArch64IntegerRegisters[] = {
    "{x0}", "{x1}", "{x2}", "{x3}", "{x4}", "{x5}", "{x6}", "{x7}"};
constexpr StringLiteral AArch64FloatRegisters[] = {
    "{v0}", "{v1}", "{v2}", "{v3}", "{v4}", "{v5}", "{v6}", "{v7}"};

// As a hint every assembler takes it, whatever the architecture's version.
constexpr StringLiteral AArch64BTI = "\thint #34\n";

constexpr StringLiteral AArch64Site = "\tmov x9, x30\n"
                                      "\tnop\n";

constexpr StringLiteral AArch64ModuleCall = "\thint #34\n"
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

const SlotLayout Layouts[] = {
    {Triple::x86_64, PadOf_X86_64, /*FillByte=*/0xCC,
     PATCHBAY_X86_64_MOV_EAX_IMM32, X86ReservedHashes, X86LandingPads,
     PATCHBAY_X86_64_ENDBR64_SIZE, /*LandingPadsComeLate=*/false,
     /*Directives=*/{}, /*ImpliedLandingPads=*/{},
     /*LandingPadAttribute=*/"", /*LandingPadText=*/"",
     PATCHBAY_X86_64_SITE_SIZE, X86Site, CallingStandard::SystemV_X86_64,
     "{flags}", X86IntegerRegisters, X86FloatRegisters, X86ModuleCall},
    // Zeros are udf, an undefined instruction.
    {Triple::aarch64, PadOf_AARCH64, /*FillByte=*/0, /*HashOpcode=*/{},
     /*ReservedHashes=*/{}, AArch64LandingPads, PATCHBAY_AARCH64_BTI_SIZE,
     /*LandingPadsComeLate=*/true, AArch64Directives, AArch64ImpliedLandingPads,
     "branch-target-enforcement", AArch64BTI, PATCHBAY_AARCH64_SITE_SIZE,
     AArch64Site, CallingStandard::AAPCS64, "{x9}", AArch64IntegerRegisters,
     AArch64FloatRegisters, AArch64ModuleCall},
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

SmallVector<uint8_t> patchbay::layOutPrefix(const SlotLayout &Layout,
                                            std::optional<uint32_t> Hash,
                                            Align Alignment) {
  static_assert(PATCHBAY_SLOT_OFFSET == -PATCHBAY_PREFIX_SIZE &&
                    PATCHBAY_PAD_OFFSET ==
                        PATCHBAY_SLOT_OFFSET + PATCHBAY_SLOT_SIZE &&
                    PATCHBAY_HASH_OFFSET == -PATCHBAY_HASH_SIZE,
                "the prefix is slot, pad, hash");
  static_assert(PATCHBAY_X86_64_MOV_OFFSET == PATCHBAY_HASH_OFFSET - 1,
                "an opcode sits directly before the hash");
  size_t Size = alignTo(PATCHBAY_PREFIX_SIZE, Alignment);
  SmallVector<uint8_t> Prefix(Size, Layout.FillByte);
  uint8_t *Entry = Prefix.end();
  std::fill_n(Entry + PATCHBAY_SLOT_OFFSET, PATCHBAY_SLOT_SIZE, 0);
  support::endian::write32le(Entry + PATCHBAY_PAD_OFFSET, Layout.PadWord);
  if (!Hash) {
    support::endian::write32le(Entry + PATCHBAY_HASH_OFFSET, Layout.PadWord);
    return Prefix;
  }
  if (Layout.HashOpcode)
    Entry[PATCHBAY_HASH_OFFSET - 1] = *Layout.HashOpcode;
  support::endian::write32le(Entry + PATCHBAY_HASH_OFFSET,
                             maskHash(Layout, *Hash));
  return Prefix;
}

uint32_t patchbay::maskHash(const SlotLayout &Layout, uint32_t Hash) {
  bool Reserved = any_of(Layout.ReservedHashes, [&](uint32_t Value) {
    return Hash == Value || Hash == 0 - Value;
  });
  return Reserved ? Hash + 1 : Hash;
}
