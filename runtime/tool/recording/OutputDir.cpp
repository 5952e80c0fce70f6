// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputDir.h"
#include "reading/DataFile.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

using namespace llvm;
using namespace patchbay;

namespace {
enum class Kind { Missing, Empty, Recording, Foreign };
}

namespace {
struct Found {
  Kind What;
  std::string Foreign; // a file that does not belong to a recording
};
} // namespace

// Finds out what is at Path. A directory with any file that no recording has is Foreign;
// create() moves and deletes nothing there.
static Expected<Found> classify(const std::string &Path) {
  struct stat Status;
  if (lstat(Path.c_str(), &Status)) {
    if (errno == ENOENT)
      return Found{Kind::Missing, ""};
    return errorCodeToError(errnoAsErrorCode());
  }
  if (!S_ISDIR(Status.st_mode))
    return Found{Kind::Foreign, ""};
  Kind Result = Kind::Empty;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Path, EC, /*follow_symlinks=*/false), End;
       !EC && I != End; I.increment(EC)) {
    std::string Name = sys::path::filename(I->path()).str();
    if (I->type() != sys::fs::file_type::regular_file)
      return Found{Kind::Foreign, ""};
    if (!isOwnFile(AT_FDCWD, I->path())) {
      int File = open(I->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (File >= 0)
        close(File);
      else if (errno == ENOENT)
        return Found{Kind::Missing, ""}; // another command has just moved the directory
      else if (errno != EACCES && errno != ELOOP && errno != ENXIO)
        return errorCodeToError(errnoAsErrorCode()); // for example EMFILE
      return Found{Kind::Foreign, Name};
    }
    Result = Kind::Recording;
  }
  if (EC == std::errc::no_such_file_or_directory)
    return Found{Kind::Missing, ""}; // another command has just moved the directory
  if (EC)
    return errorCodeToError(EC);
  return Found{Result, ""};
}

static Error foreign(const Twine &Path, StringRef File) {
  if (StringRef Name = File; Name.contains(PBD_SUFFIX) || ownName(Name) != OwnName::None)
    return makeError(Path + ": " + File + " in it was not written by patchbay, so the "
                                          "directory is left alone: choose another directory "
                                          "with -o");
  return makeError(Path + ": exists and is not a patchbay recording, so it is left alone: "
                          "choose another directory with -o");
}

static Error cannot(const Twine &What, const Twine &Path, Error E) {
  return makeError("cannot " + What + " " + Path + ": " +
                   toString(std::move(E)));
}

static std::string locked(const Twine &Path, const Twine &By) {
  return (Path + ": " + By +
          " is still recording there: wait until it ends, or choose another "
          "directory with -o")
      .str();
}

// Another command may move the directory between open() and flock(). So take the lock
// again until Path refers to the locked directory.
Expected<LockedDir::State> LockedDir::lock(const std::string &Path) {
  for (;;) {
    LockedDir Dir;
    Dir.FD = open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (Dir.FD < 0) {
      if (errno == ENOENT)
        return State::Missing;
      return errorCodeToError(errnoAsErrorCode());
    }
    if (flock(Dir.FD, LOCK_EX | LOCK_NB)) {
      if (errno == EWOULDBLOCK)
        return State::Busy;
      return errorCodeToError(errnoAsErrorCode());
    }
    struct stat Opened, Named;
    if (fstat(Dir.FD, &Opened))
      return errorCodeToError(errnoAsErrorCode());
    if (!lstat(Path.c_str(), &Named) && Named.st_dev == Opened.st_dev &&
        Named.st_ino == Opened.st_ino) {
      *this = std::move(Dir);
      return State::Locked;
    }
  }
}

