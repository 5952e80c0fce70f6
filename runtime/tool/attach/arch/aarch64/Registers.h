// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a thread on AArch64, for ptrace(2) and DWARF.
//
// The kernel decides how to restart an interrupted system call before a thread stops for
// this command (do_signal() in the kernel's arch/arm64/kernel/signal.c):
//
//  - If the call restarts, the program counter is at the SVC instruction, and the registers
//    have all arguments. Executing the instruction makes the call again. x8 is the call's
//    number. The kernel changes x8 to the number of restart_syscall(2) only when the thread
//    resumes. So if the call would wait for its whole duration again, this command stops the
//    thread once more, and then reads x8.
//  - If the call fails with EINTR, the program counter is after the SVC instruction, and the
//    first argument is lost. This command knows the argument if it saw the thread wait in
//    the call after the kernel began to report the thread's signals. Otherwise the kernel
//    provides the argument, unless the call failed because of a signal handler. (A handler
//    that has just returned from an alternate stack is not recognized.)
#pragma once

#include "elf/Unwinder.h"
#include "live/ThreadStatus.h"
#include <sys/user.h>

namespace patchbay {

struct ThreadRegisters : user_regs_struct {
  int64_t Call = -1, Result = 0;
  uint64_t FirstArgument = 0;
  bool IsAtCall = false; // the thread is about to make its system call
  uint64_t SveSize = 0; // size of the SVE registers in bytes; 0: not used
};

inline constexpr const RegisterNumbers &ThreadNumbers = NumbersOfAArch64;

/// The kernel gives a program higher addresses only on request.
inline constexpr uint64_t HighestAddress = 1ull << 48;

inline DwarfRegisters toDwarf(const ThreadRegisters &R) {
  DwarfRegisters Registers;
  for (unsigned I = 0; I != 31; ++I)
    Registers[I] = R.regs[I];
  Registers[ThreadNumbers.StackPointer] = R.sp;
  Registers[ThreadNumbers.Pc] = R.pc;
  return Registers;
}

inline uint64_t programCounter(const ThreadRegisters &R) { return R.pc; }
inline uint64_t stackPointer(const ThreadRegisters &R) { return R.sp; }

/// Reads the registers of a stopped thread. Before: program counter, stack pointer and
/// system call of the thread before the request to stop.
inline constexpr bool TakesPlaceBefore = true;
bool readRegisters(pid_t Thread, const std::optional<ThreadPlace> &Before,
                   ThreadRegisters &R);
bool writeRegisters(pid_t Thread, const ThreadRegisters &R);

/// The number of the system call that the thread is in, or has just left; -1:
/// none.
inline int64_t systemCall(const ThreadRegisters &R) { return R.Call; }
/// The value that the system call is about to return. Errors from 512 on are internal to
/// the kernel and tell how the call restarts.
inline int64_t systemCallResult(const ThreadRegisters &R) { return R.Result; }
/// Must the thread stop once more before its registers tell how the call restarts?
bool hidesRestart(const ThreadRegisters &R);

/// The target of the call instruction before Return, directly or through the PLT; 0 if
/// unknown. Read(Address, Bytes, Size) reads memory of the process.
template <typename Function>
uint64_t calledBefore(uint64_t Return, Function Read) {
  uint32_t Call, Entry[3];
  uint64_t Target = 0;
  if (!Read(Return - 4, &Call, 4) || Call >> 26 != 0x25) // bl
    return 0;
  uint64_t At = Return - 4 + (int64_t(uint64_t(Call) << 38) >> 36);
  if (!Read(At, Entry, sizeof(Entry)))
    return 0;
  uint64_t Page = At;
  const uint32_t *I = Entry;
  if (*I == 0xd503245f) { // bti c
    ++I;
    Page += 4;
  }
  // adrp x16, and ldr x17, [x16, ...] of 8 bytes
  if ((I[0] & 0x9f00001f) != 0x90000010 || (I[1] & 0xffc003ff) != 0xf9400211)
    return At;
  int64_t Pages = int64_t(uint64_t(I[0] >> 5 & 0x7ffff) << 45) >> 43 |
                  (I[0] >> 29 & 3);
  uint64_t Slot = (Page & ~0xfffull) + Pages * 4096 + (I[1] >> 10 & 0xfff) * 8;
  return Read(Slot, &Target, sizeof(Target)) ? Target : 0;
}

/// Does the code in Stub.S save and restore all of the thread's state? NotSaved
/// completes a message.
inline constexpr char NotSaved[] = ", or used SME";
bool isAllSaved(pid_t Thread, const ThreadRegisters &R);

/// The space that the stub needs below the thread's stack pointer, in bytes.
inline uint64_t stackNeeded(const ThreadRegisters &R) { return R.SveSize; }

/// The registers with which the thread makes its system call again.
ThreadRegisters repeated(ThreadRegisters R, uint64_t Number);
/// The same registers, but the thread continues at Address.
ThreadRegisters redirected(ThreadRegisters R, uint64_t Address);

} // namespace patchbay
