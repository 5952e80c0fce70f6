// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file implements --static-calls: the linker makes the trampolines of
// static calls.
//
// A static call is a call through a function pointer that rarely changes, made
// as a direct branch that is patched when the pointer does. It consists of
//
//   __SCK__name   the key, a variable of the program: { func, tramp }
//   __SCT__name   the tramp, code that branches to where func points; callers
//                 call it directly
//
// In the kernel, which invented them (include/linux/static_call.h), the tramp
// is assembly in the file that defines the key. That has three weaknesses, and
// all of them are the linker's business:
//
// - A tramp that is an ordinary `jmp target` in an ordinary section looks like
//   any other branch. --branch-to-branch (on by default at -O2, on x86-64 and
//   AArch64) redirects the callers to the target, and from then on patching the
//   tramp silently does nothing.
// - On targets with a TOC the tramp is where the callee's TOC differs from the
//   caller's. Only the linker knows both.
// - Where key, tramp and caller are in different link units, each call crosses
//   the units' boundary through a PLT on its way to the tramp.
//
// Here the program defines only the key. Every __SCT__name that it refers to
// and that has a __SCK__name is defined by the linker, as a synthetic section,
// which none of the passes that change calls look into. The symbol is hidden:
// each link unit has tramps of its own, so that the branch to them is direct,
// also where the key is another unit's.
//
// The initial target is what the relocation at the key's func field names. A
// tramp branches there directly if its address is a link-time constant relative
// to the tramp and in reach. Otherwise, if the target can be preempted, is in
// another link unit, or an ifunc that the dynamic linker resolves, or if the
// key is in another link unit, the tramp branches through the field, which is
// what the dynamic linker relocates. The run time may change from one form to
// the other at any time; abi.h says how on each architecture.
//
// A key that is in this link unit must stay there: if it could be preempted,
// the tramp would go by one key and updates by another.
//
// With -r the tramps are left to the final link, or made for those who have
// none (StaticCallRelocatable.cpp).
//===----------------------------------------------------------------------===//

#include "StaticCalls.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "StaticCallRelocatable.h"
#include "StaticCallTables.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

namespace lld::elf {
// What Ctx::staticCalls points to: null unless --static-calls is given.
struct StaticCalls {
  bool sameToc = false;
  std::unique_ptr<StaticCallArch> arch;
  // Every symbol named like a tramp among the first `numScanned` ones.
  SmallVector<Symbol *, 0> symbols;
  size_t numScanned = 0;
  SmallVector<StaticCallTramp *, 0> tramps;
  std::unique_ptr<StaticCallTrampTable> trampTable;
  std::unique_ptr<StaticCallSiteTable> siteTable;
  std::unique_ptr<StaticCallNote> note;
  std::unique_ptr<RelocatableStaticCalls> relocatable;
};
} // namespace lld::elf

StaticCallTramp::StaticCallTramp(Ctx &ctx, const StaticCallArch &arch,
                                 Symbol &sym)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_TEXT_SECTION, SHT_PROGBITS,
                       SHF_ALLOC | SHF_EXECINSTR, arch.trampAlign),
      sym(&sym),
      callName(sym.getName().drop_front(strlen(PATCHBAY_SCT_PREFIX))),
      caller(sym.file), arch(arch) {
  // AArch64 looks for a landing pad there before it makes a thunk of its own.
  content_ = arch.header.data();
  size = ctx.arg.relocatable ? arch.relocatableSize : arch.trampSize;
}

std::string StaticCallTramp::keyName() const {
  return (PATCHBAY_SCK_PREFIX + callName).str();
}

uint64_t StaticCallTramp::getPointerVA() const {
  return importedKey ? importedKey->getGotVA(ctx) : key->getVA(ctx);
}

std::optional<uint64_t> StaticCallTramp::getTargetVA() const {
  if (builtin == Return0)
    return getVA(arch.return0Offset);
  if (builtin == Return)
    return getVA(arch.returnOffset);
  if (target)
    return target->getVA(ctx, targetAddend);
  return std::nullopt;
}

void StaticCallTramp::writeTo(uint8_t *buf) {
  if (ctx.arg.relocatable) {
    arch.writeRelocatable(buf, *this);
    return;
  }
  // Only now have output sections been sorted into what is writable to the end
  // and what the dynamic linker makes read-only.
  if (key && key->getOutputSection()->relro) {
    ErrAlways(ctx)
        << cast<InputSection>(key->section)->getObjMsg(key->value)
        << ": static call key '" << key
        << "' becomes read-only after relocation; remove its section "
           "attribute or const";
    return;
  }
  if (arch.writeTramp(ctx, buf, *this))
    return;
  auto diag = ErrAlways(ctx);
  if (key)
    diag << cast<InputSection>(key->section)->getObjMsg(key->value);
  else
    diag << caller;
  diag << ": static call key '" << keyName()
       << "' is out of reach of its tramp at 0x"
       << utohexstr(getVA(), /*LowerCase=*/true);
}

