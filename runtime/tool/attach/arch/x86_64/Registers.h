// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The general registers of a thread on x86-64, for ptrace(2) and DWARF.
#pragma once

#include "elf/Unwinder.h"
#include "live/ThreadStatus.h"
#include <cstring>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

namespace patchbay {

using ThreadRegisters = user_regs_struct;

inline constexpr const RegisterNumbers &ThreadNumbers = NumbersOfX86_64;

/// The kernel gives a program higher addresses only on request.
inline constexpr uint64_t HighestAddress = 1ull << 47;

inline DwarfRegisters toDwarf(const ThreadRegisters &R) {
  return {R.rax, R.rdx, R.rcx, R.rbx, R.rsi, R.rdi, R.rbp, R.rsp, R.r8,
          R.r9,  R.r10, R.r11, R.r12, R.r13, R.r14, R.r15, R.rip};
}

inline uint64_t programCounter(const ThreadRegisters &R) { return R.rip; }
inline uint64_t stackPointer(const ThreadRegisters &R) { return R.rsp; }

/// Reads the registers of a stopped thread. Ignores the thread's place before the stop.
inline constexpr bool TakesPlaceBefore = false;
inline bool readRegisters(pid_t Thread, const std::optional<ThreadPlace> &,
                          ThreadRegisters &R) {
  iovec Set = {&R, sizeof(R)};
  return !ptrace(PTRACE_GETREGSET, Thread, NT_PRSTATUS, &Set) &&
         Set.iov_len == sizeof(R);
}

inline bool writeRegisters(pid_t Thread, ThreadRegisters R) {
  iovec Set = {&R, sizeof(R)};
  return !ptrace(PTRACE_SETREGSET, Thread, NT_PRSTATUS, &Set);
}

/// The number of the system call that the thread is in, or has just left; -1:
/// none.
inline int64_t systemCall(const ThreadRegisters &R) {
  return static_cast<int64_t>(R.orig_rax);
}
/// The value that the system call is about to return. Errors from 512 on are internal to
/// the kernel and tell how the call restarts.
inline int64_t systemCallResult(const ThreadRegisters &R) {
  return static_cast<int64_t>(R.rax);
}
/// Must the thread stop once more before its registers tell how the call restarts?
inline bool hidesRestart(const ThreadRegisters &) { return false; }

/// The target of the call instruction before Return, directly or through the PLT; 0 if
/// unknown. Read(Address, Bytes, Size) reads memory of the process.
template <typename Function>
uint64_t calledBefore(uint64_t Return, Function Read) {
  uint8_t Call[6], Entry[11];
  int32_t Offset;
  uint64_t Target = 0;
  if (!Read(Return - sizeof(Call), Call, sizeof(Call)))
    return 0;
  memcpy(&Offset, Call + 2, sizeof(Offset));
  if (Call[0] == 0xff && Call[1] == 0x15) // call *Offset(%rip)
    return Read(Return + Offset, &Target, sizeof(Target)) ? Target : 0;
  if (Call[1] != 0xe8) // call
    return 0;
  uint64_t At = Return + Offset;
  if (!Read(At, Entry, sizeof(Entry)))
    return 0;
  unsigned I = !memcmp(Entry, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0; // endbr64
  I += Entry[I] == 0xf2;                                      // bnd
  if (Entry[I] != 0xff || Entry[I + 1] != 0x25) // jmp *Offset(%rip)
    return At;
  if (!Read(At + I + 2, &Offset, sizeof(Offset)) ||
      !Read(At + I + 6 + Offset, &Target, sizeof(Target)))
    return 0;
  return Target;
}

/// Does the code in Stub.S save and restore all of the thread's state? NotSaved
/// completes a message.
inline constexpr char NotSaved[] = "";
inline bool isAllSaved(pid_t, const ThreadRegisters &) { return true; }

/// The space that the stub needs below the thread's stack pointer, in bytes.
inline uint64_t stackNeeded(const ThreadRegisters &) { return 0; }

/// The registers with which the thread makes its system call again.
inline ThreadRegisters repeated(ThreadRegisters R, uint64_t Number) {
  constexpr unsigned SyscallSize = 2;
  R.rax = Number;
  R.rip -= SyscallSize;
  R.orig_rax = ~0ull; // the kernel must not restart the call again
  return R;
}

/// The same registers, but the thread continues at Address.
inline ThreadRegisters redirected(ThreadRegisters R, uint64_t Address) {
  R.rip = Address;
  R.orig_rax = ~0ull;
  return R;
}

} // namespace patchbay
