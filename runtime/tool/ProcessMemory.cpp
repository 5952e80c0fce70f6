// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProcessMemory.h"
#include "Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr char NoMemory[] =
    "it has no memory: it has ended, or is a thread of the kernel";

Expected<ProcessMemory> ProcessMemory::openIn(unsigned Pid,
                                              const std::string &Folder) {
  int Fd = ::open((Folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  int Errno = errno;
  // Some kernels open it.
  if (Fd < 0 && Errno == ESRCH && !access(Folder.c_str(), F_OK))
    return processError(Pid, NoMemory);
  if (Fd < 0 && (Errno == ENOENT || Errno == ESRCH))
    return processError(Pid, "no such process");
  if (Fd < 0 && (Errno == EACCES || Errno == EPERM))
    return processError(Pid, "cannot read its memory: " + errnoText(Errno) +
                                 ": it takes the right to debug it, as its "
                                 "user or as root (ptrace(2), "
                                 "/proc/sys/kernel/yama/ptrace_scope)");
  if (Fd < 0)
    return processError(Pid, "cannot read its memory: " + errnoText(Errno));
  ProcessMemory Memory(Pid, Folder, Fd);
  if (Error E = Memory.readMappings())
    return E;
  return Memory;
}

// Where the main thread has ended, as pthread_exit(3) ends it, another has what
// was its: memory, mappings and root.
Expected<ProcessMemory> ProcessMemory::open(unsigned Pid) {
  std::string Folder = "/proc/" + std::to_string(Pid);
  Expected<ProcessMemory> Memory = openIn(Pid, Folder);
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder + "/task", EC), End;
       !Memory && !EC && I != End; I.increment(EC)) {
    Expected<ProcessMemory> Other = openIn(Pid, I->path());
    if (Other) {
      consumeError(Memory.takeError());
      return Other;
    }
    consumeError(Other.takeError());
  }
  return Memory;
}

ProcessMemory::ProcessMemory(ProcessMemory &&Other)
    : Pid(Other.Pid), Folder(std::move(Other.Folder)),
      Fd(std::exchange(Other.Fd, -1)), Mappings(std::move(Other.Mappings)) {}

ProcessMemory::~ProcessMemory() {
  if (Fd >= 0)
    close(Fd);
}

std::string ProcessMemory::proc(const Twine &Name) const {
  return (Folder + "/" + Name).str();
}

Error ProcessMemory::error(const Twine &Message) const {
  return processError(Pid, Message);
}

// START-END PERMISSIONS OFFSET DEVICE INODE   PATH
static bool parse(StringRef Line, ProcessMemory::Mapping &M) {
  SmallVector<StringRef, 6> Fields;
  for (int I = 0; I != 5; ++I) {
    auto [Field, Rest] = Line.split(' ');
    Fields.push_back(Field);
    Line = Rest;
  }
  auto [Start, End] = Fields[0].split('-');
  M.Executable = Fields[1].contains('x');
  M.Path = Line.ltrim(' ').str();
  return !Start.getAsInteger(16, M.Start) && !End.getAsInteger(16, M.End) &&
         !Fields[2].getAsInteger(16, M.Offset) &&
         !Fields[4].getAsInteger(10, M.Inode);
}

Error ProcessMemory::readMappings() {
  auto Buffer = MemoryBuffer::getFileAsStream(proc("maps"));
  if (!Buffer) {
    std::error_code Code = Buffer.getError();
    if (Code == std::errc::no_such_process ||
        Code == std::errc::no_such_file_or_directory)
      return error("no such process");
    return error("cannot read its mappings: " + Code.message());
  }
  Mappings.clear();
  for (StringRef Line : split((*Buffer)->getBuffer(), '\n'))
    if (Mapping M; parse(Line, M))
      Mappings.push_back(std::move(M));
  return Mappings.empty() ? error(NoMemory) : Error::success();
}

static bool isFile(const std::string &Path, uint64_t Inode) {
  struct stat Status;
  return !stat(Path.c_str(), &Status) && Status.st_ino == Inode;
}

// The file may be in a file system that only the process sees; but of one that
// has only called chroot(2) paths are as we see them. Files of other file systems
// may have the number of the program's, which is there even if it was removed.
std::string ProcessMemory::fileOf(const Mapping &M) const {
  char Exe[PATH_MAX];
  ssize_t Size = readlink(proc("exe").c_str(), Exe, sizeof(Exe));
  if (Size > 0 && StringRef(Exe, Size) == M.Path)
    return proc("exe");
  for (const std::string &Path : {proc("root") + M.Path, M.Path})
    if (isFile(Path, M.Inode))
      return Path;
  return "";
}

const ProcessMemory::Mapping *ProcessMemory::mappingAt(uint64_t Address) const {
  auto I = partition_point(Mappings,
                           [&](const Mapping &M) { return M.End <= Address; });
  return I == Mappings.end() || I->Start > Address ? nullptr : &*I;
}

bool ProcessMemory::read(uint64_t Address, void *Bytes, size_t Size) const {
  char *To = static_cast<char *>(Bytes);
  while (Size) {
    // Addresses of the upper half are no offsets of a file.
    if (Address > INT64_MAX)
      return false;
    ssize_t Done = pread(Fd, To, Size, static_cast<off_t>(Address));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    To += Done;
    Address += Done;
    Size -= Done;
  }
  return true;
}

std::string ProcessMemory::readString(uint64_t Address) const {
  std::string Text;
  constexpr size_t Max = 4096, Step = 64;
  while (Text.size() < Max) {
    char Bytes[Step];
    // Not beyond the page: nothing may be there.
    size_t Size = Step - Address % Step;
    if (!read(Address, Bytes, Size))
      break;
    size_t Length = strnlen(Bytes, Size);
    Text.append(Bytes, Length);
    if (Length != Size)
      return Text;
    Address += Size;
  }
  return Text;
}
