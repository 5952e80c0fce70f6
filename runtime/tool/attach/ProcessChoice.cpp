// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProcessChoice.h"
#include "live/ThreadStatus.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// Has the process memory? Kernel threads and ended processes have none.
static bool hasMemory(pid_t Process) {
  return !ThreadStatus(Process, Process).line("VmSize").empty();
}

// The control groups of the process, without a slash at the end (cgroups(7),
// /proc/PID/cgroup).
static std::vector<std::string> cgroupsOf(pid_t Process) {
  std::vector<std::string> Paths;
  std::string Text = readProc(Process, "cgroup");
  for (StringRef Line : split(Text, '\n'))
    if (StringRef Path = Line.split(':').second.split(':').second;
        !Path.empty())
      Paths.push_back(Path.rtrim('/').str());
  return Paths;
}

static bool isBelow(StringRef Path, StringRef Folder) {
  return Path.consume_front(Folder) && (Path.empty() || Path.front() == '/');
}

// The path of a group in /proc/PID/cgroup. Wanted: that path, or the group's directory.
static std::string cgroupPath(StringRef Wanted) {
  for (const std::string &Mount : cgroupMounts())
    if (isBelow(Wanted, Mount))
      return "/" + Wanted.drop_front(Mount.size()).trim('/').str();
  return "/" + Wanted.trim('/').str();
}

// Does this group exist below at least one of the mounts?
static bool hasCgroup(const std::string &Folder) {
  return any_of(cgroupMounts(), [&](const std::string &Mount) {
    return sys::fs::is_directory(Mount + Folder);
  });
}

static bool isInCgroup(pid_t Process, const std::string &Folder) {
  return any_of(cgroupsOf(Process), [&](const std::string &Path) {
    return isBelow(Path, Folder);
  });
}

// Does the process belong to the systemd unit? The last component of a unit's control group
// is the unit's name.
static bool isOfUnit(pid_t Process, StringRef Unit) {
  std::string Name = Unit.contains('.') ? Unit.str() : (Unit + ".service").str();
  return any_of(cgroupsOf(Process), [&](const std::string &Path) {
    return is_contained(split(Path, '/'), Name);
  });
}

std::vector<pid_t> patchbay::allProcesses() {
  std::set<pid_t> Ours;
  for (pid_t P = getpid(); P > 1 && Ours.insert(P).second;)
    P = ThreadStatus(P, P).number("PPid");
  std::vector<pid_t> All;
  std::error_code EC;
  for (sys::fs::directory_iterator I("/proc", EC), End; !EC && I != End;
       I.increment(EC))
    if (pid_t P; !sys::path::filename(I->path()).getAsInteger(10, P) &&
                 !Ours.count(P))
      All.push_back(P);
  sort(All);
  return All;
}

Expected<std::vector<pid_t>>
patchbay::chooseProcesses(const ProcessChoice &Choice) {
  std::set<pid_t> Chosen;
  const std::vector<pid_t> All = allProcesses();
  auto Add = [&](ArrayRef<std::string> Given, StringRef Option, auto IsMeant,
                 auto WhyNone) -> Error {
    for (const std::string &One : Given) {
      bool Found = false;
      for (pid_t P : All)
        if (IsMeant(P, One) && hasMemory(P)) {
          Chosen.insert(P);
          Found = true;
        }
      if (!Found)
        return makeError("--" + Option + " " + One + ": " + WhyNone(One));
    }
    return Error::success();
  };
  auto IsNamed = [](pid_t P, StringRef Name) {
    // The kernel keeps only 15 bytes of a process name.
    return StringRef(readProc(P, "comm")).trim('\n') == Name.take_front(15);
  };
  auto NoName = [](StringRef) { return "no process has this name"; };
  auto NoUnit = [](StringRef) { return "no process is in such a unit"; };
  auto NoGroup = [](StringRef Group) {
    return hasCgroup(cgroupPath(Group)) ? "no process is in this control group"
                                        : "there is no such control group";
  };
  if (Error E = Add(Choice.Names, "comm", IsNamed, NoName))
    return std::move(E);
  if (Error E = Add(Choice.Units, "unit", isOfUnit, NoUnit))
    return std::move(E);
  auto IsInGroup = [](pid_t P, StringRef Group) {
    return isInCgroup(P, cgroupPath(Group));
  };
  if (Error E = Add(Choice.Cgroups, "cgroup", IsInGroup, NoGroup))
    return std::move(E);
  return std::vector<pid_t>(Chosen.begin(), Chosen.end());
}

// Do these words form a command line of `record` with Pid in -p?
static bool namesProcess(ArrayRef<StringRef> Words, StringRef Pid) {
  if (!is_contained(Words, "record"))
    return false;
  for (size_t I = 1; I < Words.size(); ++I)
    if (StringRef W = Words[I]; (Words[I - 1] == "-p" && W == Pid) ||
                                (W.consume_front("-p") && W.ltrim('=') == Pid))
      return true;
  return false;
}

bool patchbay::isNamedByRecorder(pid_t Process) {
  const std::string Pid = std::to_string(Process);
  return any_of(allProcesses(), [&](pid_t P) {
    const std::string Text = readProc(P, "cmdline");
    SmallVector<StringRef> Words;
    StringRef(Text).split(Words, '\0');
    return sys::path::filename(Words.front()) == "patchbay" && namesProcess(Words, Pid);
  });
}

std::vector<pid_t> patchbay::descendants(pid_t Process) {
  std::vector<pid_t> Found = {Process};
  for (size_t I = 0; I != Found.size(); ++I)
    for (pid_t Thread : threadsOf(Found[I])) {
      std::string Text =
          readProc(Found[I], "task/" + Twine(Thread) + "/children");
      for (StringRef Word : split(StringRef(Text).trim(), ' '))
        if (pid_t Child; !Word.getAsInteger(10, Child) && hasMemory(Child))
          Found.push_back(Child);
    }
  Found.erase(Found.begin());
  return Found;
}
