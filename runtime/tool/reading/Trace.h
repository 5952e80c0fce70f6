// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a recording in the form that users need: nested calls with
// names, in nanoseconds.
#pragma once

#include "CallFilter.h"
#include "DataFile.h"
#include "TracedNames.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

struct TraceFunction {
  std::string Name;
  std::string CommonName; // shared with other builds of the program: see
                          // commonName()
  std::string Module;     // path
  std::string BuildId;
  uint64_t Entry; // ELF address
  const RecordedNames *Recorded = nullptr; // recorded names of its module
};

struct TraceCall {
  enum KindT : uint8_t {
    Returned,
    Unwound,    // an exception left it
    Jumped,     // longjmp() left it
    Unfinished, // an entry without an exit, where exits are recorded
    Entry,      // an entry, where exits are not recorded
  };

  uint64_t Start;    // in ns, CLOCK_MONOTONIC
  /// In ns; 0 for entries. For a call without a known return: until the
  /// recording ended, if it was open then, or until its last known event.
  uint64_t Duration;
  uint64_t Asleep;   // in ns, not part of Duration
  /// In ns, not part of Duration: the cost of recording the call and the calls
  /// within it. 0 until the call has ended.
  uint64_t Cost;
  /// For sums: the Duration without the cost of tracing, and the part of it in callees.
  /// See CallStream::takeCostOut().
  uint64_t Net, NetInOthers;
  uint64_t LongestWithin; // the longest Duration of a call within it
  uint64_t Within; // recorded calls within it, on all levels
  uint64_t Callees; // recorded calls that it made
  /// In ns: the cost of --why for this call, which its own Duration excludes, and for its
  /// callees.
  uint64_t WhyCost, WhyCostOfCallees;
  /// In ns, of calls within it: the measured time of its callees; and the cost on all
  /// levels, which sums exclude. See CallStream::addInterval() for Intervals.
  uint64_t MeasuredWithin, CostWithin;
  double Intervals;
  uint64_t Caller;   // run-time return address for entries, otherwise 0
  uint32_t Function; // in Trace::Functions
  uint32_t CalledBy; // function of the nearest recorded outer call; UINT32_MAX:
                     // none
  uint32_t Depth;    // number of recorded outer calls
  KindT Kind;
  bool Recursive; // within another call of the function
  /// Unfinished, and no event of the thread shows that it has ended. Other
  /// unfinished calls were cut off, for example by longjmp().
  bool Open;
  bool Chosen; // see CallFilter

  // As recorded, in ticks of the thread's own clock.
  uint32_t Frame;
  uint64_t Ticks, EndTicks, SeenTicks;
  uint64_t IntervalTicks; // last event on its own level so far; 0: its start

  /// Was the end of the call recorded?
  bool hasDuration() const { return Kind <= Jumped; }
  /// From Start to the end, in ns.
  uint64_t elapsed() const { return llvm::SaturatingAdd(Duration, Cost, Asleep); }
  uint64_t end() const { return llvm::SaturatingAdd(Start, elapsed()); }
  /// The part of Net outside of its callees.
  uint64_t netSelf() const { return Net - NetInOthers; }
  /// As measured: Net plus the cost of recording.
  uint64_t measured() const { return llvm::SaturatingAdd(Duration, Cost); }
};

/// Was more than half of a measured time the cost of tracing? Net: the rest.
inline bool isMostlyCost(uint64_t Measured, uint64_t Net) { return Measured / 2 > Net; }

/// Its calls are read one by one: see CallStream.h.
struct TraceThread {
  uint32_t Process; // in Trace::Processes
  uint32_t Tid;
  uint64_t Lost;
  std::string Name;
  const DataThread *Data; // of its process
};

/// The counts of function_profile for a function.
struct TraceCount {
  uint32_t Function; // in Trace::Functions
  uint64_t Calls;
  // The other fields are for histograms.
  uint32_t Tid;
  uint64_t Total, Longest;       // in ns
  std::vector<uint64_t> Buckets; // by power of two of Trace::BucketUnit
  std::string Thread;            // its name
};

