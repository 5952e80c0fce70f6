// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ppc64le ELFv2 thunk of a static call; abi.h has its code and its
// guarantees to the run time.
//
// A function's local entry point expects the function's TOC pointer in r2. Its
// global entry point expects the function's address in r12, and computes r2
// from it. A caller of a function with another TOC saves r2 before the call and
// restores it afterwards.
//
// The thunk saves r2 in the caller's frame, and the linker turns the nop after
// the call into the load that restores r2. So the target may have another TOC.
// For a target in its own link unit, the thunk branches directly to the local
// entry point: the static call executes a call, a store, a branch and a load.
//
// A caller without a TOC pointer (R_PPC64_REL24_NOTOC) restores no r2, but must
// not call a function's local entry point. The thunk has a second entry point
// for such callers, with a symbol of its own.

#include "StaticCallsPPC64.h"
#include "InputFiles.h"
#include "StaticCallThunk.h"
#include "Symbols.h"
#include "SyntheticSections.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::support::endian;
using namespace lld;
using namespace lld::elf;
using namespace lld::elf::ppc64;

static StaticCallLayout makeLayout() {
  StaticCallLayout layout;
  layout.size = PATCHBAY_PPC64_TRAMP_SIZE;
  layout.align = PATCHBAY_PPC64_TRAMP_ALIGN;
  layout.return0Offset = PATCHBAY_PPC64_TRAMP_RETURN0_OFFSET;
  layout.returnOffset = PATCHBAY_PPC64_TRAMP_RETURN_OFFSET;
  return layout;
}

namespace {
enum : uint32_t {
  // Prefixes and suffixes of PC-relative instructions.
  PLD_PREFIX = 0x04100000,
  PLD_R12 = 0xe5800000,
  PADDI_PREFIX = 0x06100000,
  PADDI_R2 = 0x38400000,
};

class StaticCallArchPPC64 final : public StaticCallArch {
public:
  explicit StaticCallArchPPC64(bool sameToc)
      : StaticCallArch(makeLayout()), sameToc(sameToc) {
    // Code with the second entry point, which only some thunks have.
    code.resize(PATCHBAY_PPC64_NOTOC_TRAMP_SIZE);
    ppc64::writeNops(code);
  }
  std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const override {
    return ppc64::getBranch(sec, rel);
  }
  Symbol *prepareBranch(Ctx &, StaticCallThunk &, const InputSection &,
                        const Relocation &) const override;
  bool prepareTarget(Ctx &, StaticCallThunk &) const override;
  bool writeThunk(Ctx &, uint8_t *buf, const StaticCallThunk &) const override;

private:
  bool writeNotocPart(Ctx &, uint8_t *buf, const StaticCallThunk &) const;

  const bool sameToc;
};
} // namespace

std::optional<StaticCallBranch> ppc64::getBranch(const InputSection &sec,
                                                 const Relocation &rel) {
  if ((rel.type != R_PPC64_REL24 && rel.type != R_PPC64_REL24_NOTOC) ||
      !hasBytes(sec, rel.offset, 4))
    return std::nullopt;
  bool isCall = read32le(sec.content().data() + rel.offset) & 1;
  return StaticCallBranch{rel.offset, !isCall, rel.addend != 0};
}

bool ppc64::checkTocRestore(Ctx &ctx, const StaticCallThunk &thunk,
                            const InputSection &sec, uint64_t offset,
                            const char *advice) {
  ArrayRef<uint8_t> content = sec.content();
  if (!(read32le(content.data() + offset) & 1)) {
    Err(ctx) << sec.getObjMsg(offset) << ": jump to static call '"
             << thunk.getName() << "' cannot restore the TOC pointer; "
             << advice;
    return false;
  }
  if (hasBytes(sec, offset, 8) && read32le(content.data() + offset + 4) == NOP)
    return true;
  Err(ctx) << sec.getObjMsg(offset) << ": call to static call '"
           << thunk.getName() << "' lacks nop, cannot restore the TOC pointer; "
           << advice;
  return false;
}

Symbol *StaticCallArchPPC64::prepareBranch(Ctx &ctx, StaticCallThunk &thunk,
                                           const InputSection &sec,
                                           const Relocation &rel) const {
  if (rel.type == R_PPC64_REL24_NOTOC) {
    if (!thunk.notocSym) {
      thunk.setSize(PATCHBAY_PPC64_NOTOC_TRAMP_SIZE);
      thunk.addralign = PATCHBAY_PPC64_NOTOC_TRAMP_ALIGN;
      cast<Defined>(thunk.sym)->size = thunk.getSize();
      thunk.notocSym = addSyntheticLocal(
          ctx, ctx.saver.save("__notoc" + thunk.sym->getName()), STT_FUNC,
          PATCHBAY_PPC64_NOTOC_BRANCH_OFFSET, /*size=*/0, thunk);
    }
    return thunk.notocSym;
  }
  if (thunk.sameToc)
    return thunk.sym;
  if (!checkTocRestore(ctx, thunk, sec, rel.offset,
                       "declare it with DECLARE_STATIC_CALL"))
    return nullptr;
  return thunk.sym;
}

bool ppc64::isPltEntry(const StaticCallThunk &thunk) {
  return isa<SyntheticSection>(thunk.target->section);
}

