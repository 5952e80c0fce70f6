// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file implements --static-calls: the linker makes the thunks of
// static calls.
//
// A static call is a call through a function pointer that rarely changes, made
// as a direct branch that is patched when the pointer does. It consists of
//
//   __SCK__name   the key, a variable of the program: { func, thunk }
//   __SCT__name   the thunk, code that branches to where func points; callers
//                 call it directly
//
// In the kernel, which invented them (include/linux/static_call.h), the thunk
// is assembly in the file that defines the key. That has three weaknesses, and
// all of them are the linker's business:
//
// - A thunk that is an ordinary `jmp target` in an ordinary section looks like
//   any other branch. --branch-to-branch (on by default at -O2, on x86-64 and
//   AArch64) redirects the callers to the target, and from then on patching the
//   thunk silently does nothing.
// - On targets with a TOC the thunk is where the callee's TOC differs from the
//   caller's. Only the linker knows both.
// - Where key, thunk and caller are in different link units, each call crosses
//   the units' boundary through a PLT on its way to the thunk.
//
// Here the program defines only the key. Every __SCT__name that it refers to
// and that has a __SCK__name is defined by the linker, as a synthetic section,
// which none of the passes that change calls look into. The symbol is hidden:
// each link unit has thunks of its own, so that the branch to them is direct,
// also where the key is another unit's.
//
// The initial target is what the relocation at the key's func field names. A
// thunk branches there directly if its address is a link-time constant relative
// to the thunk and in reach. Otherwise, if the target can be preempted, is in
// another link unit, or an ifunc that the dynamic linker resolves, or if the
// key is in another link unit, the thunk branches through the field, which is
// what the dynamic linker relocates. The run time may change from one form to
// the other at any time; abi.h says how on each architecture.
//
// A key that is in this link unit must stay there: if it could be preempted,
// the thunk would go by one key and updates by another.
//
// With -r the final link makes the thunks, unless there is none: see
// StaticCallRelocatable.cpp. For a kernel the linker uses the kernel's formats.
// If the kernel has thunks of its own, the linker only lists their callers
// (StaticCallMode.h). What follows is the order of a link; the parts of it are
// in files of their own:
//
//   StaticCallMode         what the options ask for
//   StaticCallThunk        one thunk
//   StaticCallArch         what it looks like, and Arch/ for each target
//   StaticCallKeys         keys, and where a thunk goes first
//   StaticCallReferences   the branches to thunks
//   StaticCallTables       what the run time reads
//   StaticCallRelocations  relocations in the output, where it has any
//   StaticCallIndex        what is at a place of an input file
//===----------------------------------------------------------------------===//

#include "StaticCalls.h"
#include "Driver.h"
#include "InputFiles.h"
#include "LinkerScript.h"
#include "OutputSections.h"
#include "StaticCallArch.h"
#include "StaticCallIndex.h"
#include "StaticCallMode.h"
#include "StaticCallRelocatable.h"
#include "StaticCallTables.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

namespace lld::elf {
// What Ctx::staticCalls points to: null unless the link makes thunks, or lists
// the branches to those of the input.
struct StaticCalls {
  StaticCallMode mode;
  std::unique_ptr<StaticCallArch> arch;
  // Every symbol named like a thunk among the first `numScanned` ones.
  SmallVector<Symbol *, 0> symbols;
  size_t numScanned = 0;
  SmallVector<StaticCallThunk *, 0> thunks;
  // The final link has these, a kernel at most the second,
  std::unique_ptr<StaticCallThunkTable> thunkTable;
  std::unique_ptr<StaticCallSiteTable> siteTable;
  std::unique_ptr<StaticCallNote> note;
  // and this one with --emit-relocs,
  std::unique_ptr<StaticCallRelocations> emitted;
  // -r this, if there are any thunks.
  std::unique_ptr<RelocatableStaticCalls> relocatable;
};
} // namespace lld::elf

// Look at each symbol's name once, however often this is called: in a large
// link, that is most of what --static-calls costs.
static void scanSymbols(Ctx &ctx, StaticCalls &calls) {
  ArrayRef<Symbol *> all = ctx.symtab->getSymbols();
  for (; calls.numScanned != all.size(); ++calls.numScanned)
    if (all[calls.numScanned]->getName().starts_with(calls.mode.thunkPrefix))
      calls.symbols.push_back(all[calls.numScanned]);
}