/// The number of calls of a function, where only some calls are recorded.
struct TraceSample {
  uint32_t Function; // in Trace::Functions
  uint64_t Calls;
};

struct TraceProcess {
  std::string File;
  DataFile Data;
  uint64_t End = 0; // in ns: end of the recording
  /// Indices in Trace::Functions, by DataFile::slots(); shared by all with the
  /// same table.
  std::shared_ptr<std::vector<uint32_t>> Functions = nullptr;
  bool HasCounters = false; // Trace::Counts has their sums
  /// "FILE: process 42 (./server)".
  std::string title() const;
};

struct Trace {
  std::vector<TraceFunction> Functions;
  std::vector<TraceThread> Threads;
  std::vector<TraceProcess> Processes;
  std::vector<TraceCount> Counts;
  std::vector<TraceSample> Samples;
  /// In ns: the unit of buckets, for all processes.
  double BucketUnit = 1;
  /// Data could not be read, or was not recorded; a warning was printed.
  bool Incomplete = false;

  /// Calls without a return, by function index, among the calls that were read.
  struct {
    std::map<uint32_t, uint64_t> Jumped, CutOff, Open;
    size_t Overlapping = 0; // threads with several stacks, which were shown
                            // separately
  } Ended;

  std::string Note; // see OutputDir::addNote()
  TracedNames Names;
  CallFilter Chosen;
  bool Raw = false; // durations are as measured: see TraceCall::Cost

  /// Does Chosen select the function's calls by name? And calls within them?
  bool isWanted(uint32_t Function) { return choiceOf(Function) & Wanted; }
  bool isOuter(uint32_t Function) { return choiceOf(Function) & Outer; }
  /// Does a glob match its name, or one of its symbols?
  bool isNamedBy(uint32_t Function, llvm::ArrayRef<std::string> Globs);

  /// Did a process record events? Durations?
  bool hasEvents() const;
  bool hasDurations() const;
  /// Were some calls of a function recorded, and others only counted?
  bool isSampled() const;
  /// Advice if no call of such a function was recorded: "did you mean
  /// 'svc::render'", or Otherwise.
  std::string hintFor(llvm::ArrayRef<std::string> Globs,
                      llvm::StringRef Otherwise = "'patchbay report' shows which were")
      const;
  /// Is there any event?
  bool hasCalls() const;
  /// When recording began and ended, in ns of CLOCK_MONOTONIC.
  std::pair<uint64_t, uint64_t> range() const;
  /// The possible error of the cost of a call, as a part of it: of the process with the
  /// largest.
  double costError() const;
  /// The function at Slot in a process's file.
  uint32_t function(uint32_t Process, uint32_t Slot) {
    std::vector<uint32_t> &Known = *Processes[Process].Functions;
    return LLVM_LIKELY(Slot < Known.size() && Known[Slot] != UINT32_MAX)
               ? Known[Slot]
               : addFunction(Process, Slot);
  }
  uint32_t addFunction(const DataModule &M, uint64_t Entry);
  /// The name of the function at a run-time address; the address if unknown.
  std::string nameAt(const DataFile &Data, uint64_t Address);
  /// The function that an entry's Caller is in; empty if it is in no module with sites.
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

  std::vector<uint8_t> Choices; // by function
  /// By moduleKey() and address. Without a build ID, by the recorded name, too:
  /// the path may have named another file before.
  std::map<std::tuple<std::string, std::string, uint64_t>, uint32_t> Known;
};

/// The contents of one data file. Names: known from an earlier reading.
Trace makeTrace(std::string File, DataFile Data, TracedNames Names = {});
/// Reads the data files in Dir except the calls, which are read later. Fails if
/// there are none. Symfs: see NameSources. OpenRecording.h says what is missing.
llvm::Expected<Trace> readTrace(const std::string &Dir,
                                llvm::StringRef Symfs = "");
/// The same without the places of events. Its time does not grow with their number.
llvm::Expected<Trace> readOutline(const std::string &Dir,
                                  llvm::StringRef Symfs = "");

} // namespace patchbay
