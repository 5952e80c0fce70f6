// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a thread that stands still may call pthread_create() there, as if the
// program had done it itself.
//
// It may not while it is inside the C library, the loader or the allocator: they
// have locks, which it would wait for itself, and lists, which may be half changed;
// and in a process with one thread glibc takes no locks at all. That a thread is
// outside is told by its stack, which has to be known from end to end (Unwinder.h):
//
//    [C library: a system call]   the thread waits, or has just waited
//    program and its libraries    at least one frame, and nothing else
//    [C library: start]           __libc_start_main() or a thread's first function
//
// In between there may be no frame of the C library, be it for a callback of
// qsort() or dl_iterate_phdr(), a constructor or an atfork handler, and nowhere
// one of the loader or of an allocator. Frames of signal handlers are not known to
// the unwinder, so what a handler has interrupted is never taken for safe.
//
// Inside the C library only these system calls are taken: those that it makes
// for the program, or for its resolver, timers and streams, and never with a lock
// of the allocator, the loader or the threads' list. Of futex(2), read(2), write(2),
// by which it may wait for such a lock or fill one in, only where the program has
// called a function that is known. Which one it has called is told by the frame, or,
// where that function has jumped to one without a name (sem_wait() does), by the
// program's call instruction.
//
// Code without unwind tables, as Go's, is taken where it waits in a system call that it
// makes itself, of those above, and no address of the C library's code is on the thread's
// stack, from the stack pointer up to the thread's start. This is the proof, on x86-64:
// a call leaves its return address on the stack, so a function of the C library that has
// called something and goes on later has an address of its own code there. The first
// such address from below is taken for a return address; if unwind tables lead from there
// to the thread's end through the C library alone, all above it is the thread's start
// (start_thread()), so the C library has made the thread, and nothing of it is below.
// What an earlier call has left there may look like one: then there is no answer. Go runs
// C code on this same stack, not on goroutines' small ones, which are never taken, as
// they are in no mapping that a thread's start is in. Its thread sysmon calls no C code.
//
// A stream's functions are known while they read for the stream itself, that is where
// read(2) was called by its underflow function, or by its xsgetn(), which reads what is
// too much for the buffer to where fread(3) wants it. Then they hold the stream's own
// lock, and none that pthread_create() or dlopen() takes: what was to be allocated is
// there by then, the list of all streams is let go of before, and when they allocate
// (getline()) or flush others they are not in these two's read(2).
#ifndef PATCHBAY_TOOL_ATTACH_SAFEPOINT_H
#define PATCHBAY_TOOL_ATTACH_SAFEPOINT_H

#include "LoadedModules.h"
#include "ProcessStack.h"
#include "Registers.h"
#include "Unwinder.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <optional>

namespace patchbay {

class SafePoint {
public:
  /// Memory is of the threads' process.
  SafePoint(const ProcessMemory &Memory, const LoadedModules &Modules);

  /// Of a thread that waits, and has not been stopped yet: what isAt() will
  /// need is read.
  void prepare(const ThreadPlace &Place) const;
  bool isAt(const ThreadRegisters &R) const;

  /// Of a thread that is not: the function of the C library that the program has called.
  /// Empty if that is not known, or not why.
  std::string waitsIn(const ThreadRegisters &R) const;

  /// Whether it is worth while to stop a thread that is in this system call.
  static bool isLikely(int64_t SystemCall);

private:
  enum Roles { Program, CLibrary, Forbidden };
  Roles roleOf(uint64_t Code) const;

  /// A stack that is known from end to end.
  struct Known {
    std::vector<StackFrame> Frames;
    size_t InC = 0; // so many are the C library's, before those of the program
  };
  std::optional<Known> known(const ThreadRegisters &R) const;
  bool isOnlyProgram(const ThreadRegisters &R) const;
  llvm::StringRef functionOf(const StackFrame &F) const;
  llvm::StringRef called(const Known &Stack) const;
  bool readsStream(llvm::StringRef Called, const Known &Stack) const;
  bool isReadingMuch(llvm::StringRef Called,
                     llvm::ArrayRef<StackFrame> Frames) const;

  const ProcessMemory &Memory;
  const LoadedModules &Modules;
  ProcessStack Stacks;
  std::map<const LoadedModule *, FunctionsByAddress> OfC;
  std::vector<const LoadedModule *> Never;
  /// The program itself is who allocates: only where it waits it is known not to
  /// be doing that.
  bool ProgramAllocates;
};

} // namespace patchbay

#endif
