// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AArch64 thunk of a static call; abi.h has its code and its guarantees to
// the run time.
//
// The thunk begins with `bti c`, because a caller that is out of reach jumps to
// the thunk indirectly, through LLD's range extension thunk. The thunk of a
// static call jumps through x16, because the target's `bti c` accepts jumps
// only through x16 and x17.

#include "InputFiles.h"
#include "StaticCallArch.h"
#include "StaticCallThunk.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::support::endian;
using namespace lld;
using namespace lld::elf;

static constexpr uint32_t nop = 0xd503201f;
static constexpr uint32_t branch = 0x14000000;

static const uint32_t localThunk[] = {
    0xd503245f, // bti c
    nop,
    0x90000010, // adrp x16, key
    0xf9400210, // ldr x16, [x16, :lo12:key]
    0xd61f0200, // br x16
    0xd4200000, // brk #0
    0xaa1f03e0, // mov x0, xzr
    0xd65f03c0, // ret
};
static const uint32_t importedThunk[] = {
    0xd503245f, // bti c
    nop,
    0x90000010, // adrp x16, :got:key
    0xf9400210, // ldr x16, [x16, :got_lo12:key]
    0xf9400210, // ldr x16, [x16]
    0xd61f0200, // br x16
    0xaa1f03e0, // mov x0, xzr
    0xd65f03c0, // ret
};
static_assert(sizeof(localThunk) == PATCHBAY_AARCH64_TRAMP_SIZE);
static_assert(sizeof(importedThunk) == PATCHBAY_AARCH64_TRAMP_SIZE);

static StaticCallLayout makeLayout() {
  StaticCallLayout layout;
  layout.size = PATCHBAY_AARCH64_TRAMP_SIZE;
  layout.align = PATCHBAY_AARCH64_TRAMP_ALIGN;
  layout.return0Offset = PATCHBAY_AARCH64_TRAMP_RETURN0_OFFSET;
  layout.returnOffset = PATCHBAY_AARCH64_TRAMP_RETURN_OFFSET;
  layout.relocatableSize = PATCHBAY_AARCH64_TRAMP_SIZE;
  layout.offsetRel = R_AARCH64_PREL32;
  return layout;
}

static void writeInsts(uint8_t *buf, ArrayRef<uint32_t> insts) {
  for (auto [i, inst] : llvm::enumerate(insts))
    write32le(buf + 4 * i, inst);
}

namespace {
class StaticCallArchAArch64 final : public StaticCallArch {
public:
  StaticCallArchAArch64() : StaticCallArch(makeLayout()) {
    code.resize(sizeof(localThunk));
    writeInsts(code.data(), localThunk);
  }
  std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const override;
  bool isAddress(const InputSection &, const Relocation &rel) const override {
    return rel.type != R_AARCH64_CALL26 && rel.type != R_AARCH64_JUMP26 &&
           rel.type != R_AARCH64_CONDBR19 && rel.type != R_AARCH64_TSTBR14;
  }
  bool writeThunk(Ctx &, uint8_t *buf, const StaticCallThunk &) const override;
  void writeRelocatable(uint8_t *buf, const StaticCallThunk &) const override;
  void addRelocations(const StaticCallThunk &, AddRelocation) const override;
  void addEmittedRelocations(const StaticCallThunk &,
                             AddRelocation) const override;
};
} // namespace

std::optional<StaticCallBranch>
StaticCallArchAArch64::getBranch(const InputSection &sec,
                                 const Relocation &rel) const {
  if ((rel.type != R_AARCH64_CALL26 && rel.type != R_AARCH64_JUMP26) ||
      !hasBytes(sec, rel.offset, 4))
    return std::nullopt;
  return StaticCallBranch{rel.offset, rel.type == R_AARCH64_JUMP26,
                          rel.addend != 0};
}

bool StaticCallArchAArch64::writeThunk(Ctx &ctx, uint8_t *buf,
                                       const StaticCallThunk &thunk) const {
  if (thunk.isImported())
    writeInsts(buf, importedThunk);
  else
    writeInsts(buf, localThunk);

  const uint64_t va = thunk.getVA(), pointer = thunk.getPointerVA();
  const uint64_t adrp = va + PATCHBAY_AARCH64_TRAMP_INDIRECT_OFFSET;
  const int64_t pages = getAArch64Page(pointer) - getAArch64Page(adrp);
  if (!isInt<33>(pages))
    return false;
  uint8_t *loc = buf + PATCHBAY_AARCH64_TRAMP_INDIRECT_OFFSET;
  ctx.target->relocateNoSym(loc, R_AARCH64_ADR_PREL_PG_HI21, pages);
  ctx.target->relocateNoSym(loc + 4, R_AARCH64_LDST64_ABS_LO12_NC, pointer);

  if (std::optional<uint64_t> target = thunk.getTargetVA()) {
    int64_t offset = *target - (va + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET);
    if (isInt<28>(offset))
      write32le(buf + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET,
                branch | ((offset >> 2) & 0x03ffffff));
  }
  return true;
}

void StaticCallArchAArch64::writeRelocatable(
    uint8_t *buf, const StaticCallThunk &thunk) const {
  writeInsts(buf, localThunk);
  // A relocation at the branch names the target. If there is no target, the
  // branch goes to the thunk's own `ret`.
  int64_t offset = thunk.targetSym ? 0
                                   : PATCHBAY_AARCH64_TRAMP_RETURN_OFFSET -
                                         PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET;
  write32le(buf + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET, branch | offset >> 2);
}

void StaticCallArchAArch64::addRelocations(const StaticCallThunk &thunk,
                                           AddRelocation add) const {
  if (thunk.targetSym)
    add(PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET, R_AARCH64_JUMP26,
        *thunk.targetSym, thunk.targetAddend);
  addEmittedRelocations(thunk, add);
}

void StaticCallArchAArch64::addEmittedRelocations(const StaticCallThunk &thunk,
                                                  AddRelocation add) const {
  constexpr uint64_t adrp = PATCHBAY_AARCH64_TRAMP_INDIRECT_OFFSET;
  if (thunk.isImported()) {
    add(adrp, R_AARCH64_ADR_GOT_PAGE, *thunk.importedKey, 0);
    add(adrp + 4, R_AARCH64_LD64_GOT_LO12_NC, *thunk.importedKey, 0);
  } else {
    add(adrp, R_AARCH64_ADR_PREL_PG_HI21, *thunk.key, 0);
    add(adrp + 4, R_AARCH64_LDST64_ABS_LO12_NC, *thunk.key, 0);
  }
}

std::unique_ptr<StaticCallArch> elf::makeStaticCallArchAArch64() {
  return std::make_unique<StaticCallArchAArch64>();
}
