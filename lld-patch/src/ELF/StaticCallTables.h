// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the run time reads of a link unit (abi.h): a table of thunks, a table of
// the branches to thunks, and a note that points to both tables.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_TABLES_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_TABLES_H

#include "StaticCallReferences.h"

namespace lld::elf {

class StaticCallThunkTable final : public SyntheticSection {
public:
  StaticCallThunkTable(Ctx &ctx);
  size_t getSize() const override;
  bool isNeeded() const override { return !thunks.empty(); }
  void writeTo(uint8_t *buf) override;

  SmallVector<StaticCallThunk *, 0> thunks;
};

// The table of branches, in the kernel's format. For a kernel, two symbols mark
// the start and end of the table.
class StaticCallSiteTable final : public SyntheticSection {
public:
  StaticCallSiteTable(Ctx &ctx);
  size_t getSize() const override;
  bool isNeeded() const override { return !sites.empty() || start || stop; }
  void writeTo(uint8_t *buf) override;
  void defineSymbols();
  void finalizeSymbols();

  SmallVector<StaticCallSite, 0> sites;

private:
  Defined *start = nullptr;
  Defined *stop = nullptr;
};

class StaticCallNote final : public SyntheticSection {
public:
  StaticCallNote(Ctx &ctx, const StaticCallThunkTable &thunks,
                 const StaticCallSiteTable &sites);
  size_t getSize() const override;
  bool isNeeded() const override { return thunks.isNeeded(); }
  void writeTo(uint8_t *buf) override;

private:
  const StaticCallThunkTable &thunks;
  const StaticCallSiteTable &sites;
};

// Warn if the linker script discards a table that is not empty.
void warnIfTableDiscarded(Ctx &, const SyntheticSection &table);

} // namespace lld::elf

#endif
