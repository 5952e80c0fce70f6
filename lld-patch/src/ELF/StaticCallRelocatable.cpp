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
#include "StaticCallArch.h"
#include "StaticCallTables.h"
#include "Symbols.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

StaticCallRelocations::StaticCallRelocations(Ctx &ctx, StringRef name)
    : SyntheticSection(ctx, name, SHT_RELA, SHF_INFO_LINK, /*addralign=*/8) {
  entsize = sizeof(ELF64LE::Rela);
}

size_t StaticCallRelocations::getSize() const {
  return entries.size() * sizeof(ELF64LE::Rela);
}

void StaticCallRelocations::joinInput() {
  if (entries.empty())
    return;
  OutputSection *from = getParent();
  const OutputSection *relocated = entries.front().sec->getParent();
  if (!relocated || !from) { // discarded
    if (relocated && ctx.arg.relocatable)
      ErrAlways(ctx) << "discarding " << name << " section is not allowed";
    entries.clear();
    return;
  }
  OutputSection *to = relocated->relocationSection;
  if (!to || to == from) {
    joined = to;
    return;
  }
  if (to->type != SHT_RELA) {
    ErrAlways(ctx) << "section " << to->name
                   << " of the input has not the type SHT_RELA, which those of "
                      "static calls have";
    return;
  }
  for (SectionCommand *cmd : from->commands)
    if (auto *isd = dyn_cast<InputSectionDescription>(cmd))
      llvm::erase(isd->sections, this);
  for (SectionCommand *cmd : llvm::reverse(to->commands))
    if (auto *isd = dyn_cast<InputSectionDescription>(cmd)) {
      isd->sections.push_back(this);
      break;
    }
  parent = to;
  joined = true;
}

void StaticCallRelocations::setLinks() {
  if (entries.empty() || joined)
    return;
  getParent()->link = ctx.in.symTab->getParent()->sectionIndex;
  getParent()->info = entries.front().sec->getOutputSection()->sectionIndex;
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

// Writable, because the kernel sorts it and keeps notes in it.
RelocatableSiteTable::RelocatableSiteTable(Ctx &ctx)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION, SHT_PROGBITS,
                       SHF_ALLOC | SHF_WRITE, alignof(static_call_site)) {}

uint64_t RelocatableSiteTable::addEntry() {
  uint64_t offset = size;
  size += sizeof(static_call_site);
  return offset;
}

RelocatableStaticCalls::RelocatableStaticCalls(Ctx &ctx,
                                               const StaticCallArch &arch)
    : ctx(ctx), arch(arch), siteTable(ctx),
      trampRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_TEXT_SECTION),
      siteRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_SITE_SECTION) {
  ctx.inputSections.append({&siteTable, &trampRelocs, &siteRelocs});
}

// Where in an input section: as the section of the output that it is part of.
static Defined *makePlaceSymbol(Ctx &ctx, InputSection &sec) {
  return make<Defined>(ctx, sec.file, StringRef(), STB_LOCAL, STV_DEFAULT,
                       STT_SECTION, /*value=*/0, /*size=*/0, &sec);
}

void RelocatableStaticCalls::addSite(const StaticCallSite &site) {
  const uint64_t offset = siteTable.addEntry();
  siteRelocs.add(siteTable, offset, arch.layout.offsetRel,
                 *makePlaceSymbol(ctx, *site.sec),
                 static_cast<int64_t>(site.offset));
  siteRelocs.add(siteTable, offset + offsetof(static_call_site, key),
                 arch.layout.offsetRel, *site.tramp->key,
                 site.isTail ? PATCHBAY_STATIC_CALL_TAIL : 0);
}

void RelocatableStaticCalls::finalize(ArrayRef<const StaticCallTramp *> tramps,
                                      ArrayRef<StaticCallSite> sites) {
  for (const StaticCallTramp *tramp : tramps) {
    auto add = [&](uint64_t offset, RelType type, const Symbol &sym,
                   int64_t addend) {
      trampRelocs.add(*tramp, offset, type, sym, addend);
    };
    arch.addRelocations(*tramp, add);
  }
  const InputSection *reported = nullptr;
  for (const StaticCallSite &site : sites) {
    if (!(site.sec->flags & SHF_GROUP)) {
      addSite(site);
      continue;
    }
    // A later link may drop the section with its group, but not the table.
    if (reported != site.sec)
      Warn(ctx) << site.sec->getObjMsg(site.offset)
                << ": static calls in a section group are not in "
                << siteTable.name << "; use --force-group-allocation";
    reported = site.sec;
  }
  warnIfTableDiscarded(ctx, siteTable);
  trampRelocs.joinInput();
  siteRelocs.joinInput();
}

void RelocatableStaticCalls::setLinks() {
  trampRelocs.setLinks();
  siteRelocs.setLinks();
}