// Uses a descriptor instead of the directory's path: a user with write access to the
// parent directory can replace the directory at any time, even by a link.
Expected<std::vector<std::string>> patchbay::namesIn(int Dir) {
  int FD = openat(Dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *Stream = FD < 0 ? nullptr : fdopendir(FD);
  if (!Stream) {
    int Errno = errno;
    if (FD >= 0)
      close(FD);
    return errorCodeToError(std::error_code(Errno, std::generic_category()));
  }
  std::vector<std::string> Names;
  while (const dirent *Entry = readdir(Stream))
    if (StringRef Name = Entry->d_name; Name != "." && Name != "..")
      Names.push_back(Name.str());
  closedir(Stream);
  llvm::sort(Names);
  return Names;
}

// Does a process record to the file? The process holds a shared lock while the file is
// mapped (runtime/trace/file/data_file.c), even after `record` has ended.
static bool isInUse(int FD) {
  return flock(FD, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

std::vector<std::string> patchbay::filesInUse(ArrayRef<std::string> Files) {
  std::vector<std::string> InUse;
  for (const std::string &File : Files) {
    // Use O_NONBLOCK, since the file may be a FIFO.
    const Descriptor FD = open(File.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (FD >= 0 && isInUse(FD))
      InUse.push_back(File);
  }
  return InUse;
}

// The process that created the file. The file may have no events yet.
static uint32_t pidOf(const std::string &File) {
  DataFile Data;
  uint32_t Pid;
  consumeError(readDataHeader(File, Data));
  StringRef Name = sys::path::filename(File);
  return Data.Pid || Name.consumeInteger(10, Pid) ? Data.Pid : Pid;
}

static Error checkNobodyRecords(const LockedDir &Lock, const std::string &Dir) {
  auto Names = namesIn(Lock.descriptor());
  if (!Names)
    return cannot("read", Dir, Names.takeError());
  for (const std::string &Name : *Names) {
    if (!StringRef(Name).ends_with(PBD_SUFFIX))
      continue;
    std::string File = Dir + "/" + Name;
    // Use O_NONBLOCK, since the file may be a FIFO.
    const Descriptor FD = openat(Lock.descriptor(), Name.c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (FD < 0) // for example another user's file
      return cannot("read", File, errorCodeToError(errnoAsErrorCode()));
    if (!isInUse(FD))
      continue;
    return makeError(locked(Dir, "process " + Twine(pidOf(File)) +
                                     ", or its child,"));
  }
  return Error::success();
}

// Locks the directory. Fails if another command or process uses the directory.
static Expected<LockedDir::State> lockUnused(LockedDir &Lock,
                                             const std::string &Path) {
  auto State = Lock.lock(Path);
  if (!State)
    return cannot("lock", Path, State.takeError());
  if (*State == LockedDir::State::Busy)
    return makeError(locked(Path, "another 'patchbay record'"));
  if (*State == LockedDir::State::Locked)
    if (Error E = checkNobodyRecords(Lock, Path))
      return std::move(E);
  return State;
}

// Removes the recording's files and then the directory. Uses the locked directory, since
// another user may have replaced Path. Keeps files that were added after classify() and
// belong to no recording.
static Error removeRecording(const LockedDir &Dir, const std::string &Path) {
  auto Names = namesIn(Dir.descriptor());
  if (!Names)
    return Names.takeError();
  for (const std::string &Name : *Names)
    if (isOwnFile(Dir.descriptor(), Name) && unlinkat(Dir.descriptor(), Name.c_str(), 0))
      return errorCodeToError(errnoAsErrorCode());
  // Fails if other files remain, or if Path is a link now.
  if (rmdir(Path.c_str()))
    return errorCodeToError(errnoAsErrorCode());
  return Error::success();
}

// Renames a recording to DIR.old, so that a new recording can be written to DIR.
Error OutputDir::moveAside() {
  std::string To = Path + ".old";
  auto Found = classify(To);
  if (!Found)
    return cannot("read", To, Found.takeError());
  if (Found->What == Kind::Foreign)
    return foreign(To, Found->Foreign);
  LockedDir OldLock;
  auto State = lockUnused(OldLock, To);
  if (!State)
    return State.takeError();
  if (*State == LockedDir::State::Locked)
    if (Error E = removeRecording(OldLock, To))
      return cannot("delete", To, std::move(E));
  if (!moveUnlessThere(Path, To))
    return cannot("rename", Path, errorCodeToError(errnoAsErrorCode()));
  Old = To;
  return Error::success();
}

Expected<OutputDir> OutputDir::create(StringRef Name) {
  // Make the path absolute, since traced processes may have any current directory.
  SmallString<256> Absolute = Name;
  if (std::error_code EC = sys::fs::make_absolute(Absolute))
    return cannot("find", Name, errorCodeToError(EC));
  sys::path::remove_dots(Absolute);

  OutputDir Dir;
  Dir.Path = Absolute.str().rtrim('/').str();
  // Other commands may create the same directory concurrently. The command that locks the
  // directory with the final name continues; only that command moves or deletes the directory.
  for (;;) {
    Dir.Made = false;
    auto Found = classify(Dir.Path);
    if (!Found)
      return cannot("create", Name, Found.takeError());
    if (Found->What == Kind::Foreign)
      return foreign(Name, Found->Foreign);
    if (Found->What == Kind::Missing) {
      // Only the owner may access the directory, as with perf's files.
      if (!mkdir(Dir.Path.c_str(), 0700)) {
        Dir.Made = true;
      } else if (errno != EEXIST) {
        Error E = errorCodeToError(errnoAsErrorCode());
        Dir.undo();
        return cannot("create", Name, std::move(E));
      }
    }
    auto State = lockUnused(Dir.Lock, Dir.Path);
    if (!State)
      return State.takeError();
    if (*State == LockedDir::State::Missing)
      continue;
    // From here on no other command changes the directory.
    Found = classify(Dir.Path);
    if (!Found)
      return cannot("read", Name, Found.takeError());
    if (Found->What == Kind::Foreign)
      return foreign(Name, Found->Foreign);
    if (Found->What == Kind::Empty)
      break;
    if (Error E = Dir.moveAside())
      return std::move(E);
  }
  if (access(Dir.Path.c_str(), W_OK | X_OK)) {
    Error E = errorCodeToError(errnoAsErrorCode());
    Dir.undo();
    return cannot("write to", Name, std::move(E));
  }
  return Dir;
}

static std::string commandLine() {
  auto Text = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  if (!Text)
    return "";
  std::string Line;
  StringRef Rest = (*Text)->getBuffer();
  while (!Rest.empty()) {
    auto [Word, More] = Rest.split('\0');
    Line += Line.empty() ? sys::path::filename(Word).str() : " " + shellQuoted(Word);
    Rest = More;
  }
  return Line;
}

// Writes a file that all users who can list the directory can read.
Error OutputDir::writeCommand() const {
  struct stat Folder;
  if (fstat(descriptor(), &Folder))
    return errorCodeToError(errnoAsErrorCode());
  int File = openat(descriptor(), CommandFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0600 | (Folder.st_mode & 0044));
  if (File < 0)
    return errorCodeToError(errnoAsErrorCode());
  raw_fd_ostream OS(File, /*shouldClose=*/true);
  OS << CommandMagic << commandLine() << '\n';
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return errorCodeToError(EC);
}

Error OutputDir::addNote(StringRef Note) const {
  int File = openat(descriptor(), CommandFile, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (File < 0)
    return errorCodeToError(errnoAsErrorCode());
  raw_fd_ostream OS(File, /*shouldClose=*/true);
  OS << '\0' << Note;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return errorCodeToError(EC);
}

// Does not rename the earlier recording back if another command has created a directory
// with its name.
void OutputDir::undo() {
  if (Lock.descriptor() >= 0)
    removeOptionFiles(Lock.descriptor());
  if (Lock.descriptor() >= 0 && isOwnFile(Lock.descriptor(), CommandFile))
    unlinkat(Lock.descriptor(), CommandFile, 0);
  if (Made)
    rmdir(Path.c_str());
  if (!Old.empty())
    moveUnlessThere(Old, Path);
}

void OutputDir::removeUnused() const {
  auto Names = expectedToOptional(namesIn(Lock.descriptor()));
  if (!Names)
    return;
  for (const std::string &Name : *Names) {
    const Descriptor FD = openUnusedSpare(Lock.descriptor(), Name);
    if (FD >= 0 && !isInUse(FD))
      unlinkat(Lock.descriptor(), Name.c_str(), 0);
  }
}

bool patchbay::isInMemory(int File) {
  struct statfs Status;
  return !fstatfs(File, &Status) &&
         (Status.f_type == TMPFS_MAGIC || Status.f_type == RAMFS_MAGIC);
}

// The lowest limit of a group and its parents. "max" means no limit. In version 1, no
// limit is a number above the memory of any machine.
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

// Reads control groups (cgroups(7)) of version 1 and 2, since a system may mount both.
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

// Limits the size of PATCHBAY in the environment. The kernel permits 128 KiB per string
// (MAX_ARG_STRLEN), but the environment reduces the space for arguments of each program.
static constexpr size_t MostInVariable = 16 * 1024;

std::string patchbay::escapeOption(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == ',' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

// Writes a file of options that all users who can read the directory can read.
static Error writeFile(int Dir, const std::string &Name, StringRef Options) {
  struct stat Folder;
  if (fstat(Dir, &Folder))
    return errorCodeToError(errnoAsErrorCode());
  int File = openat(Dir, Name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0600 | (Folder.st_mode & 0044));
  if (File < 0)
    return errorCodeToError(errnoAsErrorCode());
  raw_fd_ostream OS(File, /*shouldClose=*/true);
  OS << PBD_SELECTION_MAGIC << ',' << Options;
  OS.flush();
  if (geteuid() == 0 && !OS.has_error() &&
      fchown(File, Folder.st_uid, Folder.st_gid))
    return errorCodeToError(errnoAsErrorCode());
  std::error_code EC = OS.error();
  OS.clear_error();
  return errorCodeToError(EC);
}

Expected<std::string> patchbay::withOutput(StringRef Options, int Dir, StringRef Output,
                                           unsigned Number) {
  std::string Suffix = ",output=" + escapeOption(Output);
  if (Options.size() + Suffix.size() <= MostInVariable)
    return Options.str() + Suffix;
  // Programs that read PATCHBAY expect the tracer in it.
  auto [Tracer, Rest] = Options.split(',');
  std::string Name = utostr(Number) + PBD_SELECTION_SUFFIX;
  if (Error E = writeFile(Dir, Name, Rest)) {
    unlinkat(Dir, Name.c_str(), 0);
    return makeError("cannot write " + Output + "/" + Name + ": " +
                     toString(std::move(E)));
  }
  return Tracer.str() + Suffix + ",selection=" + escapeOption((Output + "/" + Name).str());
}

void patchbay::removeOptionFiles(int Dir) {
  int Copy = openat(Dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *Stream = Copy < 0 ? nullptr : fdopendir(Copy);
  if (!Stream)
    return;
  while (const dirent *Entry = readdir(Stream))
    if (ownName(Entry->d_name) == OwnName::Selection && isOwnFile(Dir, Entry->d_name))
      unlinkat(Dir, Entry->d_name, 0);
  closedir(Stream);
}
