// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording as nested calls, with function names and with times in nanoseconds.
#pragma once

#include "TracedNames.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

/// Selects recorded calls. The selection does not change the depth and self time of a
/// call.
struct CallFilter {
  /// Selects calls that began at From or later, and before To, in ns of CLOCK_MONOTONIC.
  uint64_t From = 0, To = UINT64_MAX;
  /// Selects calls with a known end that took Shortest to Longest ns.
  uint64_t Shortest = 0, Longest = UINT64_MAX;
  /// Globs as in isNamedBy(). Functions: selected functions; empty: all. Others: excluded
  /// functions. Under: selects only calls of these functions and calls nested in them.
  std::vector<std::string> Functions, Others, Under;

  /// Number of selected calls among the calls read so far.
  uint64_t Found = 0;

  bool byTime() const { return From || To != UINT64_MAX; }
  bool byDuration() const { return Shortest || Longest != UINT64_MAX; }
  bool byName() const {
    return !Functions.empty() || !Others.empty() || !Under.empty();
  }
  bool isActive() const { return byTime() || byDuration() || byName(); }
};

struct TraceFunction {
  std::string Name;
  std::string CommonName; // see commonName()
  std::string Module;     // path of the module
  std::string BuildId;
  uint64_t Entry; // ELF address
  const RecordedNames *Recorded = nullptr; // recorded names of the module
};

struct TraceCall {
  enum KindT : uint8_t {
    Returned,
    Unwound,    // left by an exception
    Jumped,     // left by longjmp()
    Unfinished, // an entry without an exit, in a recording of exits
    Entry,      // an entry, in a recording without exits
  };

  uint64_t Start;    // in ns, CLOCK_MONOTONIC
  /// In ns; 0 for entries. A call without a known return lasts until its last known event.
  /// A call that was open at the end of the recording lasts until the recording's end.
  uint64_t Duration;
  uint64_t Asleep;   // off-CPU time in ns, which Duration excludes
  /// The cost of recording the call and its nested calls, in ns. Duration excludes this
  /// cost. 0 until the call has ended.
  uint64_t Cost;
  /// For sums: Net is the Duration without the cost of tracing, and NetInOthers the
  /// part of Net in callees. See CallStream::takeCostOut().
  uint64_t Net, NetInOthers;
  uint64_t LongestWithin; // the longest Duration of a nested call
  uint64_t Within; // number of nested recorded calls, on all levels
  uint64_t Callees; // number of direct recorded callees
  /// In ns: the cost of --why for this call, which Duration excludes, and for the callees.
  uint64_t WhyCost, WhyCostOfCallees;
  /// In ns. MeasuredWithin: the time of callees, including the cost of recording them.
  /// CostWithin: the cost of nested calls on all levels; sums exclude it.
  uint64_t MeasuredWithin, CostWithin;
  double Intervals; // in ns, see CallStream::addInterval()
  uint64_t Caller;   // run-time return address for entries, otherwise 0
  uint32_t Function; // index in Trace::Functions
  uint32_t CalledBy; // recorded outer function; UINT32_MAX: none
  uint32_t Depth;    // number of recorded outer calls
  KindT Kind;
  bool Recursive; // is an outer call of the same function open?
  /// The call is Unfinished, and no event of the thread shows that the call has ended.
  /// Unfinished calls without Open were cut off, for example by longjmp().
  bool Open;
  bool Chosen; // selected by a CallFilter

  // As recorded, in ticks of the thread's own clock.
  uint32_t Frame;
  uint64_t Ticks, EndTicks, SeenTicks;
  uint64_t IntervalTicks; // time of the last event on the call's level; 0: its start

  /// Was the end of the call recorded?
  bool hasDuration() const { return Kind <= Jumped; }
  /// From Start to the end, in ns.
  uint64_t elapsed() const { return llvm::SaturatingAdd(Duration, Cost, Asleep); }
  uint64_t end() const { return llvm::SaturatingAdd(Start, elapsed()); }
  /// The part of Net that is not in callees.
  uint64_t netSelf() const { return Net - NetInOthers; }
  /// The measured time: Net plus the cost of recording.
  uint64_t measured() const { return llvm::SaturatingAdd(Duration, Cost); }
};

/// Is more than half of a measured time the cost of tracing? Net: the time without that
/// cost.
inline bool isMostlyCost(uint64_t Measured, uint64_t Net) { return Measured / 2 > Net; }

/// A thread. CallStream.h reads its calls one at a time.
struct TraceThread {
  uint32_t Process; // index in Trace::Processes
  uint32_t Tid;
  uint64_t Lost;
  std::string Name;
  const DataThread *Data; // points into the process's data
};

/// The calls of a function, as counted by function_profile.
struct TraceCount {
  uint32_t Function; // index in Trace::Functions
  uint64_t Calls;
  // The following fields are set only for histograms.
  uint32_t Tid;
  uint64_t Total, Longest;       // in ns
  std::vector<uint64_t> Buckets; // by duration: powers of two of Trace::BucketUnit
  std::string Thread;            // name of the thread
};

