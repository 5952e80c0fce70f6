// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a running process: of its present recording, or of one that lasts
// as long as this object.
#pragma once

#include "Figures.h"

namespace patchbay {

class LiveFigures {
public:
  /// Options: for `record`, to select functions, if the process is not
  /// recorded. `record` prints its own errors to stderr.
  static llvm::Expected<std::unique_ptr<LiveFigures>>
  begin(int Pid, llvm::ArrayRef<std::string> Options);
  ~LiveFigures();
  /// Reads new data; false: the process is not recorded any more.
  llvm::Expected<bool> read(Figures &To);

private:
  explicit LiveFigures(int Pid) : Pid(Pid) {}
  llvm::Error startRecording(llvm::ArrayRef<std::string> Options);
  llvm::Error findFile();
  void addCounts(Figures &To);
  void addEvents(Figures &To, uint64_t From);

  int Pid;
  Descriptor File;     // of its data
  int Recorder = -1;   // the recording command; -1: another user's command
  std::string Folder;  // of that command
  std::string Path;    // File's path in the process
  uint64_t Last = 0;   // CLOCK_MONOTONIC of the last reading
  TracedNames Names;   // looked up once
  std::map<FunctionKey, FunctionDurations> Before;
  std::map<FunctionKey, uint64_t> AllCalls;
};

} // namespace patchbay
