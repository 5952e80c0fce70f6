// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel's function_graph and function tracers have printed: the file `trace`
// of tracefs (Documentation/trace/ftrace.rst of the kernel), or of a trace.dat what
// `trace-cmd report` prints, line by line.
#ifndef PATCHBAY_TOOL_KERNELTRACE_H
#define PATCHBAY_TOOL_KERNELTRACE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// A function is known by its name alone, and by its module if it is in one.
struct KernelFunction {
  std::string Name;
  std::string Module; // empty: the kernel
};

/// Times are nanoseconds of the tracer's clock. Text has less digits than the kernel
/// had: each value is at least what is said here.
struct KernelEvent {
  static constexpr uint32_t NoPartner = UINT32_MAX;

  bool IsExit = false;
  uint32_t Function = 0; // index in KernelTrace::Functions
  uint32_t Caller = 0;   // of an entry of the tracer function, the same
  uint32_t Depth = 0;
  /// Of an entry its exit, and of an exit its entry, by index in Events. Entries have
  /// none if they did not return.
  uint32_t Partner = NoPartner;
  uint64_t Time = 0;
  /// Of exits: how long the call took, at least and at most.
  uint64_t Shortest = 0, Longest = 0;
};

struct KernelThread {
  uint32_t Tid = 0;
  std::string Name;
  /// In the order of their times.
  std::vector<KernelEvent> Events;
};

struct KernelTrace {
  enum TracerT {
    Entries,     // the tracer function
    Graph,       // function_graph: entries and exits
    Durations,   // the same with tracing_thresh: exits alone
  };
  TracerT Tracer = Graph;
  std::vector<KernelFunction> Functions;
  std::vector<KernelThread> Threads;
  uint64_t Calls = 0;       // that were read
  uint64_t Lost = 0;        // events that the kernel says it lost, at least
  uint64_t Overwritten = 0; // and those that made room for newer ones, as far as said
  uint64_t Nameless = 0;    // ends of calls that nobody knows the function of
  const char *NamesAdvice = ""; // how to have their names in the text

  /// The times of the first and the last event; both are 0 if there is none.
  std::pair<uint64_t, uint64_t> span() const;
};

/// Reads what the kernel has printed; Path is for messages. Fails at the first line
/// that it does not know, and if the text has no times or threads.
llvm::Expected<KernelTrace> readKernelTrace(llvm::StringRef Path,
                                            llvm::StringRef Text);

/// Gives all events times that agree with each other: none is before the one that it
/// comes after, and each call takes as long as the kernel says. They are the earliest
/// such times, so none is later than the kernel's own was.
void settleTimes(KernelThread &Thread);

} // namespace patchbay

#endif
