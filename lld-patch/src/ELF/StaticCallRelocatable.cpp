// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usually -r makes no thunks, because the final link knows more. A kernel module
// has no final link: the kernel loads the output of -r. So
// --static-calls-relocatable makes the thunks of keys that the output defines,
// and the table of the branches to them, with relocations. The kernel exports
// the thunks of other keys. With --static-call-sites the module contains its
// thunks, and -r only makes the table.
//
// The x86-64 thunk is the kernel's own (arch/x86/include/asm/static_call.h).
// The table's format is the kernel's on all architectures. ppc64 is refused:
// callers must restore the TOC pointer, and a module loader turns a nop into
// the load only after calls that it makes a stub for.
//===----------------------------------------------------------------------===//

#include "StaticCallRelocatable.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "StaticCallArch.h"
#include "StaticCallTables.h"
#include "Symbols.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

// Writable, because the kernel sorts it and stores flags in it.
RelocatableSiteTable::RelocatableSiteTable(Ctx &ctx)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION, SHT_PROGBITS,
                       SHF_ALLOC | SHF_WRITE, alignof(static_call_site)) {}

uint64_t RelocatableSiteTable::addEntry() {
  uint64_t offset = size;
  size += sizeof(static_call_site);
  return offset;
}

RelocatableStaticCalls::RelocatableStaticCalls(Ctx &ctx,
                                               const StaticCallArch &arch)
    : ctx(ctx), arch(arch), siteTable(ctx),
      thunkRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_TEXT_SECTION),
      siteRelocs(ctx, ".rela" PATCHBAY_STATIC_CALL_SITE_SECTION) {
  ctx.inputSections.append({&siteTable, &thunkRelocs, &siteRelocs});
}

// Make a symbol of the output section at the start of the input section.
static Defined *makePlaceSymbol(Ctx &ctx, InputSection &sec) {
  return make<Defined>(ctx, sec.file, StringRef(), STB_LOCAL, STV_DEFAULT,
                       STT_SECTION, /*value=*/0, /*size=*/0, &sec);
}

void RelocatableStaticCalls::addSite(const StaticCallSite &site) {
  const uint64_t offset = siteTable.addEntry();
  siteRelocs.add(siteTable, offset, arch.layout.offsetRel,
                 *makePlaceSymbol(ctx, *site.sec),
                 static_cast<int64_t>(site.offset));
  siteRelocs.add(siteTable, offset + offsetof(static_call_site, key),
                 arch.layout.offsetRel, *site.thunk->keyOrThunk,
                 site.isTail ? PATCHBAY_STATIC_CALL_TAIL : 0);
}

void RelocatableStaticCalls::finalize(ArrayRef<const StaticCallThunk *> thunks,
                                      ArrayRef<StaticCallSite> sites) {
  for (const StaticCallThunk *thunk : thunks) {
    auto add = [&](uint64_t offset, RelType type, const Symbol &sym,
                   int64_t addend) {
      thunkRelocs.add(*thunk, offset, type, sym, addend);
    };
    arch.addRelocations(*thunk, add);
  }
  const InputSection *reported = nullptr;
  for (const StaticCallSite &site : sites) {
    if (!(site.sec->flags & SHF_GROUP)) {
      addSite(site);
      continue;
    }
    // A later link may drop the section with its group and keep the table.
    if (reported != site.sec)
      Warn(ctx) << site.sec->getObjMsg(site.offset)
                << ": static calls in a section group are not in "
                << siteTable.name << "; use --force-group-allocation";
    reported = site.sec;
  }
  warnIfTableDiscarded(ctx, siteTable);
  thunkRelocs.joinInput();
  siteRelocs.joinInput();
}

void RelocatableStaticCalls::setLinks() {
  thunkRelocs.setLinks();
  siteRelocs.setLinks();
}
