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
// each link unit has tramps of its own, so that the branch to them is direct.
//
// The initial target is what the relocation at the key's func field names. A
// tramp branches there directly if its address is a link-time constant relative
// to the tramp and in reach. Otherwise, if the target can be preempted, is in
// another link unit, an ifunc that the dynamic linker resolves, or null, the
// tramp branches through the field, which is what the dynamic linker relocates.
// The run time may change from one form to the other at any time; abi.h says
// how on each architecture. A null func is called like a null pointer.
//
// The key must be in this link unit, and stay there: if it could be preempted,
// the tramp would go by one key and updates by another.
//
// With -r the tramps are left to the final link.
//===----------------------------------------------------------------------===//

#include "StaticCalls.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

namespace lld::elf {
// What Ctx::staticCalls points to: null unless --static-calls is given.
struct StaticCalls {
  std::unique_ptr<StaticCallArch> arch;
  // Every symbol named like a tramp among the first `numScanned` ones.
  SmallVector<Symbol *, 0> symbols;
  size_t numScanned = 0;
  SmallVector<StaticCallTramp *, 0> tramps;
};
} // namespace lld::elf

StaticCallTramp::StaticCallTramp(Ctx &ctx, const StaticCallArch &arch,
                                 StringRef callName, InputFile *caller)
    : SyntheticSection(ctx, ".static_call.text", SHT_PROGBITS,
                       SHF_ALLOC | SHF_EXECINSTR, arch.trampAlign),
      callName(callName), caller(caller), arch(arch) {}

size_t StaticCallTramp::getSize() const { return arch.trampSize; }

void StaticCallTramp::writeTo(uint8_t *buf) {
  // Only now have output sections been sorted into what is writable to the end
  // and what the dynamic linker makes read-only.
  if (key->getOutputSection()->relro) {
    ErrAlways(ctx)
        << cast<InputSection>(key->section)->getObjMsg(key->value)
        << ": static call key '" << key
        << "' becomes read-only after relocation; remove its section "
           "attribute or const";
    return;
  }
  std::optional<uint64_t> va;
  if (target)
    va = target->getVA(ctx, targetAddend);
  if (!arch.writeTramp(buf, getVA(), key->getVA(ctx), va))
    ErrAlways(ctx) << cast<InputSection>(key->section)->getObjMsg(key->value)
                   << ": static call key '" << key
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

static StringRef getCallName(const Symbol &tramp) {
  return tramp.getName().drop_front(strlen(PATCHBAY_SCT_PREFIX));
}

// Whether `sym` is to be a tramp. A reference from a shared object is not a
// call that we can serve; and what is only defined by one is not referred to at
// all.
static bool needsTramp(const Symbol &sym) {
  return (sym.isUndefined() && !isa_and_nonnull<SharedFile>(sym.file)) ||
         (sym.isShared() && sym.referenced);
}

static Symbol *findKey(Ctx &ctx, StringRef callName) {
  return ctx.symtab->find((PATCHBAY_SCK_PREFIX + callName).str());
}

void elf::initStaticCalls(Ctx &ctx, bool enabled) {
  if (!enabled || ctx.arg.relocatable)
    return;
  ctx.staticCalls = std::make_shared<StaticCalls>();

  StaticCalls &calls = *ctx.staticCalls;
  scanSymbols(ctx, calls);
  for (size_t i = 0; i != calls.symbols.size(); ++i) {
    if (!needsTramp(*calls.symbols[i]))
      continue;
    Symbol *key = findKey(ctx, getCallName(*calls.symbols[i]));
    if (!key || !key->isLazy())
      continue;
    key->extract(ctx);
    if (!ctx.arg.whyExtract.empty())
      ctx.whyExtractRecords.emplace_back("--static-calls", key->file, *key);
    // The file may call others.
    scanSymbols(ctx, calls);
  }
}

static std::unique_ptr<StaticCallArch> makeArch(Ctx &ctx) {
  if (ctx.arg.emachine == EM_X86_64 && ctx.arg.is64)
    return makeStaticCallArchX86_64();
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
    if (!calls->arch && !(calls->arch = makeArch(ctx))) {
      ErrAlways(ctx) << sym->file
                     << ": --static-calls does not support this target";
      return;
    }

    StringRef name = getCallName(*sym);
    auto *tramp = make<StaticCallTramp>(ctx, *calls->arch, name, sym->file);
    sym->resolve(ctx, Defined{ctx, ctx.internalFile, StringRef(), STB_GLOBAL,
                              STV_HIDDEN, STT_FUNC, /*value=*/0,
                              tramp->getSize(), tramp});
    sym->isUsedInRegularObj = true;
    // A tramp refers to its key where LTO cannot see it.
    if (Symbol *key = findKey(ctx, name))
      key->isUsedInRegularObj = true;
    tramp->sym = cast<Defined>(sym);
    calls->tramps.push_back(tramp);
  }
}

