// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the output of the kernel's function_graph and function tracers. That is
// the file `trace` of tracefs (the kernel's Documentation/trace/ftrace.rst), or
// the output of `trace-cmd report`.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// A function is identified by its name and, if it is in one, its module.
struct KernelFunction {
  std::string Name;
  std::string Module; // empty: the kernel
};

/// Times are nanoseconds of the tracer's clock. The text has fewer digits than
/// the kernel had, so values here are lower bounds.
struct KernelEvent {
  static constexpr uint32_t NoPartner = UINT32_MAX;

  bool IsExit = false;
  uint32_t Function = 0; // index in KernelTrace::Functions
  uint32_t Caller = 0;   // of an entry of the tracer function: an index, too
  uint32_t Depth = 0;
  /// The index in Events of the exit for an entry, and of the entry for an
  /// exit. Entries of calls that did not return have none.
  uint32_t Partner = NoPartner;
  uint64_t Time = 0;
  /// For exits: the least and the greatest possible duration of the call.
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
    Entries,     // the function tracer: entries only
    Graph,       // function_graph: entries and exits
    Durations,   // the same with tracing_thresh: exits only
  };
  TracerT Tracer = Graph;
  std::vector<KernelFunction> Functions;
  std::vector<KernelThread> Threads;
  uint64_t Calls = 0;       // calls that were read
  uint64_t Lost = 0;        // lost events, at least, according to the kernel
  uint64_t Overwritten = 0; // events that newer ones replaced, as far as known
  uint64_t Nameless = 0;    // ends of calls with an unknown function
  const char *NamesAdvice = ""; // how to get their names into the text

  /// The times of the first and the last event. Both are 0 without events.
  std::pair<uint64_t, uint64_t> span() const;
};

/// Parses the kernel's output. Path is for messages. Fails at the first unknown
/// line, and if the text has no times or threads.
llvm::Expected<KernelTrace> readKernelTrace(llvm::StringRef Path,
                                            llvm::StringRef Text);

/// Makes the times of events consistent: no event precedes the one before it, and each
/// call has the duration that the kernel printed. Chooses the earliest consistent times,
/// so none is later than the real time.
void settleTimes(KernelThread &Thread);

/// Writes it like a recording of a process by `patchbay record`, so that all verbs can read
/// it: the data file of one process, the kernel, and the names of functions, into the
/// existing directory Dir. Source: the name of the text. Realtime: the nanoseconds by
/// which the time of day was ahead of the kernel's clock; 0: unknown.
llvm::Error writeRecording(const std::string &Dir, llvm::StringRef Source,
                           const KernelTrace &Trace, int64_t Realtime);

} // namespace patchbay
