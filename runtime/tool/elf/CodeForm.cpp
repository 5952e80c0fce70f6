// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CodeForm.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace patchbay;

#define PAD_OF(id, triple, llvm, linux, machine, pad) PadOf_##id = pad,
enum : uint32_t { PATCHBAY_ARCH_TABLE(PAD_OF) };
#undef PAD_OF

static constexpr CodeWord Endbr64[] = {{PATCHBAY_X86_64_ENDBR64}};
static constexpr CodeWord BtiC[] = {{PATCHBAY_AARCH64_BTI_C}};
static constexpr CodeWord BtiJC[] = {{PATCHBAY_AARCH64_BTI_JC}};
static constexpr CodeWord LPad[] = {{PATCHBAY_RISCV64_LPAD, 0xfff}};
// addis r2, r12, X (the linker may change it to lis r2, X); addi r2, r2, Y
static constexpr CodeWord SetUpToc[] = {{0x3c4c0000, 0xffff0000},
                                        {0x38420000, 0xffff0000}};
static constexpr CodeWord SetUpTocAbsolute[] = {{0x3c400000, 0xffff0000},
                                                {0x38420000, 0xffff0000}};

static constexpr EntryCode X86EntryCodes[] = {{"endbr64", Endbr64}};
static constexpr EntryCode AArch64EntryCodes[] = {{"bti c", BtiC},
                                                  {"bti jc", BtiJC}};
static constexpr EntryCode PPC64EntryCodes[] = {
    {"addis r2, r12, X; addi r2, r2, Y", SetUpToc},
    {"lis r2, X; addi r2, r2, Y", SetUpTocAbsolute}};
static constexpr EntryCode RISCV64EntryCodes[] = {{"lpad", LPad}};
static_assert(std::size(Endbr64) * 4 == PATCHBAY_X86_64_ENDBR64_SIZE &&
              std::size(BtiC) * 4 == PATCHBAY_AARCH64_BTI_SIZE &&
              std::size(SetUpToc) * 4 == PATCHBAY_PPC64LE_GLOBAL_ENTRY_SIZE &&
              std::size(LPad) * 4 == PATCHBAY_RISCV64_LPAD_SIZE);

static constexpr uint32_t AArch64Site[] = {PATCHBAY_AARCH64_SITE_MOV,
                                           PATCHBAY_AARCH64_SITE_NOP};
static constexpr uint32_t PPC64Site[] = {PATCHBAY_PPC64LE_SITE_NOP};
static constexpr uint32_t RISCV64Site[] = {PATCHBAY_RISCV64_SITE_NOP,
                                           PATCHBAY_RISCV64_SITE_NOP};
static_assert(sizeof(AArch64Site) == PATCHBAY_AARCH64_SITE_SIZE &&
              sizeof(PPC64Site) == PATCHBAY_PPC64LE_SITE_SIZE &&
              sizeof(RISCV64Site) == PATCHBAY_RISCV64_SITE_SIZE);

static constexpr CodeForm Forms[] = {
    {ELF::EM_X86_64, PadOf_X86_64, X86EntryCodes, /*HasLocalEntry=*/false,
     /*MaxGPArgs=*/6, /*MaxFPArgs=*/8, /*SiteWords=*/{}},
    {ELF::EM_AARCH64, PadOf_AARCH64, AArch64EntryCodes, false, 8, 8,
     AArch64Site},
    {ELF::EM_PPC64, PadOf_PPC64LE, PPC64EntryCodes, true, 8, 13, PPC64Site},
    {ELF::EM_RISCV, PadOf_RISCV64, RISCV64EntryCodes, false, 8, 8, RISCV64Site},
};

const CodeForm &patchbay::codeForm(uint16_t Machine) {
  return *llvm::find_if(
      Forms, [&](const CodeForm &F) { return F.Machine == Machine; });
}

