// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that a recording lacks, and the messages about it. `record` prints them when
// the program has ended. Each verb that reads a recording prints them, too, and the
// page shows them. Functions that cannot be traced are expected, so only `record`,
// `info` and the page report them. Each function counts once, however many processes
// have it.
#pragma once

#include "TracingCost.h"
#include "reading/Trace.h"

namespace patchbay {

/// Numbers of calls by function. Names with most calls come first.
struct CallsOf {
  uint64_t Calls = 0;
  std::vector<std::pair<std::string, uint64_t>> Functions;
};

struct Losses {
  size_t Processes = 0;
  /// Process ID and arguments of processes with several files.
  std::set<std::pair<uint32_t, std::vector<std::string>>> Rotated;
  uint64_t Lost = 0;        // events for which there was no space
  uint64_t Sandbox = 0;     // the same, because seccomp(2) kept the process from
                            // allocating space
  /// Events lost because the file could not grow, by errno.
  std::map<uint32_t, uint64_t> NoFile;
  uint64_t Size = 0;        // lost at the limit of all files together
  uint64_t Memory = 0;      // events lost because all buffers of the process had
                            // reached their limit
  uint64_t Children = 0;    // events of forked children that have no file
  uint32_t ChildErrno = 0;  // why the first of these children has no file; 0: unknown
  uint32_t ChildUser = 0;   // user of that child
  uint64_t Missed = 0;      // calls for which the tracer was not called
  uint64_t NoReturn = 0;    // timed calls that did not return, which are not shown
  size_t Unended = 0;   // processes that did not count calls without a return
  size_t Uncounted = 0; // the same, because their threshold was changed
  uint64_t Overwritten = 0; // events overwritten by newer ones
  uint64_t KernelLost = 0;  // lost events of an imported trace
  uint64_t KernelOverwritten = 0;
  uint64_t SampledFrom = 0; // number of all calls; 0: all were recorded
  std::set<uint64_t> Sample; // N of --sample 1/N
  bool InTrees = false;      // sampling chose outermost calls
  bool IsSelfTooLarge = false; // sampling chose arbitrary calls, as older versions did
  uint64_t SampledCalls = 0; // number of calls that were recorded
  std::set<uint64_t> Thresholds; // --threshold, in ns
  /// Thresholds set by 'patchbay live --threshold', in ns. Earlier calls had another
  /// threshold.
  std::set<uint64_t> NewThresholds;
  bool Under = false;       // only calls within calls of some functions were recorded
  uint64_t Strict = 0;      // processes in seccomp's strict mode
  uint64_t Stays = 0;       // processes that could not rotate their files
  /// Names of functions that cannot be traced, by module and ELF address.
  std::map<std::pair<std::string, uint64_t>, std::string> LeftOut;
  /// Functions with guaranteed tail calls, whose calls would be useful. By module and ELF
  /// address.
  std::map<std::pair<std::string, uint64_t>, std::string> TailCallers;
  /// Functions that were disarmed because they were called too often. By module and ELF
  /// address.
  std::map<std::pair<std::string, uint64_t>, std::string> Hot;
  /// Functions that were disarmed because tracing them cost too much. By module and ELF
  /// address.
  std::map<std::pair<std::string, uint64_t>, std::string> Costly;
  /// Functions whose sites other code changed during tracing.
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
  /// By errno: the number of processes with this failure, and the first of these.
  struct Failure {
    size_t Processes = 0;
    std::string First;
  };
  std::map<uint32_t, Failure> Failures;
  /// The same for forked processes, by what is wrong with the file that describes their
  /// functions.
  std::map<std::string, Failure> Unexplained;

  /// Adds all fields except calls and failures.
  void add(const DataFile &Data, TracedNames &Names);
  /// Counts a failure of the process, if there is one. Title: the process's name.
  void addUnexplained(const DataFile &Data, llvm::StringRef Title);
};

/// Did the compiler generate this function? Then users do not expect it.
bool isOfCompiler(llvm::StringRef Name);

/// The functions that were disarmed during the recording, for example by
/// --max-overhead, as indices in Trace::Functions.
std::set<uint32_t> disarmedFunctions(Trace &T);

/// Losses of T. Covers calls without a return only among the calls that have been read.
Losses lossesOf(Trace &T);

struct LossText {
  bool IsLoss;       // if false, it is a note about something expected
  std::string Where; // name of a process; empty: the whole recording
  std::string Text;
};
/// One sentence for each kind of missing data. Empty if the recording is complete. Dir:
/// for commands in the text.
std::vector<LossText> lossTexts(const Losses &L, llvm::StringRef Dir);

/// Prints lossTexts() to stderr, one line each: warnings for losses, notes for the
/// rest.
void sayLosses(const Losses &L, llvm::StringRef Dir);
/// Prints endedTexts() in the same way, after all calls have been read.
void sayEnded(Trace &T, llvm::StringRef Dir);

/// readTrace() and readOutline(), with warnings.
llvm::Expected<Trace> openTrace(const std::string &Dir, llvm::StringRef Symfs = "");
llvm::Expected<Trace> openOutline(const std::string &Dir, llvm::StringRef Symfs = "");

/// The error for a trace without functions: none was traced, or no call of a
/// traced function was recorded. Gives possible reasons.
llvm::Error nothingTraced(const Trace &T, llvm::StringRef Dir);

/// Was the function of --start-at never called?
bool neverStarted(llvm::ArrayRef<const DataFile *> Files);
/// Was no function of --under called?
bool neverWithin(llvm::ArrayRef<const DataFile *> Files);

/// An option with a name that PATCHBAY requested: "filter='x*'".
std::string askedText(const DataAsked &A);
/// Requested names without a function in any of these processes: "filter='x*',
/// start-at='y'". Empty if there are none.
std::string matchedNothing(llvm::ArrayRef<const DataFile *> Files);
std::string matchedNothing(const Trace &T);

} // namespace patchbay