static Symbol *findKey(Ctx &ctx, const Symbol &thunk) {
  const StaticCallMode &mode = ctx.staticCalls->mode;
  StringRef name = thunk.getName().drop_front(mode.thunkPrefix.size());
  return ctx.symtab->find((mode.keyPrefix + name).str());
}

// Whether `sym` is to be a thunk. A reference from a shared object is not a
// call that we can serve; and what is only defined by one is not referred to at
// all. A weak reference may stay without a definition, and does if there is no
// key.
static bool needsThunk(Ctx &ctx, const Symbol &sym) {
  if (!(sym.isUndefined() || sym.isShared()) || !sym.referenced)
    return false;
  if (!sym.isUndefWeak())
    return true;
  const Symbol *key = findKey(ctx, sym);
  return key && (key->isDefined() || key->isCommon() || key->isShared());
}

void elf::initStaticCalls(Ctx &ctx, const opt::InputArgList &args) {
  std::optional<StaticCallMode> mode = readStaticCallMode(ctx, args);
  if (!mode)
    return;
  llvm::TimeTraceScope timeScope("Find static calls");
  ctx.staticCalls = std::make_shared<StaticCalls>();

  StaticCalls &calls = *ctx.staticCalls;
  calls.mode = *mode;
  // Thunks of the input name their keys themselves. One of them may be no more
  // than a branch: calls stay calls of it, or they could not be listed.
  if (!mode->makesThunks()) {
    ctx.arg.branchToBranch = false;
    return;
  }
  scanSymbols(ctx, calls);
  // Thunks need it, and if only bitcode does, LLD does not know in time.
  if (ctx.arg.emachine == EM_PPC64 && !calls.symbols.empty())
    ctx.symtab->addSymbol(Undefined{ctx.internalFile, ".TOC.", STB_GLOBAL,
                                    STV_HIDDEN, STT_NOTYPE});
  for (size_t i = 0; i != calls.symbols.size(); ++i) {
    if (!needsThunk(ctx, *calls.symbols[i]))
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

static std::unique_ptr<StaticCallArch> makeArch(Ctx &ctx,
                                                const StaticCallMode &mode) {
  if (ctx.arg.emachine == EM_X86_64 && ctx.arg.is64)
    return makeStaticCallArchX86_64(ctx);
  if (ctx.arg.emachine == EM_AARCH64 && ctx.arg.is64 && ctx.arg.isLE)
    return makeStaticCallArchAArch64();
  if (ctx.arg.emachine == EM_PPC64 && ctx.arg.isLE)
    return mode.kernel ? makeStaticCallArchPPC64Kernel(mode.tocSymbol)
                       : makeStaticCallArchPPC64(mode.sameToc);
  return nullptr;
}

// An input, the command line or the linker script defines a thunk.
static void reportDefinition(Ctx &ctx, const Symbol &sym) {
  auto diag = Err(ctx);
  if (sym.file && !sym.file->isInternal()) {
    diag << sym.file << ": ";
  } else {
    for (SectionCommand *cmd : ctx.script->sectionCommands)
      if (auto *assign = dyn_cast<SymbolAssignment>(cmd))
        if (assign->name == sym.getName())
          diag << assign->location << ": ";
  }
  diag << "symbol '" << &sym
       << "' is made by the linker; remove its definition or "
       << ctx.staticCalls->mode.option;
}

// Make the arch of this link. Return false after an error.
static bool initArch(Ctx &ctx, StaticCalls &calls, const Symbol &sym) {
  if (calls.arch)
    return true;
  calls.arch = makeArch(ctx, calls.mode);
  bool supported = calls.arch != nullptr;
  if (ctx.arg.relocatable && calls.mode.makesThunks())
    supported = supported && calls.arch->layout.relocatableSize;
  if (!supported)
    ErrAlways(ctx) << sym.file << ": " << calls.mode.option
                   << " does not support this target";
  return supported;
}

// The table of the branches to the input's thunks refers to their keys where
// neither LTO nor --gc-sections can see it. Each table that another tool makes
// keeps them all, too.
static void keepKeys(Ctx &ctx, const StaticCalls &calls) {
  for (const Symbol *sym : calls.symbols)
    if (Symbol *key = findKey(ctx, *sym); key && key->isDefined()) {
      key->isUsedInRegularObj = true;
      ctx.arg.undefined.push_back(key->getName());
    }
}

void elf::declareStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Declare static calls");

  scanSymbols(ctx, *calls);
  if (!calls->mode.makesThunks()) {
    if (!calls->symbols.empty() &&
        initArch(ctx, *calls, *calls->symbols.front()))
      keepKeys(ctx, *calls);
    return;
  }
  for (Symbol *sym : calls->symbols) {
    // With -r it may be one of ours, from an earlier -r, and is as good as one
    // of this link.
    if ((sym->isDefined() || sym->isCommon()) && !ctx.arg.relocatable)
      reportDefinition(ctx, *sym);
    if (!needsThunk(ctx, *sym))
      continue;
    if (!initArch(ctx, *calls, *sym))
      return;
    if (ctx.arg.relocatable) {
      // Others have the thunks of other keys.
      Symbol *key = findKey(ctx, *sym);
      if (!key || !key->isDefined())
        continue;
    }
    sym->isUsedInRegularObj = true;
    auto *thunk = make<StaticCallThunk>(ctx, calls->mode, *calls->arch, *sym);
    calls->thunks.push_back(thunk);

    // A thunk refers to its key where neither LTO nor --as-needed can see it.
    Symbol *key = ctx.symtab->addSymbol(
        Undefined{ctx.internalFile, ctx.saver.save(thunk->keyName()),
                  STB_GLOBAL, STV_DEFAULT, STT_NOTYPE});
    key->isUsedInRegularObj = true;
    key->referenced = true;
  }
}

// Thunks that go to the same function first are alike, but each is patched by
// itself.
static void keepInputThunksApart(const StaticCalls &calls) {
  for (const Symbol *sym : calls.symbols)
    if (auto *d = dyn_cast<Defined>(sym))
      if (auto *sec = dyn_cast_or_null<InputSectionBase>(d->section))
        sec->keepUnique = true;
}

void elf::defineStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  if (!calls->mode.makesThunks()) {
    scanSymbols(ctx, *calls);
    keepInputThunksApart(*calls);
    return;
  }
  // Not before LTO: a call of a function that this link defines has no nop on
  // ppc64, for the compiler takes it to have the caller's TOC.
  for (StaticCallThunk *thunk : calls->thunks) {
    auto *key = dyn_cast_or_null<Defined>(findKey(ctx, *thunk->sym));
    uint8_t visibility = STV_HIDDEN, binding = STB_GLOBAL;
    if (ctx.arg.relocatable) {
      // A kernel module may offer its thunks to others. And where several files
      // may define the key, each -r of one of them defines the thunk.
      visibility = STV_DEFAULT;
      if (key && key->isWeak())
        binding = STB_WEAK;
    }
    thunk->sym->resolve(ctx, Defined{ctx, ctx.internalFile, StringRef(),
                                     binding, visibility, STT_FUNC,
                                     /*value=*/0, thunk->getSize(), thunk});
    ctx.inputSections.push_back(thunk);
    if (key)
      if (auto *sec = dyn_cast_or_null<InputSection>(key->section))
        thunk->dependentSections.push_back(sec);
  }
}

