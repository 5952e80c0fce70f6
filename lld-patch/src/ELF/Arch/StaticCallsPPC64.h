// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ppc64le thunks of programs and of the kernel have in common: their
// instructions, and the branches that lead to them.

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

// The halves of a displacement: the high one makes up for the sign of the low.
inline uint32_t high(int64_t value) {
  return ((value + 0x8000) >> 16) & 0xffff;
}
inline uint32_t low(int64_t value) { return value & 0xffff; }
// Whether the two reach that far.
inline bool isInReach(int64_t offset) {
  return llvm::isInt<32>(offset + 0x8000);
}

// Return what is behind the last one.
uint8_t *writeInsts(uint8_t *buf, ArrayRef<uint32_t> insts);

// What nothing is written over is nops.
void writeNops(llvm::MutableArrayRef<uint8_t> code);

// `b` from `from` to `to`, or nothing if it is out of reach.
std::optional<uint32_t> makeBranch(uint64_t from, uint64_t to);

std::optional<StaticCallBranch> getBranch(const InputSection &,
                                          const Relocation &);

// Whether the linker may write the load of the TOC pointer behind the branch at
// `offset`: that it is a call, and the next instruction a nop. Report an error,
// with `advice` added, if not.
bool checkTocRestore(Ctx &, const StaticCallThunk &, const InputSection &,
                     uint64_t offset, const char *advice);

// Whether the function's local entry point is all there is to know of it. A
// target without a symbol of its own (a section and an addend, --defsym) may
// have one that we do not know.
bool isLocalEntryKnown(const StaticCallThunk &);

// Where a function is entered with r2 being its TOC pointer.
uint64_t getLocalEntry(Ctx &, const StaticCallThunk &);

// The PLT entry that stands for an ifunc. It has one entry point, whatever the
// resolver, whose symbol this was, has, and uses this output's TOC pointer.
bool isPltEntry(const StaticCallThunk &);

} // namespace lld::elf::ppc64

#endif
