// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that a recording lacks, and the messages about it. `record` prints
// them when the program has ended. So does each verb that reads a recording,
// including the page. Functions that cannot be traced are no surprise there:
// `record` counts them, and `info` and the page show them, too. Each function
// counts once, however many processes had it.
#pragma once

#include "TracingCost.h"
#include "reading/Trace.h"
#include <map>
#include <set>

namespace patchbay {

/// Calls of some functions. Names with most calls come first.
struct CallsOf {
  uint64_t Calls = 0;
  std::vector<std::pair<std::string, uint64_t>> Functions;
};

struct Losses {
  size_t Processes = 0;
  /// Numbers and arguments of processes with several files.
  std::set<std::pair<uint32_t, std::vector<std::string>>> Rotated;
  uint64_t Lost = 0;        // events without room
  uint64_t Sandbox = 0;     // others, since seccomp(2) kept the process from
                            // making room
  /// Other lost events, by the errno that kept the file from growing.
  std::map<uint32_t, uint64_t> NoFile;
  uint64_t Size = 0;        // others, since all files together had reached
                            // their limit
  uint64_t Memory = 0;      // others, since all buffers of the process had
  uint64_t Children = 0;    // others, of forked children without a file
  uint32_t ChildErrno = 0;  // why the first of these has none; 0: unknown
  uint32_t ChildUser = 0;   // its user
  uint64_t Missed = 0;      // calls for which the tracer was not called
  uint64_t NoReturn = 0;    // timed calls without a return, which are not shown
  size_t Unended = 0;   // processes that did not count calls without a return
  size_t Uncounted = 0; // others, since their threshold was changed
  uint64_t Overwritten = 0; // events of older calls
  uint64_t KernelLost = 0;  // lost events of an imported trace
  uint64_t KernelOverwritten = 0;
  uint64_t SampledFrom = 0; // all calls, if only some were recorded; otherwise
                            // 0
  std::set<uint64_t> Sample; // N of --sample 1/N
  bool InTrees = false;      // sampled outermost calls, with all calls inside them
  bool IsSelfTooLarge = false; // older recordings chose any calls
  uint64_t SampledCalls = 0; // those that were recorded
  std::set<uint64_t> Thresholds; // in ns, of --threshold
  /// In ns, of 'patchbay live --threshold'. Earlier calls had another threshold.
  std::set<uint64_t> NewThresholds;
  bool Under = false;       // recorded within calls of some functions only
  uint64_t Strict = 0;      // processes in seccomp's strict mode
  uint64_t Stays = 0;       // processes that could not rotate their files
  /// Names of functions that cannot be traced, by module and address in it.
  std::map<std::pair<std::string, uint64_t>, std::string> LeftOut;
  /// Functions with guaranteed tail calls, whose calls would be useful. Keys as in LeftOut.
  std::map<std::pair<std::string, uint64_t>, std::string> TailCallers;
  /// Functions that were disarmed because they were called too often. Keys as in LeftOut.
  std::map<std::pair<std::string, uint64_t>, std::string> Hot;
  /// Functions that were disarmed because tracing cost too much. Keys as in LeftOut.
  std::map<std::pair<std::string, uint64_t>, std::string> Costly;
  /// Functions with sites that other code changed during tracing.
  std::map<std::pair<std::string, uint64_t>, std::string> Changed;
  /// Modules that could not be traced, by path: the reason, and the number in pbd_other.
  std::map<std::string, std::pair<uint32_t, uint32_t>> Others;
  /// By module and address: the name, and the number of calls that --when left out.
  std::map<std::pair<std::string, uint64_t>, std::pair<std::string, uint64_t>>
      Filtered;
  CallsOf Jumped; // calls that longjmp() left, which are recorded
  CallsOf CutOff; // calls that were left without a return, for example by
                  // longjmp()
  size_t Overlapping = 0; // threads with calls on several stacks
  uint64_t Moved = 0; // calls with entry and exit in different threads
  CallsOf Open;   // calls without a return when recording ended
  TracingCost Cost;
  std::string Note; // of the recorder: see OutputDir::addNote()
  /// By errno: the number of processes with this failure, and the first of them.
  struct Failure {
    size_t Processes = 0;
    std::string First;
  };
  std::map<uint32_t, Failure> Failures;
  /// The same for forked processes, by the problem with the file that describes
  /// their functions.
  std::map<std::string, Failure> Unexplained;

  /// Adds everything except calls and failures.
  void add(const DataFile &Data, TracedNames &Names);
  /// Counts a failure, if there is one. Title: the process's name.
  void addUnexplained(const DataFile &Data, llvm::StringRef Title);
};

/// Did the compiler make this function? Then users do not expect it.
bool isOfCompiler(llvm::StringRef Name);

/// The functions that were disarmed during the recording, for example by
/// --max-overhead, as indices in Trace::Functions.
std::set<uint32_t> disarmedFunctions(Trace &T);

/// Losses of T. Calls without a return count as far as calls have been read.
Losses lossesOf(Trace &T);

struct LossText {
  bool IsLoss;       // otherwise it was not expected
  std::string Where; // a process; empty: the whole recording
  std::string Text;
};
/// One sentence for each kind of missing data; none if the recording is
/// complete. Dir is for commands with more details.
std::vector<LossText> lossTexts(const Losses &L, llvm::StringRef Dir);

/// The part about calls that did not return.
std::vector<LossText> endedTexts(const Losses &L);

/// Prints lossTexts(), one line each on stderr: warnings for losses, otherwise notes.
void sayLosses(const Losses &L, llvm::StringRef Dir);
/// Prints endedTexts() in the same way, after all calls have been read.
void sayEnded(Trace &T, llvm::StringRef Dir);

} // namespace patchbay
