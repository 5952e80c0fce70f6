// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tramps in the output of -r, for those who load it as it is: the modules of a
// kernel. See StaticCallRelocatable.cpp.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H

#include "StaticCallTramp.h"

namespace lld::elf {

// The relocations of a section that this linker makes.
class StaticCallRelocations final : public SyntheticSection {
public:
  StaticCallRelocations(Ctx &ctx, StringRef name);
  size_t getSize() const override;
  bool isNeeded() const override { return !entries.empty(); }
  void writeTo(uint8_t *buf) override;
  // Once output sections have their numbers.
  void setLinks();

  struct Entry {
    const InputSection *sec;
    uint64_t offset;
    RelType type;
    const Symbol *sym;
    int64_t addend;
  };
  SmallVector<Entry, 0> entries;
};

class RelocatableStaticCalls {
public:
  RelocatableStaticCalls(Ctx &ctx, const StaticCallArch &arch);
  // Before output sections are made: all sections with their sizes.
  void addSections(ArrayRef<StaticCallTramp *> tramps);
  void setLinks();

private:
  void addTramp(StaticCallTramp &tramp);
  void addSites(InputSection &sec,
                const llvm::DenseMap<const Symbol *, StaticCallTramp *> &);

  Ctx &ctx;
  const StaticCallArch &arch;
  StaticCallRelocations trampRelocs, siteRelocs;
  SmallVector<StaticCallTramp *, 0> tramps;
  // Zeros to be relocated.
  SyntheticSection *siteTable = nullptr;
};

} // namespace lld::elf

#endif
