// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the kernel's data about processes, their threads and control groups, without
// stopping them (proc(5), cgroups(7)).
#pragma once

#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

/// The values of /proc/PID/task/TID/status. Missing values are empty, or 0.
class ThreadStatus {
public:
  ThreadStatus(pid_t Process, pid_t Thread);
  bool exists() const { return !Text.empty(); }
  llvm::StringRef line(llvm::StringRef Name) const;
  uint64_t hex(llvm::StringRef Name) const;
  uint64_t number(llvm::StringRef Name) const;

private:
  std::string Text;
};

/// Is it a kernel thread? A process shortly before its end has no memory either.
bool isOfKernel(pid_t Thread);

/// /proc/PID/task/TID/syscall: where a thread waits.
struct ThreadPlace {
  bool IsRunning = false;
  int64_t SystemCall = -1;
  uint64_t FirstArgument = 0; // first argument of the system call
  uint64_t StackPointer = 0, Pc = 0;
};
/// std::nullopt if the thread does not exist, or if the kernel does not tell.
std::optional<ThreadPlace> placeOf(pid_t Process, pid_t Thread);

std::vector<pid_t> threadsOf(pid_t Process);

/// The thread with this number in the process's own PID namespace (gettid(2)). Its
/// number in our namespace may differ.
std::optional<pid_t> threadCalled(pid_t Process, uint64_t Number);
inline bool hasThread(pid_t Process, uint64_t Number) {
  return threadCalled(Process, Number).has_value();
}
/// "/proc/4711/task/4712"; the process's folder if the thread does not exist.
std::string threadFolder(pid_t Process, uint64_t Number);
/// "thread 4711 (worker)", for messages. 0: a thread that is ending. If the
/// thread has ended, the text has only its number.
std::string threadText(pid_t Process, uint64_t Number);

/// The contents of /proc/PID/Name; empty if they cannot be read.
std::string readProc(pid_t Process, const llvm::Twine &Name);

/// Mount points of control groups: one at /sys/fs/cgroup, or several below it
/// (cgroups(7), "Cgroups version 2"). Wanted: the type of file system; empty:
/// all types.
std::vector<std::string> cgroupMounts(llvm::StringRef Wanted = "");

/// Why none of the process's threads runs (stopped or frozen), and how to
/// continue it. Empty if neither applies.
std::string whyStill(unsigned Pid);

/// Call why() repeatedly, about once a second.
class Stillness {
public:
  explicit Stillness(int Pid) : Pid(Pid), Ran(ran()) {}

  /// Why the process does not run now, if it has not run since the last call;
  /// otherwise "".
  std::string why();

private:
  uint64_t ran() const;

  int Pid;
  uint64_t Ran; // CPU time in nanoseconds
  bool IsHeld = false;
};

} // namespace patchbay
