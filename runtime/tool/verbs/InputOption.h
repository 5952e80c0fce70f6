// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording that a verb reads: -i DIR, as with perf, or DIR without -i.
#ifndef PATCHBAY_TOOL_INPUTOPTION_H
#define PATCHBAY_TOOL_INPUTOPTION_H

#include "Verb.h"
#include "recording/OutputDir.h"

namespace patchbay {

class InputOption {
public:
  explicit InputOption(llvm::cl::SubCommand &Command)
      : Alone(llvm::cl::Positional, llvm::cl::desc("[DIR]"), llvm::cl::sub(Command),
              llvm::cl::cat(ToolOptions)),
        Named("i", llvm::cl::Prefix, llvm::cl::value_desc("DIR"),
              llvm::cl::sub(Command), llvm::cl::cat(ToolOptions),
              llvm::cl::desc("Read DIR or a .pbd file (default: patchbay.data)")),
        Long("input", llvm::cl::desc("Same as -i"), llvm::cl::aliasopt(Named),
             llvm::cl::NotHidden, llvm::cl::cat(ToolOptions)) {}

  bool isGiven() const { return Alone.getNumOccurrences() || Named.getNumOccurrences(); }
  llvm::Expected<std::string> get() const {
    if (!Named.empty() && !Alone.empty())
      return makeError(Usage, "two recordings are given: use DIR or -i DIR, not both");
    if (!Named.empty())
      return Named.getValue();
    return Alone.empty() ? std::string(DefaultDataDir) : Alone.getValue();
  }

private:
  llvm::cl::opt<std::string> Alone, Named;
  llvm::cl::alias Long;
};

} // namespace patchbay

#endif
