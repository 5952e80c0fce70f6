// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of another process, which stands still for a moment: PTRACE_SEIZE and
// PTRACE_INTERRUPT of ptrace(2), by which no signal is sent and the other threads run
// on. Nothing else of ptrace is used, no option is set and no other instruction is
// executed in its place: whenever this command is killed, the kernel lets the thread
// go on, with the registers that it has.
#ifndef PATCHBAY_TOOL_ATTACH_TRACEE_H
#define PATCHBAY_TOOL_ATTACH_TRACEE_H

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
    Stopped,  // with registers; until resume()
    Busy,     // it did not stop soon, or was about to take a signal
    Gone,     // it has ended, or executes another program
    Halted,   // by a signal, with its whole process
  };

  Tracee(pid_t Process, pid_t Thread) : Process(Process), Thread(Thread) {}
  /// It goes on as it was.
  ~Tracee();
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;

  /// Fails if we may not.
  llvm::Expected<State> stop();
  const ThreadRegisters &registers() const { return Registers; }

  /// How it goes on by itself: with the system call that it was in made again, as
  /// the kernel does it for who is not looked at. std::nullopt: a signal is about to
  /// be taken, which decides that.
  std::optional<ThreadRegisters> undisturbed() const;

  /// Whether the code of Stub.h gives back all that it has.
  bool isAllSaved() const { return patchbay::isAllSaved(Thread, Registers); }

  /// Whether it is in instructions that the kernel has it begin again when it
  /// was interrupted in them (rseq(2)). Somewhere else it would not be seen to
  /// be.
  bool isInRestartable() const;

  /// Whether the kernel shows its system calls to itself (syscall user dispatch), as far
  /// as the kernel tells: since Linux 6.4.
  bool isDispatched() const;

  /// Whether its memory has these bytes.
  bool hasThere(uint64_t Address, llvm::StringRef Bytes) const;

  /// It goes on with these registers. False: it is gone.
  bool resumeWith(const ThreadRegisters &R);
  /// It goes on as it was.
  void resume();

  /// When it stopped, by CLOCK_MONOTONIC. Until then it is nobody's: it runs,
  /// or waits for what it waited for, or for a processor.
  std::chrono::nanoseconds stoppedAt() const { return StoppedAt; }
  /// How long that was for the one that stood still the longest, of those that
  /// the calling thread has stopped and let go again.
  static std::chrono::nanoseconds longest();

  /// Threads are to be stopped by a thread of this command's that does nothing
  /// else: with its end the kernel lets go of those that had not stopped in
  /// time. They do not stop any more then, and nobody has to wait for them,
  /// while this command may go on for hours.
  static void onThreadOfItsOwn(llvm::function_ref<void()> Do);
  /// Those go on that had not stopped in time, and have since.
  static void letLateGo(pid_t Process);

  /// Do(THREAD), of which this command is the debugger meanwhile. It does not
  /// stop for that.
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

#endif
