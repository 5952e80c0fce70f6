// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raises the priority of this command while a thread of another process is
// stopped: that thread waits whenever this command waits for a processor.
#pragma once

#include "support/Descriptor.h"
#include <chrono>
#include <optional>

namespace patchbay {

/// Gives the calling thread the lowest real-time priority if that is permitted
/// (CAP_SYS_NICE, RLIMIT_RTPRIO), otherwise the best permitted nice value. Keeps an
/// existing real-time priority. The thread's work during that time must be short.
class Urgency {
public:
  Urgency();
  ~Urgency();
  Urgency(const Urgency &) = delete;
  Urgency &operator=(const Urgency &) = delete;

private:
  int Policy, Nice;
};

/// How long the calling thread has been runnable without a processor since this
/// object was made (proc(5), /proc/PID/schedstat).
class RunDelay {
public:
  RunDelay();
  /// std::nullopt if the kernel does not count it.
  std::optional<std::chrono::nanoseconds> soFar() const;

private:
  Descriptor Fd;
};

} // namespace patchbay
