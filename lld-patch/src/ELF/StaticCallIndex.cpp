// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallIndex.h"
#include "InputFiles.h"
#include "InputSection.h"
#include "Symbols.h"

using namespace llvm;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

Defined *StaticCallIndex::findFunction(const InputSectionBase &sec,
                                       uint64_t offset) {
  if (functionFiles.insert(sec.file).second)
    for (Symbol *sym : sec.file->getSymbols())
      if (auto *d = dyn_cast<Defined>(sym))
        if (d->isFunc())
          if (auto *s = dyn_cast_or_null<InputSectionBase>(d->section))
            functions.try_emplace({s, d->value}, d);
  return functions.lookup({&sec, offset});
}

bool StaticCallIndex::isDefinition(const InputSectionBase &sec, uint64_t offset,
                                   const Symbol &sym) {
  auto *file = dyn_cast_or_null<ObjFile<ELF64LE>>(sec.file);
  if (!file)
    return false;
  if (definitionFiles.insert(file).second) {
    ArrayRef<InputSectionBase *> sections = file->getSections();
    for (auto [sym, esym] : llvm::zip_equal(file->getGlobalSymbols(),
                                            file->getGlobalELFSyms<ELF64LE>()))
      if (uint32_t i = file->getSectionIndex(esym); i < sections.size())
        definitions.insert({{sections[i], esym.st_value}, sym});
  }
  return definitions.contains({{&sec, offset}, &sym});
}

const Relocation *StaticCallIndex::findRelocation(InputSection &sec,
                                                  uint64_t offset) {
  if (relocatedSections.insert(&sec).second) {
    auto add = [&](const auto &rels) {
      for (const auto &rel : rels)
        relocations.try_emplace(
            {&sec, rel.r_offset},
            Relocation{R_NONE, rel.getType(/*isMips64EL=*/false), rel.r_offset,
                       getAddend<ELF64LE>(rel),
                       &sec.file->getRelocTargetSym(rel)});
    };
    // All targets that support static calls are 64-bit, little-endian and RELA.
    const RelsOrRelas<ELF64LE> rels = sec.relsOrRelas<ELF64LE>();
    add(rels.relas);
    add(rels.crels);
  }
  auto it = relocations.find({&sec, offset});
  return it == relocations.end() ? nullptr : &it->second;
}
