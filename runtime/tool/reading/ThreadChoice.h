// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that can be of some threads only: --tid and --thread.
#ifndef PATCHBAY_TOOL_THREADCHOICE_H
#define PATCHBAY_TOOL_THREADCHOICE_H

#include "Trace.h"
#include "verbs/Verb.h"

namespace patchbay {

class ThreadChoice {
public:
  explicit ThreadChoice(llvm::cl::SubCommand &Command);
  /// Leaves the threads that were asked for, all if none was. Fails if there
  /// are none, or if calls were counted without regard to threads.
  llvm::Error apply(Trace &T, const std::string &Dir) const;

private:
  llvm::cl::list<unsigned> Tids;
  llvm::cl::list<std::string> Names;
};

} // namespace patchbay

#endif
