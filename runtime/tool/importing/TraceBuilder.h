// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the texts of a kernel's trace have in common, whoever has printed them: times,
// tasks, functions, and the columns of function_graph.
#ifndef PATCHBAY_TOOL_TRACEBUILDER_H
#define PATCHBAY_TOOL_TRACEBUILDER_H

#include "KernelCalls.h"
#include "KernelTrace.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace patchbay {

/// "12.345678", or with all digits of nanoseconds.
std::optional<uint64_t> readTime(llvm::StringRef Text);

/// The number in "comm-4711", whose comm may have anything in it.
std::optional<uint32_t> taskId(llvm::StringRef Task);

/// "  comm-4711    [000] d..2.   12.345678: what happened"
struct TaskLine {
  llvm::StringRef Task;
  unsigned Cpu = 0;
  uint64_t Time = 0;
  llvm::StringRef What;

  static std::optional<TaskLine> read(llvm::StringRef Line);
};

/// Is given what lines say, in their order, and makes a trace of it.
class TraceBuilder {
public:
  KernelTrace Out; // what the text says of itself; the rest is for finish()

  /// "name();", "name() {", "} /* name */", or "}", behind as many spaces as it is
  /// deep. Returns false if it is none of these.
  bool addGraphCall(llvm::StringRef Task, unsigned Cpu, uint64_t Time,
                    llvm::StringRef Duration, llvm::StringRef Call);
  /// Of the tracer function.
  void addEntry(const TaskLine &Line, llvm::StringRef Function,
                llvm::StringRef Caller);
  /// "CPU:1 [LOST 34 EVENTS]", or without a number; trace-cmd calls them dropped.
  /// Returns false if that is not what the line says.
  bool addLoss(llvm::StringRef Line);

  KernelTrace finish();

private:
  size_t thread(llvm::StringRef Task, unsigned Cpu);
  uint32_t function(llvm::StringRef Symbol);

  std::vector<KernelCalls> Calls; // by thread
  bool HasEntries = false;
  std::map<std::pair<uint32_t, unsigned>, size_t> Threads; // by tid, and CPU of tid 0
  llvm::StringMap<uint32_t> Functions;
};

} // namespace patchbay

#endif
