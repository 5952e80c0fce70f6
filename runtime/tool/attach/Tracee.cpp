// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tracee.h"
#include "Permission.h"
#include "ThreadStatus.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <set>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>

using namespace llvm;
using namespace patchbay;

// A thread that runs, or waits as most do, stops at once. Those that wait for a disk
// or a child of vfork(2) may take as long as these do.
static constexpr std::chrono::milliseconds Patience(20);
// How often one is stopped until its registers say how its system call is begun again.
static constexpr unsigned MaxStops = 4;

// Of the kernel's errors, how a system call is begun again (include/linux/errno.h).
enum Restart : int64_t {
  RestartSys = -512,
  RestartNoIntr = -513,
  RestartNoHand = -514,
  RestartBlock = -516,
};

// Waits for a change of Thread; 0: there was none in time.
static int waitFor(pid_t Thread, std::chrono::steady_clock::time_point Until) {
  sigset_t Child, Before;
  sigemptyset(&Child);
  sigaddset(&Child, SIGCHLD);
  // What comes between the look and the wait stays pending.
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

// Threads that did not come to a stop in time, so that they could not be let go.
static std::set<pid_t> &unreleased() {
  static std::set<pid_t> Threads;
  return Threads;
}

Expected<Tracee::State> Tracee::stop() {
  bool IsOurs = unreleased().erase(Thread);
  if (!IsOurs && ptrace(PTRACE_SEIZE, Thread, 0, 0)) {
    if (errno == ESRCH)
      return State::Gone;
    return whyNotPermitted(Process, errno);
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

// It is on its way to where it was, and is there in microseconds.
void Tracee::goOnUntilItWaits() {
  IsStopped = false;
  ptrace(PTRACE_CONT, Thread, 0, 0);
  for (unsigned Tries = 0; Tries != 100; ++Tries) {
    auto Place = placeOf(Process, Thread);
    if (!Place || (!Place->IsRunning && Place->SystemCall >= 0))
      break;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Tracee::State Tracee::interrupt() {
  // From here on we are told of each signal before it is taken.
  std::optional<ThreadPlace> Before;
  if (TakesPlaceBefore)
    Before = placeOf(Process, Thread);
  ptrace(PTRACE_INTERRUPT, Thread, 0, 0);
  int Status = waitFor(Thread, std::chrono::steady_clock::now() + Patience);
  if (!Status)
    return State::Busy;
  if (!WIFSTOPPED(Status)) {
    IsSeized = false;
    return State::Gone;
  }
  IsStopped = true;
  int Event = Status >> 16, Signal = WSTOPSIG(Status);
  if (Event != PTRACE_EVENT_STOP) {
    // A signal that it is about to take: it does, and is asked again later. After
    // execve(2) the kernel sends SIGTRAP of its own to who is traced.
    bool OfExec = Event == PTRACE_EVENT_EXEC;
    release(Event ? 0 : Signal);
    return OfExec ? State::Gone : State::Busy;
  }
  if (Signal != SIGTRAP) {
    release(0);
    return State::Halted;
  }
  if (!readRegisters(Thread, Before, Registers)) {
    release(0);
    return State::Gone;
  }
  return State::Stopped;
}

bool Tracee::hasSignals() const {
  ThreadStatus S(Process, Thread);
  return (S.hex("SigPnd") | S.hex("ShdPnd")) & ~S.hex("SigBlk");
}

// System calls that fail with EINTR when their thread is stopped, though there is no
// signal (signal(7), "Interruption of system calls and library functions by stop
// signals"). They have changed nothing by then.
static bool failsWhenStopped(int64_t Number) {
  switch (Number) {
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
#endif
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_rt_sigtimedwait:
  case SYS_io_getevents:
  case SYS_semtimedop:
  case SYS_semop:
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

bool Tracee::hasThere(uint64_t Address, StringRef Bytes) const {
  std::string There(Bytes.size(), '\0');
  iovec Ours = {There.data(), There.size()};
  iovec Theirs = {reinterpret_cast<void *>(Address), There.size()};
  return process_vm_readv(Thread, &Ours, 1, &Theirs, 1, 0) ==
             ssize_t(There.size()) &&
         There == Bytes;
}

bool Tracee::resumeWith(const ThreadRegisters &R) {
  bool Done = writeRegisters(Thread, R);
  return release(0) && Done;
}

// The kernel itself begins most system calls again.
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
  return !ptrace(PTRACE_DETACH, Thread, 0, Signal);
}

// To be let go a thread has to stand still. One that has not stopped in time, since it
// has no processor, for instance, does so when it goes on; what then takes long is not
// our doing. Others the kernel lets go when this command ends.
Tracee::~Tracee() {
  if (IsStopped)
    resume();
  if (!IsSeized)
    return;
  int Status = waitFor(Thread, std::chrono::steady_clock::now() + 50 * Patience);
  if (!Status) {
    unreleased().insert(Thread);
  } else if (WIFSTOPPED(Status)) {
    IsStopped = true;
    bool IsSignal = !(Status >> 16);
    if (!IsSignal && readRegisters(Thread, std::nullopt, Registers))
      resume();
    else
      release(IsSignal ? WSTOPSIG(Status) : 0);
  }
}
