// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputInside.h"
#include "OutputDir.h"
#include "live/RecordedNow.h"
#include "live/ThreadStatus.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <random>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace patchbay;

namespace {
struct Owner {
  uid_t User;
  gid_t Group;
};
} // namespace

static Owner ownerOf(pid_t Process) {
  ThreadStatus Status(Process, Process);
  return {uid_t(Status.number("Uid")), gid_t(Status.number("Gid"))};
}

static std::string rootOf(pid_t Process) {
  return "/proc/" + std::to_string(Process) + "/root";
}

// Changes the owner of a directory that this command created to the process's user, who
// must be able to write to it.
static void giveTo(pid_t Process, const std::string &Dir) {
  Owner To = ownerOf(Process);
  if (geteuid() == 0 && To.User != 0 &&
      chown(Dir.c_str(), To.User, To.Group))
    warn(Twine(Dir) + ": cannot be given to user " + Twine(To.User) + ": " +
         errnoText(errno));
}

// Opens a folder as the process sees it. Resolves links within the process's root, since
// the process's user may have created them.
static Descriptor openInside(int Root, const char *Folder) {
  open_how How = {};
  How.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  How.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return int(syscall(SYS_openat2, Root, Folder, &How, sizeof(How)));
}

Expected<OutputInside> OutputInside::create(pid_t Process,
                                            const std::string &Dir) {
  OutputInside Result;
  Result.Dir = Result.Path = Dir;
  if (sys::fs::equivalent(Dir, rootOf(Process) + Dir)) {
    giveTo(Process, Dir);
    return Result;
  }
  const Descriptor Root = open(rootOf(Process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (Root < 0)
    return processError(Process, "cannot open its root directory: " +
                                     errnoText(errno));
  std::random_device Random;
  std::string Name = "patchbay-" + std::to_string(Process) + "-" +
                     utohexstr(uint64_t(Random()) << 32 | Random(), true);
  const Owner To = ownerOf(Process);
  int Errno = 0;
  // Try folders on disk first: files in memory count against the memory limit
  // of the container.
  constexpr const char *Folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
  for (size_t Try = 0; Try != 2 * std::size(Folders); ++Try) {
    const char *Folder = Folders[Try % std::size(Folders)];
    Descriptor Parent = openInside(Root, Folder);
    if (Parent >= 0 && isInMemory(Parent) != (Try >= std::size(Folders)))
      continue;
    if (Parent >= 0 && !mkdirat(Parent, Name.c_str(), 0700)) {
      Result.Parent = std::move(Parent);
      Result.Name = Name;
      Result.Path = Folder + ("/" + Name);
      Result.Inside =
          openat(Result.Parent, Name.c_str(),
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (Result.Inside >= 0 &&
          (geteuid() != 0 || !fchown(Result.Inside, To.User, To.Group))) {
        Errno = 0;
        break;
      }
    }
    Errno = errno;
    if (Result.Parent >= 0)
      break;
  }
  if (Result.Inside < 0 || Errno)
    return processError(
        Process, "it does not find " + Dir +
                     " (another root directory, or a container), and nothing "
                     "can be made in its /tmp, /var/tmp or /dev/shm: " +
                     errnoText(Errno));
  return Result;
}

static std::vector<std::string> filesIn(int Dir) {
  return expectedToOptional(namesIn(Dir)).value_or(std::vector<std::string>());
}

OutputInside::~OutputInside() {
  Files.reset();
  if (Inside >= 0) {
    // Keep files that could not be copied, since no other copy exists.
    for (const std::string &File : filesIn(Inside))
      if (!is_contained(NotCopied, File) && isOwnFile(Inside, File))
        unlinkat(Inside, File.c_str(), 0);
  }
  if (Parent >= 0)
    unlinkat(Parent, Name.c_str(), AT_REMOVEDIR);
}

Expected<std::string> OutputInside::withOutput(StringRef Options, pid_t Process) const {
  if (Inside >= 0)
    return patchbay::withOutput(Options, Inside, Path, unsigned(Process));
  const Descriptor Folder = open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return patchbay::withOutput(Options, Folder, Path, unsigned(Process));
}

void OutputInside::rotate(const RecordingLimits &Limits) {
  if (Inside < 0)
    return;
  Files = std::make_unique<Rotation>("/proc/self/fd/" + std::to_string(Inside), Limits);
  Files->start();
}

Error OutputInside::collect() {
  if (Inside < 0)
    return Error::success();
  if (Files)
    Files->finish();
  Error All = Error::success();
  for (const std::string &Name : filesIn(Inside)) {
    OwnName Form = ownName(Name);
    if (Form != OwnName::Data && Form != OwnName::Whole &&
        (Form != OwnName::Spare || !ownHeader(Inside, Name)))
      continue;
    // Do not follow links or block on a FIFO: the process's user may have created any
    // kind of file.
    const Descriptor File = openat(Inside, Name.c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    Error E = File < 0 ? makeError(errnoText(errno))
                       : copyData(File, Dir + "/" + Name);
    if (E)
      NotCopied.push_back(Name);
    if (E)
      All = joinErrors(std::move(All),
                       makeError(Path + "/" + Name + " cannot be copied: " +
                                 toString(std::move(E))));
  }
  return All;
}
