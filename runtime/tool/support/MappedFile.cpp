// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MappedFile.h"
#include "Diagnostics.h"
#include "PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

static Error systemError(int Errno) { return makeError(errnoText(Errno)); }

static Error checkRegular(const struct stat &Status) {
  if (S_ISREG(Status.st_mode))
    return Error::success();
  if (S_ISDIR(Status.st_mode))
    return systemError(EISDIR);
  return makeError(S_ISLNK(Status.st_mode)
                       ? "a symbolic link, which is not followed here"
                       : "not a regular file");
}

static Expected<Descriptor> openChecked(const char *Path, int Flags) {
  struct stat Status;
  Descriptor File = open(Path, Flags | O_CLOEXEC);
  if (File < 0 || fstat(File, &Status))
    return systemError(errno);
  if (Error E = checkRegular(Status))
    return std::move(E);
  return std::move(File);
}

static constexpr int ToRead = O_RDONLY | O_NONBLOCK | O_NOCTTY;

// Opens the found file itself, even if its path now refers to another file.
Expected<Descriptor> patchbay::openRegularFile(int Found) {
  return openChecked(("/proc/self/fd/" + Twine(Found)).str().c_str(), ToRead);
}

Expected<Descriptor> patchbay::openRegularFile(const Twine &Path, int Flags) {
  auto Found = openChecked(Path.str().c_str(), O_PATH | Flags);
  // Without /proc, reopen the file by its path.
  if (Found && access("/proc/self/fd", F_OK))
    return openChecked(Path.str().c_str(), ToRead);
  return Found ? openRegularFile(*Found) : std::move(Found);
}

std::string patchbay::fileText(const Twine &Path) {
  auto Buffer = MemoryBuffer::getFileAsStream(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

// Parses "START-END PERMISSIONS OFFSET DEVICE INODE   PATH".
static bool parse(StringRef Line, MemoryMapping &M) {
  SmallVector<StringRef, 6> Fields;
  for (int I = 0; I != 5; ++I) {
    auto [Field, Rest] = Line.split(' ');
    Fields.push_back(Field);
    Line = Rest;
  }
  auto [Start, End] = Fields[0].split('-');
  M.Readable = Fields[1].contains('r');
  M.Executable = Fields[1].contains('x');
  M.Device = Fields[3].str();
  M.Path = Line.ltrim(' ').str();
  return !Start.getAsInteger(16, M.Start) && !End.getAsInteger(16, M.End) &&
         !Fields[2].getAsInteger(16, M.Offset) &&
         !Fields[4].getAsInteger(10, M.Inode);
}

std::vector<MemoryMapping> patchbay::parseMappings(StringRef Lines) {
  std::vector<MemoryMapping> All;
  for (StringRef Line : split(Lines, '\n'))
    if (MemoryMapping M; parse(Line, M))
      All.push_back(std::move(M));
  return All;
}

const MemoryMapping *patchbay::mappingAt(ArrayRef<MemoryMapping> All, uint64_t Address) {
  auto I = partition_point(All, [&](const MemoryMapping &M) { return M.End <= Address; });
  return I == All.end() || I->Start > Address ? nullptr : &*I;
}

//===----------------------------------------------------------------------===//
// Truncated files
//===----------------------------------------------------------------------===//

namespace {
struct Mapping {
  size_t Size;
  std::string Line; // the message to print
};
} // namespace

// All mappings, for the signal handler. Only the command's first thread changes the map, while no
// thread reads mappings. The handler runs only during a read of a mapping, so it does not
// interrupt a change.
static std::map<const char *, Mapping> &mappings() {
  static std::map<const char *, Mapping> All;
  return All;
}

// Handles SIGBUS for reads of these mappings: prints the message, and exits. Any other SIGBUS is
// a bug and kills this command.
static void explain(int Signal, siginfo_t *Info, void *) {
  auto *Address = static_cast<const char *>(Info->si_addr);
  for (const auto &[Start, M] : mappings())
    if (Address >= Start && size_t(Address - Start) < M.Size) {
      [[maybe_unused]] ssize_t Written =
          write(STDERR_FILENO, M.Line.data(), M.Line.size());
      _exit(Failure);
    }
  signal(Signal, SIG_DFL);
}

static void explainShorterFiles() {
  struct sigaction Action = {};
  Action.sa_sigaction = explain;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &Action, nullptr);
}

//===----------------------------------------------------------------------===//
// MappedFile
//===----------------------------------------------------------------------===//

Expected<MappedFile> MappedFile::map(int File, const Twine &Path) {
  struct stat Status;
  if (fstat(File, &Status))
    return systemError(errno);
  MappedFile Mapped;
  Mapped.Size = static_cast<size_t>(Status.st_size);
  // mmap(2) fails for an empty file.
  if (!Mapped.Size)
    return std::move(Mapped);
  void *Start =
      mmap(nullptr, Mapped.Size, PROT_READ, MAP_PRIVATE, File, 0);
  if (Start == MAP_FAILED)
    return systemError(errno);
  Mapped.Start = static_cast<const char *>(Start);
  if (mappings().empty())
    explainShorterFiles();
  mappings()[Mapped.Start] = {Mapped.Size,
                              "patchbay: error: " + printable(Path.str()) +
                            ": the file became shorter while it was read, or can no "
                            "longer be read\n"};
  return std::move(Mapped);
}

Expected<MappedFile> MappedFile::open(const Twine &Path, int Flags) {
  auto File = openRegularFile(Path, Flags);
  return File ? map(*File, Path) : File.takeError();
}

MappedFile::MappedFile(MappedFile &&Other)
    : Start(std::exchange(Other.Start, nullptr)),
      Size(std::exchange(Other.Size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&Other) {
  std::swap(Start, Other.Start);
  std::swap(Size, Other.Size);
  return *this;
}

MappedFile::~MappedFile() {
  if (!Start)
    return;
  mappings().erase(Start);
  munmap(const_cast<char *>(Start), Size);
}

StringRef MappedFile::bytes() const { return StringRef(Start, Size); }

// Releases pages by madvise(2). Pages are unchanged and can be read again from the file. Also
// releases the pages around them, since the kernel maps cached pages around an accessed page
// (fault_around_bytes, 64 KB).
void MappedFile::release(StringRef Bytes) const {
  constexpr uintptr_t Around = 64 << 10;
  uintptr_t From = uintptr_t(Bytes.begin()) / Around * Around;
  uintptr_t To = (uintptr_t(Bytes.end()) + Around - 1) / Around * Around;
  From = std::max(From, uintptr_t(Start));
  To = std::min(To, uintptr_t(Start) + Size);
  if (From < To)
    madvise(reinterpret_cast<void *>(From), To - From, MADV_DONTNEED);
}
