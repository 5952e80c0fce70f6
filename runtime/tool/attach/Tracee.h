// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of another process, stopped for a moment by PTRACE_SEIZE and
// PTRACE_INTERRUPT of ptrace(2). These send no signal, and the other threads
// run on. No other request changes the thread, no option is set, and no other
// instruction is executed in its place. So if this command is killed at any
// time, the kernel lets the thread go on with its present registers.
#pragma once

#include "Registers.h"
#include "Urgency.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <sys/types.h>

namespace patchbay {

class Tracee {
public:
  enum class State {
    Stopped,  // registers are valid until resume()
    Late,     // it did not stop soon
    Busy,     // it was about to take a signal, or to restart a system call
    Gone,     // it has ended, or executes another program
    Halted,   // a signal has stopped the whole process
  };

  Tracee(pid_t Process, pid_t Thread) : Process(Process), Thread(Thread) {}
  /// Lets the thread go on unchanged.
  ~Tracee();
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;

  /// Fails if this command may not debug it.
  llvm::Expected<State> stop();
  const ThreadRegisters &registers() const { return Registers; }

  /// The registers with which it would go on by itself. It restarts its system
  /// call, as the kernel does for an untraced thread. std::nullopt: the thread
  /// is about to take a signal, which decides that.
  std::optional<ThreadRegisters> undisturbed() const;

  /// Does the code of Stub.h restore everything?
  bool isAllSaved() const { return patchbay::isAllSaved(Thread, Registers); }

  /// Is it in instructions that the kernel restarts after an interruption
  /// (rseq(2))? The kernel would not recognize that at another address.
  bool isInRestartable() const;

  /// Does the kernel show its system calls to the program (syscall user
  /// dispatch)? Kernels tell since Linux 6.4.
  bool isDispatched() const;

  /// Does its memory have these bytes?
  bool hasThere(uint64_t Address, llvm::StringRef Bytes) const;

  /// Lets it go on with these registers. False: it has gone.
  bool resumeWith(const ThreadRegisters &R);
  /// Lets it go on unchanged.
  void resume();

  /// When it stopped, by CLOCK_MONOTONIC. Until then it ran, waited for its own
  /// events, or waited for a processor.
  std::chrono::nanoseconds stoppedAt() const { return StoppedAt; }
  /// The longest time that a thread stood still, among those that the calling
  /// thread has stopped and released.
  static std::chrono::nanoseconds longest();

  /// Runs Do on a separate thread of this command, which stops the tracees.
  /// When that thread ends, the kernel releases threads that had not stopped in
  /// time. They do not stop any more, and this command need not wait for them,
  /// although it may run for hours.
  static void onThreadOfItsOwn(llvm::function_ref<void()> Do);
  /// Releases the threads that stopped too late. Spared is not released, since it is
  /// stopped again next.
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
  std::optional<Urgency> Urgent; // from before it stops until it goes on
};

} // namespace patchbay