bool StaticCallArchPPC64::prepareTarget(Ctx &ctx,
                                        StaticCallThunk &thunk) const {
  auto *sym = cast<Defined>(thunk.sym);
  if (!sameToc) {
    // LLD turns the callers' nop into `ld r2,24(r1)`.
    sym->setNeedsTocRestore(true);
    return true;
  }
  thunk.sameToc = true;
  sym->value = PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET;
  sym->size -= sym->value;
  if (thunk.builtin)
    return true;
  StringRef problem;
  if (thunk.isImported())
    problem = "has its key in another link unit";
  else if (!thunk.target || isPltEntry(thunk)) // an ifunc may have any target
    problem = "cannot go to a function of another link unit";
  // st_other: the function may change r2, which callers do not restore.
  else if (thunk.target->stOther >> 5 == 1)
    problem = "cannot go to a function that has no TOC pointer";
  if (problem.empty())
    return true;
  auto diag = Err(ctx);
  if (thunk.key)
    diag << cast<InputSection>(thunk.key->section)->getObjMsg(thunk.key->value);
  else
    diag << thunk.caller;
  diag << ": with --static-calls-same-toc static call '" << thunk.getName()
       << "' " << problem;
  return false;
}

uint8_t *ppc64::writeInsts(uint8_t *buf, ArrayRef<uint32_t> insts) {
  for (uint32_t inst : insts) {
    write32le(buf, inst);
    buf += 4;
  }
  return buf;
}

void ppc64::writeNops(MutableArrayRef<uint8_t> code) {
  for (size_t i = 0; i != code.size(); i += 4)
    write32le(code.data() + i, NOP);
}

std::optional<uint32_t> ppc64::makeBranch(uint64_t from, uint64_t to) {
  int64_t offset = to - from;
  if (!isInt<26>(offset))
    return std::nullopt;
  return B | (offset & 0x03fffffc);
}

uint64_t ppc64::getLocalEntry(Ctx &ctx, const StaticCallThunk &thunk) {
  uint64_t va = *thunk.getTargetVA();
  if (thunk.builtin || isPltEntry(thunk))
    return va;
  return va + getPPC64GlobalEntryToLocalEntryOffset(ctx, thunk.target->stOther);
}

bool ppc64::isLocalEntryKnown(const StaticCallThunk &thunk) {
  if (thunk.builtin)
    return true;
  const Defined *d = thunk.target;
  return d && !d->isSection() && !d->scriptDefined && !thunk.targetAddend;
}

bool StaticCallArchPPC64::writeThunk(Ctx &ctx, uint8_t *buf,
                                     const StaticCallThunk &thunk) const {
  const uint64_t va = thunk.getVA();
  const int64_t pointer = thunk.getPointerVA() - getPPC64TocBase(ctx);
  if (!isInReach(pointer))
    return false;

  writeInsts(buf, {STD_R2_24_R1, NOP});
  uint8_t *indirect = buf + PATCHBAY_PPC64_TRAMP_INDIRECT_OFFSET;
  indirect = writeInsts(
      indirect, {ADDIS_R12_R2 | high(pointer), LD_R12_R12 | low(pointer)});
  if (thunk.isImported())
    writeInsts(indirect, {LD_R12_R12, MTCTR_R12, BCTR});
  else
    writeInsts(indirect, {MTCTR_R12, BCTR, TRAP});
  writeInsts(buf + PATCHBAY_PPC64_TRAMP_NEAR_OFFSET,
             {ADDIS_R2_R2, ADDI_R2_R2, B, LI_R3_0, BLR});

  if (isLocalEntryKnown(thunk))
    if (auto inst = makeBranch(va + PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET,
                               getLocalEntry(ctx, thunk)))
      write32le(buf + PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET, *inst);
  return !thunk.notocSym || writeNotocPart(ctx, buf, thunk);
}

// Write a prefixed instruction that adds `offset` to the instruction's address.
// Return false if `offset` does not fit.
static bool writePrefixed(uint8_t *buf, uint32_t prefix, uint32_t suffix,
                          int64_t offset) {
  if (!isInt<34>(offset))
    return false;
  writeInsts(
      buf, {prefix | (uint32_t(offset >> 16) & 0x3ffff), suffix | low(offset)});
  return true;
}

bool StaticCallArchPPC64::writeNotocPart(Ctx &ctx, uint8_t *buf,
                                         const StaticCallThunk &thunk) const {
  const uint64_t va = thunk.getVA();
  constexpr unsigned branch = PATCHBAY_PPC64_NOTOC_BRANCH_OFFSET;
  constexpr unsigned indirect = PATCHBAY_PPC64_NOTOC_INDIRECT_OFFSET;
  constexpr unsigned setToc = PATCHBAY_PPC64_NOTOC_SET_TOC_OFFSET;
  write32le(buf + branch, NOP);
  if (!writePrefixed(buf + indirect, PLD_PREFIX, PLD_R12,
                     thunk.getPointerVA() - (va + indirect)) ||
      !writePrefixed(buf + setToc, PADDI_PREFIX, PADDI_R2,
                     getPPC64TocBase(ctx) - (va + setToc)))
    return false;
  if (thunk.isImported())
    writeInsts(buf + indirect + 8, {LD_R12_R12, MTCTR_R12, BCTR});
  else
    writeInsts(buf + indirect + 8, {MTCTR_R12, BCTR, TRAP});
  write32le(buf + setToc + 8, B);

  if (!isLocalEntryKnown(thunk))
    return true;
  const uint64_t target = getLocalEntry(ctx, thunk);
  const bool needsToc =
      !thunk.builtin && (isPltEntry(thunk) || thunk.target->stOther >> 5 > 1);
  const unsigned from = needsToc ? setToc + 8 : branch;
  if (auto inst = makeBranch(va + from, target)) {
    write32le(buf + from, *inst);
    if (needsToc)
      write32le(buf + branch, *makeBranch(va + branch, va + setToc));
  }
  return true;
}

std::unique_ptr<StaticCallArch> elf::makeStaticCallArchPPC64(bool sameToc) {
  return std::make_unique<StaticCallArchPPC64>(sameToc);
}
