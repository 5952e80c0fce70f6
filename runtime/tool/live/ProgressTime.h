// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time limits that a busy machine does not exhaust: the time that a thread waits for a
// processor does not count.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct RunTime {
  bool IsRunnable = false; // runs, or waits for a processor
  std::chrono::nanoseconds Ran{0};
};
/// Folder: of a thread, in /proc. All 0 if it has ended.
RunTime runTimeOf(const std::string &Folder);

/// How long a thread ran, was blocked or stood still. Call soFar() at least every
/// MaxPause: it counts at most that much per interval, since this command may also have
/// lacked a processor.
class ProgressTime {
public:
  using Nanoseconds = std::chrono::nanoseconds;
  static constexpr std::chrono::milliseconds MaxPause{500};

  /// Folder() is the thread's folder in /proc. It is empty while the thread has not begun to
  /// run: until then it waits for a processor, unless its process is stopped.
  ProgressTime(pid_t Pid, std::function<std::string()> Folder);

  Nanoseconds soFar();
  /// The part of soFar() since the thread ran last. soFar() updates it.
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

/// Calls Done until it returns true, or until HasExpired does. Polls often at first, and
/// then less and less often, so that polling itself costs little.
bool waitUntil(llvm::function_ref<bool()> HasExpired, llvm::function_ref<bool()> Done);

} // namespace patchbay
