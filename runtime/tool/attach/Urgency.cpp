// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Urgency.h"
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace patchbay;

static constexpr int HighestNice = -20;

// Both calls take 0 for the calling thread.
static bool schedule(int Policy, int Priority) {
  sched_param P = {};
  P.sched_priority = Priority;
  return !sched_setscheduler(0, Policy, &P);
}

// In a control group without real-time bandwidth no thread can get a real-time
// priority, whatever its rights.
Urgency::Urgency() : Policy(sched_getscheduler(0)) {
  errno = 0;
  Nice = getpriority(PRIO_PROCESS, 0);
  bool IsRealTime =
      Policy != SCHED_OTHER && Policy != SCHED_BATCH && Policy != SCHED_IDLE;
  // A seccomp filter may kill a thread that changes its scheduling.
  if (errno || IsRealTime || prctl(PR_GET_SECCOMP)) {
    Policy = -1;
    return;
  }
  if (!schedule(SCHED_FIFO, sched_get_priority_min(SCHED_FIFO)))
    setpriority(PRIO_PROCESS, 0, HighestNice);
}

Urgency::~Urgency() {
  if (Policy < 0)
    return;
  schedule(Policy, 0);
  setpriority(PRIO_PROCESS, 0, Nice);
}

RunDelay::RunDelay()
    : Fd(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

// The file has the running time, the waiting time, and the number of time
// slices. All are 0 if the kernel does not count.
std::optional<std::chrono::nanoseconds> RunDelay::soFar() const {
  char Text[128];
  ssize_t Size = Fd < 0 ? -1 : pread(Fd, Text, sizeof(Text) - 1, 0);
  uint64_t Ran, Waited, Times;
  if (Size > 0)
    Text[Size] = 0;
  if (Size <= 0 ||
      sscanf(Text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &Ran, &Waited, &Times) !=
          3 ||
      !Times)
    return std::nullopt;
  return std::chrono::nanoseconds(Waited);
}
