// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements --static-calls: the linker makes the thunks of static calls.
//
// A static call is a call through a function pointer that rarely changes,
// implemented as a direct branch. Each change of the pointer patches the
// branch. A static call consists of
//
//   __SCK__name   the key, a variable of the program: { func, thunk }
//   __SCT__name   the thunk, code that branches to where func points; callers
//                 call it directly
//
// Linux invented static calls (include/linux/static_call.h). In Linux the thunk
// is assembly in the file that defines the key. Such thunks have three
// weaknesses, which a linker can avoid:
//
// - A thunk that is a `jmp target` in an ordinary section looks like any other
//   branch. --branch-to-branch (on by default at -O2, on x86-64 and AArch64)
//   redirects the callers to the target. After that, patching the thunk
//   silently has no effect.
// - On targets with a TOC the thunk depends on whether the callee's TOC differs
//   from the caller's. Only the linker knows both TOCs.
// - If key, thunk and caller are in different link units, each call reaches the
//   thunk through a PLT.
//
// With --static-calls the program defines only the key. The linker defines
// every __SCT__name that the program refers to and that has a __SCK__name. The
// thunk is in a synthetic section, which passes that change calls skip. The
// thunk's symbol is hidden: each link unit has its own thunks, so that the
// branch to a thunk is direct even if another unit has the key.
//
// The relocation at the key's func field names the initial target. A thunk
// branches there directly if the target's address is a link-time constant
// relative to the thunk and in reach. Otherwise the thunk branches through the
// field, which the dynamic linker relocates: for example if the key or the
// target is in another link unit, or if the target can be preempted or is an
// ifunc that the dynamic linker resolves.
//
// The run time may replace a direct branch by an indirect branch and back,
// while threads run the thunk; abi.h explains how for each architecture.
//
// A key in this link unit must not be preemptible: the thunk would use one key
// and updates would change another.
//
// -r makes thunks only for kernel modules (StaticCallRelocatable.cpp); for
// other outputs of -r the final link makes the thunks. For a kernel the linker
// uses the kernel's formats. If the kernel has its own thunks, the linker only
// lists the calls of thunks (StaticCallMode.h). The functions of this file
// follow the order of a link, and use the other files:
//
//   StaticCallMode         the options
//   StaticCallThunk        one thunk
//   StaticCallArch         code of a thunk; Arch/ has a file for each target
//   StaticCallKeys         keys, and the first target of a thunk
//   StaticCallReferences   the branches to thunks
//   StaticCallTables       tables for the run time
//   StaticCallRelocations  relocations in the output
//   StaticCallIndex        symbols and relocations by their offset in a section
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
// The state of a link that makes thunks, or that lists the branches to thunks
// of the input. In other links Ctx::staticCalls is null.
struct StaticCalls {
  StaticCallMode mode;
  std::unique_ptr<StaticCallArch> arch;
  // The symbols that are named like a thunk. The search has read the first
  // `numScanned` symbols of the symbol table.
  SmallVector<Symbol *, 0> symbols;
  size_t numScanned = 0;
  SmallVector<StaticCallThunk *, 0> thunks;
  // The tables of the final link. A kernel has no `thunkTable`.
  std::unique_ptr<StaticCallThunkTable> thunkTable;
  std::unique_ptr<StaticCallSiteTable> siteTable;
  std::unique_ptr<StaticCallNote> note;
  // For --emit-relocs in the final link.
  std::unique_ptr<StaticCallRelocations> emitted;
  // For -r with thunks.
  std::unique_ptr<RelocatableStaticCalls> relocatable;
};
} // namespace lld::elf

// Find symbols that are named like a thunk among the symbols that were added
// since the last call. In a large link, reading names is most of the cost of
// --static-calls.
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

// Whether `sym` must become a thunk: an object file or bitcode refers to `sym`,
// and neither defines it. A weak reference without a key stays undefined.
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
  // The input defines the thunks. A thunk may be a single branch, so turn off
  // branch-to-branch: the list would miss calls that bypass the thunk.
  if (!mode->makesThunks()) {
    ctx.arg.branchToBranch = false;
    return;
  }
  scanSymbols(ctx, calls);
  // Thunks need .TOC. LLD defines .TOC. before LTO, and only if there is a
  // reference.
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
    // The archive member that defines the key may contain further static calls.
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

// Report a thunk that an input, the command line or the linker script defines.
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

// Set StaticCalls::arch. Return false after an error.
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

