// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelMode.h"
#include "Options.h"
#include "SlotLayout.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace patchbay;

bool patchbay::isKernelMode(const Module &M) {
  const Mode Asked = options().ModeOption;
  if (Asked != Mode::Auto)
    return Asked == Mode::Kernel;
  return any_of(M, [](const Function &F) {
    return F.hasFnAttribute("patchable-function-entry");
  });
}

bool patchbay::hasOnlyPrefixes(const Module &M) {
  return any_of(M,
                [](const Function &F) {
                  return F.hasFnAttribute("patchable-function-prefix");
                }) &&
         none_of(M, [](const Function &F) {
           return F.getFnAttributeAsParsedInteger("patchable-function-entry");
         });
}

void patchbay::dropPrefixes(Module &M) {
  for (Function &F : M)
    F.removeFnAttr("patchable-function-prefix");
}

PreservedAnalyses DropPrefixesPass::run(Module &M, ModuleAnalysisManager &) {
  const SlotLayout *Layout = findSlotLayout(M.getTargetTriple());
  if (!options().Disable && Layout && Layout->LowersKCFIInIR &&
      isKernelMode(M) && !hasOnlyPrefixes(M))
    dropPrefixes(M);
  return PreservedAnalyses::all();
}