// Look at each symbol's name once, however often this is called: in a large
// link, that is most of what --static-calls costs.
static void scanSymbols(Ctx &ctx, StaticCalls &calls) {
  ArrayRef<Symbol *> all = ctx.symtab->getSymbols();
  for (; calls.numScanned != all.size(); ++calls.numScanned)
    if (all[calls.numScanned]->getName().starts_with(PATCHBAY_SCT_PREFIX))
      calls.symbols.push_back(all[calls.numScanned]);
}

// Whether `sym` is to be a tramp. A reference from a shared object is not a
// call that we can serve; and what is only defined by one is not referred to at
// all.
static bool needsTramp(const Symbol &sym) {
  return (sym.isUndefined() || sym.isShared()) && sym.referenced;
}

static Symbol *findKey(Ctx &ctx, const Symbol &tramp) {
  StringRef name = tramp.getName().drop_front(strlen(PATCHBAY_SCT_PREFIX));
  return ctx.symtab->find((PATCHBAY_SCK_PREFIX + name).str());
}

void elf::initStaticCalls(Ctx &ctx, bool enabled, bool sameToc,
                          bool relocatable) {
  if (!(ctx.arg.relocatable ? relocatable : enabled))
    return;
  llvm::TimeTraceScope timeScope("Find static calls");
  ctx.staticCalls = std::make_shared<StaticCalls>();

  StaticCalls &calls = *ctx.staticCalls;
  calls.sameToc = sameToc;
  // Tramps need it, and if only bitcode does, LLD does not know in time.
  if (ctx.arg.emachine == EM_PPC64)
    ctx.symtab->addSymbol(Undefined{ctx.internalFile, ".TOC.", STB_GLOBAL,
                                    STV_HIDDEN, STT_NOTYPE});
  scanSymbols(ctx, calls);
  for (size_t i = 0; i != calls.symbols.size(); ++i) {
    if (!needsTramp(*calls.symbols[i]))
      continue;
    Symbol *key = findKey(ctx, *calls.symbols[i]);
    if (!key || !key->isLazy())
      continue;
    key->extract(ctx);
    if (!ctx.arg.whyExtract.empty())
      ctx.whyExtractRecords.emplace_back("--static-calls", key->file, *key);
    // The file may call others.
    scanSymbols(ctx, calls);
  }
}

static std::unique_ptr<StaticCallArch> makeArch(Ctx &ctx, bool sameToc) {
  if (ctx.arg.emachine == EM_X86_64 && ctx.arg.is64)
    return makeStaticCallArchX86_64();
  if (ctx.arg.emachine == EM_AARCH64 && ctx.arg.is64 && ctx.arg.isLE)
    return makeStaticCallArchAArch64();
  if (ctx.arg.emachine == EM_PPC64 && ctx.arg.isLE)
    return makeStaticCallArchPPC64(sameToc);
  return nullptr;
}

void elf::declareStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Declare static calls");

  scanSymbols(ctx, *calls);
  for (Symbol *sym : calls->symbols) {
    if (sym->isDefined() || sym->isCommon())
      ErrAlways(ctx) << sym->file << ": symbol '" << sym
                     << "' is made by the linker; remove its definition or "
                        "--static-calls";
    if (!needsTramp(*sym))
      continue;
    if (!calls->arch && !(calls->arch = makeArch(ctx, calls->sameToc))) {
      ErrAlways(ctx) << sym->file
                     << ": --static-calls does not support this target";
      return;
    }
    if (ctx.arg.relocatable) {
      if (!calls->arch->relocatableSize) {
        ErrAlways(ctx) << sym->file
                       << ": --static-calls-relocatable does not support this "
                          "target";
        return;
      }
      // Others have the tramps of other keys.
      Symbol *key = findKey(ctx, *sym);
      if (!key || !key->isDefined())
        continue;
    }
    sym->isUsedInRegularObj = true;
    auto *tramp = make<StaticCallTramp>(ctx, *calls->arch, *sym);
    calls->tramps.push_back(tramp);

    // A tramp refers to its key where neither LTO nor --as-needed can see it.
    Symbol *key = ctx.symtab->addSymbol(
        Undefined{ctx.internalFile, ctx.saver.save(tramp->keyName()),
                  STB_GLOBAL, STV_DEFAULT, STT_NOTYPE});
    key->isUsedInRegularObj = true;
    key->referenced = true;
  }
}

