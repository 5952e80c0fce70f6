// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Refusal.h"
#include "LoadedModules.h"
#include "ProcessChoice.h"
#include "live/ThreadStatus.h"
#include "support/Diagnostics.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace patchbay;

static bool isZombie(unsigned Pid, const ThreadStatus &Status) {
  return Status.line("State").starts_with("Z") && threadsOf(Pid).size() == 1;
}

// Have all threads of the process released its memory? Checks all threads, since the first
// thread may end before the rest. On a busy machine, ending takes time.
static bool isLeaving(unsigned Pid, const ThreadStatus &Status) {
  return Status.line("VmSize").empty() && !isOfKernel(Pid) &&
         all_of(threadsOf(Pid), [Pid](pid_t Thread) {
           return ThreadStatus(Pid, Thread).line("VmSize").empty();
         });
}

bool patchbay::hasEnded(unsigned Pid) {
  ThreadStatus Status(Pid, Pid);
  return !Status.exists() || isZombie(Pid, Status) || isLeaving(Pid, Status);
}

bool patchbay::hasEndedSoon(unsigned Pid) {
  for (int Try = 0; Try < 20 && !hasEnded(Pid); ++Try)
    usleep(10000);
  return hasEnded(Pid);
}

// Is the process being killed? A killed process ends only after each thread has run.
static bool isEnding(unsigned Pid) {
  return any_of(threadsOf(Pid), [Pid](pid_t Thread) {
    return ThreadStatus(Pid, Thread).hex("SigPnd") >> (SIGKILL - 1) & 1;
  });
}

// Waits until the process state shows the end, since the kernel removes some data of an
// ending process earlier.
Error EndedMeanwhile::judge(Error E) const {
  constexpr unsigned Tries = 5, TriesAtMost = 1000, PauseUs = 2000;
  if (!E || !WasThere)
    return E;
  for (unsigned Try = 0;
       Try < (isEnding(Pid) ? TriesAtMost : Tries) && !hasEnded(Pid); ++Try)
    usleep(PauseUs);
  if (!hasEnded(Pid))
    return E;
  consumeError(std::move(E));
  return processError(Pid, "it has ended");
}

static Error checkState(unsigned Pid) {
  ThreadStatus Status(Pid, Pid);
  if (!Status.exists())
    return processError(Pid, "no such process");
  if (uint64_t Group = Status.number("Tgid"); Group != Pid)
    return processError(Pid, "is a thread: its process is " + Twine(Group));
  if (isZombie(Pid, Status))
    return processError(Pid, "it has ended, but its parent has not waited for it (zombie)");
  // The kernel shows the memory, files and root directory of a process only through its
  // first thread, which has ended.
  if (Status.line("State").starts_with("Z"))
    return processError(
        Pid, "its first thread has ended (pthread_exit(3)), so the kernel no longer shows the "
             "process: start it with "
             "'patchbay record'");
  if (isOfKernel(Pid))
    return processError(Pid, "is a thread of the kernel");
  if (Status.number("TracerPid"))
    return whyNotPermitted(Pid, EPERM);
  if (std::string Why = whyStill(Pid); !Why.empty())
    return processError(Pid, Why);
  return Error::success();
}

Expected<ProcessMemory> patchbay::openProcess(unsigned Pid) {
  if (Error E = checkState(Pid))
    return std::move(E);
  return ProcessMemory::open(Pid);
}

// Has the thread more seccomp filters than its parent process? The program has then
// installed a filter, which may forbid system calls that the runtime needs: the kernel does
// not tell which calls a filter allows. A container's filter allows these calls.
static bool hasOwnFilter(const ThreadStatus &Theirs) {
  uint64_t Mode = Theirs.number("Seccomp");
  if (Mode == SECCOMP_MODE_DISABLED)
    return false;
  ThreadStatus Parents(Theirs.number("PPid"), Theirs.number("PPid"));
  return Mode != SECCOMP_MODE_FILTER || !Parents.exists() ||
         Parents.number("Seccomp_filters") < Theirs.number("Seccomp_filters");
}

// Checks each thread, since handlers run in all threads. A filter belongs to one thread,
// unless the program used SECCOMP_FILTER_FLAG_TSYNC.
static Error checkSeccomp(const ProcessMemory &Memory) {
  for (pid_t Thread : threadsOf(Memory.pid())) {
    if (!hasOwnFilter(ThreadStatus(Memory.pid(), Thread)))
      continue;
    std::string Subject = unsigned(Thread) == Memory.pid()
                              ? "it"
                              : "its thread " + std::to_string(Thread);
    return Memory.error(
        Subject + " has restricted its system calls (seccomp) and might be killed for those of "
                  "the runtime: start it with 'patchbay record', which prepares for that");
  }
  return Error::success();
}

