// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the output of the kernel's function_graph and function tracers: tracefs's file `trace`
// (Documentation/trace/ftrace.rst in the kernel), or the output of `trace-cmd report`.
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

/// Times are nanoseconds of the tracer's clock, and lower bounds, since the printed times
/// have fewer digits than the clock.
struct KernelEvent {
  static constexpr uint32_t NoPartner = UINT32_MAX;

  bool IsExit = false;
  uint32_t Function = 0; // index in KernelTrace::Functions
  uint32_t Caller = 0;   // for entries of the function tracer: index in
                         // KernelTrace::Functions
  uint32_t Depth = 0;
  /// Index in Events: the exit for an entry, and the entry for an exit. NoPartner for a call
  /// that did not return.
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
  uint64_t Lost = 0;        // minimum number of lost events, according to the kernel
  uint64_t Overwritten = 0; // events that newer events have overwritten, if known
  uint64_t Nameless = 0;    // ends of calls with an unknown function
  const char *NamesAdvice = ""; // how to make the kernel print names at ends of calls

  /// The times of the first and the last event. Both are 0 without events.
  std::pair<uint64_t, uint64_t> span() const;
};

/// Parses the kernel's output. Path is for messages. Fails at the first unknown line, and if the
/// output lacks times or threads.
llvm::Expected<KernelTrace> readKernelTrace(llvm::StringRef Path,
                                            llvm::StringRef Text);

/// Makes the times of events consistent: events are in order, and each call has the duration
/// that the kernel printed. Chooses the earliest consistent times, so that no time is later than
/// the real time.
void settleTimes(KernelThread &Thread);

/// Writes the trace as a recording that all verbs can read, with the kernel as its only process.
/// The directory Dir must exist. Source: name of the trace file. Realtime: the time of day minus
/// the kernel's clock, in nanoseconds; 0: unknown.
llvm::Error writeRecording(const std::string &Dir, llvm::StringRef Source,
                           const KernelTrace &Trace, int64_t Realtime);

} // namespace patchbay
