// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallRelocations.h"
#include "OutputSections.h"
#include "Symbols.h"

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
                   << " of the input does not have the type SHT_RELA, like those "
                      "of static calls";
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
    // The symbol of a section is that of its output section, so make the addend
    // relative to the output section.
    if (entry.sym->isSection())
      rela->r_addend = entry.sym->getVA(ctx, entry.addend) -
                       entry.sym->getOutputSection()->addr;
    buf += sizeof(ELF64LE::Rela);
  }
}
