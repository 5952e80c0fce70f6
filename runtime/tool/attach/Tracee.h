// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops one thread of another process briefly, by PTRACE_SEIZE and PTRACE_INTERRUPT of
// ptrace(2). These requests send no signal, and do not stop further threads. This command
// uses no ptrace options. So if this command is killed at any time, the kernel resumes the
// thread with its current registers.
#pragma once

#include "Registers.h"
#include "support/MappedFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <optional>
#include <sys/types.h>

namespace patchbay {

/// Raises the priority of the calling thread while a thread of another process is stopped,
/// since the stopped thread waits while this command waits for a processor. Uses the lowest
/// real-time priority if permitted (CAP_SYS_NICE, RLIMIT_RTPRIO), otherwise the best
/// permitted nice value. Keeps an existing real-time priority. Must last only briefly.
class Urgency {
public:
  Urgency();
  ~Urgency();
  Urgency(const Urgency &) = delete;
  Urgency &operator=(const Urgency &) = delete;

private:
  int Policy, Nice;
};

/// The time in which the calling thread has waited for a processor since this object was
/// created (proc(5), /proc/PID/schedstat).
class RunDelay {
public:
  RunDelay();
  /// std::nullopt if the kernel does not count this time.
  std::optional<std::chrono::nanoseconds> soFar() const;

private:
  Descriptor Fd;
};

class Tracee {
public:
  enum class State {
    Stopped,  // registers are valid until resume()
    Late,     // the thread did not stop in time
    Busy,     // the thread was about to take a signal, or to restart a system call
    Gone,     // the thread has ended, or executes another program
    Halted,   // a signal has stopped the whole process
  };

  Tracee(pid_t Process, pid_t Thread) : Process(Process), Thread(Thread) {}
  /// Resumes the thread unchanged.
  ~Tracee();
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;

  /// Stops the thread. Fails if this command may not debug the process.
  llvm::Expected<State> stop();
  const ThreadRegisters &registers() const { return Registers; }

  /// The registers with which the thread would continue if it had not been stopped: an
  /// interrupted system call restarts. std::nullopt: unknown, since the thread is about to
  /// take a signal.
  std::optional<ThreadRegisters> undisturbed() const;

  /// Does the stub (Stub.h) restore all of the thread's state?
  bool isAllSaved() const { return patchbay::isAllSaved(Thread, Registers); }

  /// Is the thread in a restartable sequence (rseq(2))? The kernel would not restart the
  /// sequence of a redirected thread.
  bool isInRestartable() const;

  /// Does the thread use syscall user dispatch, so that the kernel sends SIGSYS for its
  /// system calls? Returns false before Linux 6.4, which cannot tell.
  bool isDispatched() const;

  /// Does the thread's memory have these bytes at Address?
  bool hasThere(uint64_t Address, llvm::StringRef Bytes) const;

  /// Resumes the thread with these registers. Returns false if the thread has ended.
  bool resumeWith(const ThreadRegisters &R);
  /// Resumes the thread unchanged.
  void resume();

  /// When the thread stopped, by CLOCK_MONOTONIC.
  std::chrono::nanoseconds stoppedAt() const { return StoppedAt; }
  /// The longest time for which the calling thread has stopped a thread.
  static std::chrono::nanoseconds longest();

  /// Runs Do on a separate thread of this command, which becomes the tracer of the stopped
  /// threads. When the separate thread ends, the kernel detaches threads that did not stop
  /// in time, so that these threads do not stop later.
  static void onThreadOfItsOwn(llvm::function_ref<void()> Do);
  /// Releases the threads that stopped too late, except Spared, which the caller stops
  /// next.
  static void letLateGo(pid_t Process, pid_t Spared = 0);

  /// Calls Do(THREAD) for a thread of the process while this command is its debugger,
  /// without stopping the thread.
  static bool seizeAny(pid_t Process, llvm::function_ref<bool(pid_t)> Do);

private:
  State interrupt();
  void letGo(int Status);
  void goOnUntilItWaits();
  void goesOn();
  bool release(int Signal);
  bool read(uint64_t Address, void *Bytes, size_t Size) const;
  bool hasSignals() const;

  pid_t Process, Thread;
  ThreadRegisters Registers;
  bool IsSeized = false, IsStopped = false;
  std::chrono::nanoseconds StoppedAt{0};
  std::optional<Urgency> Urgent; // set while the thread is stopped
};

} // namespace patchbay
