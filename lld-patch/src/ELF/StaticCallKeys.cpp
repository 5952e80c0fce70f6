// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that each thunk has a key that can be updated, and finds the thunk's
// first target.

#include "InputFiles.h"
#include "StaticCallIndex.h"
#include "StaticCallMode.h"
#include "StaticCallThunk.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Config/llvm-config.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

static void reportUndefinedKey(Ctx &ctx, const StaticCallMode &mode,
                               const StaticCallThunk &thunk) {
  Err(ctx) << thunk.caller << ": undefined static call key '" << thunk.keyName()
           << "'; define it with DEFINE_STATIC_CALL(" << thunk.getName()
           << ", function) in one file of this link"
           << (mode.kernel ? ""
                           : ", or with DEFINE_EXPORTED_STATIC_CALL in a "
                             "shared object of it");
}

// Check a key that this link does not define. A shared object must define the
// key, or the options must leave undefined symbols to the dynamic linker.
static bool checkImportedKey(Ctx &ctx, const StaticCallMode &mode,
                             const StaticCallThunk &thunk, const Symbol *key) {
  if (key && key->isShared())
    return true;
  if (key && key->isUndefined() && key->isPreemptible &&
      ctx.arg.unresolvedSymbols == UnresolvedPolicy::Ignore)
    return true;
  reportUndefinedKey(ctx, mode, thunk);
  return false;
}

static bool checkKey(Ctx &ctx, const StaticCallMode &mode, const Defined &key) {
  // A copy relocation: updates would change only one of two keys.
  if (isa_and_nonnull<BssSection>(key.section) &&
      key.section->name != "COMMON") {
    Err(ctx) << "static call key '" << &key
             << "' cannot be copied from its shared object; compile the "
                "files that refer to it with -fPIE or -fPIC";
    return false;
  }
  auto *sec = dyn_cast_or_null<InputSection>(key.section);
  if (!sec || !(sec->flags & SHF_WRITE)) {
    auto diag = Err(ctx);
    // A linker script may have defined the key in an output section.
    if (auto *base = dyn_cast_or_null<InputSectionBase>(key.section))
      diag << base->getObjMsg(key.value);
    else
      diag << key.file;
    diag << ": static call key '" << &key << "' is not in a writable section";
    return false;
  }
  auto error = [&] {
    auto diag = Err(ctx);
    diag << sec->getObjMsg(key.value) << ": static call key '" << &key << "' ";
    return diag;
  };
  if (key.isTls()) {
    error() << "is thread-local; all threads have one thunk";
    return false;
  }
  uint64_t size = key.value < sec->getSize() ? sec->getSize() - key.value : 0;
  if (key.size)
    size = std::min(size, key.size);
  // Linux may have other members after the pointer.
  const uint64_t needed =
      mode.kernel ? sizeof(uint64_t) : sizeof(static_call_key);
  if (size < needed) {
    error() << "has " << size << " bytes, " << needed << " are needed";
    return false;
  }
  constexpr uint64_t align = alignof(static_call_key);
  if (sec->addralign % align || key.value % align) {
    error() << "is not aligned to " << align << " bytes";
    return false;
  }
  if (key.isPreemptible && !ctx.arg.relocatable) {
    error() << "can be preempted; give it hidden or protected visibility";
    return false;
  }
  return true;
}

// Whether a static call may have the target `sym`. Accept untyped symbols,
// which are usual in assembly, and section symbols, by which compilers refer to
// local functions.
static bool isFunction(const Symbol &sym) {
  if (sym.isFunc() || sym.isGnuIFunc())
    return true;
  if (sym.type != STT_NOTYPE && !sym.isSection())
    return false;
  auto *d = dyn_cast<Defined>(&sym);
  return !d || !d->section || (d->section->flags & SHF_EXECINSTR);
}

