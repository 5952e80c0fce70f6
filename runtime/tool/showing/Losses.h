// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the data that a recording lacks, and prints messages about missing data: when
// `record` ends, when a verb reads the recording, and on the page. Some functions can never
// be traced, so only `record`, `info` and the page report them. A function of several
// processes counts once.
#pragma once

#include "TracingCost.h"
#include "reading/Trace.h"

namespace patchbay {

/// Numbers of calls by function. The function with most calls comes first.
struct CallsOf {
  uint64_t Calls = 0;
  std::vector<std::pair<std::string, uint64_t>> Functions;
};

struct Losses {
  size_t Processes = 0;
  /// Process ID and arguments of processes with several files.
  std::set<std::pair<uint32_t, std::vector<std::string>>> Rotated;
  uint64_t Lost = 0;        // events lost because the buffer was full
  uint64_t Sandbox = 0;     // events lost because seccomp(2) kept the process from
                            // allocating space
  /// Events lost because the file could not grow, by errno.
  std::map<uint32_t, uint64_t> NoFile;
  uint64_t Size = 0;        // events lost because all files together reached --max-size
  uint64_t Memory = 0;      // events lost because the buffers of the process reached
                            // their limit
  uint64_t Children = 0;    // events of forked children that have no file
  uint32_t ChildErrno = 0;  // errno of the first child without a file; 0: unknown
  uint32_t ChildUser = 0;   // user of the first child without a file
  uint64_t Missed = 0;      // calls for which the tracer was not called
  uint64_t NoReturn = 0;    // timed calls that did not return and are not shown
  size_t Unended = 0;   // processes that did not count calls without a return
  size_t Uncounted = 0; // processes that could not count them, because their threshold changed
  uint64_t Overwritten = 0; // events overwritten by newer events
  uint64_t KernelLost = 0;  // lost events of an imported trace
  uint64_t KernelOverwritten = 0;
  uint64_t SampledFrom = 0; // number of all calls; 0: all were recorded
  std::set<uint64_t> Sample; // N of --sample 1/N
  bool InTrees = false;      // sampling chose outermost calls
  bool IsSelfTooLarge = false; // sampling chose arbitrary calls, as older versions did
  uint64_t SampledCalls = 0; // number of calls that were recorded
  std::set<uint64_t> Thresholds; // --threshold, in ns
  /// Thresholds set by 'patchbay live --threshold', in ns. Calls before the change had
  /// another threshold.
  std::set<uint64_t> NewThresholds;
  bool Under = false;       // only calls within calls of some functions were recorded
  uint64_t Strict = 0;      // processes in seccomp's strict mode
  uint64_t Stays = 0;       // processes that could not rotate their files
  /// Names of functions that cannot be traced, by module and ELF address.
  std::map<std::pair<std::string, uint64_t>, std::string> LeftOut;
  /// Functions that cannot be traced only because they make guaranteed tail calls. By
  /// module and ELF address.
  std::map<std::pair<std::string, uint64_t>, std::string> TailCallers;
  /// Functions that were disarmed because they were called too often. By module and ELF
  /// address.
  std::map<std::pair<std::string, uint64_t>, std::string> Hot;
  /// Functions that were disarmed because tracing them cost too much. By module and ELF
  /// address.
  std::map<std::pair<std::string, uint64_t>, std::string> Costly;
  /// Functions whose entry code another program or library changed during tracing.
  std::map<std::pair<std::string, uint64_t>, std::string> Changed;
  /// Modules that could not be traced, by path: pbd_other's reason and number.
  std::map<std::string, std::pair<uint32_t, uint32_t>> Others;
  /// Name, and number of calls that --when excluded. By module and ELF address.
  std::map<std::pair<std::string, uint64_t>, std::pair<std::string, uint64_t>>
      Filtered;
  CallsOf Jumped; // recorded calls that longjmp() left
  CallsOf CutOff; // calls that ended without a return, for example by longjmp()
  size_t Overlapping = 0; // threads with calls on several stacks
  uint64_t Moved = 0; // number of calls with entry and exit in different threads
  CallsOf Open;   // calls that had not returned when recording ended
  TracingCost Cost;
  std::string Note; // the recorder's note: see OutputDir::addNote()
  std::map<std::string, uint64_t> Untraced; // see untracedOf()
  /// By errno: the number of processes with this failure, and the first such process.
  struct Failure {
    size_t Processes = 0;
    std::string First;
  };
  std::map<uint32_t, Failure> Failures;
  /// Failures of forked processes, by the error in the file that describes their functions.
  std::map<std::string, Failure> Unexplained;

  /// Adds all fields except calls and failures.
  void add(const DataFile &Data, TracedNames &Names);
  /// Counts the process if it had a failure. Title: the process's name.
  void addUnexplained(const DataFile &Data, llvm::StringRef Title);
};

/// Did the compiler generate this function? Users do not expect such functions.
bool isOfCompiler(llvm::StringRef Name);

/// The functions that were disarmed during the recording, for example by
/// --max-overhead, as indices in Trace::Functions.
std::set<uint32_t> disarmedFunctions(Trace &T);

/// Losses of T. Counts calls without a return only among the calls read so far.
Losses lossesOf(Trace &T);

struct LossText {
  bool IsLoss;       // false: a note about an expected fact
  std::string Where; // name of a process; empty: the whole recording
  std::string Text;
};
/// Returns one sentence for each kind of missing data. Empty if the recording is complete.
/// Dir: for commands in the sentences.
std::vector<LossText> lossTexts(const Losses &L, llvm::StringRef Dir);

/// Prints lossTexts() to stderr, one line each: warnings for losses, notes for the
/// rest.
void sayLosses(const Losses &L, llvm::StringRef Dir);
/// Prints endedTexts() like sayLosses(), after all calls have been read.
void sayEnded(Trace &T, llvm::StringRef Dir);

/// readTrace() and readOutline(), with warnings.
llvm::Expected<Trace> openTrace(const std::string &Dir, llvm::StringRef Symfs = "");
llvm::Expected<Trace> openOutline(const std::string &Dir, llvm::StringRef Symfs = "");

/// The error for a trace without called functions, with possible reasons: no function was
/// traced, or no call was recorded.
llvm::Error nothingTraced(const Trace &T, llvm::StringRef Dir);

/// Was the function of --start-at never called?
bool neverStarted(llvm::ArrayRef<const DataFile *> Files);
/// Was no function of --under called?
bool neverWithin(llvm::ArrayRef<const DataFile *> Files);

/// An option with a name that PATCHBAY requested: "filter='x*'".
std::string askedText(const DataAsked &A);
/// Requested names without a function in any of these processes: "filter='x*',
/// start-at='y'". Empty if all names have a function.
std::string matchedNothing(llvm::ArrayRef<const DataFile *> Files);
std::string matchedNothing(const Trace &T);

} // namespace patchbay
