// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and branches, for the ppc64le thunks of programs and of the
// kernel.

#ifndef PATCHBAY_LLD_ELF_ARCH_STATIC_CALLS_PPC64_H
#define PATCHBAY_LLD_ELF_ARCH_STATIC_CALLS_PPC64_H

#include "StaticCallArch.h"
#include <optional>

namespace lld::elf::ppc64 {

// Instructions without their displacements.
enum : uint32_t {
  NOP = 0x60000000,
  B = 0x48000000,
  BLR = 0x4e800020,
  BCTR = 0x4e800420,
  TRAP = 0x7fe00008,
  MTCTR_R12 = 0x7d8903a6,
  STD_R2_24_R1 = 0xf8410018,
  LD_R2_R13 = 0xe84d0000,
  ADDIS_R2_R2 = 0x3c420000,
  ADDIS_R2_R12 = 0x3c4c0000,
  ADDI_R2_R2 = 0x38420000,
  ADDIS_R12_R2 = 0x3d820000,
  ADDI_R12_R12 = 0x398c0000,
  LD_R12_R12 = 0xe98c0000,
  LI_R3_0 = 0x38600000,
};

// The halves of a displacement, as `@ha` and `@l`: the high half allows for the
// sign of the low half.
inline uint32_t high(int64_t value) {
  return ((value + 0x8000) >> 16) & 0xffff;
}
inline uint32_t low(int64_t value) { return value & 0xffff; }
// Whether both halves together reach `offset`.
inline bool isInReach(int64_t offset) {
  return llvm::isInt<32>(offset + 0x8000);
}

// Write `insts` and return the address after the last.
uint8_t *writeInsts(uint8_t *buf, ArrayRef<uint32_t> insts);

void writeNops(llvm::MutableArrayRef<uint8_t> code);

// The instruction `b to` at address `from`, or nullopt if `to` is out of reach.
std::optional<uint32_t> makeBranch(uint64_t from, uint64_t to);

std::optional<StaticCallBranch> getBranch(const InputSection &,
                                          const Relocation &);

// Check that the branch at `offset` is a call followed by a nop, which the
// linker can replace by the load of the TOC pointer. Otherwise report an error
// that ends with `advice`, and return false.
bool checkTocRestore(Ctx &, const StaticCallThunk &, const InputSection &,
                     uint64_t offset, const char *advice);

// Whether the linker knows the target's local entry point, which only the
// symbol of a function gives (not a section and an addend, or --defsym).
bool isLocalEntryKnown(const StaticCallThunk &);

// The target's local entry point, which expects the TOC pointer in r2.
uint64_t getLocalEntry(Ctx &, const StaticCallThunk &);

// Whether the target is the PLT entry of an ifunc. A PLT entry expects this
// output's TOC pointer and has no second entry point; the symbol's st_other
// describes the resolver.
bool isPltEntry(const StaticCallThunk &);

} // namespace lld::elf::ppc64

#endif
