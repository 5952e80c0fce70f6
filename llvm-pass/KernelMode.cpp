// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "Pass.h"

using namespace llvm;
using namespace patchbay;

/// Returns the functions with -fpatchable-function-entry, or all others. Skips
/// synthesized and naked functions, which need not have NOPs.
static SmallVector<const Function *> functions(const Module &M, bool WithNOPs) {
  SmallVector<const Function *> Found;
  for (const Function &F : M)
    if (!F.isDeclarationForLinker() && !F.hasFnAttribute(Attribute::Naked) &&
        !isSynthesized(F) &&
        F.hasFnAttribute("patchable-function-entry") == WithNOPs)
      Found.push_back(&F);
  return Found;
}

bool patchbay::isKernelMode(const Module &M) {
  const Mode Asked = options().ModeOption;
  if (Asked != Mode::Auto)
    return Asked == Mode::Kernel;
  return !functions(M, true).empty() && functions(M, false).empty();
}

void patchbay::warnIfMixed(const Module &M) {
  const auto With = functions(M, true), Without = functions(M, false);
  if (options().ModeOption != Mode::Auto || With.empty() || Without.empty())
    return;
  std::string Others =
      With.size() > 1 ? formatv(", like {0} more", With.size() - 1).str()
                      : "";
  warn(*With.front(),
       "it has -fpatchable-function-entry" + Twine(Others) + ", but '" +
           Without.front()->getName() +
           "' has not: the module is in user mode, where only functions "
           "without it get a slot; select -patchbay-mode=user or kernel");
}

bool patchbay::hasOnlyPrefixes(const Module &M) {
  return none_of(M, hasEntryNOPs) && any_of(M, [](const Function &F) {
           return F.hasFnAttribute("patchable-function-prefix");
         });
}

void patchbay::dropPrefixes(Module &M) {
  const bool HasHashes = M.getModuleFlag("kcfi");
  const Function *Lost = nullptr; // the first that LLVM's table would lose
  for (Function &F : M) {
    if (!F.hasFnAttribute("patchable-function-prefix") ||
        !(HasHashes || hasEntryNOPs(F)))
      continue;
    if (!hasEntryNOPs(F) && !isSynthesized(F) && !Lost)
      Lost = &F;
    F.removeFnAttr("patchable-function-prefix");
  }
  if (Lost)
    warn(*Lost, "with kCFI it loses the NOPs before its entry, and LLVM's table "
                "does not list it: all hashes need the same distance from the "
                "entry");
}

PreservedAnalyses DropPrefixesPass::run(Module &M, ModuleAnalysisManager &) {
  const SlotLayout *Layout = findSlotLayout(M.getTargetTriple());
  if (!options().Disable && Layout && Layout->LowersKCFIInIR &&
      isKernelMode(M) && !hasOnlyPrefixes(M))
    dropPrefixes(M);
  return PreservedAnalyses::all();
}
