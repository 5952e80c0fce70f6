// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations in the output, with -r and --emit-relocs. LLD copies those of the
// input; sections that it makes itself have none.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATIONS_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATIONS_H

#include "SyntheticSections.h"

namespace lld::elf {

// The relocations of sections that are in one section of the output.
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
  // Once all are added: if the input has such a section and relocations of it,
  // become part of these, as two sections of them for one are not supported. If
  // the linker script discards the section, there are none.
  void joinInput();
  // Once output sections have their numbers.
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
