// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadLimits.h"
#include "live/ThreadStatus.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace llvm;
using namespace patchbay;

static std::string textOf(const Twine &Path) {
  // Not as a whole file: files of /proc have no size.
  auto Buffer = MemoryBuffer::getFileAsStream(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

// The soft limit, or UINT64_MAX.
static uint64_t limitOf(StringRef Limits, StringRef Name) {
  uint64_t Limit;
  size_t At = Limits.find(Name);
  if (At == StringRef::npos ||
      Limits.substr(At + Name.size()).ltrim().consumeInteger(10, Limit))
    return UINT64_MAX;
  return Limit;
}

std::string patchbay::whyNoThread(unsigned Pid) {
  std::string Folder = "/proc/" + utostr(Pid);
  std::string Limits = textOf(Folder + "/limits");
  std::string MostText = textOf("/proc/sys/vm/max_map_count");
  ThreadStatus Status(Pid, Pid);
  // A thread needs two mappings, and a stack that is usually as large as the main one.
  uint64_t Mappings = StringRef(textOf(Folder + "/maps")).count('\n'), Most;
  uint64_t Stack = limitOf(Limits, "Max stack size");
  if (Stack == UINT64_MAX)
    Stack = 2 << 20;
  if (!StringRef(MostText).trim().getAsInteger(10, Most) &&
      Mappings + 2 > Most)
    return "it has " + utostr(Mappings) + " mappings, and may have " + utostr(Most) +
           " (sysctl vm.max_map_count)";
  for (auto [Name, Used, Code] : {std::tuple("Max address space", "VmSize", "RLIMIT_AS"),
                                  std::tuple("Max data size", "VmData", "RLIMIT_DATA"),
                                  // After mlockall(MCL_FUTURE).
                                  std::tuple("Max locked memory", "VmLck", "RLIMIT_MEMLOCK")}) {
    uint64_t Limit = limitOf(Limits, Name), Kilobytes = 0;
    Status.line(Used).consumeInteger(10, Kilobytes);
    if (Limit != UINT64_MAX && Kilobytes && (Kilobytes << 10) + Stack > Limit)
      return "it uses " + utostr(Kilobytes) + " KB of " + utostr(Limit >> 10) + " KB (" +
             Code + ")";
  }
  return "it can have no more memory, or no more threads (RLIMIT_NPROC, pids.max, "
         "memory.max)";
}