static void dropDeadThunks(Ctx &ctx, StaticCalls &calls) {
  llvm::erase_if(calls.thunks, [&](StaticCallThunk *thunk) {
    if (thunk->isLive())
      return false;
    Undefined(ctx.internalFile, thunk->sym->getName(), STB_GLOBAL, STV_HIDDEN,
              STT_FUNC)
        .overwrite(*thunk->sym);
    return true;
  });
}

// A key of another link unit is found through the GOT.
static void importKeys(Ctx &ctx, StaticCalls &calls) {
  for (StaticCallThunk *thunk : calls.thunks) {
    Symbol *key = findKey(ctx, *thunk->sym);
    if (!key || key->isDefined())
      continue;
    thunk->importedKey = key;
    key->setFlags(NEEDS_GOT);
    // --gc-sections, which looks at relocations, has not seen that the thunk
    // refers to it: it belongs in .dynsym, and its shared object is needed.
#if LLVM_VERSION_MAJOR >= 23
    key->setFlags(USED);
#else
    key->used = true;
#endif
    if (key->isShared())
      cast<SharedFile>(key->file)->isNeeded = true;
  }
}

// Whether the linker script, if there is one, says where such a section of the
// input goes. If it does not, the section is an orphan, which a kernel's script
// does not allow.
static bool scriptPlaces(Ctx &ctx, StringRef name) {
  if (!ctx.script->hasSectionsCommand)
    return true;
  for (SectionCommand *cmd : ctx.script->sectionCommands) {
    auto *desc = dyn_cast<OutputDesc>(cmd);
    if (!desc || desc->osec.name == "/DISCARD/")
      continue;
    for (SectionCommand *sub : desc->osec.commands)
      if (auto *isd = dyn_cast<InputSectionDescription>(sub))
        for (const SectionPattern &pattern : isd->sectionPatterns)
          if (pattern.sectionPat.match(name))
            return true;
  }
  return false;
}

