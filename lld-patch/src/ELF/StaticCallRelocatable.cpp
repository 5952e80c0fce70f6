// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls of kernel modules. Usually -r makes no thunks, because the final
// link knows the addresses of keys and targets. A kernel module has no final
// link: the kernel loads the output of -r. So --static-calls-relocatable makes
// the thunks of keys that the output defines, and the table of the branches to
// thunks, with relocations. The kernel exports the thunks of other keys. With
// --static-call-sites the input defines the thunks, and -r makes only the
// table.
//
// The x86-64 thunk is the kernel's own (arch/x86/include/asm/static_call.h).
// The table has the kernel's format on all architectures. On ppc64 callers must
// restore the TOC pointer, but the module loader replaces the nop after a call
// only if the call needs a stub. So --static-calls-relocatable refuses ppc64.
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

// The section is writable, because the kernel sorts the table and stores flags
// in the entries.
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

// Make a section symbol for relocations that refer to the input section.
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
    // A later link may drop the group with the call, but would keep the entry.
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
