// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ppc64le thunk of a vmlinux (--static-calls-kernel), and the load of r2
// after calls of a thunk.
//
// In the kernel r13, the thread pointer of the ELFv2 ABI, points to a structure
// that contains the kernel's TOC pointer. So a caller in the kernel need not
// save r2: the nop after the call becomes a load through r13. A static call
// executes one instruction more than a direct call. To patch the call, the
// kernel changes only one instruction, whatever the target.
//
// The absolute symbol __static_call_toc_offset, or the symbol that
// --static-calls-toc-symbol names, gives the offset of the TOC pointer from
// r13, in bytes.
//
// Calls in vmlinux use the thunk's local entry point. Calls in modules and
// calls through pointers use the global entry point:
//
//	+0	addis	r2,r12,.TOC.-.@ha
//	+4	addi	r2,r2,.TOC.-.@l
//	+8	b	target | +12 | +28 | +32 | +36	local entry point
//	+12	addis	r12,r2,literal@toc@ha		to any function
//	+16	ld	r12,literal@toc@l(r12)
//	+20	mtctr	r12
//	+24	bctr
//	+28	li	r3,0				returns 0
//	+32	blr					returns
//	+36	addis	r12,r2,target@toc@ha		to the first target
//	+40	addi	r12,r12,target@toc@l
//	+44	b	+20
//	+48	literal
//
// At run time the kernel replaces the branch at +8 by another branch or by a
// nop, while CPUs may execute either (Power ISA, Book II, "Concurrent
// Modification and Execution of Instructions"). Before writing a nop, the
// kernel writes the literal. The thunk cannot load the key instead, because the
// key may become null while a thread is in the thunk.
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "StaticCallReferences.h"
#include "StaticCallThunk.h"
#include "StaticCallsPPC64.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::support::endian;
using namespace lld;
using namespace lld::elf;
using namespace lld::elf::ppc64;

static constexpr unsigned branchOffset = 8, jumpOffset = 20, return0Offset = 28,
                          returnOffset = 32, firstOffset = 36,
                          literalOffset = 48, thunkSize = 56;
// st_other: the local entry point is 8 bytes after the global entry point.
static constexpr uint8_t localEntryAt8 = 3 << 5;

static StaticCallLayout makeLayout() {
  StaticCallLayout layout;
  layout.size = thunkSize;
  layout.align = 8;
  layout.return0Offset = return0Offset;
  layout.returnOffset = returnOffset;
  layout.offsetRel = R_PPC64_REL32;
  return layout;
}

namespace {
class StaticCallArchPPC64Kernel final : public StaticCallArch {
public:
  explicit StaticCallArchPPC64Kernel(StringRef tocSymbol)
      : StaticCallArch(makeLayout()), tocSymbol(tocSymbol) {
    code.resize(thunkSize);
    writeNops(code);
  }
  std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const override {
    return ppc64::getBranch(sec, rel);
  }
  Symbol *prepareBranch(Ctx &, StaticCallThunk &, const InputSection &,
                        const Relocation &) const override;
  bool isAddress(const InputSection &, const Relocation &) const override;
  void finishSites(Ctx &, ArrayRef<StaticCallSite>) const override;
  bool prepareTarget(Ctx &, StaticCallThunk &) const override;
  bool writeThunk(Ctx &, uint8_t *buf, const StaticCallThunk &) const override;

private:
  Defined *findTocOffset(Ctx &, const StaticCallSite &first) const;
  StringRef tocSymbol;
};
} // namespace

Symbol *StaticCallArchPPC64Kernel::prepareBranch(Ctx &ctx,
                                                 StaticCallThunk &thunk,
                                                 const InputSection &sec,
                                                 const Relocation &rel) const {
  // A kernel module: the module loader replaces the nop by the load.
  if (ctx.arg.relocatable)
    return thunk.sym;
  if (rel.type == R_PPC64_REL24_NOTOC) {
    Err(ctx) << sec.getObjMsg(rel.offset) << ": static call '"
             << thunk.getName()
             << "' is called without a TOC pointer; compile with "
                "-mno-pcrel";
    return nullptr;
  }
  return checkTocRestore(ctx, thunk, sec, rel.offset,
                         "compile with -fno-optimize-sibling-calls, and where "
                         "the thunk is not defined")
             ? thunk.sym
             : nullptr;
}

