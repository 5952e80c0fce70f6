// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Registers.h"
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

using namespace patchbay;

static constexpr unsigned SyscallSize = 4;
// From the kernel's include/linux/errno.h.
static constexpr int64_t RestartSys = -512;

// SVC with any number: the kernel ignores the number.
static bool isSystemCall(uint32_t Instruction) {
  return (Instruction & 0xffe0001f) == 0xd4000001;
}

// Is the instruction at this address an SVC instruction?
static bool hasSystemCallAt(pid_t Thread, uint64_t Address) {
  errno = 0;
  auto Words = static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, Thread, Address & ~7ull, 0));
  return !errno && isSystemCall(uint32_t(Words >> (Address & 4) * 8));
}

namespace {
// From <asm/ptrace.h>, which cannot be included together with <sys/ptrace.h>.
struct VectorHeader { // struct user_sve_header, struct user_za_header
  uint32_t Size, MaxSize;
  uint16_t Length, MaxLength, Flags, Reserved;
};
constexpr int NtSve = 0x405, NtStreaming = 0x40b, NtZa = 0x40c;
constexpr uint16_t SveRegisters = 1; // SVE_PT_REGS_MASK: the thread has SVE
                                     // registers in addition to FPSIMD registers
} // namespace

// std::nullopt: the processor or the kernel does not support these registers.
static std::optional<VectorHeader> readHeader(pid_t Thread, int Type) {
  VectorHeader Header;
  iovec Set = {&Header, sizeof(Header)};
  if (ptrace(PTRACE_GETREGSET, Thread, Type, &Set) || Set.iov_len != sizeof(Header))
    return std::nullopt;
  return Header;
}

// The size of the SVE registers, or 0 if the thread has not used them since its last system
// call. A system call may change these registers, so a thread in a system call does not need
// them.
static uint64_t sveSize(pid_t Thread) {
  auto Header = readHeader(Thread, NtSve);
  if (!Header || !(Header->Flags & SveRegisters))
    return 0;
  // 32 vectors, plus 16 predicates and FFR, which have one bit per byte of a
  // vector.
  uint64_t Length = Header->Length;
  return (32 * Length + 17 * (Length / 8) + 15) & ~15ull;
}

// Asks the kernel for the first argument of the thread's current system call.
static std::optional<uint64_t> firstArgument(pid_t Thread, int Number) {
  constexpr int NtSystemCall = 0x404;
  int None = -1;
  iovec Set = {&Number, sizeof(Number)}, Reset = {&None, sizeof(None)};
  if (ptrace(PTRACE_SETREGSET, Thread, NtSystemCall, &Set))
    return std::nullopt;
  auto Place = placeOf(Thread, Thread);
  ptrace(PTRACE_SETREGSET, Thread, NtSystemCall, &Reset);
  if (!Place || Place->SystemCall != Number)
    return std::nullopt;
  return Place->FirstArgument;
}

// Did the call fail because a signal handler ran, which has just returned? The registers
// that the kernel saved for the handler are then still below the stack pointer, in the order
// of user_regs_struct.
static bool isBackFromHandler(pid_t Thread, const ThreadRegisters &R) {
  constexpr size_t MaxFrame = 1 << 16, Kept = offsetof(user_regs_struct, pstate);
  std::vector<char> Below(MaxFrame);
  // Try smaller sizes, since less than MaxFrame may be mapped below the stack pointer.
  for (size_t Size = MaxFrame; Size >= 4096; Size /= 2) {
    iovec Ours = {Below.data(), Size};
    iovec Theirs = {reinterpret_cast<void *>(R.sp - Size), Size};
    if (process_vm_readv(Thread, &Ours, 1, &Theirs, 1, 0) != ssize_t(Size))
      continue;
    return memmem(Below.data(), Size, static_cast<const user_regs_struct *>(&R), Kept);
  }
  return true;
}

bool patchbay::readRegisters(pid_t Thread, const std::optional<ThreadPlace> &Before,
                             ThreadRegisters &R) {
  R = {};
  iovec Set = {static_cast<user_regs_struct *>(&R), sizeof(user_regs_struct)};
  if (ptrace(PTRACE_GETREGSET, Thread, NT_PRSTATUS, &Set) ||
      Set.iov_len != sizeof(user_regs_struct))
    return false;
  auto Number = int32_t(R.regs[8]);
  if (hasSystemCallAt(Thread, R.pc)) {
    R.Call = Number;
    R.Result = RestartSys;
    R.IsAtCall = true;
  } else if (hasSystemCallAt(Thread, R.pc - SyscallSize)) {
    bool WasSeen = Before && !Before->IsRunning && Before->SystemCall == Number &&
                   Before->Pc == R.pc && Before->StackPointer == R.sp;
    std::optional<uint64_t> First;
    if (WasSeen)
      First = Before->FirstArgument;
    else if (int64_t(R.regs[0]) == -EINTR && !isBackFromHandler(Thread, R))
      First = firstArgument(Thread, Number);
    if (First) {
      R.Call = Number;
      R.Result = int64_t(R.regs[0]);
      R.FirstArgument = *First;
    }
  }
  if (R.Call < 0)
    R.SveSize = sveSize(Thread);
  return true;
}

bool patchbay::writeRegisters(pid_t Thread, const ThreadRegisters &R) {
  user_regs_struct Copy = R;
  iovec Set = {&Copy, sizeof(Copy)};
  return !ptrace(PTRACE_SETREGSET, Thread, NT_PRSTATUS, &Set);
}

// True for system calls that wait for a duration, rather than until a point in time.
bool patchbay::hidesRestart(const ThreadRegisters &R) {
  if (!R.IsAtCall)
    return false;
  switch (R.Call) {
  case SYS_nanosleep:
    return true;
  case SYS_clock_nanosleep:
    return !(R.regs[1] & TIMER_ABSTIME);
  case SYS_futex:
    return (R.regs[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && R.regs[3];
  default:
    return false;
  }
}

// Returns false in streaming mode and while ZA is on (SME), since the C library's functions
// must not be called then. A system call ends streaming mode.
bool patchbay::isAllSaved(pid_t Thread, const ThreadRegisters &) {
  for (int Type : {NtStreaming, NtZa})
    if (auto Header = readHeader(Thread, Type); Header && Header->Size > sizeof(*Header))
      return false;
  return true;
}

ThreadRegisters patchbay::repeated(ThreadRegisters R, uint64_t Number) {
  if (!R.IsAtCall) {
    R.pc -= SyscallSize;
    R.regs[0] = R.FirstArgument;
    R.IsAtCall = true;
  }
  R.regs[8] = Number;
  return R;
}

// Clears BTYPE, which the thread's last branch has set. BTYPE would require a landing pad at
// Address.
ThreadRegisters patchbay::redirected(ThreadRegisters R, uint64_t Address) {
  constexpr uint64_t BranchType = 3 << 10;
  R.pc = Address;
  R.pstate &= ~BranchType;
  return R;
}
