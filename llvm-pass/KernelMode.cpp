// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelMode.h"
#include "Diagnostics.h"
#include "Options.h"
#include "Selection.h"
#include "SlotLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

using namespace llvm;
using namespace patchbay;

namespace {

/// A module's functions by whether they have -fpatchable-function-entry.
struct EntryCensus {
  const Function *With = nullptr;    // the first one
  const Function *Without = nullptr; // the first one
  unsigned MoreWith = 0;

  explicit EntryCensus(const Module &M) {
    for (const Function &F : M) {
      // A naked function has no entry of its own in either mode, and nobody
      // was asked whether one that LLVM made up should have NOPs.
      if (F.isDeclarationForLinker() || F.hasFnAttribute(Attribute::Naked) ||
          isSynthesized(F))
        continue;
      if (!F.hasFnAttribute("patchable-function-entry"))
        Without = Without ? Without : &F;
      else if (!With)
        With = &F;
      else
        ++MoreWith;
    }
  }
};

} // namespace

bool patchbay::isKernelMode(const Module &M) {
  const Mode Asked = options().ModeOption;
  if (Asked != Mode::Auto)
    return Asked == Mode::Kernel;
  const EntryCensus Census(M);
  return Census.With && !Census.Without;
}

void patchbay::warnIfMixed(const Module &M) {
  if (options().ModeOption != Mode::Auto)
    return;
  const EntryCensus Census(M);
  if (!Census.With || !Census.Without)
    return;
  std::string Others =
      Census.MoreWith ? formatv(", as {0} more have", Census.MoreWith).str()
                      : "";
  warn(*Census.With,
       "it has -fpatchable-function-entry" + Twine(Others) + ", and '" +
           Census.Without->getName() +
           "' has not; the module is in user mode, where it gets no slot "
           "(-patchbay-mode=user or kernel says which mode is meant)");
}

bool patchbay::hasOnlyPrefixes(const Module &M) {
  return any_of(M,
                [](const Function &F) {
                  return F.hasFnAttribute("patchable-function-prefix");
                }) &&
         none_of(M, hasEntryNOPs);
}

void patchbay::dropPrefixes(Module &M) {
  const bool HasHashes = M.getModuleFlag("kcfi");
  const Function *Lost = nullptr; // the first one whose address is lost
  for (Function &F : M) {
    if (!F.hasFnAttribute("patchable-function-prefix") ||
        !(HasHashes || hasEntryNOPs(F)))
      continue;
    if (!hasEntryNOPs(F) && !isSynthesized(F) && !Lost)
      Lost = &F;
    F.removeFnAttr("patchable-function-prefix");
  }
  if (Lost)
    warn(*Lost, "with kCFI it has no NOPs before its entry, and no address in "
                "LLVM's table: others have a slot there, and hashes are at one "
                "distance in all");
}

PreservedAnalyses DropPrefixesPass::run(Module &M, ModuleAnalysisManager &) {
  const SlotLayout *Layout = findSlotLayout(M.getTargetTriple());
  if (!options().Disable && Layout && Layout->LowersKCFIInIR &&
      isKernelMode(M) && !hasOnlyPrefixes(M))
    dropPrefixes(M);
  return PreservedAnalyses::all();
}