bool StaticCallArchPPC64Kernel::isAddress(const InputSection &,
                                          const Relocation &rel) const {
  return rel.type != R_PPC64_REL14 && rel.type != R_PPC64_REL14_BRTAKEN &&
         rel.type != R_PPC64_REL14_BRNTAKEN && rel.type != R_PPC64_REL24 &&
         rel.type != R_PPC64_REL24_NOTOC;
}

// Return the symbol that gives the offset of the kernel's TOC pointer, or null
// after an error.
Defined *
StaticCallArchPPC64Kernel::findTocOffset(Ctx &ctx,
                                         const StaticCallSite &first) const {
  Symbol *sym = ctx.symtab->find(tocSymbol);
  auto *offset = dyn_cast_or_null<Defined>(sym);
  if (!offset || offset->section) {
    Err(ctx) << first.sec->getObjMsg(first.offset) << ": call to static call '"
             << first.thunk->getName()
             << "' cannot restore the TOC pointer: no absolute symbol '"
             << tocSymbol << "' gives its offset from r13";
    return nullptr;
  }
  // ld has a displacement of 14 bits, in words.
  if (!isInt<16>(static_cast<int64_t>(offset->value)) || offset->value % 4) {
    auto diag = Err(ctx);
    if (offset->file)
      diag << offset->file << ": ";
    diag << "symbol '" << tocSymbol << "' is "
         << static_cast<int64_t>(offset->value)
         << ", which is not a valid displacement of ld";
    return nullptr;
  }
  return offset;
}

void StaticCallArchPPC64Kernel::finishSites(
    Ctx &ctx, ArrayRef<StaticCallSite> sites) const {
  if (sites.empty())
    return;
  Defined *offset = findTocOffset(ctx, sites.front());
  if (!offset)
    return;
  // Write the load with relocations: LLD changes input sections in no other
  // way, and the linker script may still change the symbol's value.
  auto *zero = make<Defined>(ctx, ctx.internalFile, "", STB_LOCAL, STV_HIDDEN,
                             STT_NOTYPE, /*value=*/0, /*size=*/0,
                             /*section=*/nullptr);
  for (const StaticCallSite &site : sites) {
    const uint64_t restore = site.offset + 4;
    site.sec->addReloc({R_ABS, R_PPC64_ADDR32, restore, LD_R2_R13, zero});
    site.sec->addReloc({R_ABS, R_PPC64_ADDR16_DS, restore, 0, offset});
  }
}

bool StaticCallArchPPC64Kernel::prepareTarget(Ctx &ctx,
                                              StaticCallThunk &thunk) const {
  cast<Defined>(thunk.sym)->stOther |= localEntryAt8;
  // A kernel has no dynamic linker that could find a target at run time.
  if (thunk.builtin || (thunk.target && !isPltEntry(thunk)))
    return true;
  auto diag = Err(ctx);
  if (thunk.key)
    diag << cast<InputSection>(thunk.key->section)->getObjMsg(thunk.key->value);
  else
    diag << thunk.caller;
  diag << ": static call '" << thunk.getName()
       << "' has a target that is not in the kernel";
  return false;
}

bool StaticCallArchPPC64Kernel::writeThunk(Ctx &ctx, uint8_t *buf,
                                           const StaticCallThunk &thunk) const {
  const uint64_t va = thunk.getVA(), tocBase = getPPC64TocBase(ctx);
  // The target's global entry point, for the code at +36. (If the target is +28
  // or +32, that code is never executed.)
  const int64_t target = *thunk.getTargetVA() - tocBase;
  const int64_t literal = va + literalOffset - tocBase;
  const int64_t toc = tocBase - va;
  if (!isInReach(toc) || !isInReach(literal) || !isInReach(target))
    return false;

  std::optional<uint32_t> branch;
  if (isLocalEntryKnown(thunk))
    branch = makeBranch(va + branchOffset, getLocalEntry(ctx, thunk));
  if (!branch)
    branch = makeBranch(branchOffset, firstOffset);
  writeInsts(buf, {ADDIS_R2_R12 | high(toc), ADDI_R2_R2 | low(toc), *branch,
                   ADDIS_R12_R2 | high(literal), LD_R12_R12 | low(literal),
                   MTCTR_R12, BCTR, LI_R3_0, BLR, ADDIS_R12_R2 | high(target),
                   ADDI_R12_R12 | low(target),
                   *makeBranch(firstOffset + 8, jumpOffset)});
  write64le(buf + literalOffset, 0);
  return true;
}

std::unique_ptr<StaticCallArch>
elf::makeStaticCallArchPPC64Kernel(StringRef tocSymbol) {
  return std::make_unique<StaticCallArchPPC64Kernel>(tocSymbol);
}
