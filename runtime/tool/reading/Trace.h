// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a recording as people look at them: calls with names, in
// nanoseconds, and which call is within which other.
#ifndef PATCHBAY_TOOL_TRACE_H
#define PATCHBAY_TOOL_TRACE_H

#include "CallFilter.h"
#include "DataFile.h"
#include "names/TracedNames.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

struct TraceFunction {
  std::string Name;
  std::string CommonName; // to other builds of the program: see commonName()
  std::string Module;     // path
  std::string BuildId;
  uint64_t Entry; // ELF address
  const RecordedNames *Recorded = nullptr; // those of the module that has it
};

struct TraceCall {
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
  /// In ns: what Duration leaves out, too, when the call has ended: what it took to record
  /// it and the calls within it. It is 0 until then.
  uint64_t Cost;
  /// The same as Duration and its part in the calls that it made, for sums. What recording
  /// takes is known on average: of a call that took less, Net is below 0.
  int64_t Net, NetInOthers;
  uint64_t Within; // how many recorded calls are within it, on all levels
  uint64_t Caller;   // run-time return address of entries, else 0
  uint32_t Function; // in Trace::Functions
  uint32_t CalledBy; // the same, of the recorded call next to it; UINT32_MAX: none
  uint32_t Depth;    // how many of the recorded calls it is in
  KindT Kind;
  bool Recursive; // within another call of the function
  /// Unfinished, and nothing was seen of the thread that shows it to be over.
  /// Others that are unfinished were cut off, as by longjmp().
  bool Open;
  bool Chosen; // see CallFilter

  // As recorded, in ticks of the thread's own clock.
  uint32_t Frame;
  uint64_t Ticks, EndTicks, SeenTicks;

  /// Whether the end of the call was seen.
  bool hasDuration() const { return Kind <= Jumped; }
  /// From Start to the end, in ns.
  uint64_t elapsed() const { return llvm::SaturatingAdd(Duration, Cost, Asleep); }
  uint64_t end() const { return llvm::SaturatingAdd(Start, elapsed()); }
  /// The part of Net that is in none of the calls that it made.
  int64_t netSelf() const { return Net - NetInOthers; }
};

/// A sum of TraceCall::Net, as a time.
inline uint64_t netTime(uint64_t Sum) { return int64_t(Sum) < 0 ? 0 : Sum; }

/// Its calls are read one by one: see CallStream.h.
struct TraceThread {
  uint32_t Process; // in Trace::Processes
  uint32_t Tid;
  uint64_t Lost;
  std::string Name;
  const DataThread *Data; // of the process
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

/// How often a function was called of which only some calls are recorded.
struct TraceSample {
  uint32_t Function; // in Trace::Functions
  uint64_t Calls;
};

struct TraceProcess {
  std::string File;
  DataFile Data;
  uint64_t End = 0; // in ns: until then it was recorded
  /// In Trace::Functions, by DataFile::slots(); of all that have the same table.
  std::shared_ptr<std::vector<uint32_t>> Functions = nullptr;
  bool HasCounters = false; // which Trace::Counts has the sums of
  /// "FILE: process 42 (./server)".
  std::string title() const;
};

struct Trace {
  std::vector<TraceFunction> Functions;
  std::vector<TraceThread> Threads;
  std::vector<TraceProcess> Processes;
  std::vector<TraceCount> Counts;
  std::vector<TraceSample> Samples;
  /// In ns: what buckets count in, of all processes.
  double BucketUnit = 1;
  /// Something could not be read, or was not recorded; it has been warned of.
  bool Incomplete = false;

  /// Calls of functions, by index, that did not return: known of those calls that
  /// were read.
  struct {
    std::map<uint32_t, uint64_t> Jumped, CutOff, Open;
    size_t Overlapping = 0; // threads with several stacks, which were shown apart
  } Ended;

  TracedNames Names;
  CallFilter Chosen;
  bool Raw = false; // durations are what was measured: see TraceCall::Cost

  /// Of Chosen: whether calls of the function are asked for, as far as its name says;
  /// and what is within them.
  bool isWanted(uint32_t Function) { return choiceOf(Function) & Wanted; }
  bool isOuter(uint32_t Function) { return choiceOf(Function) & Outer; }
  /// Whether it is meant by a glob of its name, or of one of its symbols.
  bool isNamedBy(uint32_t Function, llvm::ArrayRef<std::string> Globs);

  /// Whether a process recorded events, and whether durations were recorded.
  bool hasEvents() const;
  bool hasDurations() const;
  /// Whether some calls of a function were recorded and others only counted.
  bool isSampled() const;
  /// What to do where no call of such a function was recorded: "did you mean
  /// 'svc::render'", or Otherwise.
  std::string hintFor(llvm::ArrayRef<std::string> Globs,
                      llvm::StringRef Otherwise = "'patchbay report' shows which were")
      const;
  /// Whether there is any event.
  bool hasCalls() const;
  /// The function that is at Slot in a process's file.
  uint32_t function(uint32_t Process, uint32_t Slot) {
    std::vector<uint32_t> &Known = *Processes[Process].Functions;
    return LLVM_LIKELY(Slot < Known.size() && Known[Slot] != UINT32_MAX)
               ? Known[Slot]
               : addFunction(Process, Slot);
  }
  uint32_t addFunction(const DataModule &M, uint64_t Entry);
  /// Names a function by its run-time address; its address if nobody knows.
  std::string nameAt(const DataFile &Data, uint64_t Address);
  /// What an entry's Caller is in; empty if it is not in a module with sites.
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
  /// By moduleKey(), and the address. Of a file without a build ID the recorded name,
  /// too: the path may have named another file before.
  std::map<std::tuple<std::string, std::string, uint64_t>, uint32_t> Known;
};

/// What one data file says.
/// Names: those that are known of an earlier reading.
Trace makeTrace(std::string File, DataFile Data, TracedNames Names = {});
/// Reads what the data files in Dir say but for the calls, which are read later, and
/// says what is not in them. Fails if there are none.
/// Symfs: see NameSources.
llvm::Expected<Trace> readTrace(const std::string &Dir,
                                llvm::StringRef Symfs = "");
/// The same without where events are, which takes as long for many as for few.
llvm::Expected<Trace> readOutline(const std::string &Dir,
                                  llvm::StringRef Symfs = "");
/// The same as the first, and fails if no events were recorded.
llvm::Expected<Trace> readEvents(const std::string &Dir,
                                 llvm::StringRef Symfs = "");

} // namespace patchbay

#endif
