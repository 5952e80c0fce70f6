// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a process that runs: of what it records already, or of a recording that goes
// on for as long as this lives.
#ifndef PATCHBAY_TOOL_LIVEFIGURES_H
#define PATCHBAY_TOOL_LIVEFIGURES_H

#include "Figures.h"

namespace patchbay {

class LiveFigures {
public:
  /// Options: of `record`, which chooses functions, if the process is not recorded.
  /// What `record` cannot do it says itself, on stderr.
  static llvm::Expected<std::unique_ptr<LiveFigures>>
  begin(int Pid, llvm::ArrayRef<std::string> Options);
  ~LiveFigures();
  /// What has happened since the last time; false: the process is recorded no more.
  llvm::Expected<bool> read(Figures &To);

private:
  explicit LiveFigures(int Pid) : Pid(Pid) {}
  llvm::Error startRecording(llvm::ArrayRef<std::string> Options);
  llvm::Error findFile();
  void addCounts(Figures &To);
  void addEvents(Figures &To, uint64_t From);

  int Pid;
  int File = -1;       // of its data
  int Recorder = -1;   // the command that records; -1: somebody else's does
  std::string Folder;  // of that
  std::string Path;    // of File, where the process is
  uint64_t Last = 0;   // CLOCK_MONOTONIC, when figures were read
  TracedNames Names;   // looked up once
  std::map<FunctionKey, FunctionDurations> Before;
  std::map<FunctionKey, uint64_t> AllCalls;
};

} // namespace patchbay

#endif
