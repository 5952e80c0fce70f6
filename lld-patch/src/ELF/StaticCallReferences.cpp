// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallReferences.h"
#include "InputFiles.h"
#include "StaticCallArch.h"
#include "StaticCallIndex.h"
#include "StaticCallMode.h"
#include "SymbolTable.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Parallel.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;
using namespace lld;
using namespace lld::elf;

namespace {
struct Reference {
  InputSection *sec;
  StaticCallThunk *thunk;
  Relocation rel;
  // The relocation that LLD will apply, or null with -r.
  Relocation *scanned;
};

using ThunkMap = DenseMap<const Symbol *, StaticCallThunk *>;
} // namespace

// Find the references that the final link has scanned.
static void findScanned(InputSection &sec, const ThunkMap &thunkOf,
                        bool isSynthetic, std::vector<Reference> &found) {
  for (Relocation &rel : sec.relocs()) {
    // Thunks that the linker makes are synthetic sections. To check the section
    // takes less time than a look-up.
    auto *d = dyn_cast_or_null<Defined>(rel.sym);
    if (!d || (isSynthetic && !isa_and_nonnull<SyntheticSection>(d->section)))
      continue;
    if (StaticCallThunk *thunk = thunkOf.lookup(d))
      found.push_back({&sec, thunk, rel, &rel});
  }
}

// Find references for -r, which copies the file's relocations.
static void findInFile(InputSection &sec, const ThunkMap &thunkOf,
                       std::vector<Reference> &found) {
  auto find = [&](const auto &rels) {
    for (const auto &rel : rels) {
      Symbol &sym = sec.file->getRelocTargetSym(rel);
      if (StaticCallThunk *thunk = thunkOf.lookup(&sym))
        found.push_back(
            {&sec, thunk,
             Relocation{R_NONE, rel.getType(/*isMips64EL=*/false), rel.r_offset,
                        getAddend<ELF64LE>(rel), &sym},
             nullptr});
    }
  };
  const RelsOrRelas<ELF64LE> rels = sec.relsOrRelas<ELF64LE>();
  find(rels.relas);
  find(rels.crels);
}

// Return all references, in the order of the input. First search each file's
// symbols, because searching relocations takes much longer, and most files of a
// large link refer to no thunk.
static std::vector<Reference>
findReferences(Ctx &ctx, const StaticCallMode &mode,
               ArrayRef<StaticCallThunk *> thunks) {
  ThunkMap thunkOf;
  for (StaticCallThunk *thunk : thunks)
    thunkOf[thunk->sym] = thunk;
  std::vector<std::vector<Reference>> found(ctx.objectFiles.size());
  parallelFor(0, found.size(), [&](size_t i) {
    ELFFileBase *file = ctx.objectFiles[i];
    // Compare pointers: reading the symbols would cost a cache miss each.
    if (llvm::none_of(file->getGlobalSymbols(),
                      [&](const Symbol *sym) { return thunkOf.contains(sym); }))
      return;
    for (InputSectionBase *base : file->getSections()) {
      auto *sec = dyn_cast_or_null<InputSection>(base);
      if (!sec || !sec->isLive() || !(sec->flags & SHF_ALLOC))
        continue;
      if (ctx.arg.relocatable)
        findInFile(*sec, thunkOf, found[i]);
      else
        findScanned(*sec, thunkOf, mode.makesThunks(), found[i]);
    }
  });
  std::vector<Reference> references;
  for (auto &part : found)
    references.insert(references.end(), part.begin(), part.end());
  return references;
}

// Whether the reference is the thunk pointer in a definition of the thunk's
// key, even if symbol resolution has chosen another definition.
static bool isKeyReference(Ctx &ctx, StaticCallIndex &index,
                           const Reference &ref) {
  uint64_t offset = ref.rel.offset - offsetof(static_call_key, tramp);
  const Symbol *key = ctx.symtab->find(ref.thunk->keyName());
  return key && index.isDefinition(*ref.sec, offset, *key);
}

SmallVector<StaticCallSite, 0> elf::resolveStaticCallReferences(
    Ctx &ctx, const StaticCallMode &mode, const StaticCallArch &arch,
    StaticCallIndex &index, ArrayRef<StaticCallThunk *> thunks) {
  SmallVector<StaticCallSite, 0> sites;
  for (Reference &ref : findReferences(ctx, mode, thunks)) {
    StringRef name = ref.thunk->getName();
    auto error = [&] {
      auto diag = Err(ctx);
      diag << ref.sec->getObjMsg(ref.rel.offset) << ": ";
      return diag;
    };
    if (!ref.thunk->isLive()) {
      // Reached only with -r: the final link reports the section when scanning.
      error() << "relocation refers to a symbol in a discarded section: "
              << ref.thunk->sym->getName();
      continue;
    }
    std::optional<StaticCallBranch> branch = arch.getBranch(*ref.sec, ref.rel);
    if (!branch) {
      if (mode.kernel ? !arch.isAddress(*ref.sec, ref.rel)
                      : !isKeyReference(ctx, index, ref))
        error() << "relocation " << ref.rel.type << " refers to static call '"
                << name << "', which can only be called and jumped to";
      continue;
    }
    if (branch->hasAddend) {
      error() << "branch into the middle of static call '" << name << "'";
      continue;
    }
    Symbol *to = arch.prepareBranch(ctx, *ref.thunk, *ref.sec, ref.rel);
    if (!to)
      continue;
    if (ref.scanned)
      ref.scanned->sym = to;
    if (ref.thunk->isResolved)
      sites.push_back({ref.sec, branch->offset, ref.thunk, branch->isTail});
  }
  return sites;
}
