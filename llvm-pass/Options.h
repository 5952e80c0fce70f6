// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's command-line options (clang: -mllvm -patchbay-...).
#ifndef PATCHBAY_LLVM_PASS_OPTIONS_H
#define PATCHBAY_LLVM_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace patchbay {

extern llvm::cl::opt<bool> Disable;
extern llvm::cl::list<std::string> AttrListPaths;
extern llvm::cl::opt<unsigned> InstructionThreshold;
extern llvm::cl::opt<bool> IgnoreLoops;

/// Whose the entry is: in user mode the pass emits sites and records, in kernel
/// mode the NOPs of -fpatchable-function-entry and their table stay LLVM's.
enum class Mode { Auto, User, Kernel };
extern llvm::cl::opt<Mode> ModeOption;

} // namespace patchbay

#endif
