// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the output of the kernel's function_graph and function tracers: the file
// `trace` of tracefs (Documentation/trace/ftrace.rst in the kernel), or the output of
// `trace-cmd report`.
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// A kernel function, identified by its name and module.
struct KernelFunction {
  std::string Name;
  std::string Module; // empty: built into the kernel
};

/// Times are nanoseconds of the tracer's clock. The text has fewer digits than the
/// kernel's clock, so the values here are lower bounds.
struct KernelEvent {
  static constexpr uint32_t NoPartner = UINT32_MAX;

  bool IsExit = false;
  uint32_t Function = 0; // index in KernelTrace::Functions
  uint32_t Caller = 0;   // for entries of the function tracer: index in
                         // KernelTrace::Functions
  uint32_t Depth = 0;
  /// Index in Events: for an entry, its exit, and for an exit, its entry. NoPartner for
  /// a call that did not return.
  uint32_t Partner = NoPartner;
  uint64_t Time = 0;
  /// For exits: the least and the greatest possible duration of the call.
  uint64_t Shortest = 0, Longest = 0;
};

struct KernelThread {
  uint32_t Tid = 0;
  std::string Name;
  /// Sorted by time.
  std::vector<KernelEvent> Events;
};

struct KernelTrace {
  enum TracerT {
    Entries,     // the function tracer: entries only
    Graph,       // function_graph: entries and exits
    Durations,   // function_graph with tracing_thresh: exits only
  };
  TracerT Tracer = Graph;
  std::vector<KernelFunction> Functions;
  std::vector<KernelThread> Threads;
  uint64_t Calls = 0;       // number of calls read
  uint64_t Lost = 0;        // lost events according to the kernel, at least
  uint64_t Overwritten = 0; // events that newer ones have overwritten, as far as known
  uint64_t Nameless = 0;    // ends of calls with an unknown function
  const char *NamesAdvice = ""; // how to make the kernel print those names

  /// The times of the first and the last event. Both are 0 without events.
  std::pair<uint64_t, uint64_t> span() const;
};

/// Parses the kernel's output. Path is for messages. Fails at the first unknown line,
/// and if the text has no times or no threads.
llvm::Expected<KernelTrace> readKernelTrace(llvm::StringRef Path,
                                            llvm::StringRef Text);

/// Makes the times of events consistent: events are in order, and each call has the
/// duration that the kernel printed. Chooses the earliest consistent times, so that no
/// time is later than the real one.
void settleTimes(KernelThread &Thread);

/// Writes the trace like a recording by `patchbay record`, so that all verbs can read it:
/// the data file of one process, the kernel, and the names of its functions. The directory
/// Dir must exist. Source: the name of the text. Realtime: the difference in nanoseconds of
/// the time of day and the kernel's clock; 0: unknown.
llvm::Error writeRecording(const std::string &Dir, llvm::StringRef Source,
                           const KernelTrace &Trace, int64_t Realtime);

} // namespace patchbay
