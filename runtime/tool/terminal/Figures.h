// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data for `patchbay tui`: of a recording, or of the last seconds of a running process.
#pragma once

#include "analysis/CallTree.h"
#include "names/ShortNames.h"
#include "showing/ReportTable.h"
#include "support/PlainText.h"

namespace patchbay {

/// Identifies a function when a growing recording is read again.
using FunctionKey = std::pair<std::string, uint64_t>; // module and address

struct Figures {
  std::string Title;
  std::unique_ptr<Trace> T;
  std::vector<FunctionDurations> Functions; // indexed like T->Functions
  CallTree Tree;
  /// For a process: the number of seconds that Functions and Tree cover; 0: the whole
  /// recording. AllCalls also counts earlier calls.
  double Seconds = 0;
  std::vector<uint64_t> AllCalls; // indexed like Functions
  std::string Note;               // a message about missing data

  /// Must be called after all data was read, since reading finds more functions.
  void readNames() {
    std::vector<std::string> All;
    for (const TraceFunction &Function : T->Functions)
      All.push_back(printable(Function.Name));
    Names.set(std::move(All));
  }
  /// A unique form of the function's name, of at most Width columns.
  const std::string &nameIn(uint32_t Function, size_t Width) const {
    return Names.fit(Function, Width);
  }

  FunctionKey key(uint32_t Function) const {
    return {T->Functions[Function].Module, T->Functions[Function].Entry};
  }
  bool hasTree() const { return Tree.size() > 1; }
  std::string sourceOf(uint32_t Function) const {
    return Sources.of(*T, T->Functions[Function]);
  }

private:
  mutable ShortNames Names; // names of T->Functions
  mutable SourceLines Sources;
};

/// Figures of a running process. Uses the process's current recording or, if it is not recorded,
/// starts a recording that ends with this object.
class LiveFigures {
public:
  /// Options: passed to `record` if the process is not recorded yet. `record` prints its own
  /// errors to stderr.
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
  int Recorder = -1;   // process ID of the started `record`; -1: another command records
  std::string Folder;  // output directory of the started `record`
  std::string Path;    // path of File in the process
  uint64_t Last = 0;   // time of the last reading, by CLOCK_MONOTONIC
  TracedNames Names;   // a cache, so that names are looked up once
  std::map<FunctionKey, FunctionDurations> Before;
  std::map<FunctionKey, uint64_t> AllCalls;
};

} // namespace patchbay
