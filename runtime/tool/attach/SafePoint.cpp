// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SafePoint.h"
#include <sys/syscall.h>

using namespace llvm;
using namespace patchbay;

// System calls that only wait, without a lock that pthread_create() needs (SafePoint.h).
static bool onlyWaits(int64_t Number) {
  switch (Number) {
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
  case SYS_poll:
  case SYS_select:
  case SYS_pause:
#endif
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_ppoll:
  case SYS_pselect6:
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_rt_sigsuspend:
  case SYS_rt_sigtimedwait:
  case SYS_accept:
  case SYS_accept4:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_wait4:
  case SYS_waitid:
  case SYS_io_getevents:
  case SYS_msgrcv:
  case SYS_mq_timedreceive:
  case SYS_semtimedop:
  // A restarted wait has a time limit. Waits for the C library's locks have no limit.
  case SYS_restart_syscall:
    return true;
  default:
    return false;
  }
}

// Functions that wait for locks and files of the program, in one system call.
static bool isKnownToWait(StringRef Function) {
  static constexpr StringRef Known[] = {
      "pthread_cond_wait",      "pthread_cond_timedwait",
      "pthread_cond_clockwait", "pthread_mutex_lock",
      "pthread_mutex_timedlock", "pthread_mutex_clocklock",
      "pthread_rwlock_rdlock",  "pthread_rwlock_wrlock",
      "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
      "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock",
      "pthread_barrier_wait",   "sem_wait",
      "sem_timedwait",          "sem_clockwait",
      "pthread_join",           "pthread_timedjoin_np",
      "pthread_clockjoin_np",   "thrd_join",
      "cnd_wait",               "cnd_timedwait",
      "mtx_lock",               "syscall",
      "read",                   "readv",
      "pread",                  "pread64",
      "preadv",                 "preadv64",
      "write",                  "writev",
      "pwrite",                 "pwrite64",
      "pwritev",                "pwritev64",
      "preadv2",                "preadv64v2",
      "pwritev2",               "pwritev64v2",
      "__read",                 "__write",
      "open",                   "open64",
      "__open",                 "__open64",
      "__open_2",               "__open64_2",
      "openat",                 "openat64",
      "__openat_2",             "__openat64_2",
      "fcntl",                  "fcntl64",
      "__fcntl",                "__fcntl64",
      "lockf",                  "lockf64",
      "splice",                 "tee",
      "vmsplice",               "copy_file_range",
      "sendfile",               "sendfile64",
      "msgsnd",                 "mq_send",
      "mq_timedsend",           "tcdrain",
      "getrandom",              "syncfs",
      "fsync",                  "fdatasync",
      "send",                   "sendto",
      "sendmsg",                "connect",
      "sendmmsg",               "__sendmmsg",
      "flock",                  "usleep",
      "sched_yield"};
  return is_contained(Known, Function);
}

// Functions that read from a stream, with all their names: a symbol table may list any name
// first.
static bool isOfStreams(StringRef Function) {
  static constexpr StringRef Known[] = {
      "fgets",           "_IO_fgets",       "fgets_unlocked",
      "gets",            "_IO_gets",        "getline",
      "getdelim",        "__getdelim",      "_IO_getdelim",
      "getc",            "fgetc",           "_IO_getc",
      "getchar",         "getc_unlocked",   "fgetc_unlocked",
      "getchar_unlocked", "__uflow",        "__underflow",
      "_IO_default_uflow", // __uflow() jumps to it
      "fread",           "_IO_fread",       "fread_unlocked",
      "scanf",           "fscanf",          "vscanf",
      "vfscanf",         "__vfscanf",       "_IO_vfscanf",
      "__isoc99_scanf",  "__isoc99_fscanf", "__isoc99_vscanf",
      "__isoc99_vfscanf", "__isoc23_scanf", "__isoc23_fscanf",
      "__isoc23_vscanf", "__isoc23_vfscanf"};
  return is_contained(Known, Function);
}

bool SafePoint::isLikely(int64_t SystemCall) {
  return onlyWaits(SystemCall) || SystemCall == SYS_futex ||
         SystemCall == SYS_read;
}

// Recognizes modules by exported functions, since a file may have any name. musl's C library
// is also its loader. Older versions of glibc have a separate library for threads.
SafePoint::SafePoint(const ProcessMemory &Memory, const LoadedModules &Modules)
    : Memory(Memory), Modules(Modules), Stacks(Memory, Modules) {
  for (const LoadedModule &M : Modules.all())
    if (M.find("__libc_start_main") || M.find("__pthread_key_create"))
      OfC.emplace(&M, M);
  for (StringRef Name : {"malloc", "calloc", "free", "pthread_create",
                         "__tls_get_addr"})
    if (const LoadedModule *M = Modules.provider(Name))
      if (!OfC.count(M))
        Never.push_back(M);
  const LoadedModule *First = &Modules.all().front();
  ProgramAllocates = is_contained(Never, First);
  if (ProgramAllocates)
    llvm::erase(Never, First);
}

SafePoint::Roles SafePoint::roleOf(uint64_t Code) const {
  const LoadedModule *Module = Modules.at(Code);
  if (!Module || is_contained(Never, Module))
    return Forbidden;
  return OfC.count(Module) ? CLibrary : Program;
}