void elf::defineStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  calls->trampTable = std::make_unique<StaticCallTrampTable>(ctx);
  calls->siteTable = std::make_unique<StaticCallSiteTable>(ctx);
  calls->note = std::make_unique<StaticCallNote>(ctx, *calls->trampTable,
                                                 *calls->siteTable);
  // A kernel module may offer its tramps to others.
  const uint8_t visibility = ctx.arg.relocatable ? STV_DEFAULT : STV_HIDDEN;
  // Not before LTO: a call of a function that this link defines has no nop on
  // ppc64, for the compiler takes it to have the caller's TOC.
  for (StaticCallTramp *tramp : calls->tramps) {
    tramp->sym->resolve(ctx, Defined{ctx, ctx.internalFile, StringRef(),
                                     STB_GLOBAL, visibility, STT_FUNC,
                                     /*value=*/0, tramp->getSize(), tramp});
    ctx.inputSections.push_back(tramp);
    if (auto *key = dyn_cast_or_null<Defined>(findKey(ctx, *tramp->sym)))
      if (auto *sec = dyn_cast_or_null<InputSection>(key->section))
        tramp->dependentSections.push_back(sec);
  }
}

void elf::dropDeadStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  llvm::erase_if(calls->tramps, [&](StaticCallTramp *tramp) {
    if (tramp->isLive())
      return false;
    Undefined(ctx.internalFile, tramp->sym->getName(), STB_GLOBAL, STV_HIDDEN,
              STT_FUNC)
        .overwrite(*tramp->sym);
    return true;
  });
  for (StaticCallTramp *tramp : calls->tramps) {
    Symbol *key = findKey(ctx, *tramp->sym);
    if (key && !key->isDefined()) {
      tramp->importedKey = key;
      key->setFlags(NEEDS_GOT);
      // --gc-sections, which looks at relocations, has not seen that the tramp
      // refers to it: it belongs in .dynsym, and its shared object is needed.
      key->used = true;
      if (key->isShared())
        cast<SharedFile>(key->file)->isNeeded = true;
    }
  }
  if (ctx.arg.relocatable) {
    if (calls->tramps.empty())
      return;
    calls->relocatable =
        std::make_unique<RelocatableStaticCalls>(ctx, *calls->arch);
    calls->relocatable->addSections(calls->tramps);
    return;
  }
  calls->siteTable->defineSymbols();
  for (SyntheticSection *sec :
       {static_cast<SyntheticSection *>(calls->trampTable.get()),
        static_cast<SyntheticSection *>(calls->siteTable.get()),
        static_cast<SyntheticSection *>(calls->note.get())})
    ctx.inputSections.push_back(sec);
}

namespace {
struct TrampReference {
  InputSection *sec;
  size_t index;
  StaticCallTramp *tramp;
};
} // namespace

// All relocations that refer to a tramp, in the order of the input. Most files
// of a large link refer to none, and to look at their symbols takes much less
// time than to look at their relocations.
static std::vector<TrampReference>
findReferences(Ctx &ctx, ArrayRef<StaticCallTramp *> tramps) {
  DenseMap<const Symbol *, StaticCallTramp *> trampOf;
  for (StaticCallTramp *tramp : tramps)
    trampOf[tramp->sym] = tramp;
  auto getTramp = [&](const Symbol *sym) -> StaticCallTramp * {
    // A tramp's symbol is in a tramp: fewer look-ups.
    auto *d = dyn_cast_or_null<Defined>(sym);
    return d && isa_and_nonnull<SyntheticSection>(d->section)
               ? trampOf.lookup(d)
               : nullptr;
  };

  std::vector<std::vector<TrampReference>> found(ctx.objectFiles.size());
  parallelFor(0, found.size(), [&](size_t i) {
    ELFFileBase *file = ctx.objectFiles[i];
    // By the symbols' addresses alone: to look into each takes a cache miss.
    if (llvm::none_of(file->getGlobalSymbols(),
                      [&](const Symbol *sym) { return trampOf.contains(sym); }))
      return;
    for (InputSectionBase *base : file->getSections()) {
      auto *sec = dyn_cast_or_null<InputSection>(base);
      if (!sec || !sec->isLive() || !(sec->flags & SHF_ALLOC))
        continue;
      for (auto [index, rel] : llvm::enumerate(sec->relocs()))
        if (StaticCallTramp *tramp = getTramp(rel.sym))
          found[i].push_back({sec, index, tramp});
    }
  });
  std::vector<TrampReference> references;
  for (auto &part : found)
    references.insert(references.end(), part.begin(), part.end());
  return references;
}

