// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tracee.h"
#include "live/ProcessMemory.h"
#include "live/ThreadStatus.h"
#include "trace/system/moment.h"
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <set>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>

using namespace llvm;
using namespace patchbay;

// Limits the wait for a stop. Most threads stop immediately. A thread that waits for a disk
// or for a child of vfork(2) stops only when that wait ends.
static constexpr std::chrono::milliseconds Patience(20);
// How often to stop a thread until its registers show how its system call restarts.
static constexpr unsigned MaxStops = 4;

// The kernel's errors that tell how a system call restarts (include/linux/errno.h).
enum Restart : int64_t {
  RestartSys = -512,
  RestartNoIntr = -513,
  RestartNoHand = -514,
  RestartBlock = -516,
};

// Waits for a change of Thread's state. Returns 0 if none comes in time.
static int waitFor(pid_t Thread, std::chrono::steady_clock::time_point Until) {
  sigset_t Child, Before;
  sigemptyset(&Child);
  sigaddset(&Child, SIGCHLD);
  // Block SIGCHLD, so that a signal between the check and the wait stays pending.
  pthread_sigmask(SIG_BLOCK, &Child, &Before);
  int Status = 0;
  for (;;) {
    pid_t Found = waitpid(Thread, &Status, __WALL | WNOHANG);
    auto Left = Until - std::chrono::steady_clock::now();
    if (Found || Left <= Left.zero()) {
      if (Found != Thread)
        Status = 0;
      break;
    }
    auto Nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Left).count();
    timespec Time = {Nanoseconds / 1000000000, Nanoseconds % 1000000000};
    sigtimedwait(&Child, nullptr, &Time);
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Status;
}

// Threads that did not stop in time and so could not be released, for example because they
// wait for a disk. These threads may still stop at any moment.
static std::set<pid_t> &unreleased() {
  static thread_local std::set<pid_t> Threads;
  return Threads;
}

static std::chrono::nanoseconds &longestHeld() {
  static thread_local std::chrono::nanoseconds Longest{0};
  return Longest;
}

std::chrono::nanoseconds Tracee::longest() { return longestHeld(); }

static std::chrono::nanoseconds now() {
  return std::chrono::nanoseconds(pb_now_ns(CLOCK_MONOTONIC));
}

static bool hasEnded(pid_t Process, pid_t Thread) {
  StringRef State = ThreadStatus(Process, Thread).line("State");
  return State.empty() || State.starts_with("Z") || State.starts_with("X");
}

Expected<Tracee::State> Tracee::stop() {
  bool IsOurs = unreleased().erase(Thread);
  if (!IsOurs && ptrace(PTRACE_SEIZE, Thread, 0, 0)) {
    int Errno = errno;
    // The kernel returns the same error for a process that has just ended and for a process
    // that may not be debugged.
    if (Errno == ESRCH || hasEnded(Process, Thread))
      return State::Gone;
    return whyNotPermitted(Process, Errno);
  }
  IsSeized = true;
  for (unsigned Stops = 1;; ++Stops) {
    State S = interrupt();
    if (S != State::Stopped || !hidesRestart(Registers))
      return S;
    if (Stops == MaxStops)
      break;
    goOnUntilItWaits();
  }
  release(0);
  return State::Busy;
}

