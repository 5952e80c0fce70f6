// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a running process: of its present recording or, if there is none,
// of a recording that ends with this object.
#pragma once

#include "Figures.h"

namespace patchbay {

class LiveFigures {
public:
  /// Options: passed to `record` to select functions, if the process is not
  /// recorded yet. `record` prints its own errors to stderr.
  static llvm::Expected<std::unique_ptr<LiveFigures>>
  begin(int Pid, llvm::ArrayRef<std::string> Options);
  ~LiveFigures();
  /// Reads new data. Returns false if the process is no longer recorded.
  llvm::Expected<bool> read(Figures &To);

private:
  explicit LiveFigures(int Pid) : Pid(Pid) {}
  llvm::Error startRecording(llvm::ArrayRef<std::string> Options);
  llvm::Error findFile();
  void addCounts(Figures &To);
  void addEvents(Figures &To, uint64_t From);

  int Pid;
  Descriptor File;     // the process's data file
  int Recorder = -1;   // process ID of our recording command; -1: another
                       // command records
  std::string Folder;  // output directory of our recording command
  std::string Path;    // path of File in the process
  uint64_t Last = 0;   // time of the last reading, by CLOCK_MONOTONIC
  TracedNames Names;   // kept, so that names are looked up once
  std::map<FunctionKey, FunctionDurations> Before;
  std::map<FunctionKey, uint64_t> AllCalls;
};

} // namespace patchbay
