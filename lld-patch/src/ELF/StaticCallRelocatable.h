// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thunks in the output of -r that is loaded without a final link: modules of a
// kernel. See StaticCallRelocatable.cpp.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_RELOCATABLE_H

#include "StaticCallReferences.h"
#include "StaticCallRelocations.h"

namespace lld::elf {

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
