// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallTables.h"
#include "OutputSections.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

// Write the offset of `va` from `field`. Report an error if it does not fit in
// 32 bits.
static void writeOffset(Ctx &ctx, uint8_t *buf, uint64_t va, uint64_t field) {
  int64_t offset = va - field;
  if (!isInt<32>(offset))
    Err(ctx) << "static call table at 0x"
             << utohexstr(field, /*LowerCase=*/true) << " is out of reach of 0x"
             << utohexstr(va, /*LowerCase=*/true);
  write32(ctx, buf, offset);
}

static void writeKey(Ctx &ctx, uint8_t *buf, const StaticCallThunk &thunk,
                     unsigned flags, uint64_t field) {
  if (thunk.isImported())
    flags |= PATCHBAY_STATIC_CALL_IMPORTED;
  writeOffset(ctx, buf, thunk.getPointerVA() | flags, field);
}

static bool isInOutput(const SyntheticSection &sec) {
  return sec.getParent() && (sec.getParent()->flags & SHF_ALLOC);
}

StaticCallThunkTable::StaticCallThunkTable(Ctx &ctx)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_TRAMP_SECTION, SHT_PROGBITS,
                       SHF_ALLOC, alignof(static_call_tramp_key)) {}

size_t StaticCallThunkTable::getSize() const {
  return thunks.size() * sizeof(static_call_tramp_key);
}

void StaticCallThunkTable::writeTo(uint8_t *buf) {
  uint64_t va = getVA();
  SmallVector<StaticCallThunk *, 0> sorted = thunks;
  llvm::sort(sorted, [](StaticCallThunk *a, StaticCallThunk *b) {
    return a->getVA() < b->getVA();
  });
  for (const StaticCallThunk *thunk : sorted) {
    unsigned flags = 0;
    if (thunk->sameToc)
      flags |= PATCHBAY_STATIC_CALL_SAME_TOC;
    if (thunk->notocSym)
      flags |= PATCHBAY_STATIC_CALL_NOTOC;
    writeOffset(ctx, buf, thunk->getVA(), va);
    writeKey(ctx, buf + offsetof(static_call_tramp_key, key), *thunk, flags,
             va + offsetof(static_call_tramp_key, key));
    buf += sizeof(static_call_tramp_key);
    va += sizeof(static_call_tramp_key);
  }
}

StaticCallSiteTable::StaticCallSiteTable(Ctx &ctx)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION, SHT_PROGBITS,
                       SHF_ALLOC, alignof(static_call_site)) {}

size_t StaticCallSiteTable::getSize() const {
  return sites.size() * sizeof(static_call_site);
}

void StaticCallSiteTable::writeTo(uint8_t *buf) {
  // Compute each address once, instead of in each comparison.
  struct Entry {
    uint64_t key, place;
    const StaticCallSite *site;
  };
  SmallVector<Entry, 0> sorted;
  for (const StaticCallSite &site : sites)
    sorted.push_back(
        {site.thunk->getPointerVA(), site.sec->getVA(site.offset), &site});
  llvm::sort(sorted, [](const Entry &a, const Entry &b) {
    return std::tie(a.key, a.place) < std::tie(b.key, b.place);
  });
  uint64_t va = getVA();
  for (const Entry &entry : sorted) {
    writeOffset(ctx, buf, entry.place, va);
    writeKey(ctx, buf + offsetof(static_call_site, key), *entry.site->thunk,
             entry.site->isTail ? PATCHBAY_STATIC_CALL_TAIL : 0,
             va + offsetof(static_call_site, key));
    buf += sizeof(static_call_site);
    va += sizeof(static_call_site);
  }
}

// Define the symbols by which the kernel finds the start and end of the table.
void StaticCallSiteTable::defineSymbols() {
  auto define = [&](StringRef name) -> Defined * {
    Symbol *sym = ctx.symtab->find(name);
    if (!sym || !sym->isUndefined())
      return nullptr;
    sym->resolve(ctx, Defined{ctx, ctx.internalFile, StringRef(), STB_GLOBAL,
                              STV_HIDDEN, STT_NOTYPE, /*value=*/0, /*size=*/0,
                              this});
    sym->isUsedInRegularObj = true;
    return cast<Defined>(sym);
  };
  start = define("__start_static_call_sites");
  stop = define("__stop_static_call_sites");
}

void StaticCallSiteTable::finalizeSymbols() {
  if (stop)
    stop->value = getSize();
}

StaticCallNote::StaticCallNote(Ctx &ctx, const StaticCallThunkTable &thunks,
                               const StaticCallSiteTable &sites)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_NOTE_SECTION, SHT_NOTE,
                       SHF_ALLOC, /*addralign=*/4),
      thunks(thunks), sites(sites) {}

// namesz, descsz and type are 12 bytes. The padded name follows.
static constexpr size_t descOffset =
    12 + (sizeof(PATCHBAY_NOTE_NAME) + 3) / 4 * 4;

size_t StaticCallNote::getSize() const {
  return descOffset + sizeof(patchbay_static_calls);
}

void StaticCallNote::writeTo(uint8_t *buf) {
  write32(ctx, buf, sizeof(PATCHBAY_NOTE_NAME));
  write32(ctx, buf + 4, sizeof(patchbay_static_calls));
  write32(ctx, buf + 8, PATCHBAY_NOTE_STATIC_CALLS);
  memcpy(buf + 12, PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME));

  uint8_t *desc = buf + descOffset;
  uint64_t va = getVA() + descOffset;
  auto writeTable = [&](const SyntheticSection &table, size_t offset,
                        size_t countOffset, size_t count) {
    if (!count || !isInOutput(table))
      return;
    writeOffset(ctx, desc + offset, table.getVA(), va + offset);
    write32(ctx, desc + countOffset, count);
  };
  write32(ctx, desc + offsetof(patchbay_static_calls, abi_version),
          PATCHBAY_ABI_VERSION);
  writeTable(thunks, offsetof(patchbay_static_calls, tramps),
             offsetof(patchbay_static_calls, nr_tramps), thunks.thunks.size());
  writeTable(sites, offsetof(patchbay_static_calls, sites),
             offsetof(patchbay_static_calls, nr_sites), sites.sites.size());
  if (ctx.arg.emachine == EM_PPC64) {
    constexpr size_t toc = offsetof(patchbay_static_calls, toc);
    writeOffset(ctx, desc + toc, getPPC64TocBase(ctx), va + toc);
  }
}

void elf::warnIfTableDiscarded(Ctx &ctx, const SyntheticSection &table) {
  if (!table.getParent() && table.isNeeded())
    Warn(ctx) << "section " << table.name
              << " is discarded by the linker script, and without it the run "
                 "time cannot update static calls";
}
