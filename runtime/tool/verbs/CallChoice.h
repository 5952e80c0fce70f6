// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that can show a part of the calls: --tid, --thread,
// --from, --to, -F, -N, --under, --min and --max. Includes --symfs.
#pragma once

#include "Verb.h"
#include "reading/Trace.h"

namespace patchbay {

class CallChoice {
public:
  explicit CallChoice(OptionTable &Table);
  /// Opens a recording, and prints to stderr what it lacks. Keeps only the selected
  /// threads, or all if none is selected, and makes readers skip calls that are not
  /// selected. Fails if no thread matches, or if the recording lacks the necessary data.
  llvm::Expected<Trace> open(const std::string &Dir) const;
  /// Like open(). Also fails if no events were recorded.
  llvm::Expected<Trace> openEvents(const std::string &Dir) const;
  /// Fails if --max is less than --min. Does not read the recording.
  llvm::Error checkDurations() const;
  /// Removes and returns the function of -F, if it is the only one. Then -F
  /// does not select calls. Returns "" if -F names no function, or several.
  std::string takeFunction();
  /// The options to pass to `record`, which can select only functions. Fails if
  /// other options are given.
  llvm::Expected<std::vector<std::string>> ofRecord() const;
  /// Call this after all calls have been read. Fails if none was selected.
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
