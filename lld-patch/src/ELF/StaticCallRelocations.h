// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations in the output, with -r and --emit-relocs. LLD copies the input's
// relocations, but makes none for synthetic sections.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATIONS_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATIONS_H

#include "SyntheticSections.h"

namespace lld::elf {

// The relocations of synthetic sections in one output section.
class StaticCallRelocations final : public SyntheticSection {
public:
  StaticCallRelocations(Ctx &ctx, StringRef name);
  size_t getSize() const override;
  bool isNeeded() const override { return !entries.empty(); }
  void writeTo(uint8_t *buf) override;

  void add(const InputSection &sec, uint64_t offset, RelType type,
           const Symbol &sym, int64_t addend) {
    entries.push_back({&sec, offset, type, &sym, addend});
  }
  // Called after all relocations are added. If the output section already has a
  // relocation section, append the relocations to that section, because an
  // output section has only one. If the linker script discards the output
  // section, drop the relocations.
  void joinInput();
  // Called when output sections have their numbers.
  void setLinks();

private:
  struct Entry {
    const InputSection *sec;
    uint64_t offset;
    RelType type;
    const Symbol *sym;
    int64_t addend;
  };
  SmallVector<Entry, 0> entries;
  bool joined = false;
};

} // namespace lld::elf

#endif