static bool readTarget(Ctx &ctx, StaticCallIndex &index, StaticCallThunk &thunk,
                       const InputSection &sec, const Relocation &rel) {
  const uint64_t offset = thunk.key->value;
  Symbol &sym = *rel.sym;
  const int64_t addend = rel.addend;
  if (rel.type != ctx.target->symbolicRel) {
    Err(ctx) << sec.getObjMsg(offset) << ": static call key '" << thunk.key
             << "' needs the plain address of a function, not relocation "
             << rel.type;
    return false;
  }
  // Without -r, LLD reports the discarded target when scanning relocations.
  if (auto *u = dyn_cast<Undefined>(&sym);
      u && u->discardedSecIdx && ctx.arg.relocatable) {
    Err(ctx) << sec.getObjMsg(offset) << ": static call key '" << thunk.key
             << "' refers to a function in a discarded section";
    return false;
  }
  if (!isFunction(sym)) {
    auto diag = Err(ctx);
    diag << sec.getObjMsg(offset) << ": static call key '" << thunk.key
         << "' refers to ";
    if (sym.isSection()) // a section symbol has no name
      diag << cast<InputSectionBase>(cast<Defined>(sym).section)
                  ->getObjMsg(addend);
    else
      diag << '\'' << &sym << '\'';
    diag << ", which is not a function";
    return false;
  }
  thunk.targetSym = &sym;
  thunk.targetAddend = addend;
  if (sym.getName() == PATCHBAY_STATIC_CALL_RETURN0)
    thunk.builtin = StaticCallThunk::Return0;
  else if (sym.getName() == PATCHBAY_STATIC_CALL_RETURN)
    thunk.builtin = StaticCallThunk::Return;

  // An undefined weak target means a null key, unless the dynamic linker
  // searches for the target. If the dynamic linker finds none, thunks would
  // jump to address 0.
  if (sym.isUndefWeak() && sym.isPreemptible) {
    Err(ctx) << sec.getObjMsg(offset) << ": static call key '" << thunk.key
             << "' refers to weak function '" << &sym
             << "', which may be missing at run time; define it with "
                "DEFINE_STATIC_CALL_NULL and update it";
    return false;
  }
  if (sym.isUndefWeak())
    thunk.builtin = StaticCallThunk::Return;

  // LLD has already reported an undefined symbol that is an error.
  auto *d = dyn_cast<Defined>(&sym);
  if (!d || !d->section || d->isPreemptible || d->isGnuIFunc())
    return true;
  thunk.target = d;
  // Replace a section symbol by the symbol of the function at the offset,
  // because on ppc64 only the function's symbol gives the local entry point.
  if (d->isSection() && !ctx.arg.relocatable)
    if (Defined *function = index.findFunction(
            *cast<InputSectionBase>(d->section), d->value + addend)) {
      thunk.target = function;
      thunk.targetAddend = 0;
    }
  return true;
}

bool elf::resolveListedKey(Ctx &ctx, const StaticCallMode &mode,
                           StaticCallThunk &thunk) {
  Symbol *sym = ctx.symtab->find(thunk.keyName());
  thunk.key = dyn_cast_or_null<Defined>(sym);
  const bool isKnown = sym && (sym->isDefined() || sym->isUndefined());
  thunk.keyOrThunk = isKnown ? sym : thunk.sym;
  if (thunk.key)
    return checkKey(ctx, mode, *thunk.key);
  auto *u = dyn_cast_or_null<Undefined>(sym);
  if (ctx.arg.relocatable && !(u && u->discardedSecIdx)) {
    // --gc-sections may have dropped all other references to the key.
    if (u) {
#if LLVM_VERSION_MAJOR >= 23
      u->setFlags(USED);
#else
      u->used = true;
#endif
    }
    return true;
  }
  // A kernel has no dynamic linker that could find the key in another link
  // unit.
  reportUndefinedKey(ctx, mode, thunk);
  return false;
}

bool elf::resolveStaticCallKey(Ctx &ctx, const StaticCallMode &mode,
                               StaticCallIndex &index, StaticCallThunk &thunk) {
  Symbol *sym = ctx.symtab->find(thunk.keyName());
  thunk.key = dyn_cast_or_null<Defined>(sym);
  if (!thunk.key)
    return checkImportedKey(ctx, mode, thunk, sym);
  thunk.importedKey = nullptr;
  thunk.keyOrThunk = thunk.key;
  if (!checkKey(ctx, mode, *thunk.key))
    return false;
  auto *sec = cast<InputSection>(thunk.key->section);
  if (const Relocation *rel = index.findRelocation(*sec, thunk.key->value))
    return readTarget(ctx, index, thunk, *sec, *rel);
  // A static call whose key is null does nothing.
  ArrayRef<uint8_t> data = sec->content();
  if (!data.data() || !read64(ctx, data.data() + thunk.key->value))
    thunk.builtin = StaticCallThunk::Return;
  return true;
}
