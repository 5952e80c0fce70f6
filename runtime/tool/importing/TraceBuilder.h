// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common parts of kernel trace formats: times, tasks, functions, and the
// columns of function_graph.
#pragma once

#include "KernelTrace.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace patchbay {

/// "12.345678", or with all digits of nanoseconds.
std::optional<uint64_t> readTime(llvm::StringRef Text);

/// The number in "comm-4711". The comm may contain anything.
std::optional<uint32_t> taskId(llvm::StringRef Task);

/// "  comm-4711    [000] d..2.   12.345678: what happened"
struct TaskLine {
  llvm::StringRef Task;
  unsigned Cpu = 0;
  uint64_t Time = 0;
  llvm::StringRef What;

  static std::optional<TaskLine> read(llvm::StringRef Line);
};

/// Resolution of the kernel's printed times.
constexpr uint64_t PrintedNs = 1000;

/// Makes calls of the lines of one thread, in order: matches exits with entries. Each line adds an event. finish() adds
/// missing entries.
class KernelCalls {
public:
  void enter(uint32_t Function, uint32_t Depth, uint64_t Time);
  /// Function: nothing if the line does not name it. Returns false, and adds
  /// nothing, if no entry tells the function, either.
  bool leave(std::optional<uint32_t> Function, uint32_t Depth, uint64_t Time,
             uint64_t Shortest, uint64_t Longest);
  /// All events, with their partners.
  std::vector<KernelEvent> finish() const;

private:
  std::vector<KernelEvent> Lines;
  std::vector<uint32_t> Open; // entries without an exit so far, by increasing
                              // depth
};

/// Makes a trace from the contents of lines, in their order.
class TraceBuilder {
public:
  KernelTrace Out; // callers set what the text says about itself; finish() adds
                   // the rest

  /// "name();", "name() {", "} /* name */", or "}", after as many spaces as its
  /// depth. Returns false if it is none of these.
  bool addGraphCall(llvm::StringRef Task, unsigned Cpu, uint64_t Time,
                    llvm::StringRef Duration, llvm::StringRef Call);
  /// An entry of the tracer function.
  void addEntry(const TaskLine &Line, llvm::StringRef Function,
                llvm::StringRef Caller);
  /// "CPU:1 [LOST 34 EVENTS]", or without a number; trace-cmd says "dropped".
  /// Returns false for other lines.
  bool addLoss(llvm::StringRef Line);

  KernelTrace finish();

private:
  size_t thread(llvm::StringRef Task, unsigned Cpu);
  uint32_t function(llvm::StringRef Symbol);

  std::vector<KernelCalls> Calls; // by thread
  bool HasEntries = false;
  std::map<std::pair<uint32_t, unsigned>, size_t> Threads; // by tid; tid 0 also
                                                           // by CPU
  llvm::StringMap<uint32_t> Functions;
};

bool isTraceCmdReport(llvm::StringRef Text);
/// Parses the output of `trace-cmd report` for a trace.dat. It prints calls of
/// function_graph as the kernel does, after a prefix that all events have. Fails at the
/// first unknown line. Ignores events other than calls.
llvm::Expected<KernelTrace> readTraceCmdReport(llvm::StringRef Path, llvm::StringRef Text);

} // namespace patchbay
