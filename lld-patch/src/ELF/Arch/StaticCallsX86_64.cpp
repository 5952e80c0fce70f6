// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The x86-64 thunk of a static call; abi.h has its code and its guarantees to
// the run time.
//
// A thunk whose key is in the same link unit jumps through memory, because no
// register is free in all calling conventions: preserve_none passes an argument
// in r11, and preserve_most preserves all registers but r11. For a key in
// another link unit, the thunk loads the key's address from the GOT into r11.
//
// IBT tracks these jumps like any jump through a pointer. The key contains the
// address of the target, so the compiler has put an endbr64 at the target. A
// `notrack` prefix cannot replace the endbr64, because BOLT does not decode a
// jump through memory with that prefix. The thunk itself needs no endbr64,
// because callers reach it by direct calls and tail jumps.
//
// The `jrcxz` is never executed. It keeps BOLT from moving the thunk, because
// `jrcxz` reaches only 127 bytes. BOLT would also shorten a thunk that it
// moves, and the run time would continue to patch the old address. BOLT still
// redirects the thunk's jump if BOLT moves the target.

#include "InputFiles.h"
#include "StaticCallArch.h"
#include "StaticCallThunk.h"
#include "patchbay/abi.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::support::endian;
using namespace lld;
using namespace lld::elf;

static const uint8_t localThunk[] = {
    PATCHBAY_X86_64_TRAMP_INDIRECT, 0, 0, 0, 0, // test $0,%eax
    0xff, 0x25, 0, 0, 0, 0,                     // jmp *func(%rip)
    0xcc, 0xcc, 0xcc, 0xcc, 0xcc,               // int3
    0x31, 0xc0,                                 // xor %eax,%eax
    0xc3,                                       // ret
    0xe3, 0xfe,                                 // jrcxz . (for BOLT)
    0xcc, 0xcc, 0xcc                            // int3
};
static const uint8_t importedThunk[] = {
    PATCHBAY_X86_64_TRAMP_INDIRECT, 0, 0, 0, 0, // test $0,%eax
    0x4c, 0x8b, 0x1d, 0, 0, 0, 0, // mov key@GOTPCREL(%rip),%r11
    0x41, 0xff, 0x23,             // jmp *(%r11)
    0xcc,                         // int3
    0x31, 0xc0,                   // xor %eax,%eax
    0xc3,                         // ret
    0xe3, 0xfe,                   // jrcxz . (for BOLT)
    0xcc, 0xcc, 0xcc              // int3
};
static_assert(sizeof(localThunk) == PATCHBAY_X86_64_TRAMP_SIZE);
static_assert(sizeof(importedThunk) == PATCHBAY_X86_64_TRAMP_SIZE);

// The kernel's thunk, with or without a target, and its signature (ud1).
static const uint8_t kernelThunk[] = {
    0xe9, 0,    0,    0, 0, // jmp target
    0x0f, 0xb9, 0xcc,       // ud1 %esp,%ecx
};
static const uint8_t kernelNullThunk[] = {
    0xc3, 0xcc, 0x90, 0x90, 0x90, // ret; int3; nop; nop; nop
    0x0f, 0xb9, 0xcc,             // ud1 %esp,%ecx
};

static StaticCallLayout makeLayout() {
  StaticCallLayout layout;
  layout.size = PATCHBAY_X86_64_TRAMP_SIZE;
  layout.align = PATCHBAY_X86_64_TRAMP_ALIGN;
  layout.return0Offset = PATCHBAY_X86_64_TRAMP_RETURN0_OFFSET;
  layout.returnOffset = PATCHBAY_X86_64_TRAMP_RETURN_OFFSET;
  layout.relocatableSize = sizeof(kernelThunk);
  layout.offsetRel = R_X86_64_PC32;
  return layout;
}

namespace {
class StaticCallArchX86_64 final : public StaticCallArch {
public:
  StaticCallArchX86_64() : StaticCallArch(makeLayout()) {
    code.assign(std::begin(localThunk), std::end(localThunk));
  }
  std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const override;
  bool isAddress(const InputSection &, const Relocation &rel) const override;
  bool writeThunk(Ctx &, uint8_t *buf, const StaticCallThunk &) const override;
  void writeRelocatable(uint8_t *buf, const StaticCallThunk &) const override;
  void addRelocations(const StaticCallThunk &, AddRelocation) const override;
};
} // namespace

