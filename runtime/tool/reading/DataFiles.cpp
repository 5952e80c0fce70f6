// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataFiles.h"
#include "names/NameArchive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

// An unused spare file has no magic: a process writes the magic last.
Descriptor patchbay::openUnusedSpare(int Dir, StringRef File) {
  char Magic[sizeof(pbd_header::magic)] = {};
  if (ownName(File) != OwnName::Spare)
    return {};
  Descriptor FD = openPlainFile(Dir, File);
  if (FD >= 0 && read(FD, Magic, sizeof(Magic)) >= 0 && !Magic[0])
    return FD;
  return {};
}

const char patchbay::KernelFile[] = "0" PBD_SUFFIX;

static bool isUnused(StringRef File) {
  const Descriptor FD = openUnusedSpare(AT_FDCWD, File);
  return FD >= 0;
}

Expected<std::vector<std::string>> patchbay::dataFiles(StringRef Dir) {
  if (ownName(Dir) != OwnName::None && sys::fs::is_regular_file(Dir))
    return std::vector<std::string>{Dir.str()};
  std::vector<std::string> Files;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Dir, EC), End; !EC && I != End;
       I.increment(EC))
    if (StringRef(I->path()).ends_with(PBD_SUFFIX) && !isUnused(I->path()))
      Files.push_back(I->path());
  if (EC)
    return errorCodeToError(EC);
  llvm::sort(Files, [](StringRef A, StringRef B) {
    auto IsKernel = [](StringRef F) { return sys::path::filename(F) == KernelFile; };
    return std::pair(IsKernel(A), A) < std::pair(IsKernel(B), B);
  });
  return Files;
}

// Reads the command and the notes, with a NUL before each note. The command may be empty.
static SmallVector<std::string> commandAndNotes(StringRef Dir) {
  StringRef Folder = sys::fs::is_directory(Dir) ? Dir : sys::path::parent_path(Dir);
  auto Text = MemoryBuffer::getFile((Folder.empty() ? "." : Folder) + "/" + CommandFile);
  StringRef All = Text ? (*Text)->getBuffer() : "";
  SmallVector<StringRef> Parts;
  (All.consume_front(CommandMagic) ? All : "").split(Parts, '\0');
  return SmallVector<std::string>(Parts.begin(), Parts.end());
}

std::string patchbay::commandOf(StringRef Dir) {
  return StringRef(commandAndNotes(Dir).front()).rtrim('\n').str();
}

std::string patchbay::noteOf(StringRef Dir) {
  const auto Parts = commandAndNotes(Dir);
  for (StringRef Note : drop_begin(Parts))
    if (!Note.starts_with(PBD_NOTE_UNTRACED))
      return Note.str();
  return "";
}

std::map<std::string, uint64_t> patchbay::untracedOf(StringRef Dir) {
  std::map<std::string, uint64_t> Started;
  const auto Parts = commandAndNotes(Dir);
  for (StringRef Note : drop_begin(Parts))
    if (Note.consume_front(PBD_NOTE_UNTRACED))
      ++Started[Note.str()];
  return Started;
}

std::string patchbay::newestSnapshot(StringRef Folder) {
  std::string Newest;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End; I.increment(EC))
    if (isSnapshotName(sys::path::filename(I->path())))
      Newest = std::max(Newest, I->path());
  return Newest;
}

const char patchbay::CommandFile[] = PBD_COMMAND_FILE;
const char patchbay::CommandMagic[] = "patchbay.command\n";

// Does Text look like "20260131T235959.999Z"?
static bool isTimeStamp(StringRef Text) {
  static constexpr StringLiteral Form = "99999999T999999.999Z";
  return Text.size() == Form.size() && all_of(zip(Text, Form), [](auto Pair) {
           auto [C, F] = Pair;
           return F == '9' ? isDigit(C) : C == F;
         });
}

bool patchbay::isSnapshotName(StringRef Name) {
  auto [Time, Why] = Name.split('-');
  return isTimeStamp(Time) &&
         is_contained({"slow", "stopped", "signal", "time", "end"}, Why);
}

// Removes a leading number.
static bool consumeNumber(StringRef &Text) {
  StringRef Rest = Text.drop_while(isDigit);
  bool HasNumber = Rest.size() != Text.size();
  Text = Rest;
  return HasNumber;
}

