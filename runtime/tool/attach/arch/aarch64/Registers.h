// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a thread on AArch64, as ptrace(2) and as DWARF has them.
//
// The kernel prepares what it will do about an interrupted system call before a thread
// stops for us (do_signal() in its arch/arm64/kernel/signal.c), and forgets then which
// call it was:
//
//  - One that is begun again has its program counter at the SVC instruction, and all its
//    arguments. To go there is to make it again. x8 is the number, and becomes that of
//    restart_syscall(2) only when the thread goes on at that very place. So those that
//    would be made again for the whole of their time are stopped once more: then x8
//    says it.
//  - One that fails with EINTR is past that instruction, and its first argument is lost.
//    It is known if the thread was seen to wait there since we were told of its signals,
//    and else from the kernel; unless it is for a handler that the call has failed. (One
//    that has returned from an alternate stack at this very moment is not recognised.)
#ifndef PATCHBAY_TOOL_ATTACH_REGISTERS_H
#define PATCHBAY_TOOL_ATTACH_REGISTERS_H

#include "attach/DwarfRegisters.h"
#include "attach/ThreadStatus.h"
#include <sys/user.h>

namespace patchbay {

struct ThreadRegisters : user_regs_struct {
  int64_t Call = -1, Result = 0;
  uint64_t FirstArgument = 0;
  bool IsAtCall = false; // it is about to make it
  uint64_t SveSize = 0; // of what it has in registers of SVE; 0: nothing
};

inline constexpr const RegisterNumbers &ThreadNumbers = NumbersOfAArch64;

/// Memory has to be asked for from there on, on whatever machine.
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

/// Of a thread that stands still. Before is what it did before it was asked to.
inline constexpr bool TakesPlaceBefore = true;
bool readRegisters(pid_t Thread, const std::optional<ThreadPlace> &Before,
                   ThreadRegisters &R);
bool writeRegisters(pid_t Thread, const ThreadRegisters &R);

/// The system call that the thread is in, or has just been in; -1: none.
inline int64_t systemCall(const ThreadRegisters &R) { return R.Call; }
/// What it is about to return. Errors of the kernel's own, from 512 on, say how
/// it is to be begun again.
inline int64_t systemCallResult(const ThreadRegisters &R) { return R.Result; }
/// Whether they do not say that, and will when it has been stopped once more.
bool hidesRestart(const ThreadRegisters &R);

/// What the instruction before Return has called, by itself or by an entry of the PLT; 0:
/// not known. Read(Address, Bytes, Size) is of the thread's process.
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

/// Whether the code in Stub.S gives back all that the thread has; and words for where it
/// does not.
inline constexpr char NotSaved[] = ", or used SME";
bool isAllSaved(pid_t Thread, const ThreadRegisters &R);

/// What the code needs of the thread's own stack, if it is redirected.
inline uint64_t stackNeeded(const ThreadRegisters &R) { return R.SveSize; }

/// The registers by which the thread makes its system call once more.
ThreadRegisters repeated(ThreadRegisters R, uint64_t Number);
/// It goes on at Address instead, with the same registers.
ThreadRegisters redirected(ThreadRegisters R, uint64_t Address);

} // namespace patchbay

#endif