std::optional<StaticCallBranch>
StaticCallArchX86_64::getBranch(const InputSection &sec,
                                const Relocation &rel) const {
  // Only executable sections have branches: in data the byte before the field
  // may equal an opcode by chance.
  ArrayRef<uint8_t> content = sec.content();
  if (!(sec.flags & SHF_EXECINSTR) || rel.offset < 1 ||
      !hasBytes(sec, rel.offset, 4))
    return std::nullopt;
  const uint8_t opcode = content[rel.offset - 1];
  const uint8_t before = rel.offset < 2 ? 0 : content[rel.offset - 2];
  const bool hasAddend = rel.addend != -4;
  switch (rel.type) {
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (opcode == 0xe8 || opcode == 0xe9) // call, jmp
      return StaticCallBranch{rel.offset - 1, opcode == 0xe9, hasAddend};
    if (before == 0x0f && (opcode & 0xf0) == 0x80) // jcc
      return StaticCallBranch{rel.offset - 2, true, hasAddend};
    return std::nullopt;
  case R_X86_64_GOTPCRELX:
    // -fno-plt. LLD relaxes the branch to `addr32 call`, or to `jmp` and `nop`.
    if (before != 0xff || rel.expr != R_RELAX_GOT_PC)
      return std::nullopt;
    if (opcode == 0x15)
      return StaticCallBranch{rel.offset - 1, false, hasAddend};
    if (opcode == 0x25)
      return StaticCallBranch{rel.offset - 2, true, hasAddend};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

bool StaticCallArchX86_64::isAddress(const InputSection &,
                                     const Relocation &rel) const {
  // R_X86_64_GOTPCRELX: -fno-plt, a branch through the GOT that is not relaxed.
  return rel.type != R_X86_64_GOTPCRELX && rel.type != R_X86_64_PC8;
}

bool StaticCallArchX86_64::writeThunk(Ctx &, uint8_t *buf,
                                      const StaticCallThunk &thunk) const {
  memcpy(buf, thunk.isImported() ? importedThunk : localThunk,
         sizeof(localThunk));

  // Displacements count from the end of their instruction: jmp or mov.
  const uint64_t va = thunk.getVA();
  const uint64_t loadEnd =
      PATCHBAY_X86_64_TRAMP_JMP_OFFSET + (thunk.isImported() ? 7 : 6);
  const int64_t pointer = thunk.getPointerVA() - (va + loadEnd);
  if (!isInt<32>(pointer))
    return false;
  write32le(buf + loadEnd - 4, pointer);

  if (std::optional<uint64_t> target = thunk.getTargetVA()) {
    int64_t disp = *target - (va + PATCHBAY_X86_64_TRAMP_JMP_OFFSET);
    if (isInt<32>(disp)) {
      buf[0] = PATCHBAY_X86_64_TRAMP_DIRECT;
      write32le(buf + 1, disp);
    }
  }
  return true;
}

void StaticCallArchX86_64::writeRelocatable(
    uint8_t *buf, const StaticCallThunk &thunk) const {
  memcpy(buf, thunk.targetSym ? kernelThunk : kernelNullThunk,
         sizeof(kernelThunk));
}

void StaticCallArchX86_64::addRelocations(const StaticCallThunk &thunk,
                                          AddRelocation add) const {
  if (thunk.targetSym)
    add(1, R_X86_64_PLT32, *thunk.targetSym, thunk.targetAddend - 4);
}

std::unique_ptr<StaticCallArch> elf::makeStaticCallArchX86_64(Ctx &ctx) {
  if (ctx.arg.zRetpolineplt && !ctx.arg.relocatable)
    Warn(ctx) << "-z retpolineplt has no effect on static calls: a thunk whose "
                 "target is out of reach jumps indirectly";
  return std::make_unique<StaticCallArchX86_64>();
}