// Resumes the thread and waits until it is in its system call again, which takes
// microseconds.
void Tracee::goOnUntilItWaits() {
  IsStopped = false;
  ptrace(PTRACE_CONT, Thread, 0, 0);
  goesOn();
  for (unsigned Tries = 0; Tries != 100; ++Tries) {
    auto Place = placeOf(Process, Thread);
    if (!Place || (!Place->IsRunning && Place->SystemCall >= 0))
      break;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

bool Tracee::isDispatched() const {
  // PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, which <linux/ptrace.h> lacks on Debian 12.
  constexpr int GetConfig = 0x4211;
  struct {
    uint64_t Mode, Selector, Offset, Length;
  } Config = {PR_SYS_DISPATCH_OFF, 0, 0, 0};
  return !ptrace(__ptrace_request(GetConfig), Thread, sizeof(Config), &Config) &&
         Config.Mode != PR_SYS_DISPATCH_OFF;
}

Tracee::State Tracee::interrupt() {
  // Read the place now: after PTRACE_SEIZE, the kernel reports each signal to this command
  // before the thread takes the signal.
  std::optional<ThreadPlace> Place;
  if (TakesPlaceBefore)
    Place = placeOf(Process, Thread);
  // The kernel wakes this command when the thread stops. Measure how long this command
  // then waits for a processor, since the thread is stopped during that wait.
  RunDelay Delay;
  Urgent.emplace();
  auto Before = Delay.soFar();
  StoppedAt = now();
  ptrace(PTRACE_INTERRUPT, Thread, 0, 0);
  int Status = waitFor(Thread, std::chrono::steady_clock::now() + Patience);
  if (auto After = Delay.soFar(); After && Before)
    StoppedAt = std::max(StoppedAt, now() - (*After - *Before));
  if (!Status)
    return State::Late;
  if (!WIFSTOPPED(Status)) {
    IsSeized = false;
    return State::Gone;
  }
  IsStopped = true;
  int Event = Status >> 16, Signal = WSTOPSIG(Status);
  if (Event != PTRACE_EVENT_STOP) {
    // The thread is about to take a signal: let the thread take the signal, and try again
    // later. After execve(2), the kernel sends SIGTRAP to a traced thread.
    bool OfExec = Event == PTRACE_EVENT_EXEC;
    release(Event ? 0 : Signal);
    return OfExec ? State::Gone : State::Busy;
  }
  if (Signal != SIGTRAP) {
    release(0);
    return State::Halted;
  }
  if (!readRegisters(Thread, Place, Registers)) {
    release(0);
    return State::Gone;
  }
  return State::Stopped;
}

bool Tracee::hasSignals() const {
  ThreadStatus S(Process, Thread);
  return (S.hex("SigPnd") | S.hex("ShdPnd")) & ~S.hex("SigBlk");
}

// System calls that fail with EINTR when their thread is stopped, even without a signal:
// see signal(7), "Interruption of system calls and library functions by stop signals".
// Calls on sockets fail like this if SO_RCVTIMEO or SO_SNDTIMEO is set. An interrupted call
// can be repeated: it has changed nothing, otherwise it would return a count. A repeated
// connect(2) waits for the same connection.
static bool failsWhenStopped(int64_t Number) {
  switch (Number) {
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
#endif
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_rt_sigtimedwait:
  case SYS_io_getevents:
  case SYS_io_uring_enter:
  case SYS_semtimedop:
  case SYS_semop:
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
  case SYS_read:
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_write:
  case SYS_writev:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
    return true;
  default:
    return false;
  }
}

std::optional<ThreadRegisters> Tracee::undisturbed() const {
  int64_t Number = systemCall(Registers);
  if (Number < 0)
    return Registers;
  switch (systemCallResult(Registers)) {
  case RestartSys:
  case RestartNoIntr:
  case RestartNoHand:
    break;
  case RestartBlock:
    Number = SYS_restart_syscall;
    break;
  case -EINTR:
    if (failsWhenStopped(Number))
      break;
    return Registers;
  default:
    return Registers;
  }
  if (hasSignals())
    return std::nullopt;
  return repeated(Registers, Number);
}

bool Tracee::read(uint64_t Address, void *Bytes, size_t Size) const {
  iovec Ours = {Bytes, Size};
  iovec Theirs = {reinterpret_cast<void *>(Address), Size};
  return process_vm_readv(Thread, &Ours, 1, &Theirs, 1, 0) == ssize_t(Size);
}

bool Tracee::hasThere(uint64_t Address, StringRef Bytes) const {
  std::string There(Bytes.size(), '\0');
  return read(Address, There.data(), There.size()) && There == Bytes;
}

namespace {
// From <linux/ptrace.h>, which cannot be included together with <sys/ptrace.h>.
constexpr auto GetRseqConfiguration = static_cast<__ptrace_request>(0x420f);
struct RseqConfiguration {
  uint64_t Area;
  uint32_t Size, Signature, Flags, Padding;
};
struct RseqSection { // struct rseq_cs
  uint32_t Version, Flags;
  uint64_t Start, Size, Abort;
};
constexpr uint64_t SectionInArea = 8; // rseq_cs in struct rseq
} // namespace

// Is the program counter in a sequence? The kernel restarts such a sequence when the thread
// resumes. Kernels before Linux 5.13 do not show sequences.
bool Tracee::isInRestartable() const {
  RseqConfiguration Of = {};
  uint64_t Section = 0;
  if (ptrace(GetRseqConfiguration, Thread, sizeof(Of), &Of) < 0 || !Of.Area)
    return false;
  if (!read(Of.Area + SectionInArea, &Section, sizeof(Section)) || !Section)
    return false;
  RseqSection S;
  return !read(Section, &S, sizeof(S)) ||
         programCounter(Registers) - S.Start < S.Size;
}

bool Tracee::resumeWith(const ThreadRegisters &R) {
  bool Done = writeRegisters(Thread, R);
  return release(0) && Done;
}

// Repeats a system call that failed with EINTR. The kernel restarts most interrupted calls
// itself.
void Tracee::resume() {
  if (!IsStopped)
    return;
  if (systemCall(Registers) >= 0 && systemCallResult(Registers) == -EINTR)
    if (auto Before = undisturbed()) {
      resumeWith(*Before);
      return;
    }
  release(0);
}

bool Tracee::release(int Signal) {
  IsStopped = false;
  IsSeized = false;
  bool Done = !ptrace(PTRACE_DETACH, Thread, 0, Signal);
  goesOn();
  return Done;
}

void Tracee::goesOn() {
  longestHeld() = std::max(longestHeld(), now() - StoppedAt);
  Urgent.reset();
}

// Releases a thread whose late stop, or end, waitpid(2) has reported.
void Tracee::letGo(int Status) {
  IsSeized = false;
  if (!WIFSTOPPED(Status))
    return;
  IsStopped = true;
  bool IsSignal = !(Status >> 16);
  if (!IsSignal && readRegisters(Thread, std::nullopt, Registers))
    resume();
  else
    release(IsSignal ? WSTOPSIG(Status) : 0);
}

// A thread can be released only while it is stopped. Waits for a thread that did not stop in
// time, for example because it had no processor. Does not wait for a thread in state D, which
// may take any time.
Tracee::~Tracee() {
  if (IsStopped)
    resume();
  if (!IsSeized)
    return;
  bool IsWaiting = ThreadStatus(Process, Thread).line("State").starts_with("D");
  auto Until =
      std::chrono::steady_clock::now() + (IsWaiting ? 0 : 50) * Patience;
  if (int Status = waitFor(Thread, Until))
    letGo(Status);
  else
    unreleased().insert(Thread);
}

void Tracee::onThreadOfItsOwn(function_ref<void()> Do) {
  // Block SIGCHLD in this thread, so that only waitFor() in the new thread receives it.
  sigset_t Child, Before;
  sigemptyset(&Child);
  sigaddset(&Child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &Child, &Before);
  std::thread(Do).join();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

bool Tracee::seizeAny(pid_t Process, function_ref<bool(pid_t)> Do) {
  bool Done = false;
  onThreadOfItsOwn([&] {
    for (pid_t Thread : threadsOf(Process))
      if (!ptrace(PTRACE_SEIZE, Thread, 0, 0)) {
        Done = Do(Thread);
        return;
      }
  });
  return Done;
}

void Tracee::letLateGo(pid_t Process, pid_t Spared) {
  const std::set<pid_t> Late = unreleased();
  for (pid_t Thread : Late) {
    if (Thread == Spared)
      continue;
    int Status = 0;
    pid_t Found = waitpid(Thread, &Status, __WALL | WNOHANG);
    if (!Found)
      continue;
    unreleased().erase(Thread);
    if (Found == Thread)
      Tracee(Process, Thread).letGo(Status);
  }
}

static constexpr int HighestNice = -20;

// Sets the policy and priority of the calling thread.
static bool schedule(int Policy, int Priority) {
  sched_param P = {};
  P.sched_priority = Priority;
  return !sched_setscheduler(0, Policy, &P);
}

// Falls back to a nice value: in a control group without real-time bandwidth, even root
// cannot get a real-time priority.
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

// The file has the running time, the waiting time, and the number of time slices. All three
// are 0 if the kernel does not count.
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