/// A function of which only some calls are recorded, and the number of all calls.
struct TraceSample {
  uint32_t Function; // index in Trace::Functions
  uint64_t Calls;
};

struct TraceProcess {
  std::string File;
  DataFile Data;
  uint64_t End = 0; // end of the recording, in ns
  /// Indices in Trace::Functions, by DataFile::slots(). Shared by all processes with
  /// the same table.
  std::shared_ptr<std::vector<uint32_t>> Functions = nullptr;
  bool HasCounters = false; // Trace::Counts includes counters of this process
  /// "FILE: process 42 (./server)".
  std::string title() const;
};

struct Trace {
  std::vector<TraceFunction> Functions;
  std::vector<TraceThread> Threads;
  std::vector<TraceProcess> Processes;
  std::vector<TraceCount> Counts;
  std::vector<TraceSample> Samples;
  /// The unit of buckets for all processes, in ns.
  double BucketUnit = 1;
  /// Some data could not be read, or was not recorded, and a warning was printed.
  bool Incomplete = false;

  /// Number of calls without a return, by function index, among the calls read so far.
  struct {
    std::map<uint32_t, uint64_t> Jumped, CutOff, Open;
    size_t Overlapping = 0; // threads with several stacks
  } Ended;

  std::string Note; // see OutputDir::addNote()
  std::map<std::string, uint64_t> Untraced; // see untracedOf()
  TracedNames Names;
  CallFilter Chosen;
  bool Raw = false; // show durations as measured: see TraceCall::Cost

  /// isWanted(): does Chosen select the function's calls by name? isOuter(): does Chosen
  /// select calls within the function?
  bool isWanted(uint32_t Function) { return choiceOf(Function) & Wanted; }
  bool isOuter(uint32_t Function) { return choiceOf(Function) & Outer; }
  /// Does a glob match the function's name, or one of its symbols?
  bool isNamedBy(uint32_t Function, llvm::ArrayRef<std::string> Globs);

  /// Did any process record events? Did any process record durations?
  bool hasEvents() const;
  bool hasDurations() const;
  /// Were only some calls of a function recorded, and the rest counted?
  bool isSampled() const;
  /// Advice if no call of a function that matches Globs was recorded: "did you mean
  /// 'svc::render'", or Otherwise.
  std::string hintFor(llvm::ArrayRef<std::string> Globs,
                      llvm::StringRef Otherwise = "'patchbay report' shows which were")
      const;
  /// Was at least one event recorded?
  bool hasCalls() const;
  /// Begin and end of the recording, in ns of CLOCK_MONOTONIC.
  std::pair<uint64_t, uint64_t> range() const;
  /// The largest possible error of the cost of a call in any process, as a fraction of
  /// that cost.
  double costError() const;
  /// The index of the function with this Slot in a process's file.
  uint32_t function(uint32_t Process, uint32_t Slot) {
    std::vector<uint32_t> &Known = *Processes[Process].Functions;
    return LLVM_LIKELY(Slot < Known.size() && Known[Slot] != UINT32_MAX)
               ? Known[Slot]
               : addFunction(Process, Slot);
  }
  uint32_t addFunction(const DataModule &M, uint64_t Entry);
  /// The name of the function at a run-time address; without a name, the address.
  std::string nameAt(const DataFile &Data, uint64_t Address);
  /// The name of the function that contains the address Caller of an entry. Empty if no
  /// module with sites contains the address.
  std::string caller(const TraceThread &T, const TraceCall &C);

private:
  uint32_t addFunction(uint32_t Process, uint32_t Slot);

  enum : uint8_t { Asked = 1, Wanted = 2, Outer = 4 };
  uint8_t choiceOf(uint32_t Function) {
    return LLVM_LIKELY(Function < Choices.size() && Choices[Function])
               ? Choices[Function]
               : choose(Function);
  }
  uint8_t choose(uint32_t Function);

  std::vector<uint8_t> Choices; // indexed by function
  /// By moduleKey(), recorded name and address. The name is set only without a build ID,
  /// since the path may have named another file before.
  std::map<std::tuple<std::string, std::string, uint64_t>, uint32_t> Known;
};

/// The contents of one data file. Names: names found by an earlier reading.
Trace makeTrace(std::string File, DataFile Data, TracedNames Names = {});
/// Reads the data files in Dir. Calls are read later. Fails without data files. Symfs:
/// see NameSources. Losses.h reports missing data.
llvm::Expected<Trace> readTrace(const std::string &Dir,
                                llvm::StringRef Symfs = "");
/// Like readTrace(), without the calls. The time does not depend on the number of events.
llvm::Expected<Trace> readOutline(const std::string &Dir,
                                  llvm::StringRef Symfs = "");

} // namespace patchbay
