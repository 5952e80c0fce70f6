// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a thread of another process stands still for us, we go before others
// for a processor: who is held for as long as we wait for one is held by all
// who are in our way.
#ifndef PATCHBAY_TOOL_ATTACH_URGENCY_H
#define PATCHBAY_TOOL_ATTACH_URGENCY_H

#include <chrono>
#include <optional>

namespace patchbay {

/// For the calling thread: a real-time priority, the lowest, if it may have one
/// (CAP_SYS_NICE, RLIMIT_RTPRIO), else the highest nice value that it may have.
/// Who has a real-time priority keeps that. What the thread does meanwhile must
/// not take long.
class Urgency {
public:
  Urgency();
  ~Urgency();
  Urgency(const Urgency &) = delete;
  Urgency &operator=(const Urgency &) = delete;

private:
  int Policy, Nice;
};

/// How long the calling thread could have run and had no processor, since it
/// began (proc(5), /proc/PID/schedstat).
class RunDelay {
public:
  RunDelay();
  ~RunDelay();
  RunDelay(const RunDelay &) = delete;
  RunDelay &operator=(const RunDelay &) = delete;
  /// std::nullopt: the kernel does not count it.
  std::optional<std::chrono::nanoseconds> soFar() const;

private:
  int Fd;
};

} // namespace patchbay

#endif
