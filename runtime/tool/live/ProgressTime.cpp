// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgressTime.h"
#include "ThreadStatus.h"
#include "support/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <csignal>
#include <thread>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

ProgressTime::ProgressTime(pid_t Pid, std::function<std::string()> Folder)
    : Pid(Pid), FindFolder(std::move(Folder)), At(Clock::now()) {}

// On kernels without CONFIG_SCHED_INFO, schedstat has only 0, so use stat, which counts
// clock ticks. The name in stat may contain spaces and brackets. See proc_pid_stat(5).
RunTime patchbay::runTimeOf(const std::string &Folder) {
  constexpr unsigned State = 0, UserTime = 11, SystemTime = 12;
  RunTime Is;
  const std::string Stat = fileText(Folder + "/stat"), Exact = fileText(Folder + "/schedstat");
  SmallVector<StringRef> Fields;
  StringRef(Stat).rsplit(") ").second.split(Fields, ' ');
  uint64_t User = 0, System = 0, Ran = 0;
  if (Fields.size() <= SystemTime)
    return Is;
  Is.IsRunnable = Fields[State] == "R";
  to_integer(Fields[UserTime], User, 10);
  to_integer(Fields[SystemTime], System, 10);
  if (!to_integer(StringRef(Exact).split(' ').first, Ran, 10) || !Ran)
    Ran = (User + System) * (1000000000 / uint64_t(sysconf(_SC_CLK_TCK)));
  Is.Ran = std::chrono::nanoseconds(Ran);
  return Is;
}

RunTime ProgressTime::sample() {
  if (Folder.empty())
    Folder = FindFolder();
  return Folder.empty() ? RunTime{whyStill(Pid).empty()} : runTimeOf(Folder);
}

ProgressTime::Nanoseconds ProgressTime::soFar() {
  const auto Now = Clock::now();
  const Nanoseconds Passed = std::min<Nanoseconds>(Now - std::exchange(At, Now), 2 * MaxPause);
  const RunTime Is = sample();
  const Nanoseconds Ran = std::max(Is.Ran - Last.value_or(Is).Ran, 0ns);
  Last = Is;
  if (Ran > 0ns)
    Blocked = 0ns;
  else if (!Is.IsRunnable)
    Blocked += Passed;
  Sum += Is.IsRunnable ? std::min(Ran, Passed) : Passed;
  return Sum;
}

int patchbay::pendingEnd() {
  sigset_t Pending, Mask;
  sigpending(&Pending);
  pthread_sigmask(SIG_BLOCK, nullptr, &Mask);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&Mask, Signal) == 1 && sigismember(&Pending, Signal) == 1)
      return Signal;
  return 0;
}

bool patchbay::waitUntil(function_ref<bool()> HasExpired, function_ref<bool()> Done) {
  const auto Begin = Clock::now();
  std::chrono::nanoseconds Pause = 20us;
  while (!Done()) {
    if (HasExpired())
      return false;
    std::this_thread::sleep_for(Pause);
    const std::chrono::nanoseconds Rare = (Clock::now() - Begin) / 16;
    const std::chrono::nanoseconds Longest = std::max<std::chrono::nanoseconds>(1ms, Rare);
    Pause = std::min<std::chrono::nanoseconds>(
        {Pause + Pause / 4, Longest, ProgressTime::MaxPause});
  }
  return true;
}