// A kernel that only patches its thunks has no place for the table.
static void addKernelTable(Ctx &ctx, StaticCalls &calls) {
  if (!scriptPlaces(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION))
    return;
  calls.siteTable = std::make_unique<StaticCallSiteTable>(ctx);
  calls.siteTable->defineSymbols();
  ctx.inputSections.push_back(calls.siteTable.get());
}

static void addTables(Ctx &ctx, StaticCalls &calls) {
  calls.thunkTable = std::make_unique<StaticCallThunkTable>(ctx);
  calls.siteTable = std::make_unique<StaticCallSiteTable>(ctx);
  calls.note = std::make_unique<StaticCallNote>(ctx, *calls.thunkTable,
                                                *calls.siteTable);
  calls.siteTable->defineSymbols();
  ctx.inputSections.append(
      {calls.thunkTable.get(), calls.siteTable.get(), calls.note.get()});
  if (!ctx.arg.emitRelocs)
    return;
  calls.emitted = std::make_unique<StaticCallRelocations>(
      ctx, ".rela" PATCHBAY_STATIC_CALL_TEXT_SECTION);
  ctx.inputSections.push_back(calls.emitted.get());
}

void elf::addStaticCallSections(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  dropDeadThunks(ctx, *calls);
  importKeys(ctx, *calls);
  if (!ctx.arg.relocatable) {
    if (calls->mode.kernel)
      addKernelTable(ctx, *calls);
    else
      addTables(ctx, *calls);
  } else if (!calls->thunks.empty() ||
             (calls->arch && !calls->mode.makesThunks())) {
    calls->relocatable =
        std::make_unique<RelocatableStaticCalls>(ctx, *calls->arch);
  }
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
          Err(ctx) << sec << ": section is made by the linker; remove it or "
                   << ctx.staticCalls->mode.option;
}

// What stands for the thunks of the input. What has none is no branch to one:
// the final link has reported it, and with -r another module may have it.
static void findInputThunks(Ctx &ctx, StaticCalls &calls) {
  scanSymbols(ctx, calls);
  if (!calls.arch)
    return;
  for (Symbol *sym : calls.symbols)
    if (sym->isDefined() || (sym->isUndefined() && ctx.arg.relocatable))
      calls.thunks.push_back(
          make<StaticCallThunk>(ctx, calls.mode, *calls.arch, *sym));
}

static bool resolveKey(Ctx &ctx, const StaticCalls &calls,
                       StaticCallIndex &index, StaticCallThunk &thunk) {
  if (!calls.mode.makesThunks())
    return resolveListedKey(ctx, calls.mode, thunk);
  return resolveStaticCallKey(ctx, calls.mode, index, thunk) &&
         calls.arch->prepareTarget(ctx, thunk);
}

static void emitRelocations(const StaticCalls &calls) {
  for (const StaticCallThunk *thunk : calls.thunkTable->thunks)
    calls.arch->addEmittedRelocations(
        *thunk,
        [&](uint64_t offset, RelType type, const Symbol &sym, int64_t addend) {
          calls.emitted->add(*thunk, offset, type, sym, addend);
        });
  calls.emitted->joinInput();
}

