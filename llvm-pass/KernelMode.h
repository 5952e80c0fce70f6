// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel mode: the entry of a function belongs to -fpatchable-function-entry,
// and LLVM emits its NOPs and table. The slot replaces the NOPs before the
// function.
#ifndef PATCHBAY_LLVM_PASS_KERNELMODE_H
#define PATCHBAY_LLVM_PASS_KERNELMODE_H

#include "llvm/IR/PassManager.h"

namespace patchbay {

/// Whether -patchbay-mode selects kernel mode. In auto mode: whether all
/// functions that could be traced have -fpatchable-function-entry.
bool isKernelMode(const llvm::Module &M);

/// Warns if only some of a module's functions have -fpatchable-function-entry
/// and the user has not selected a mode. One attribute in the source causes
/// this, or LTO, which merges many files into one module.
void warnIfMixed(const llvm::Module &M);

/// Whether functions have NOPs before the entry, but none has any at the entry
/// (-fpatchable-function-entry=N,N). Then there is nothing to trace, and LLVM
/// makes a table of the NOPs, which a slot would replace.
bool hasOnlyPrefixes(const llvm::Module &M);

/// Removes the NOPs before functions with a slot. With kCFI also removes those
/// before other functions: their number is the distance from the entry to the
/// hash, in callees and in callers' checks, and all slots have the same
/// distance.
void dropPrefixes(llvm::Module &M);

/// Calls dropPrefixes() before the passes on IR run. If LLVM lowers kCFI checks
/// in IR it refuses functions with such NOPs, and clang 22 crashes on that.
class DropPrefixesPass : public llvm::PassInfoMixin<DropPrefixesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace patchbay

#endif
