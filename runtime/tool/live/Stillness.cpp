// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stillness.h"
#include "ControlGroups.h"
#include "ThreadStatus.h"
#include <ctime>
#include <utility>

using namespace patchbay;

std::string patchbay::whyStill(unsigned Pid) {
  if (ThreadStatus(Pid, Pid).line("State").starts_with("T"))
    return "it is stopped (SIGSTOP or Ctrl-Z): continue it first with kill -CONT";
  if (isFrozen(Pid))
    return "its control group is frozen (cgroup.freeze or docker pause): thaw it first";
  return "";
}

std::string Stillness::why() {
  bool HasRun = std::exchange(Ran, ran()) != Ran;
  bool WasHeld = std::exchange(
      IsHeld, ThreadStatus(Pid, Pid).line("State").starts_with("t"));
  if (HasRun)
    return "";
  std::string Why = whyStill(Pid);
  // Report a debugger only after two checks: many processes are stopped
  // briefly, for example by strace(1), or by another patchbay.
  if (Why.empty() && IsHeld && WasHeld)
    Why = "a debugger has stopped it: continue it there first";
  return Why;
}

uint64_t Stillness::ran() const {
  clockid_t Id;
  timespec Time = {};
  if (!clock_getcpuclockid(Pid, &Id))
    clock_gettime(Id, &Time);
  return uint64_t(Time.tv_sec) * 1000000000 + Time.tv_nsec;
}