// Check keys and calls. Return the thunks whose keys are right, and the calls.
static std::pair<SmallVector<StaticCallThunk *, 0>,
                 SmallVector<StaticCallSite, 0>>
resolve(Ctx &ctx, StaticCalls &calls) {
  if (!calls.mode.makesThunks())
    findInputThunks(ctx, calls);
  if (calls.thunks.empty())
    return {};
  StaticCallIndex index;
  SmallVector<StaticCallThunk *, 0> resolved;
  for (StaticCallThunk *thunk : calls.thunks)
    if (thunk->isLive() && resolveKey(ctx, calls, index, *thunk)) {
      thunk->isResolved = true;
      resolved.push_back(thunk);
    }
  SmallVector<StaticCallSite, 0> sites = resolveStaticCallReferences(
      ctx, calls.mode, *calls.arch, index, calls.thunks);
  if (!ctx.arg.relocatable)
    calls.arch->finishSites(ctx, sites);
  return {std::move(resolved), std::move(sites)};
}

// LLD has reported the undefined symbol and its references. Add the cause: an
// option is missing, since the linker makes thunks, not a library; or the
// linker script discards their section.
static void explainUndefined(Ctx &ctx, bool makesThunks) {
  const StringRef prefix =
      makesThunks ? ctx.staticCalls->mode.thunkPrefix : PATCHBAY_SCT_PREFIX;
  for (const UndefinedDiag &undef : ctx.undefErrs) {
    if (!undef.sym->getName().starts_with(prefix))
      continue;
    // Without a key there was nothing to make, and that is another error.
    if (makesThunks && !findKey(ctx, *undef.sym))
      continue;
    auto diag = undef.isWarning ? Warn(ctx) : Err(ctx);
    diag << undef.sym << " is made by the linker";
    if (makesThunks)
      diag << " in section " << PATCHBAY_STATIC_CALL_TEXT_SECTION
           << ", which the linker script discards";
    else
      diag << ": add --static-calls";
    return;
  }
}

void elf::resolveStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  // Thunks that the input should have made need no explanation.
  if (!calls || calls->mode.makesThunks())
    explainUndefined(ctx, calls != nullptr);
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Resolve static calls");
  auto [thunks, sites] = resolve(ctx, *calls);
  if (ctx.arg.relocatable) {
    if (!calls->mode.makesThunks()) {
      thunks.clear(); // they have their relocations
      // An earlier -r may have listed the same calls.
      if (!sites.empty())
        checkNoOther(ctx, calls->relocatable->table());
    }
    if (calls->relocatable && !errCount(ctx))
      calls->relocatable->finalize(thunks, sites);
    return;
  }
  if (calls->siteTable) {
    if (!calls->thunks.empty())
      checkNoOther(ctx, *calls->siteTable);
    calls->siteTable->sites = std::move(sites);
    calls->siteTable->finalizeSymbols();
  }
  if (calls->mode.kernel) {
    if (calls->siteTable)
      warnIfTableDiscarded(ctx, *calls->siteTable);
    return;
  }
  if (!calls->thunks.empty())
    checkNoOther(ctx, *calls->thunkTable);
  calls->thunkTable->thunks = std::move(thunks);
  if (calls->emitted)
    emitRelocations(*calls);
  warnIfTableDiscarded(ctx, *calls->thunkTable);
  warnIfTableDiscarded(ctx, *calls->siteTable);
  warnIfTableDiscarded(ctx, *calls->note);
}

void elf::linkStaticCallRelocations(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (calls && calls->relocatable)
    calls->relocatable->setLinks();
  if (calls && calls->emitted)
    calls->emitted->setLinks();
}

void elf::listStaticCallSymbols(Ctx &ctx, std::vector<Defined *> &symbols) {
  if (ctx.staticCalls && ctx.staticCalls->mode.makesThunks())
    for (StaticCallThunk *thunk : ctx.staticCalls->thunks)
      if (auto *d = dyn_cast<Defined>(thunk->sym))
        symbols.push_back(d);
}
