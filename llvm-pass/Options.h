// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's options, which are LLVM's: -patchbay-... to llc and, with
// -Xclang -mllvm -Xclang before it, to clang. The README says why this way.
#ifndef PATCHBAY_LLVM_PASS_OPTIONS_H
#define PATCHBAY_LLVM_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace patchbay {

/// Whose the entry is: in user mode the pass emits sites and records, in kernel
/// mode the NOPs of -fpatchable-function-entry and their table stay LLVM's.
enum class Mode { Auto, User, Kernel };

struct Options {
  llvm::cl::OptionCategory Category;
  llvm::cl::opt<bool> Disable;
  llvm::cl::opt<Mode> ModeOption;
  llvm::cl::list<std::string> AttrListPaths;
  llvm::cl::opt<unsigned> InstructionThreshold;
  llvm::cl::opt<bool> IgnoreLoops;
  llvm::cl::opt<bool> Require;
  llvm::cl::opt<bool> ZeroSites;

  Options();
};

/// The option by which a copy of the plugin knows that another is there.
inline constexpr char DisableName[] = "patchbay-disable";

/// Makes LLVM know the options when it is called first: they are no globals,
/// because LLVM dies of two options of one name, and the plugin may be loaded
/// from two files.
const Options &options();

} // namespace patchbay

#endif