// Whether the reference is the key's own, which says where its tramp is, or
// that of a definition of the key that lost to another.
static bool isKeyReference(Ctx &ctx, const TrampReference &ref) {
  auto *file = dyn_cast_or_null<ObjFile<ELF64LE>>(ref.sec->file);
  if (!file)
    return false;
  uint64_t offset =
      ref.sec->relocs()[ref.index].offset - offsetof(static_call_key, tramp);
  const Symbol *key = ctx.symtab->find(ref.tramp->keyName());
  ArrayRef<InputSectionBase *> sections = file->getSections();
  for (auto [sym, esym] : llvm::zip_equal(file->getGlobalSymbols(),
                                          file->getGlobalELFSyms<ELF64LE>()))
    if (sym == key && esym.st_value == offset &&
        sections[file->getSectionIndex(esym)] == ref.sec)
      return true;
  return false;
}

static void resolveReference(Ctx &ctx, StaticCalls &calls,
                             const TrampReference &ref) {
  Relocation &rel = ref.sec->relocs()[ref.index];
  auto error = [&] {
    auto diag = ErrAlways(ctx);
    diag << ref.sec->getObjMsg(rel.offset) << ": ";
    return diag;
  };
  std::optional<StaticCallBranch> branch = calls.arch->getBranch(*ref.sec, rel);
  if (!branch) {
    if (!isKeyReference(ctx, ref))
      error() << "relocation " << rel.type << " refers to static call '"
              << ref.tramp->getName()
              << "', which can only be called and jumped to";
    return;
  }
  if (branch->hasAddend) {
    error() << "branch into the middle of static call '" << ref.tramp->getName()
            << "'";
    return;
  }
  if (!calls.arch->prepareBranch(ctx, *ref.tramp, *ref.sec, rel))
    return;
  calls.siteTable->sites.push_back(
      {ref.sec, branch->offset, ref.tramp, branch->isTail});
  // -Map lists the symbols of object files.
  if (ref.tramp->sym->file == ctx.internalFile)
    ref.tramp->sym->file = ref.sec->file;
}

// An input with tables of its own was meant for another tool than this linker.
// It would be where ours is, and there are few sections to look at there.
static void checkNoOther(Ctx &ctx, const SyntheticSection &table) {
  if (!table.getParent())
    return;
  for (SectionCommand *cmd : table.getParent()->commands)
    if (auto *isd = dyn_cast<InputSectionDescription>(cmd))
      for (const InputSection *sec : isd->sections)
        if (sec != &table && sec->name == table.name)
          ErrAlways(ctx) << sec
                         << ": section is made by the linker; remove it or "
                            "--static-calls";
}

static void warnIfDiscarded(Ctx &ctx, const SyntheticSection &table) {
  if (!table.getParent() && table.isNeeded())
    Warn(ctx) << "section " << table.name
              << " is discarded by the linker script, and without it the run "
                 "time cannot update static calls";
}

void elf::resolveStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Resolve static calls");
  // A discarded tramp's calls have been reported by now.
  llvm::erase_if(calls->tramps,
                 [](StaticCallTramp *tramp) { return !tramp->isLive(); });
  if (!calls->tramps.empty()) {
    checkNoOther(ctx, *calls->siteTable);
    checkNoOther(ctx, *calls->trampTable);
    checkStaticCallDuplicates(ctx, calls->tramps);
    for (StaticCallTramp *tramp : calls->tramps)
      if (resolveStaticCallKey(ctx, *tramp) &&
          calls->arch->prepareTarget(ctx, *tramp))
        calls->trampTable->tramps.push_back(tramp);
    for (const TrampReference &ref : findReferences(ctx, calls->tramps))
      resolveReference(ctx, *calls, ref);
  }
  calls->siteTable->finalizeSymbols();
  warnIfDiscarded(ctx, *calls->trampTable);
  warnIfDiscarded(ctx, *calls->siteTable);
  warnIfDiscarded(ctx, *calls->note);
}

void elf::linkStaticCallRelocations(Ctx &ctx) {
  if (ctx.staticCalls && ctx.staticCalls->relocatable)
    ctx.staticCalls->relocatable->setLinks();
}
