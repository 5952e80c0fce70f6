// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording does not have, and how that is said: by `record` when the
// program has ended, and by each verb that reads a recording, the page included.
// Functions that the tracer cannot be armed on are no surprise there: `record`
// counts them, `info` and the page have them, too.
// Functions are counted once, whatever number of processes had them.
#ifndef PATCHBAY_TOOL_LOSSES_H
#define PATCHBAY_TOOL_LOSSES_H

#include "TracingCost.h"
#include "reading/Trace.h"
#include <map>
#include <set>

namespace patchbay {

/// Calls of some functions: the names, those with most calls first.
struct CallsOf {
  uint64_t Calls = 0;
  std::vector<std::pair<std::string, uint64_t>> Functions;
};

struct Losses {
  size_t Processes = 0;
  /// Of those that have several files, their numbers and arguments.
  std::set<std::pair<uint32_t, std::vector<std::string>>> Rotated;
  uint64_t Lost = 0;        // events, because there was no more place for them
  uint64_t Sandbox = 0;     // others, after seccomp(2) kept place from being made
  /// Others, by the errno for which the file could not be made longer.
  std::map<uint32_t, uint64_t> NoFile;
  uint64_t Size = 0;        // others, since all files together were as large as they may be
  uint64_t Memory = 0;      // others, since all buffers of the process were
  uint64_t Children = 0;    // others, of forked children without a file
  uint32_t ChildErrno = 0;  // why the first of these has none; 0: not known
  uint32_t ChildUser = 0;   // as which user it tried to make one
  uint64_t Missed = 0;      // calls that the tracer was not shown
  uint64_t NoReturn = 0;    // timed calls, which are shown by their returns alone
  size_t Unended = 0;   // processes whose calls without a return were not counted
  size_t Uncounted = 0; // others, since their threshold was changed
  uint64_t Overwritten = 0; // events of older calls
  uint64_t KernelLost = 0;  // events of an imported trace; also not there:
  uint64_t KernelOverwritten = 0;
  uint64_t SampledFrom = 0; // calls, of which one in some is there; 0: all are
  std::set<uint64_t> Sample; // one in how many
  std::set<uint64_t> Thresholds; // in ns, of --threshold
  uint64_t Strict = 0;      // processes in seccomp's strict mode
  /// The names of functions that the tracer cannot be armed on, each by its module
  /// and its address in that.
  std::map<std::pair<std::string, uint64_t>, std::string> LeftOut;
  /// The same of those that end in guaranteed tail calls. Their calls would be there.
  std::map<std::pair<std::string, uint64_t>, std::string> TailCallers;
  /// The same of those that were disarmed, since they were called too often.
  std::map<std::pair<std::string, uint64_t>, std::string> Hot;
  /// Or since tracing took too much, and they were the busiest.
  std::map<std::pair<std::string, uint64_t>, std::string> Costly;
  /// Those whose sites something else changed while they were traced.
  std::map<std::pair<std::string, uint64_t>, std::string> Changed;
  /// Modules of which nothing could be traced, by path: why, and what pbd_other says
  /// to that.
  std::map<std::string, std::pair<uint32_t, uint32_t>> Others;
  /// By module and address: the name, and how many calls --when left out.
  std::map<std::pair<std::string, uint64_t>, std::pair<std::string, uint64_t>>
      Filtered;
  CallsOf Jumped; // those that longjmp() left, which are there
  CallsOf CutOff; // those that something left without a return, as longjmp()
  size_t Overlapping = 0; // threads whose calls were on several stacks
  uint64_t Moved = 0; // calls whose entry is in one thread, and whose exit in another
  CallsOf Open;   // those that had not returned when recording ended
  TracingCost Cost;
  /// By errno: in how many processes it was why something was not recorded, and
  /// which the first of them is.
  struct Failure {
    size_t Processes = 0;
    std::string First;
  };
  std::map<uint32_t, Failure> Failures;
  /// The same of processes that were forked, by what is wrong with the file that
  /// says what their functions are.
  std::map<std::string, Failure> Unexplained;

  /// All but calls and failures.
  void add(const DataFile &Data, TracedNames &Names);
  /// Counts a failure, if there is one; Title is what the process is called.
  void addUnexplained(const DataFile &Data, llvm::StringRef Title);
};

/// Functions that no source has, so that nobody asks why they are left out.
bool isOfCompiler(llvm::StringRef Name);

/// Of a recording; of calls, those that were read by now.
Losses lossesOf(Trace &T);

struct LossText {
  bool IsLoss;       // else nobody expected it to be there
  std::string Where; // a process; empty: all of the recording
  std::string Text;
};
/// One sentence for each thing that is not there, none if all is. Dir is for
/// commands that say more.
std::vector<LossText> lossTexts(const Losses &L, llvm::StringRef Dir);

/// Of these, those of calls that did not return.
std::vector<LossText> endedTexts(const Losses &L);

/// The first, one line each on stderr: warnings for losses, else notes.
void sayLosses(const Losses &L, llvm::StringRef Dir);
/// The second in the same way, when all calls were read.
void sayEnded(Trace &T, llvm::StringRef Dir);

/// "1 function", "2 functions".
std::string counted(uint64_t N, llvm::StringRef What);

} // namespace patchbay

#endif
