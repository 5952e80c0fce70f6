// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that can show a part of the calls: --tid, --thread,
// --from, --to, -F, -N, --under, --min and --max.
#ifndef PATCHBAY_TOOL_CALLCHOICE_H
#define PATCHBAY_TOOL_CALLCHOICE_H

#include "Verb.h"
#include "reading/Trace.h"

namespace patchbay {

class CallChoice {
public:
  explicit CallChoice(llvm::cl::SubCommand &Command);
  /// Keeps only the selected threads, or all if none is selected, and makes
  /// readers skip other calls. Fails if there are no such threads, or if the
  /// recording lacks the necessary data.
  llvm::Error apply(Trace &T, const std::string &Dir) const;
  /// Fails if --min or --max is wrong. Needs no data.
  llvm::Error checkDurations() const {
    CallFilter None;
    return chooseDurations(None);
  }
  /// Takes the only function of -F, which then does not select calls. Empty if
  /// -F names none, or several.
  std::string takeFunction();
  /// The same for `record`, which can select only functions. Fails if other
  /// options are given.
  llvm::Expected<std::vector<std::string>> ofRecord() const;
  /// Fails if no call was selected, after all have been read.
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
