// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ControlGroups.h"
#include "support/MappedFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

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

// Version 2: Documentation/admin-guide/cgroup-v2.rst, "cgroup.freeze". Version
// 1: cgroup-v1/freezer-subsystem.rst. Both states include those of parent
// groups.
bool patchbay::isFrozen(pid_t Process) {
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
