// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the symbol or the relocation at an offset in an input section. The
// symbols and relocations of object files need not be sorted by offset, and a
// file may have thousands of keys. So the index reads each file and section
// once, instead of for each key.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_INDEX_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_INDEX_H

#include "Relocations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace lld::elf {

class Defined;
class InputFile;
class InputSection;
class InputSectionBase;

class StaticCallIndex {
public:
  // The symbol of the function at the offset, or null.
  Defined *findFunction(const InputSectionBase &, uint64_t offset);

  // Whether the section's file defines `sym` at the offset, even if symbol
  // resolution has chosen the definition of another file.
  bool isDefinition(const InputSectionBase &, uint64_t offset, const Symbol &);

  // The relocation at the offset, with expr unset, or null.
  const Relocation *findRelocation(InputSection &, uint64_t offset);

private:
  using Place = std::pair<const InputSectionBase *, uint64_t>;

  llvm::DenseSet<const InputFile *> functionFiles, definitionFiles;
  llvm::DenseSet<const InputSection *> relocatedSections;
  llvm::DenseMap<Place, Defined *> functions;
  llvm::DenseSet<std::pair<Place, const Symbol *>> definitions;
  llvm::DenseMap<Place, Relocation> relocations;
};

} // namespace lld::elf

#endif
