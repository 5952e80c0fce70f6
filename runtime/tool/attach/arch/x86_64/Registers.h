// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The general registers of a thread on x86-64, as ptrace(2) and as DWARF has them.
#ifndef PATCHBAY_TOOL_ATTACH_REGISTERS_H
#define PATCHBAY_TOOL_ATTACH_REGISTERS_H

#include "attach/DwarfRegisters.h"
#include <sys/user.h>

namespace patchbay {

using ThreadRegisters = user_regs_struct;

inline constexpr const RegisterNumbers &ThreadNumbers = NumbersOfX86_64;

inline DwarfRegisters toDwarf(const ThreadRegisters &R) {
  return {R.rax, R.rdx, R.rcx, R.rbx, R.rsi, R.rdi, R.rbp, R.rsp, R.r8,
          R.r9,  R.r10, R.r11, R.r12, R.r13, R.r14, R.r15, R.rip};
}

inline uint64_t programCounter(const ThreadRegisters &R) { return R.rip; }
inline uint64_t stackPointer(const ThreadRegisters &R) { return R.rsp; }

/// The system call that the thread is in, or has just been in; -1: none.
inline int64_t systemCall(const ThreadRegisters &R) {
  return static_cast<int64_t>(R.orig_rax);
}
/// What it is about to return. Errors of the kernel's own, from 512 on, say how
/// it is to be begun again.
inline int64_t systemCallResult(const ThreadRegisters &R) {
  return static_cast<int64_t>(R.rax);
}

/// The registers by which the thread makes its system call once more.
inline ThreadRegisters repeated(ThreadRegisters R, uint64_t Number) {
  constexpr unsigned SyscallSize = 2;
  R.rax = Number;
  R.rip -= SyscallSize;
  R.orig_rax = ~0ull; // the kernel is to do nothing of its own about it
  return R;
}

/// It goes on at Address instead, with the same registers.
inline ThreadRegisters redirected(ThreadRegisters R, uint64_t Address) {
  R.rip = Address;
  R.orig_rax = ~0ull;
  return R;
}

} // namespace patchbay

#endif
