// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoaderCalls.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// glibc's functions that look at their return address (dl_iterate_phdr(): which of the
/// loader's namespaces the caller is in).
static constexpr StringLiteral AskWhoCalled[] = {"dlsym", "dlvsym", "dlopen", "dlmopen",
                                                 "dl_iterate_phdr"};

bool patchbay::keepLoaderCalls(Module &M) {
  bool Changed = false;
  for (StringRef Name : AskWhoCalled) {
    Function *Callee = M.getFunction(Name);
    if (!Callee)
      continue;
    for (User *U : Callee->users()) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->getCalledOperand() != Callee || Call->isMustTailCall())
        continue;
      Call->setTailCallKind(CallInst::TCK_NoTail);
      Changed = true;
    }
  }
  return Changed;
}
