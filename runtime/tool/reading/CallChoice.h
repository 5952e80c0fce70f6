// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that can be of some calls only: --tid, --thread, --from, --to,
// -F, -N, --under, --min and --max.
#ifndef PATCHBAY_TOOL_CALLCHOICE_H
#define PATCHBAY_TOOL_CALLCHOICE_H

#include "Trace.h"
#include "verbs/Verb.h"

namespace patchbay {

class CallChoice {
public:
  explicit CallChoice(llvm::cl::SubCommand &Command);
  /// Leaves the threads that were asked for, all if none was, and has other calls
  /// left out when they are read. Fails if there are no such threads, or if what is
  /// asked for is not known of these calls.
  llvm::Error apply(Trace &T, const std::string &Dir) const;
  /// Fails if --min or --max is wrong, which is known before anything is read.
  llvm::Error checkDurations() const {
    CallFilter None;
    return chooseDurations(None);
  }
  /// The function that -F names alone, which is no choice of calls then; empty if it names
  /// none, or several.
  std::string takeFunction();
  /// The same for `record`, which can choose functions only; fails if something else is
  /// asked for.
  llvm::Expected<std::vector<std::string>> ofRecord() const;
  /// Fails if no call was chosen, when all have been read.
  static llvm::Error checkFound(const Trace &T, const std::string &Dir);

private:
  llvm::Error chooseThreads(Trace &T, const std::string &Dir) const;
  llvm::Error chooseTimes(Trace &T, const std::string &Dir) const;
  llvm::Error chooseDurations(CallFilter &To) const;
  llvm::Error checkKnown(const Trace &T, const std::string &Dir) const;

  llvm::cl::list<unsigned> Tids;
  llvm::cl::list<std::string> Threads;
  llvm::cl::opt<std::string> From, To;
  llvm::cl::list<std::string> Functions, Others;
  llvm::cl::alias FunctionsLong, OthersLong;
  llvm::cl::list<std::string> Under;
  llvm::cl::opt<std::string> Shortest, Longest;
  llvm::cl::opt<bool> Raw;
};

} // namespace patchbay

#endif
