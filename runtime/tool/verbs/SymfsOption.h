// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --symfs, for verbs that show function names of a recording.
#ifndef PATCHBAY_TOOL_SYMFSOPTION_H
#define PATCHBAY_TOOL_SYMFSOPTION_H

#include "Verb.h"

namespace patchbay {

struct SymfsOption : llvm::cl::opt<std::string> {
  explicit SymfsOption(llvm::cl::SubCommand &Command)
      : opt("symfs", llvm::cl::value_desc("DIR"), llvm::cl::sub(Command),
            llvm::cl::cat(ToolOptions),
            llvm::cl::desc("Search traced files and their debug files below DIR")) {}
};

} // namespace patchbay

#endif