bool EntryCode::matches(ArrayRef<uint8_t> Found) const {
  return Found.size() == size() &&
         llvm::all_of(llvm::enumerate(Words), [&](const auto &Word) {
           uint32_t Bits = read32le(Found.data() + Word.index() * 4);
           return (Bits & Word.value().Mask) == Word.value().Value;
         });
}

static CodeBytes toBytes(ArrayRef<uint32_t> Words) {
  CodeBytes Bytes(Words.size() * 4);
  for (size_t I = 0; I != Words.size(); ++I)
    write32le(&Bytes[I * 4], Words[I]);
  return Bytes;
}

unsigned CodeForm::siteSize() const {
  return Machine == ELF::EM_X86_64 ? PATCHBAY_X86_64_SITE_SIZE
                                   : SiteWords.size() * 4;
}

CodeBytes CodeForm::site(int64_t ToPad, int64_t ToStub) const {
  if (Machine != ELF::EM_X86_64)
    return toBytes(SiteWords);
  CodeBytes Bytes(PATCHBAY_X86_64_SITE_SIZE);
  Bytes[0] = PATCHBAY_X86_64_SITE_DISARMED;
  write32le(&Bytes[1], ToStub - PATCHBAY_X86_64_SITE_BRANCH_SIZE);
  Bytes[PATCHBAY_X86_64_SITE_BRANCH_SIZE] = PATCHBAY_X86_64_SITE_JB;
  Bytes[PATCHBAY_X86_64_SITE_BRANCH_SIZE + 1] =
      ToPad - PATCHBAY_X86_64_SITE_SIZE;
  return Bytes;
}

unsigned CodeForm::stubOffset(const patchbay_record &R,
                              bool BehindLandingPad) const {
  return Machine == ELF::EM_X86_64
             ? patchbay_x86_64_stub(&R, BehindLandingPad) *
                   PATCHBAY_X86_64_STUB_SIZE
             : 0;
}

CodeBytes CodeForm::stubs(uint64_t Stubs, uint64_t Trampolines,
                          bool HaveLandingPads) const {
  // endbr64; clc; ret
  static constexpr uint8_t Inert[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf8, 0xc3};
  const unsigned Jump = HaveLandingPads ? PATCHBAY_X86_64_STUB_ENDBR64 : 0;
  if (Machine != ELF::EM_X86_64)
    return {};
  CodeBytes Bytes(PATCHBAY_X86_64_NR_STUBS * PATCHBAY_X86_64_STUB_SIZE,
                  PATCHBAY_X86_64_TRAP);
  for (unsigned I = 0; I != PATCHBAY_X86_64_NR_STUBS; ++I) {
    const unsigned At = I * PATCHBAY_X86_64_STUB_SIZE;
    const unsigned End = At + Jump + 6;
    if (HaveLandingPads)
      write32le(&Bytes[At], PATCHBAY_X86_64_ENDBR64);
    write16le(&Bytes[At + Jump], PATCHBAY_X86_64_STUB_JMP);
    write32le(&Bytes[At + Jump + 2],
              Trampolines + I * sizeof(uint64_t) - (Stubs + End));
  }
  Bytes.append(std::begin(Inert), std::end(Inert));
  return Bytes;
}

CodeBytes CodeForm::pad() const { return toBytes({PadWord, PadWord}); }

CodeBytes CodeForm::padAndHash(uint32_t Signature,
                               ArrayRef<uint8_t> Found) const {
  CodeBytes Bytes = pad();
  if (!Signature)
    return Bytes;
  write32le(&Bytes[PATCHBAY_HASH_OFFSET - PATCHBAY_PAD_OFFSET], Signature);
  if (Machine == ELF::EM_X86_64) {
    // Keep the register of the mov in Found: it tells how many registers have live
    // arguments, which the record does not contain.
    constexpr size_t Opcode = PATCHBAY_X86_64_MOV_OFFSET - PATCHBAY_PAD_OFFSET;
    Bytes[Opcode] = PATCHBAY_X86_64_MOV_EAX_IMM32 |
                    (Found[Opcode] & PATCHBAY_X86_64_MOV_REGISTERS);
  }
  return Bytes;
}
