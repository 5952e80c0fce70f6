// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls in the output of -r, for kernel modules: see
// StaticCallRelocatable.cpp.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H

#include "StaticCallReferences.h"
#include "StaticCallRelocations.h"

namespace lld::elf {

// The table of branches. All bytes are zero, until the kernel applies the
// relocations.
class RelocatableSiteTable final : public SyntheticSection {
public:
  explicit RelocatableSiteTable(Ctx &ctx);
  size_t getSize() const override { return size; }
  bool isNeeded() const override { return size != 0; }
  void writeTo(uint8_t *buf) override { memset(buf, 0, size); }
  // Add an entry. Return its offset.
  uint64_t addEntry();
};

class RelocatableStaticCalls {
public:
  // Called before output sections are made.
  RelocatableStaticCalls(Ctx &ctx, const StaticCallArch &arch);
  // Called when the sections that the linker script discards are known.
  void finalize(ArrayRef<const StaticCallThunk *>, ArrayRef<StaticCallSite>);
  void setLinks();

  const SyntheticSection &table() const { return siteTable; }

private:
  void addSite(const StaticCallSite &);

  Ctx &ctx;
  const StaticCallArch &arch;
  RelocatableSiteTable siteTable;
  StaticCallRelocations thunkRelocs, siteRelocs;
};

} // namespace lld::elf

#endif
