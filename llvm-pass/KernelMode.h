// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel mode: the entry of functions belongs to -fpatchable-function-entry,
// whose NOPs and table stay LLVM's, and the slot takes the place of the NOPs
// before it.
#ifndef PATCHBAY_LLVM_PASS_KERNELMODE_H
#define PATCHBAY_LLVM_PASS_KERNELMODE_H

#include "llvm/IR/PassManager.h"

namespace patchbay {

/// What -patchbay-mode says. If it leaves that to us, whether all functions
/// that could be traced have -fpatchable-function-entry.
bool isKernelMode(const llvm::Module &M);

/// Warns if some of a module's functions have -fpatchable-function-entry and
/// others do not, and nobody has said which mode is meant. One attribute in the
/// source makes a module so, or LTO, which makes one module of many files.
void warnIfMixed(const llvm::Module &M);

/// Whether functions have NOPs before, but none has any at the entry
/// (-fpatchable-function-entry=N,N). There is nothing to trace then, and LLVM
/// makes the table for the NOPs before, which a slot would replace.
bool hasOnlyPrefixes(const llvm::Module &M);

/// Takes the NOPs before functions with a slot away. With kCFI also those before
/// others: their number is a distance to the hash, in callees and in what callers
/// check, and the slot has one distance for all.
void dropPrefixes(llvm::Module &M);

/// Does so before the passes on IR run. Where LLVM lowers kCFI checks in IR it
/// refuses functions with such NOPs, and clang 22 crashes on the refusal.
class DropPrefixesPass : public llvm::PassInfoMixin<DropPrefixesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace patchbay

#endif
