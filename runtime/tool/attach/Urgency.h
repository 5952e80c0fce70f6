// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raises our priority while a thread of another process stands still for us.
// While we wait for a processor, that thread waits, too.
#pragma once

#include "support/Descriptor.h"
#include <chrono>
#include <optional>

namespace patchbay {

/// Gives the calling thread the lowest real-time priority, if permitted (CAP_SYS_NICE,
/// RLIMIT_RTPRIO), or else the highest permitted nice value. A thread with a real-time
/// priority keeps it. The thread's work at that priority must be short.
class Urgency {
public:
  Urgency();
  ~Urgency();
  Urgency(const Urgency &) = delete;
  Urgency &operator=(const Urgency &) = delete;

private:
  int Policy, Nice;
};

/// How long the calling thread has been runnable without a processor, since it
/// began (proc(5), /proc/PID/schedstat).
class RunDelay {
public:
  RunDelay();
  /// std::nullopt: the kernel does not count it.
  std::optional<std::chrono::nanoseconds> soFar() const;

private:
  Descriptor Fd;
};

} // namespace patchbay
