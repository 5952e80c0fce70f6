// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers that several kernel trace formats share: times, tasks, functions, and the columns of
// function_graph.
#pragma once

#include "KernelTrace.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace patchbay {

/// Reads "12.345678", or a time with all nine digits of nanoseconds.
std::optional<uint64_t> readTime(llvm::StringRef Text);

/// Reads the number in "comm-4711". The name before it may contain anything.
std::optional<uint32_t> taskId(llvm::StringRef Task);

/// A line such as "  comm-4711    [000] d..2.   12.345678: what happened".
struct TaskLine {
  llvm::StringRef Task;
  unsigned Cpu = 0;
  uint64_t Time = 0;
  llvm::StringRef What;

  static std::optional<TaskLine> read(llvm::StringRef Line);
};

/// Resolution of the kernel's printed times.
constexpr uint64_t PrintedNs = 1000;

/// Matches exits with entries of one thread. Lines must be added in order. finish() adds missing
/// entries.
class KernelCalls {
public:
  void enter(uint32_t Function, uint32_t Depth, uint64_t Time);
  /// Adds an exit. Function: std::nullopt if the line lacks it. Returns false, and adds nothing,
  /// if the exit also has no entry.
  bool leave(std::optional<uint32_t> Function, uint32_t Depth, uint64_t Time,
             uint64_t Shortest, uint64_t Longest);
  /// Returns all events, with their partners.
  std::vector<KernelEvent> finish() const;

private:
  std::vector<KernelEvent> Lines;
  std::vector<uint32_t> Open; // entries without an exit so far, sorted by depth
};

/// Builds a trace from the contents of lines. Lines must be added in order.
class TraceBuilder {
public:
  KernelTrace Out; // callers set the data of the heading; finish() adds the rest

  /// Adds "name();", "name() {", "} /* name */", or "}", indented by the depth. Returns false
  /// for other contents.
  bool addGraphCall(llvm::StringRef Task, unsigned Cpu, uint64_t Time,
                    llvm::StringRef Duration, llvm::StringRef Call);
  /// Adds an entry of the function tracer.
  void addEntry(const TaskLine &Line, llvm::StringRef Function,
                llvm::StringRef Caller);
  /// Adds "CPU:1 [LOST 34 EVENTS]", with or without the number, or trace-cmd's line with
  /// "dropped". Returns false for other lines.
  bool addLoss(llvm::StringRef Line);

  KernelTrace finish();

private:
  size_t thread(llvm::StringRef Task, unsigned Cpu);
  uint32_t function(llvm::StringRef Symbol);

  std::vector<KernelCalls> Calls; // indexed by thread
  bool HasEntries = false;
  std::map<std::pair<uint32_t, unsigned>, size_t> Threads; // by tid; tid 0 also by CPU
  llvm::StringMap<uint32_t> Functions;
};

bool isTraceCmdReport(llvm::StringRef Text);
/// Parses the output of `trace-cmd report`. trace-cmd prints calls of function_graph as the
/// kernel does, after the prefix of all events. Fails at the first unknown line. Ignores events
/// other than calls.
llvm::Expected<KernelTrace> readTraceCmdReport(llvm::StringRef Path, llvm::StringRef Text);

} // namespace patchbay
