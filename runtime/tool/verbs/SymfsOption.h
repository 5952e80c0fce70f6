// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --symfs, of verbs that show names of functions in a recording.
#ifndef PATCHBAY_TOOL_SYMFSOPTION_H
#define PATCHBAY_TOOL_SYMFSOPTION_H

#include "Verb.h"

namespace patchbay {

struct SymfsOption : llvm::cl::opt<std::string> {
  explicit SymfsOption(llvm::cl::SubCommand &Command)
      : opt("symfs", llvm::cl::value_desc("DIR"), llvm::cl::sub(Command),
            llvm::cl::cat(ToolOptions),
            llvm::cl::desc("Look for the files that were traced, and for what "
                           "was stripped from them, below this directory")) {}
};

} // namespace patchbay

#endif
