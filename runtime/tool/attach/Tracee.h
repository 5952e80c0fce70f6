// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of another process, stopped briefly by PTRACE_SEIZE and
// PTRACE_INTERRUPT of ptrace(2). These send no signal, and the other threads
// keep running. No other request changes the thread, no ptrace option is set,
// and the thread executes no other instruction. So if this command is killed at
// any time, the kernel resumes the thread with its present registers.
#pragma once

#include "Registers.h"
#include "support/MappedFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <optional>
#include <sys/types.h>

namespace patchbay {

/// Raises the priority of this command while a thread of another process is stopped:
/// that thread waits whenever this command waits for a processor.
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

class Tracee {
public:
  enum class State {
    Stopped,  // registers are valid until resume()
    Late,     // it did not stop in time
    Busy,     // it was about to take a signal, or to restart a system call
    Gone,     // it has ended, or executes another program
    Halted,   // a signal has stopped the whole process
  };

  Tracee(pid_t Process, pid_t Thread) : Process(Process), Thread(Thread) {}
  /// Resumes the thread unchanged.
  ~Tracee();
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;

  /// Fails if this command may not debug it.
  llvm::Expected<State> stop();
  const ThreadRegisters &registers() const { return Registers; }

  /// The registers with which the thread would resume by itself: it restarts
  /// its system call, as the kernel does for an untraced thread. std::nullopt:
  /// the thread is about to take a signal, which decides that.
  std::optional<ThreadRegisters> undisturbed() const;

  /// Does the code of Stub.h restore all of the thread's state?
  bool isAllSaved() const { return patchbay::isAllSaved(Thread, Registers); }

  /// Is the thread in a sequence that the kernel restarts after an interruption
  /// (rseq(2))? The kernel would not do that if the thread were redirected.
  bool isInRestartable() const;

  /// Does the thread use syscall user dispatch, so that the kernel reports its
  /// system calls to the program? Known since Linux 6.4.
  bool isDispatched() const;

  /// Does the thread's memory have these bytes at Address?
  bool hasThere(uint64_t Address, llvm::StringRef Bytes) const;

  /// Resumes the thread with these registers. Returns false if it has ended.
  bool resumeWith(const ThreadRegisters &R);
  /// Resumes the thread unchanged.
  void resume();

  /// When the thread stopped, by CLOCK_MONOTONIC. Until then it ran, waited for
  /// its own events, or waited for a processor.
  std::chrono::nanoseconds stoppedAt() const { return StoppedAt; }
  /// The longest stop of a thread, among those that the calling thread has
  /// stopped and released.
  static std::chrono::nanoseconds longest();

  /// Runs Do on a separate thread of this command, which is the tracer of the
  /// stopped threads. When that thread ends, the kernel detaches threads that
  /// did not stop in time, so that they never stop later. This command, which
  /// may run for hours, need not wait for them.
  static void onThreadOfItsOwn(llvm::function_ref<void()> Do);
  /// Releases the threads that stopped too late, except Spared, which is stopped
  /// again next.
  static void letLateGo(pid_t Process, pid_t Spared = 0);

  /// Calls Do(THREAD) while this command is the thread's debugger. The thread
  /// does not stop.
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
  std::optional<Urgency> Urgent; // from the stop until it resumes
};

} // namespace patchbay