std::optional<SafePoint::Known>
SafePoint::known(const ThreadRegisters &R) const {
  Unwound Stack = unwindStack(Stacks, ThreadNumbers, toDwarf(R));
  if (!Stack.IsWhole)
    return std::nullopt;
  std::vector<Roles> Of;
  for (const StackFrame &F : Stack.Frames)
    Of.push_back(roleOf(F.Code));
  if (is_contained(Of, Forbidden))
    return std::nullopt;

  // Skip the outermost frames, which start main() or the thread's function.
  size_t End = Of.size();
  if (End > 1 && Of[End - 1] == Program && Of[End - 2] == CLibrary)
    --End; // _start
  while (End && Of[End - 1] == CLibrary)
    --End;
  size_t Begin = 0;
  while (Begin < End && Of[Begin] == CLibrary)
    ++Begin;
  bool OnlyProgram =
      Begin < End && !any_of(ArrayRef(Of).slice(Begin, End - Begin),
                             [](Roles Role) { return Role != Program; });
  if (!OnlyProgram)
    return std::nullopt;
  return Known{std::move(Stack.Frames), Begin};
}

StringRef SafePoint::functionOf(const StackFrame &F) const {
  auto I = OfC.find(Modules.at(F.Code));
  return I == OfC.end() ? "" : I->second.at(F.Code);
}

StringRef SafePoint::called(const Known &Stack) const {
  if (StringRef Name = functionOf(Stack.Frames[Stack.InC - 1]); !Name.empty())
    return Name;
  uint64_t Target = calledBefore(
      Stack.Frames[Stack.InC].Pc,
      [&](uint64_t Address, void *Bytes, size_t Size) {
        return Memory.read(Address, Bytes, Size);
      });
  auto I = OfC.find(Modules.at(Target));
  if (I == OfC.end())
    return "";
  StringRef Name = I->second.at(Target);
  return I->first->find(Name) == Target ? Name : "";
}

// Is the thread in xsgetn()? Checks for exactly one unnamed function between fread() and
// read(2). fread() calls two unnamed functions, and only xsgetn() calls read(2).
bool SafePoint::isReadingMuch(StringRef Called,
                              ArrayRef<StackFrame> Frames) const {
  return is_contained({"fread", "_IO_fread", "fread_unlocked"}, Called) &&
         Frames.size() == 3 && functionOf(Frames[1]).empty();
}

// Does a stream read for itself? Skips the frames of read(2), and checks its caller. Since
// glibc 2.41, read() may jump to an unnamed function, shared with other system calls.
bool SafePoint::readsStream(StringRef Called, const Known &Stack) const {
  if (!isOfStreams(Called))
    return false;
  for (size_t I = 0; I + 1 < Stack.InC; ++I) {
    StringRef Name = functionOf(Stack.Frames[I]);
    if (!Name.empty() && Name != "read" && Name != "__read")
      return false;
    if (functionOf(Stack.Frames[I + 1]) == "_IO_file_underflow" ||
        isReadingMuch(Called, ArrayRef(Stack.Frames).slice(I, Stack.InC - I)))
      return true;
  }
  return false;
}

// Unwinds with only two registers: the thread still runs, so the rest is unknown. Most
// frames need no further register.
void SafePoint::prepare(const ThreadPlace &Place) const {
  DwarfRegisters R = {};
  R[ThreadNumbers.StackPointer] = Place.StackPointer;
  R[ThreadNumbers.Pc] = Place.Pc;
  unwindStack(Stacks, ThreadNumbers, R);
}

// Limits the search of the stack, since the thread is stopped during the search.
static constexpr uint64_t MostStack = 128 << 10;

bool SafePoint::isOnlyProgram(const ThreadRegisters &R) const {
  int64_t Number = systemCall(R);
  if (ThreadNumbers.hasLink() || ProgramAllocates ||
      !(onlyWaits(Number) || Number == SYS_futex) || roleOf(programCounter(R)) != Program)
    return false;
  uint64_t Start = stackPointer(R);
  const auto *Stack = Memory.mappingAt(Start);
  if (!Stack || Start % sizeof(uint64_t))
    return false;
  std::vector<uint64_t> Words(std::min(Stack->End - Start, MostStack) / sizeof(uint64_t));
  if (!Memory.read(Start, Words.data(), Words.size() * sizeof(uint64_t)))
    return false;
  auto Found = find_if(Words, [&](uint64_t Word) {
    return Modules.at(Word) && roleOf(Word) != Program;
  });
  if (Found == Words.end())
    return false;
  DwarfRegisters Above = {};
  Above[ThreadNumbers.Pc] = *Found;
  Above[ThreadNumbers.StackPointer] =
      Start + (Found - Words.begin() + 1) * sizeof(uint64_t);
  Unwound Outer = unwindStack(Stacks, ThreadNumbers, Above);
  return Outer.IsWhole && all_of(Outer.Frames, [&](const StackFrame &F) {
           return roleOf(F.Code) == CLibrary;
         });
}

bool SafePoint::isAt(const ThreadRegisters &R) const {
  auto Stack = known(R);
  if (!Stack)
    return isOnlyProgram(R);
  int64_t Number = systemCall(R);
  if (Stack->InC == 0 && Number < 0)
    return !ProgramAllocates;
  if (onlyWaits(Number))
    return true;
  if (ProgramAllocates || Number < 0)
    return false;
  if (Stack->InC == 0)
    return true;
  StringRef Called = called(*Stack);
  return isKnownToWait(Called) ||
         (Number == SYS_read && readsStream(Called, *Stack));
}

std::string SafePoint::waitsIn(const ThreadRegisters &R) const {
  auto Stack = known(R);
  if (!Stack || Stack->InC == 0 || systemCall(R) < 0)
    return "";
  return called(*Stack).str();
}
