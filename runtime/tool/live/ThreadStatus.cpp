// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadStatus.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

static std::string readThread(pid_t Process, pid_t Thread, StringRef Name) {
  auto Buffer = MemoryBuffer::getFileAsStream("/proc/" + Twine(Process) +
                                              "/task/" + Twine(Thread) + "/" +
                                              Name);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

bool patchbay::isOfKernel(pid_t Thread) {
  // The seventh field after the name, which may contain spaces and brackets. PF_KTHREAD
  // is from the kernel's include/linux/sched.h. See proc_pid_stat(5).
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

// "running", or "-1 SP PC", or the number, six arguments, SP and PC.
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

bool patchbay::hasThread(pid_t Process, pid_t Called) {
  ThreadStatus First(Process, Process);
  if (!First.line("NSpid").contains('\t'))
    return ThreadStatus(Process, Called).exists();
  return any_of(threadsOf(Process), [&](pid_t Thread) {
    pid_t Number = 0;
    ThreadStatus Status(Process, Thread);
    Status.line("NSpid").rsplit('\t').second.getAsInteger(10, Number);
    return Number == Called;
  });
}
