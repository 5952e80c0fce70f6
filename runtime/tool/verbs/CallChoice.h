// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of verbs that can show a part of the calls: --tid, --thread,
// --from, --to, -F, -N, --under, --min and --max. With these is --symfs.
#pragma once

#include "SymfsOption.h"
#include "reading/Trace.h"

namespace patchbay {

class CallChoice {
public:
  explicit CallChoice(OptionTable &Table);
  /// Opens a recording, and says on stderr what it lacks. Keeps only the selected threads,
  /// or all if none is selected, and makes readers skip other calls. Fails if there are no
  /// such threads, or if the recording lacks the necessary data.
  llvm::Expected<Trace> open(const std::string &Dir) const;
  /// The same. Fails if no events were recorded.
  llvm::Expected<Trace> openEvents(const std::string &Dir) const;
  /// Fails if --max is less than --min. Needs no data.
  llvm::Error checkDurations() const;
  /// Takes the only function of -F, which then does not select calls. Empty if
  /// -F names none, or several.
  std::string takeFunction();
  /// The same for `record`, which can select only functions. Fails if other
  /// options are given.
  llvm::Expected<std::vector<std::string>> ofRecord() const;
  /// Fails if no call was selected, after all have been read.
  static llvm::Error checkFound(const Trace &T, const std::string &Dir);
  /// The same. Says first how calls ended.
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
