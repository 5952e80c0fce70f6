// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the kernel's data about processes, their threads and control groups (proc(5),
// cgroups(7)), without stopping the processes.
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

/// Is Thread a kernel thread? Missing memory is no proof, since an ending process has none.
bool isOfKernel(pid_t Thread);

/// Where a thread waits: the contents of /proc/PID/task/TID/syscall.
struct ThreadPlace {
  bool IsRunning = false;
  int64_t SystemCall = -1;
  uint64_t FirstArgument = 0; // first argument of the system call
  uint64_t StackPointer = 0, Pc = 0;
};
/// std::nullopt if the thread does not exist, or if the kernel does not provide the file.
std::optional<ThreadPlace> placeOf(pid_t Process, pid_t Thread);

std::vector<pid_t> threadsOf(pid_t Process);

/// Converts a thread ID in the process's PID namespace (gettid(2)) to the thread ID in this
/// command's namespace.
std::optional<pid_t> threadCalled(pid_t Process, uint64_t Number);
inline bool hasThread(pid_t Process, uint64_t Number) {
  return threadCalled(Process, Number).has_value();
}
/// Returns "/proc/4711/task/4712"; the process's folder if the thread does not exist.
std::string threadFolder(pid_t Process, uint64_t Number);
/// Returns "thread 4711 (worker)", for messages; without the name if the thread has ended.
/// Number 0: a thread that is ending.
std::string threadText(pid_t Process, uint64_t Number);

/// The contents of /proc/PID/Name; empty if the file cannot be read.
std::string readProc(pid_t Process, const llvm::Twine &Name);

/// Mount points of control groups: /sys/fs/cgroup, or directories below it (cgroups(7),
/// "Cgroups version 2"). Wanted: the type of file system; empty: all types.
std::vector<std::string> cgroupMounts(llvm::StringRef Wanted = "");

/// If the process is stopped or frozen: the reason, and how to continue the process. Otherwise
/// empty.
std::string whyStill(unsigned Pid);

/// Detects a process that does not run. why() must be called about once a second.
class Stillness {
public:
  explicit Stillness(int Pid) : Pid(Pid), Ran(ran()) {}

  /// If the process has not run since the last call: the reason why it does not run. Otherwise
  /// "".
  std::string why();

private:
  uint64_t ran() const;

  int Pid;
  uint64_t Ran; // CPU time in nanoseconds
  bool IsHeld = false;
};

} // namespace patchbay
