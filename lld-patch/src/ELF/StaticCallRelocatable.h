// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations in the output; and tramps in the output of -r, for those who load
// it as it is: the modules of a kernel. See StaticCallRelocatable.cpp.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H

#include "StaticCallReferences.h"

namespace lld::elf {

// The relocations of sections that this linker makes, all of one name.
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

// The table of branches: zeros to be relocated.
class RelocatableSiteTable final : public SyntheticSection {
public:
  explicit RelocatableSiteTable(Ctx &ctx);
  size_t getSize() const override { return size; }
  bool isNeeded() const override { return size != 0; }
  void writeTo(uint8_t *buf) override { memset(buf, 0, size); }
  // Make room for another entry, and return where it is.
  uint64_t addEntry();
};

class RelocatableStaticCalls {
public:
  // Before output sections are made.
  RelocatableStaticCalls(Ctx &ctx, const StaticCallArch &arch);
  // When it is known what the linker script leaves of the input.
  void finalize(ArrayRef<const StaticCallTramp *>, ArrayRef<StaticCallSite>);
  void setLinks();

private:
  void addSite(const StaticCallSite &);

  Ctx &ctx;
  const StaticCallArch &arch;
  RelocatableSiteTable siteTable;
  StaticCallRelocations trampRelocs, siteRelocs;
};

} // namespace lld::elf

#endif
