// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadLimits.h"
#include "live/ThreadStatus.h"
#include "support/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <tuple>

using namespace llvm;
using namespace patchbay;

// The soft limit, or UINT64_MAX.
static uint64_t limitOf(StringRef Limits, StringRef Name) {
  uint64_t Limit;
  size_t At = Limits.find(Name);
  if (At == StringRef::npos ||
      Limits.substr(At + Name.size()).ltrim().consumeInteger(10, Limit))
    return UINT64_MAX;
  return Limit;
}

// The kernel counts the threads of all processes with the real user ID.
static uint64_t threadsOfUser(StringRef Ids) {
  uint64_t Threads = 0;
  std::error_code EC;
  for (sys::fs::directory_iterator I("/proc", EC), End; !EC && I != End; I.increment(EC)) {
    pid_t Pid;
    if (sys::path::filename(I->path()).getAsInteger(10, Pid))
      continue;
    ThreadStatus Status(Pid, Pid);
    if (Status.line("Uid").split('\t').first == Ids.split('\t').first)
      Threads += Status.number("Threads");
  }
  return Threads;
}

std::string patchbay::whyNoThread(unsigned Pid, bool HasBegun) {
  std::string Folder = "/proc/" + utostr(Pid);
  std::string Limits = fileText(Folder + "/limits");
  std::string MostText = fileText("/proc/sys/vm/max_map_count");
  ThreadStatus Status(Pid, Pid);
  // A thread needs two mappings, and a stack that is usually as large as the main one.
  uint64_t Mappings = StringRef(fileText(Folder + "/maps")).count('\n'), Most;
  uint64_t Stack = limitOf(Limits, "Max stack size");
  if (Stack == UINT64_MAX)
    Stack = 2 << 20;
  if (!StringRef(MostText).trim().getAsInteger(10, Most) &&
      Mappings + 2 > Most)
    return "it has " + utostr(Mappings) + " mappings and may have at most " + utostr(Most) +
           " (sysctl vm.max_map_count)";
  // The limit does not hold for root.
  const StringRef User = Status.line("Uid");
  const uint64_t MostThreads = limitOf(Limits, "Max processes");
  if (const uint64_t Threads = threadsOfUser(User);
      Threads >= MostThreads && !User.starts_with("0\t"))
    return "its user has " + utostr(Threads) + " threads and may have at most " +
           utostr(MostThreads) + " (RLIMIT_NPROC)";
  const std::string Others = "pids.max or memory.max of its control group";
  for (auto [Name, Used, Code, Else] :
       {std::tuple("Max address space", "VmSize", "RLIMIT_AS", std::string()),
        std::tuple("Max data size", "VmData", "RLIMIT_DATA", std::string()),
        // The kernel does not tell whether it called mlockall(MCL_FUTURE), for which alone the
        // limit matters here.
        std::tuple("Max locked memory", "VmLck", "RLIMIT_MEMLOCK", " or " + Others)}) {
    uint64_t Limit = limitOf(Limits, Name), Kilobytes = 0;
    Status.line(Used).consumeInteger(10, Kilobytes);
    if (Limit != UINT64_MAX && Kilobytes && (Kilobytes << 10) + Stack > Limit)
      return "it uses " + utostr(Kilobytes) + " KB of " + utostr(Limit >> 10) + " KB (" +
             Code + ")" + Else;
  }
  return (HasBegun ? "" : "a signal handler left the loading code by siglongjmp(), or ") +
         ("it can have no more memory, or no more threads (RLIMIT_NPROC, " + Others + ")");
}
