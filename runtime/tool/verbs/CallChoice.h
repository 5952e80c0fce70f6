// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that select calls of a recording: --tid, --thread, --from, --to, -F,
// -N, --under, --min and --max. Also has --symfs.
#pragma once

#include "Verb.h"
#include "reading/Trace.h"

namespace patchbay {

class CallChoice {
public:
  explicit CallChoice(OptionTable &Table);
  /// Opens a recording, and prints messages about missing data to stderr. Keeps only the
  /// selected threads; without --tid and --thread, all threads. Makes readers skip calls
  /// that are not selected. Fails if no thread matches, or if the recording lacks data that
  /// an option needs.
  llvm::Expected<Trace> open(const std::string &Dir) const;
  /// Like open(). Also fails if no events were recorded.
  llvm::Expected<Trace> openEvents(const std::string &Dir) const;
  /// Fails if --max is less than --min. Must be called before open().
  llvm::Error checkDurations() const;
  /// If -F names one function, removes the function from -F and returns it, so that -F
  /// does not select calls. Otherwise returns "".
  std::string takeFunction();
  /// The options for `record`, which can select only functions. Fails if an option that
  /// `record` lacks is given.
  llvm::Expected<std::vector<std::string>> ofRecord() const;
  /// Must be called after all calls have been read. Fails if no call was selected.
  static llvm::Error checkFound(const Trace &T, const std::string &Dir);
  /// Like checkFound(). First prints how calls ended.
  static llvm::Error finish(Trace &T, const std::string &Dir);

private:
  llvm::Error apply(Trace &T, const std::string &Dir) const;
  llvm::Error chooseThreads(Trace &T, const std::string &Dir) const;
  llvm::Error chooseTimes(Trace &T, const std::string &Dir) const;
  llvm::Error checkKnown(const Trace &T, const std::string &Dir) const;

  StringsOption Functions, Others, Under, Threads;
  NumbersOption Tids;
  StringOption From, To;
  DurationOption Shortest, Longest;
  FlagOption Raw;
  SymfsOption Symfs;
};

} // namespace patchbay
