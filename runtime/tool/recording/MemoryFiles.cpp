// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryFiles.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

bool patchbay::isInMemory(int File) {
  struct statfs Status;
  return !fstatfs(File, &Status) &&
         (Status.f_type == TMPFS_MAGIC || Status.f_type == RAMFS_MAGIC);
}

// The least limit of a group and its parents. "max" means no limit; in version
// 1, a number above the memory of any machine does.
static std::optional<uint64_t> leastLimit(StringRef Mount, StringRef Group,
                                          StringRef File) {
  constexpr uint64_t NoLimit = uint64_t(1) << 62;
  uint64_t Least = NoLimit;
  SmallString<256> Path = Mount;
  for (Path += Group;; sys::path::remove_filename(Path)) {
    uint64_t Limit;
    if (!StringRef(fileText(Path + "/" + File)).trim().getAsInteger(10, Limit))
      Least = std::min(Least, Limit);
    if (Path.size() <= Mount.size())
      break;
  }
  return Least < NoLimit ? std::optional(Least) : std::nullopt;
}

// See cgroups(7). Version 2 is mounted alone, or in addition to hierarchies of
// version 1.
std::optional<uint64_t> patchbay::memoryLimit(pid_t Process) {
  std::string Groups = fileText("/proc/" + Twine(Process) + "/cgroup");
  SmallVector<StringRef, 16> Lines;
  StringRef(Groups).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    auto [Controllers, Group] = Line.split(':').second.split(':');
    Group = Group.rtrim('/');
    std::optional<uint64_t> Limit;
    if (Controllers.empty())
      Limit = leastLimit("/sys/fs/cgroup", Group, "memory.max");
    else if (Controllers == "memory")
      Limit = leastLimit("/sys/fs/cgroup/memory", Group, "memory.limit_in_bytes");
    if (Limit)
      return Limit;
  }
  return std::nullopt;
}

void patchbay::warnOfMemory(StringRef Dir, const std::string &Path,
                            pid_t Process) {
  const Descriptor File = open(Path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (File < 0 || !isInMemory(File))
    return;
  if (auto Limit = memoryLimit(Process))
    warn(Dir + " is in memory (tmpfs), so recorded data counts against the program's limit of "
               "" +
         utostr(*Limit >> 20) + " MB: choose a directory on a disk with -o, or "
                                "limit it with --max-size");
}
