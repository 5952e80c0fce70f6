// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a recording as people look at them: calls with names, in
// nanoseconds, and which call is within which other.
#ifndef PATCHBAY_TOOL_TRACE_H
#define PATCHBAY_TOOL_TRACE_H

#include "DataFile.h"
#include "TracedNames.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

struct TraceFunction {
  std::string Name;
  std::string CommonName; // to other builds of the program: see commonName()
  std::string Module;     // path
  std::string BuildId;
  uint64_t Entry; // ELF address
};

struct TraceCall {
  static constexpr uint32_t NoParent = UINT32_MAX;
  enum KindT : uint8_t {
    Returned,
    Unwound,    // left by an exception
    Jumped,     // left by longjmp()
    Unfinished, // an entry without an exit, where exits are recorded
    Entry,      // an entry, where exits are not
  };

  uint64_t Start;    // in ns, CLOCK_MONOTONIC
  /// In ns; 0 of entries. Of a call that was not seen to return it is what is
  /// known: until the recording ended, if it was open then, else until the last
  /// that was seen of it.
  uint64_t Duration;
  uint64_t Asleep;   // in ns: what Duration leaves out
  uint64_t Caller;   // run-time return address of entries, else 0
  uint32_t Function; // in Trace::Functions
  uint32_t Parent;   // in TraceThread::Calls, NoParent if it is not recorded
  uint32_t Depth;    // how many of the recorded calls it is in
  uint32_t Values;   // behind those in TraceThread::Values; 0: none
  KindT Kind;
  bool Recursive; // within another call of the function
  /// Unfinished, and nothing was seen of the thread that shows it to be over.
  /// Others that are unfinished were cut off, as by longjmp().
  bool Open;

  /// Whether the end of the call was seen.
  bool hasDuration() const { return Kind <= Jumped; }
  /// From Start to the end, in ns.
  uint64_t elapsed() const { return llvm::SaturatingAdd(Duration, Asleep); }
  uint64_t end() const { return llvm::SaturatingAdd(Start, elapsed()); }
};

struct TraceThread {
  uint32_t Process; // in Trace::Processes
  uint32_t Tid;
  uint64_t Lost;
  std::string Name;
  std::vector<TraceCall> Calls; // by Start; a call is behind its parent
  std::vector<DataValues> Values;
};

/// What function_profile counted of a function.
struct TraceCount {
  uint32_t Function; // in Trace::Functions
  uint64_t Calls;
  // The rest is of histograms.
  uint32_t Tid;
  uint64_t Total, Longest;       // in ns
  std::vector<uint64_t> Buckets; // by power of two of Trace::BucketUnit
  std::string Thread;            // its name
};

struct TraceProcess {
  std::string File;
  DataFile Data; // without its threads
  /// "FILE: process 42 (./server)".
  std::string title() const;
};

struct Trace {
  std::vector<TraceFunction> Functions;
  std::vector<TraceThread> Threads;
  std::vector<TraceProcess> Processes;
  std::vector<TraceCount> Counts;
  /// In ns: what buckets count in, of all processes.
  double BucketUnit = 1;
  /// Something could not be read, or was not recorded; it has been warned of.
  bool Incomplete = false;

  TracedNames Names;

  /// Whether a process recorded events, and whether durations were recorded.
  bool hasEvents() const;
  bool hasDurations() const;
  size_t calls() const;
  /// Names a function by its run-time address; its address if nobody knows.
  std::string nameAt(const DataFile &Data, uint64_t Address);
  /// What an entry's Caller is in; empty if it is not in a module with sites.
  std::string caller(const TraceThread &T, const TraceCall &C);
  /// The part of each call's Duration that is in none of those that it calls; by
  /// index.
  std::vector<uint64_t> selfTimes(const TraceThread &T) const;
};

/// What one data file says.
Trace makeTrace(std::string File, DataFile Data);
/// Reads the data files in Dir. Fails if there are none.
llvm::Expected<Trace> readTrace(const std::string &Dir);
/// The same, and fails if no events were recorded.
llvm::Expected<Trace> readEvents(const std::string &Dir);

} // namespace patchbay

#endif
