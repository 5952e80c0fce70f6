// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadStatus.h"
#include "support/MappedFile.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <ctime>

using namespace llvm;
using namespace patchbay;

static std::string readThread(pid_t Process, pid_t Thread, StringRef Name) {
  return fileText("/proc/" + Twine(Process) + "/task/" + Twine(Thread) + "/" + Name);
}

bool patchbay::isOfKernel(pid_t Thread) {
  // The flags are the seventh field after the name, which may contain spaces and
  // brackets. PF_KTHREAD is from include/linux/sched.h of the kernel. See
  // proc_pid_stat(5).
  constexpr unsigned Flags = 6, OfKernel = 0x00200000;
  std::string Stat = readThread(Thread, Thread, "stat");
  SmallVector<StringRef> Fields;
  StringRef(Stat).rsplit(") ").second.split(Fields, ' ');
  unsigned Value = 0;
  return Fields.size() > Flags && !Fields[Flags].getAsInteger(10, Value) &&
         Value & OfKernel;
}

ThreadStatus::ThreadStatus(pid_t Process, pid_t Thread)
    : Text(readThread(Process, Thread, "status")) {}

StringRef ThreadStatus::line(StringRef Name) const {
  for (StringRef Line : split(Text, '\n')) {
    auto [Found, Value] = Line.split(":\t");
    if (Found == Name)
      return Value.trim();
  }
  return "";
}

uint64_t ThreadStatus::hex(StringRef Name) const {
  uint64_t Value = 0;
  line(Name).getAsInteger(16, Value);
  return Value;
}

uint64_t ThreadStatus::number(StringRef Name) const {
  uint64_t Value = 0;
  line(Name).split('\t').first.getAsInteger(10, Value);
  return Value;
}

// Parses "running", or "-1 SP PC", or the system call's number, six arguments, SP and PC.
std::optional<ThreadPlace> patchbay::placeOf(pid_t Process, pid_t Thread) {
  std::string Text = readThread(Process, Thread, "syscall");
  ThreadPlace Place;
  if (StringRef(Text).starts_with("running")) {
    Place.IsRunning = true;
    return Place;
  }
  SmallVector<StringRef, 9> Words;
  StringRef(Text).trim().split(Words, ' ');
  if (Words.size() < 3 || Words[0].getAsInteger(10, Place.SystemCall) ||
      Words[Words.size() - 2].getAsInteger(0, Place.StackPointer) ||
      Words.back().getAsInteger(0, Place.Pc))
    return std::nullopt;
  if (Place.SystemCall >= 0 && Words[1].getAsInteger(0, Place.FirstArgument))
    return std::nullopt;
  return Place;
}

std::vector<pid_t> patchbay::threadsOf(pid_t Process) {
  std::vector<pid_t> Threads;
  std::error_code EC;
  for (sys::fs::directory_iterator
           I("/proc/" + std::to_string(Process) + "/task", EC),
       End;
       !EC && I != End; I.increment(EC))
    if (pid_t Thread; !sys::path::filename(I->path()).getAsInteger(10, Thread))
      Threads.push_back(Thread);
  return Threads;
}

std::optional<pid_t> patchbay::threadCalled(pid_t Process, uint64_t Number) {
  if (!ThreadStatus(Process, Process).line("NSpid").contains('\t'))
    return ThreadStatus(Process, Number).exists() ? std::optional<pid_t>(Number) : std::nullopt;
  for (pid_t Thread : threadsOf(Process)) {
    const ThreadStatus Status(Process, Thread);
    uint64_t Inner = 0;
    if (to_integer(Status.line("NSpid").rsplit('\t').second, Inner, 10) && Inner == Number)
      return Thread;
  }
  return std::nullopt;
}

std::string patchbay::threadFolder(pid_t Process, uint64_t Number) {
  const std::optional<pid_t> Thread = threadCalled(Process, Number);
  return "/proc/" + std::to_string(Process) +
         (Thread ? "/task/" + std::to_string(*Thread) : "");
}

std::string patchbay::threadText(pid_t Process, uint64_t Number) {
  if (!Number)
    return "a thread that is ending";
  const std::optional<pid_t> Thread = threadCalled(Process, Number);
  if (!Thread)
    return "thread " + std::to_string(Number);
  return "thread " + std::to_string(*Thread) + " (" +
         printable(ThreadStatus(Process, *Thread).line("Name")) + ")";
}

std::string patchbay::readProc(pid_t Process, const Twine &Name) {
  return fileText("/proc/" + Twine(Process) + "/" + Name);
}

std::vector<std::string> patchbay::cgroupMounts(StringRef Wanted) {
  std::vector<std::string> Folders;
  std::string Text = readProc(getpid(), "mountinfo");
  for (StringRef Line : split(Text, '\n'))
    if (StringRef Type = Line.split(" - ").second.split(' ').first;
        Wanted.empty() ? Type == "cgroup" || Type == "cgroup2" : Type == Wanted) {
      SmallVector<StringRef> Words;
      Line.split(Words, ' ');
      Folders.push_back(Words[4].str());
    }
  return Folders;
}

static bool says(const Twine &File, StringRef Word) {
  return StringRef(fileText(File)).contains(Word);
}

// Is the process's control group, or a parent group, frozen? The threads of a frozen process
// do not run, but their states do not show that. For version 2 see
// Documentation/admin-guide/cgroup-v2.rst, "cgroup.freeze"; for version 1 see
// cgroup-v1/freezer-subsystem.rst. Both files include the states of parent groups.
static bool isFrozen(pid_t Process) {
  std::string Text = readProc(Process, "cgroup");
  for (StringRef Line : split(Text, '\n')) {
    auto [Controllers, Path] = Line.split(':').second.split(':');
    bool IsSecond = Line.starts_with("0::");
    if (!IsSecond && Controllers != "freezer")
      continue;
    for (const std::string &Mount : cgroupMounts(IsSecond ? "cgroup2" : "cgroup"))
      if (IsSecond ? says(Mount + Path + "/cgroup.events", "frozen 1")
                   : says(Mount + Path + "/freezer.state", "FROZEN"))
        return true;
  }
  return false;
}

std::string patchbay::whyStill(unsigned Pid) {
  if (ThreadStatus(Pid, Pid).line("State").starts_with("T"))
    return "it is stopped (SIGSTOP or Ctrl-Z): continue it first with kill -CONT";
  if (isFrozen(Pid))
    return "its control group is frozen (cgroup.freeze or docker pause): thaw it first";
  return "";
}

std::string Stillness::why() {
  bool HasRun = std::exchange(Ran, ran()) != Ran;
  bool WasHeld = std::exchange(
      IsHeld, ThreadStatus(Pid, Pid).line("State").starts_with("t"));
  if (HasRun)
    return "";
  std::string Why = whyStill(Pid);
  // Report a debugger only after two checks, since strace(1) or another patchbay may have
  // stopped the process only briefly.
  if (Why.empty() && IsHeld && WasHeld)
    Why = "a debugger has stopped it: continue it there first";
  return Why;
}

uint64_t Stillness::ran() const {
  clockid_t Id;
  timespec Time = {};
  if (!clock_getcpuclockid(Pid, &Id))
    clock_gettime(Id, &Time);
  return uint64_t(Time.tv_sec) * 1000000000 + Time.tv_nsec;
}