// Refuses a child of vfork(2) that has not yet executed another program. The child shares
// its parent's memory, so the injection would change the parent.
static Error checkOwnMemory(const ProcessMemory &Memory) {
  constexpr int OfMemory = 1; // KCMP_VM of <linux/kcmp.h>
  uint64_t Parent = ThreadStatus(Memory.pid(), Memory.pid()).number("PPid");
  if (!Parent || syscall(SYS_kcmp, Memory.pid(), Parent, OfMemory, 0, 0))
    return Error::success();
  return Memory.error(
      "it shares the memory of its parent, process " + Twine(Parent) +
      ", and has not executed its own program yet (vfork(2), posix_spawn(3))");
}

// Refuses programs by the file that the process executes.
static Error checkProgramFile(const ProcessMemory &Memory,
                              const ElfImage &Library) {
  const Descriptor File = open(Memory.proc("exe").c_str(), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return Memory.error("cannot open its program: " + errnoText(errno));
  char Path[PATH_MAX];
  ssize_t Size = readlink(Memory.proc("exe").c_str(), Path, sizeof(Path));
  auto Program = ElfImage::read(
      File, "process " + std::to_string(Memory.pid()) + ": " +
                std::string(Path, Size > 0 ? Size : 0));
  if (!Program)
    return Program.takeError();
  if (Program->machine() != Library.machine())
    return Memory.error("runs a program for " + Program->machineName() +
                        ", but the runtime is for " + Library.machineName());
  auto Loader = Program->interpreter();
  if (!Loader)
    return Loader.takeError();
  if (!*Loader) {
    auto IsLoader = Program->isLoader();
    if (!IsLoader)
      return IsLoader.takeError();
    return Memory.error(
        *IsLoader ? "it was started through its loader, with the program as an "
                    "argument: start the program itself"
                  : "its program is statically linked, so no library can be "
                    "loaded into it: link it with libpatchbay and choose the "
                    "functions in the program");
  }
  if (StringRef(**Loader).contains("ld-musl"))
    return Memory.error("its C library is musl, and the runtime needs glibc");
  return Error::success();
}

namespace {
/// A recursive mutex of glibc (struct __pthread_mutex_s) on 64-bit machines.
struct Mutex {
  uint32_t Lock, Count;
  int32_t Owner;
  uint32_t Users, Kind, Spins;
  uint64_t Robust[2];
  bool isLocked() const {
    return (Lock == 1 || Lock == 2) && Count && Owner > 0 && Users == 1 && Kind == 1 &&
           !Spins && !Robust[0] && !Robust[1];
  }
};
} // namespace

// Finds a mutex in the loader's data whose owner thread does not exist. Returns 0 if every
// owner exists.
static uint64_t abandonedLock(const ProcessMemory &Memory, uint64_t Loader) {
  const ProcessMemory::Mapping *First = Memory.mappingAt(Loader);
  for (const ProcessMemory::Mapping &M : Memory.mappings()) {
    if (!First || First->Path.empty() || M.Path != First->Path || M.Executable)
      continue;
    std::vector<char> Bytes(M.End - M.Start);
    if (!Memory.read(M.Start, Bytes.data(), Bytes.size()))
      continue;
    for (size_t At = 0; At + sizeof(Mutex) <= Bytes.size(); At += alignof(Mutex)) {
      Mutex Found;
      memcpy(&Found, &Bytes[At], sizeof(Found));
      if (Found.isLocked() && !hasThread(Memory.pid(), Found.Owner))
        return M.Start + At;
    }
  }
  return 0;
}

// Fails if the lock of dl_iterate_phdr() is abandoned: in a forked child, glibc does not
// release this lock. A thread that loads a library would wait for the lock forever, while it
// holds a second lock that dlsym() and exit() need.
Error patchbay::checkLoaderLock(const ProcessMemory &Memory) {
  const uint64_t Loader = auxiliaryValue(Memory, AT_BASE);
  const uint64_t Lock = abandonedLock(Memory, Loader);
  // Check twice, since a thread may have released the mutex and ended between two reads.
  if (!Lock || (usleep(10000), abandonedLock(Memory, Loader) != Lock))
    return Error::success();
  return Memory.error("no library can be loaded into it: when it was forked, another thread "
                      "of its parent held the loader's lock (dl_iterate_phdr(3), dlopen(3))");
}

Error patchbay::checkProcess(const ProcessMemory &Memory,
                             const ElfImage &Library) {
  if (Error E = checkProgramFile(Memory, Library))
    return E;
  if (Error E = checkOwnMemory(Memory))
    return E;
  if (Error E = checkLoaderLock(Memory))
    return E;
  return checkSeccomp(Memory);
}