OwnName patchbay::ownName(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  if (Name == CommandFile)
    return OwnName::Command;
  if (isNameArchive(Name))
    return OwnName::Names;
  if (!consumeNumber(Name))
    return OwnName::None;
  auto BySuffix = [&](StringRef Third, OwnName ThirdKind) {
    return Name == PBD_SUFFIX       ? OwnName::Data
           : Name == PBD_NEW_SUFFIX ? OwnName::New
           : Name == Third          ? ThirdKind
                                    : OwnName::None;
  };
  if (OwnName Kind = BySuffix(PBD_SELECTION_SUFFIX, OwnName::Selection); Kind != OwnName::None)
    return Kind;
  if (!Name.consume_front("."))
    return OwnName::None;
  if (StringRef Time = Name; Time.consume_back(PBD_SUFFIX) && isTimeStamp(Time))
    return OwnName::Whole;
  return consumeNumber(Name) ? BySuffix(PBD_SPARE_SUFFIX, OwnName::Spare) : OwnName::None;
}

Descriptor patchbay::openPlainFile(int Dir, StringRef Name) {
  Descriptor FD = openat(Dir, Name.str().c_str(),
                  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat Status;
  if (FD < 0 || (!fstat(FD, &Status) && S_ISREG(Status.st_mode)))
    return FD;
  return {};
}

// Reads the fields that a header of an older writer lacks as 0.
static std::optional<pbd_header> readHeader(int File) {
  pbd_header Header = {};
  ssize_t Size = pread(File, &Header, sizeof(Header), 0);
  if (Size < ssize_t(PBD_HEADER_MIN) ||
      memcmp(Header.magic, PBD_MAGIC, sizeof(Header.magic)))
    return std::nullopt;
  if (Header.header_size < sizeof(Header))
    Header.recording = 0;
  return Header;
}

// Does the file's name contain the process ID of the header? The name of a spare file
// contains the ID of the process that created the spare file.
static bool hasPid(StringRef Path, const pbd_header &Header) {
  StringRef Name = sys::path::filename(Path);
  uint32_t Pid;
  return ownName(Name) == OwnName::Spare || Header.byte_order != PBD_BYTE_ORDER ||
         (!Name.consumeInteger(10, Pid) && Pid == Header.pid);
}

std::optional<pbd_header> patchbay::ownHeader(int Dir, StringRef Name) {
  OwnName Form = ownName(Name);
  if (Form != OwnName::Data && Form != OwnName::Whole && Form != OwnName::Spare)
    return std::nullopt;
  const Descriptor File = openPlainFile(Dir, Name);
  if (File < 0)
    return std::nullopt;
  auto Header = readHeader(File);
  if (Header && !hasPid(Name, *Header))
    return std::nullopt;
  return Header;
}

static bool isEmptyOrZero(int File) {
  char Bytes[sizeof(pbd_header)] = {};
  ssize_t Size = pread(File, Bytes, sizeof(Bytes), 0);
  return Size >= 0 && none_of(Bytes, [](char C) { return C != 0; });
}

bool patchbay::isHeaderOf(const pbd_header &Header, StringRef Name) {
  OwnName Form = ownName(Name);
  return (Form == OwnName::Data || Form == OwnName::Spare) &&
         !memcmp(Header.magic, PBD_MAGIC, sizeof(Header.magic)) &&
         Header.byte_order == PBD_BYTE_ORDER && Header.version == PBD_VERSION &&
         Header.header_size == sizeof(Header) && hasPid(Name, Header);
}

bool patchbay::hasNoHeader(int Dir, StringRef Name) {
  const Descriptor File = openPlainFile(Dir, Name);
  return File >= 0 && isEmptyOrZero(File);
}

static bool beginsWith(int File, StringRef Magic) {
  char Bytes[32];
  return pread(File, Bytes, Magic.size(), 0) == ssize_t(Magic.size()) &&
         StringRef(Bytes, Magic.size()) == Magic;
}

bool patchbay::isOwnFile(int Dir, StringRef Name) {
  OwnName Form = ownName(Name);
  const Descriptor File = Form == OwnName::None ? Descriptor() : openPlainFile(Dir, Name);
  if (File < 0)
    return false;
  struct stat Status;
  bool IsOwn = !fstat(File, &Status) && Status.st_size == 0;
  switch (Form) {
  case OwnName::Spare:
  case OwnName::New:
    IsOwn |= isEmptyOrZero(File);
    [[fallthrough]];
  case OwnName::Data:
  case OwnName::Whole:
    IsOwn |= readHeader(File).has_value();
    break;
  case OwnName::Names:
    IsOwn |= hasNames(File);
    break;
  case OwnName::Selection:
    IsOwn |= beginsWith(File, PBD_SELECTION_MAGIC);
    break;
  case OwnName::Command:
    IsOwn |= beginsWith(File, CommandMagic);
    break;
  case OwnName::None:
    break;
  }
  return IsOwn;
}

bool patchbay::moveUnlessThere(const std::string &From, const std::string &To) {
  return !renameat2(AT_FDCWD, From.c_str(), AT_FDCWD, To.c_str(),
                    RENAME_NOREPLACE) ||
         (errno == EINVAL && access(To.c_str(), F_OK) &&
          !rename(From.c_str(), To.c_str()));
}