// Keep the keys that the table of branches refers to, because LTO and
// --gc-sections do not see the table's references. Keys in tables made by other
// tools also stay.
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
    // With -r, keep a thunk that an earlier -r made.
    if ((sym->isDefined() || sym->isCommon()) && !ctx.arg.relocatable)
      reportDefinition(ctx, *sym);
    if (!needsThunk(ctx, *sym))
      continue;
    if (!initArch(ctx, *calls, *sym))
      return;
    if (ctx.arg.relocatable) {
      // The link unit that defines the key also has the thunk.
      Symbol *key = findKey(ctx, *sym);
      if (!key || !key->isDefined())
        continue;
    }
    sym->isUsedInRegularObj = true;
    auto *thunk = make<StaticCallThunk>(ctx, calls->mode, *calls->arch, *sym);
    calls->thunks.push_back(thunk);

    // LTO and --as-needed do not see the thunk's reference to its key.
    Symbol *key = ctx.symtab->addSymbol(
        Undefined{ctx.internalFile, ctx.saver.save(thunk->keyName()),
                  STB_GLOBAL, STV_DEFAULT, STT_NOTYPE});
    key->isUsedInRegularObj = true;
    key->referenced = true;
  }
}

// Prevent the folding of identical thunks of the input, because the run time
// patches each thunk separately.
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
  // Define thunks after LTO. On ppc64 LTO would emit a call of a defined thunk
  // without a nop, because functions of one link unit have the same TOC.
  for (StaticCallThunk *thunk : calls->thunks) {
    auto *key = dyn_cast_or_null<Defined>(findKey(ctx, *thunk->sym));
    uint8_t visibility = STV_HIDDEN, binding = STB_GLOBAL;
    if (ctx.arg.relocatable) {
      // A kernel module may export its thunks. If several files define a weak
      // key, each output of -r defines the thunk.
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

// Make GOT entries for the keys of other link units, from which thunks load the
// addresses of these keys.
static void importKeys(Ctx &ctx, StaticCalls &calls) {
  for (StaticCallThunk *thunk : calls.thunks) {
    Symbol *key = findKey(ctx, *thunk->sym);
    if (!key || key->isDefined())
      continue;
    thunk->importedKey = key;
    key->setFlags(NEEDS_GOT);
    // Put the key into .dynsym and keep the shared object that defines the key:
    // the thunk has no relocation from which LLD knows that the key is used.
#if LLVM_VERSION_MAJOR >= 23
    key->setFlags(USED);
#else
    key->used = true;
#endif
    if (key->isShared())
      cast<SharedFile>(key->file)->isNeeded = true;
  }
}

// Whether there is no linker script, or the script names the input section. For
// a kernel, sections that the script does not name (orphans) are errors.
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

// A kernel gets only the table of branches, and only if its linker script has a
// section for the table: a kernel may patch only thunks.
static void addTables(Ctx &ctx, StaticCalls &calls) {
  const bool kernel = calls.mode.kernel;
  if (kernel && !scriptPlaces(ctx, PATCHBAY_STATIC_CALL_SITE_SECTION))
    return;
  calls.siteTable = std::make_unique<StaticCallSiteTable>(ctx);
  calls.siteTable->defineSymbols();
  if (kernel) {
    ctx.inputSections.push_back(calls.siteTable.get());
    return;
  }
  calls.thunkTable = std::make_unique<StaticCallThunkTable>(ctx);
  calls.note = std::make_unique<StaticCallNote>(ctx, *calls.thunkTable,
                                                *calls.siteTable);
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
    addTables(ctx, *calls);
  } else if (!calls->thunks.empty() ||
             (calls->arch && !calls->mode.makesThunks())) {
    calls->relocatable =
        std::make_unique<RelocatableStaticCalls>(ctx, *calls->arch);
  }
}

// Report an input that already has a table of branches, made by another tool.
// Such a table would be in the same output section as `table`.
static void checkNoOther(Ctx &ctx, const SyntheticSection &table) {
  if (!table.getParent())
    return;
  for (SectionCommand *cmd : table.getParent()->commands)
    if (auto *isd = dyn_cast<InputSectionDescription>(cmd))
      for (const InputSection *sec : isd->sections)
        if (sec != &table && sec->name == table.name)
          Err(ctx) << sec << ": the linker makes this section; remove it, or link "
                   << "without " << ctx.staticCalls->mode.option;
}

// Make a StaticCallThunk for each thunk that the input defines. Skip undefined
// thunks: the final link has reported them, and with -r another module may
// define them.
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

// Check keys and calls. Return the thunks whose keys are valid, and the calls.
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

// Say why a thunk is undefined, after LLD has reported the undefined symbol:
// either an option is missing, or the linker script discards the thunks.
static void explainUndefined(Ctx &ctx, bool makesThunks) {
  const StringRef prefix =
      makesThunks ? ctx.staticCalls->mode.thunkPrefix : PATCHBAY_SCT_PREFIX;
  for (const UndefinedDiag &undef : ctx.undefErrs) {
    if (!undef.sym->getName().starts_with(prefix))
      continue;
    // A missing key has its own message.
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
  // With --static-call-sites the input defines the thunks, so explain nothing.
  if (!calls || calls->mode.makesThunks())
    explainUndefined(ctx, calls != nullptr);
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Resolve static calls");
  auto [thunks, sites] = resolve(ctx, *calls);
  if (ctx.arg.relocatable) {
    if (!calls->mode.makesThunks()) {
      thunks.clear(); // the input already has their relocations
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
