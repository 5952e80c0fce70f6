// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -r the tramps are left to the final link, which knows more. A kernel
// module has none: what -r makes of it is loaded as it is. So with
// --static-calls-relocatable the tramps of keys that the output defines, and
// the table of the branches to them, are made at once, with relocations. Tramps
// of other keys are the kernel's to export.
//
// The x86-64 tramp is the kernel's own (arch/x86/include/asm/static_call.h),
// and so is the table's format everywhere. ppc64 is refused: callers must
// restore the TOC pointer, and a module loader turns a nop into the load only
// behind calls that it makes a stub for.
//===----------------------------------------------------------------------===//

#include "StaticCallRelocatable.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

namespace {
// Writable, because the kernel sorts it and keeps notes in it.
class RelocatableSiteTable final : public SyntheticSection {
public:
  RelocatableSiteTable(Ctx &ctx, size_t count)
      : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION, SHT_PROGBITS,
                         SHF_ALLOC | SHF_WRITE, alignof(static_call_site)) {
    size = count * sizeof(static_call_site);
  }
  size_t getSize() const override { return size; }
  bool isNeeded() const override { return size != 0; }
  void writeTo(uint8_t *buf) override { memset(buf, 0, size); }
};
} // namespace

StaticCallRelocations::StaticCallRelocations(Ctx &ctx, StringRef name)
    : SyntheticSection(ctx, name, SHT_RELA, SHF_INFO_LINK, /*addralign=*/8) {
  entsize = sizeof(ELF64LE::Rela);
}

size_t StaticCallRelocations::getSize() const {
  return entries.size() * sizeof(ELF64LE::Rela);
}

void StaticCallRelocations::setLinks() {
  OutputSection *osec = getParent();
  if (!osec || entries.empty())
    return;
  osec->link = ctx.in.symTab->getParent()->sectionIndex;
  osec->info = entries.front().sec->getOutputSection()->sectionIndex;
}

void StaticCallRelocations::writeTo(uint8_t *buf) {
  for (const Entry &entry : entries) {
    auto *rela = reinterpret_cast<ELF64LE::Rela *>(buf);
    rela->r_offset = entry.sec->getVA(entry.offset);
    rela->setSymbolAndType(ctx.in.symTab->getSymbolIndex(*entry.sym),
                           entry.type, /*isMips64EL=*/false);
    rela->r_addend = entry.addend;
    // A section's symbol is that of the output section.
    if (entry.sym->isSection())
      rela->r_addend = entry.sym->getVA(ctx, entry.addend) -
                       entry.sym->getOutputSection()->addr;
    buf += sizeof(ELF64LE::Rela);
  }
}

RelocatableStaticCalls::RelocatableStaticCalls(Ctx &ctx,
                                               const StaticCallArch &arch)
    : ctx(ctx), arch(arch),
      trampRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_TEXT_SECTION),
      siteRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_SITE_SECTION) {}

void RelocatableStaticCalls::addTramp(StaticCallTramp &tramp) {
  auto add = [&](uint64_t offset, RelType type, const Symbol &sym,
                 int64_t addend) {
    trampRelocs.entries.push_back({&tramp, offset, type, &sym, addend});
  };
  arch.addRelocations(tramp, add);
}

// Where in an input section: as the section of the output that it is part of.
static Defined *makePlaceSymbol(Ctx &ctx, InputSection &sec) {
  return make<Defined>(ctx, sec.file, StringRef(), STB_LOCAL, STV_DEFAULT,
                       STT_SECTION, /*value=*/0, /*size=*/0, &sec);
}

void RelocatableStaticCalls::addSites(
    InputSection &sec,
    const DenseMap<const Symbol *, StaticCallTramp *> &trampOf) {
  Defined *place = nullptr;
  // CREL is read as RELA.
  const auto rels = sec.relsOrRelas<ELF64LE>(/*supportsCrel=*/false);
  for (const ELF64LE::Rela &rela : rels.relas) {
    Symbol &sym = sec.file->getRelocTargetSym(rela);
    StaticCallTramp *tramp = trampOf.lookup(&sym);
    if (!tramp)
      continue;
    const Relocation rel{R_PC, rela.getType(/*isMips64EL=*/false),
                         rela.r_offset, rela.r_addend, &sym};
    std::optional<StaticCallBranch> branch = arch.getBranch(sec, rel);
    if (!branch)
      continue;
    if (!place)
      place = makePlaceSymbol(ctx, sec);
    // Until the table has its place: its number, and where it is in the table.
    uint64_t offset = siteRelocs.entries.size() / 2 * sizeof(static_call_site);
    siteRelocs.entries.push_back({nullptr, offset, arch.offsetRel, place,
                                  static_cast<int64_t>(branch->offset)});
    siteRelocs.entries.push_back(
        {nullptr, offset + offsetof(static_call_site, key), arch.offsetRel,
         tramp->key, branch->isTail ? PATCHBAY_STATIC_CALL_TAIL : 0});
  }
}

void RelocatableStaticCalls::addSections(ArrayRef<StaticCallTramp *> all) {
  DenseMap<const Symbol *, StaticCallTramp *> trampOf;
  for (StaticCallTramp *tramp : all) {
    if (!resolveStaticCallKey(ctx, *tramp))
      continue;
    addTramp(*tramp);
    trampOf[tramp->sym] = tramp;
  }
  for (InputSectionBase *base : ctx.inputSections)
    if (auto *sec = dyn_cast<InputSection>(base))
      if ((sec->flags & SHF_EXECINSTR) && !isa<SyntheticSection>(sec) &&
          sec->file)
        addSites(*sec, trampOf);
  siteTable = make<RelocatableSiteTable>(ctx, siteRelocs.entries.size() / 2);
  for (StaticCallRelocations::Entry &entry : siteRelocs.entries)
    entry.sec = siteTable;
  ctx.inputSections.append({siteTable, &trampRelocs, &siteRelocs});
}

void RelocatableStaticCalls::setLinks() {
  trampRelocs.setLinks();
  siteRelocs.setLinks();
}