void elf::addStaticCallEdges(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  for (StaticCallTramp *tramp : calls->tramps) {
    ctx.inputSections.push_back(tramp);
    if (auto *key = dyn_cast_or_null<Defined>(findKey(ctx, tramp->callName)))
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
}

// Check that the key is one, and one that can be updated.
static bool checkKey(Ctx &ctx, const StaticCallTramp &tramp,
                     const StaticCallArch &arch) {
  Defined *key = tramp.key;
  if (!key) {
    std::string name = (PATCHBAY_SCK_PREFIX + tramp.callName).str();
    Symbol *sym = ctx.symtab->find(name);
    if (sym && sym->isShared())
      ErrAlways(ctx) << tramp.caller << ": static call key '" << sym
                     << "' is defined in " << sym->file
                     << ", a static call needs its key in the same link";
    else
      ErrAlways(ctx) << tramp.caller << ": undefined static call key '" << name
                     << "'; define it with DEFINE_STATIC_CALL("
                     << tramp.callName
                     << ", function) in one file of this link";
    return false;
  }

  auto *sec = dyn_cast_or_null<InputSection>(key->section);
  if (!sec || !(sec->flags & SHF_WRITE)) {
    auto diag = ErrAlways(ctx);
    if (key->section)
      diag << cast<InputSectionBase>(key->section)->getObjMsg(key->value);
    else
      diag << key->file;
    diag << ": static call key '" << key << "' is not in a writable section";
    return false;
  }
  auto error = [&] {
    auto diag = ErrAlways(ctx);
    diag << sec->getObjMsg(key->value) << ": static call key '" << key << "' ";
    return diag;
  };
  uint64_t size = key->value < sec->getSize() ? sec->getSize() - key->value : 0;
  if (key->size)
    size = std::min(size, key->size);
  if (size < arch.keySize) {
    error() << "has " << size << " bytes, " << arch.keySize << " are needed";
    return false;
  }
  if (sec->addralign % arch.keyAlign || key->value % arch.keyAlign) {
    error() << "is not aligned to " << arch.keyAlign << " bytes";
    return false;
  }
  if (key->isPreemptible) {
    error() << "can be preempted; give it hidden or protected visibility";
    return false;
  }
  return true;
}

// Whether a static call may go to `sym`. Assembly often leaves symbols untyped,
// and compilers refer to local functions by section.
static bool isFunction(const Symbol &sym) {
  if (sym.isFunc() || sym.isGnuIFunc())
    return true;
  if (sym.type != STT_NOTYPE && !sym.isSection())
    return false;
  auto *d = dyn_cast<Defined>(&sym);
  return !d || !d->section || (d->section->flags & SHF_EXECINSTR);
}

template <class RelTy>
static void readTarget(Ctx &ctx, StaticCallTramp &tramp, Relocs<RelTy> rels) {
  auto *sec = cast<InputSection>(tramp.key->section);
  for (const RelTy &rel : rels) {
    if (rel.r_offset != tramp.key->value)
      continue;
    RelType type = rel.getType(ctx.arg.isMips64EL);
    if (type != ctx.target->symbolicRel) {
      ErrAlways(ctx) << sec->getObjMsg(rel.r_offset) << ": relocation " << type
                     << " cannot give static call key '" << tramp.key
                     << "' its function";
      return;
    }
    Symbol &sym = sec->file->getRelocTargetSym(rel);
    if (!isFunction(sym)) {
      auto diag = ErrAlways(ctx);
      diag << sec->getObjMsg(rel.r_offset) << ": static call key '" << tramp.key
           << "' refers to ";
      if (sym.isSection()) // it has no name
        diag << cast<InputSectionBase>(cast<Defined>(sym).section)
                    ->getObjMsg(rel.r_addend);
      else
        diag << '\'' << &sym << '\'';
      diag << ", which is not a function";
      return;
    }
    // An undefined symbol has been reported by now if it is an error.
    auto *d = dyn_cast<Defined>(&sym);
    if (!d || !d->section || d->isPreemptible || d->isGnuIFunc())
      return;
    tramp.target = d;
    tramp.targetAddend = rel.r_addend;
  }
}

// Static calls have RELA targets only, so there is nothing to read from `rels`.
template <class ELFT> static void readTarget(Ctx &ctx, StaticCallTramp &tramp) {
  auto *sec = cast<InputSection>(tramp.key->section);
  const RelsOrRelas<ELFT> rels = sec->template relsOrRelas<ELFT>();
  readTarget(ctx, tramp, rels.relas);
  readTarget(ctx, tramp, rels.crels);
}

void elf::resolveStaticCalls(Ctx &ctx) {
  StaticCalls *calls = ctx.staticCalls.get();
  if (!calls)
    return;
  llvm::TimeTraceScope timeScope("Resolve static calls");
  for (StaticCallTramp *tramp : calls->tramps) {
    if (!tramp->isLive()) // discarded by a linker script since
      continue;
    tramp->key = dyn_cast_or_null<Defined>(findKey(ctx, tramp->callName));
    if (checkKey(ctx, *tramp, *calls->arch))
      invokeELFT(readTarget, ctx, *tramp);
  }
}
