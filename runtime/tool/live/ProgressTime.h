// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time limits that do not count the time in which a thread waits for a processor, so that they
// do not expire on a busy machine.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct RunTime {
  bool IsRunnable = false; // does the thread run, or wait for a processor?
  std::chrono::nanoseconds Ran{0};
};
/// Folder: the thread's folder in /proc. All values are 0 if the thread has ended.
RunTime runTimeOf(const std::string &Folder);

/// The time in which a thread ran, was blocked or was stopped. soFar() must be called at least
/// every MaxPause. Each soFar() counts at most MaxPause, since this command itself may have
/// waited for a processor.
class ProgressTime {
public:
  using Nanoseconds = std::chrono::nanoseconds;
  static constexpr std::chrono::milliseconds MaxPause{500};

  /// Folder() returns the thread's folder in /proc, or an empty string before the thread first
  /// runs. Until then, the thread waits for a processor, unless its process is stopped.
  ProgressTime(pid_t Pid, std::function<std::string()> Folder);

  Nanoseconds soFar();
  /// The part of soFar() since the thread last ran, as of the last call of soFar().
  Nanoseconds sinceItRan() const { return Blocked; }

private:
  RunTime sample();

  pid_t Pid;
  std::function<std::string()> FindFolder;
  std::string Folder;
  std::chrono::steady_clock::time_point At;
  std::optional<RunTime> Last; // at the last call of soFar()
  Nanoseconds Sum{0}, Blocked{0};
};

/// SIGINT, SIGTERM or SIGHUP if it is blocked and pending, or 0.
int pendingEnd();

/// Calls Done and HasExpired until either returns true. The interval between calls grows, so
/// that polling costs little.
bool waitUntil(llvm::function_ref<bool()> HasExpired, llvm::function_ref<bool()> Done);

} // namespace patchbay
