// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataWriter.h"
#include "reading/DataFiles.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

// Number of chunks that one call of fillGaps() examines. The next call examines further
// chunks.
static constexpr unsigned MostChunks = 10000;

// Limits the size to which this command extends a truncated file whose former size only
// the traced process knows.
static constexpr uint64_t MostOfNew = uint64_t(1) << 30;

static bool isSame(const pbd_header &A, const pbd_header &B) {
  return !memcmp(A.magic, B.magic, sizeof(A.magic)) && A.byte_order == B.byte_order &&
         A.version == B.version && A.header_size == B.header_size && A.pid == B.pid &&
         A.start_ns == B.start_ns;
}

DataWriter::File::Word patchbay::lastWord(const char *From, size_t Size, uint64_t At) {
  for (size_t I = Size / 8 * 8; I; I -= 8) {
    uint64_t Value;
    memcpy(&Value, From + I - 8, 8);
    if (Value)
      return {At + I - 8, Value};
  }
  return {};
}

void DataWriter::setDirectory(int Other) {
  closeFile();
  Dir = Other;
}

void DataWriter::closeFile() {
  if (FD >= 0)
    close(FD);
  FD = -1;
  Current = nullptr;
}

// Copies the name before checking it, since a traced process may change the shared memory
// at any time.
DataWriter::File *DataWriter::open(StringRef Shared, uint64_t StartNs) {
  std::pair<uint64_t, std::string> Key = {StartNs, Shared.str()};
  if (Current && Key == CurrentKey)
    return Current;
  closeFile();
  const StringRef Name = Key.second;
  const OwnName Kind = ownName(Name);
  if (Name.contains('/') || (Kind != OwnName::Data && Kind != OwnName::Spare))
    return nullptr;
  if (auto Known = Files.find(Key); Known != Files.end())
    return openAs(std::move(Key), Known->second.Header);
  auto Header = ownHeader(Dir, Name);
  if (!Header || Header->start_ns != StartNs)
    return nullptr;
  return openAs(std::move(Key), *Header);
}

// Accepts an empty file with the name of a data file, as isOwnFile() does.
DataWriter::File *DataWriter::adopt(StringRef Shared, const pbd_header &Header) {
  std::pair<uint64_t, std::string> Key = {Header.start_ns, Shared.str()};
  const StringRef Name = Key.second;
  if (Files.count(Key) || Name.contains('/') || Header.committed > MostOfNew ||
      !isHeaderOf(Header, Name) || !hasNoHeader(Dir, Name))
    return nullptr;
  File *New = openAs(std::move(Key), Header);
  if (!New)
    return nullptr;
  New->Size = std::max(New->Size, Header.committed);
  cut();
  return Current;
}

DataWriter::File *DataWriter::openAs(std::pair<uint64_t, std::string> Key,
                                     const pbd_header &Header) {
  auto Known = Files.find(Key);
  FD = openat(Dir, Key.second.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat Status;
  if (FD < 0 || fstat(FD, &Status) || !S_ISREG(Status.st_mode)) {
    closeFile();
    return nullptr;
  }
  if (Known == Files.end()) {
    File New = {};
    New.Name = Key.second;
    New.Device = Status.st_dev;
    New.Inode = Status.st_ino;
    New.Header = Header;
    Known = Files.emplace(Key, std::move(New)).first;
  } else if (Known->second.Device != Status.st_dev || Known->second.Inode != Status.st_ino) {
    closeFile();
    return nullptr;
  }
  Current = &Known->second;
  CurrentKey = std::move(Key);
  if (!check())
    cut();
  return Current;
}

// Is all written data still in the file? Updates the file's size.
bool DataWriter::check() {
  struct stat Status;
  if (fstat(FD, &Status))
    return true;
  const uint64_t Size = uint64_t(Status.st_size), Before = Current->Size;
  uint64_t Value = 0;
  Current->Size = std::max(Before, Size);
  return Size >= Before &&
         (!Current->Last.Value ||
          (pread(FD, &Value, sizeof(Value), off_t(Current->Last.At)) == sizeof(Value) &&
           Value == Current->Last.Value));
}

// Counts the bytes at the end of the part that are 0 now.
static uint64_t lostBytes(int FD, FilePart Part, uint64_t End) {
  std::vector<char> Content(std::min(Part.Size, End - Part.At));
  const ssize_t Read = pread(FD, Content.data(), Content.size(), off_t(Part.At));
  const auto Last = lastWord(Content.data(), Read < 0 ? 0 : size_t(Read), 0);
  return End - Part.At - (Last.Value ? Last.At + 8 : 0);
}

// Handles a truncation of the file by another program: restores the size, which the
// process may already have done, and counts the lost bytes.
void DataWriter::cut() {
  struct stat Status;
  if (!fstat(FD, &Status) && uint64_t(Status.st_size) < Current->Size &&
      ftruncate(FD, off_t(Current->Size)))
    return;
  HasCuts = true;
  ++Current->Cuts;
  Current->Checked = 0;
  Current->Unused.clear();
  Current->Last = {};
  std::vector<std::pair<FilePart, File::Word>> Left;
  for (const auto &[Part, Last] : Current->Final) {
    uint64_t Value = 0;
    if (pread(FD, &Value, sizeof(Value), off_t(Last.At)) == sizeof(Value) &&
        Value == Last.Value) {
      Left.push_back({Part, Last});
      if (Last.At >= Current->Last.At)
        Current->Last = Last;
    } else {
      Current->Lost += lostBytes(FD, Part, Last.At + sizeof(Value));
    }
  }
  Current->Final = std::move(Left);
}

bool DataWriter::extend(uint64_t Committed) {
  if (Committed <= Current->Size || Committed - Current->Size > MostOfNew)
    return false;
  Current->Size = Committed;
  cut();
  return true;
}

bool DataWriter::fits(uint64_t At, uint64_t Size) {
  struct stat Status;
  if (fstat(FD, &Status))
    return false;
  if (uint64_t(Status.st_size) < Current->Size)
    cut();
  Current->Size = std::max(Current->Size, uint64_t(Status.st_size));
  return At <= Current->Size && Current->Size - At >= Size;
}

static bool writeAll(int FD, const char *From, size_t Size, uint64_t At) {
  while (Size) {
    ssize_t Written = pwrite(FD, From, Size, off_t(At));
    if (Written <= 0)
      return false;
    From += Written;
    Size -= size_t(Written);
    At += uint64_t(Written);
  }
  return true;
}

bool DataWriter::write(const char *From, size_t Size, uint64_t At) {
  if (At < sizeof(pbd_header) || !fits(At, Size) || !writeAll(FD, From, Size, At))
    return false;
  const File::Word Last = lastWord(From, Size, At);
  if (Last.Value && Last.At >= Current->Last.At)
    Current->Last = Last;
  else if (Current->Last.At >= At && Current->Last.At - At < Size)
    Current->Last = Last; // the old last word is 0 now
  return true;
}

// Writes the fields that change during a recording, but not the fields that identify the
// file.
bool DataWriter::writeHeader(const pbd_header &Now) {
  pbd_header Header = Current->Header;
  if (!isSame(Header, Now) || !fits(0, sizeof(Header)))
    return false;
  extend(Now.committed);
  Header.error = Now.error ? Now.error : Current->Cuts ? uint32_t(ENODATA) : 0;
  Header.committed = std::min(Now.committed, Current->Size);
  Header.left_out = Now.left_out;
  Header.recording = Now.recording;
  return writeAll(FD, reinterpret_cast<const char *>(&Header), sizeof(Header), 0);
}

void DataWriter::finish(FilePart Part, File::Word Last) {
  if (Last.Value)
    Current->Final.push_back({Part, Last});
}

void DataWriter::splitUnused(FilePart Block) {
  auto After = Current->Unused.upper_bound(Block.At);
  if (After == Current->Unused.begin())
    return;
  auto [At, Size] = *std::prev(After);
  const uint64_t Before = Block.At - At, Least = sizeof(pbd_chunk);
  if (Block.At % 8 || Before > Size || Size - Before < Block.Size ||
      (Before && Before < Least))
    return;
  const uint64_t Rest = Size - Before - Block.Size;
  if (Rest && Rest < Least)
    return;
  Current->Unused.erase(At);
  auto Make = [&](uint64_t Where, uint64_t Bytes) {
    const pbd_chunk Head = {PBD_SPARE, 0, Bytes};
    if (Bytes && writeAll(FD, reinterpret_cast<const char *>(&Head), sizeof(Head), Where))
      Current->Unused[Where] = Bytes;
  };
  Make(Block.At + Block.Size, Rest);
  Make(At, Before);
}

void DataWriter::fillGaps(uint64_t Committed, ArrayRef<FilePart> Areas) {
  uint64_t At = std::max<uint64_t>(Current->Checked, Current->Header.header_size);
  if (!fits(0, std::min(Committed, Current->Size)))
    return;
  Committed = std::min(Committed, Current->Size);
  for (unsigned I = 0; At < Committed && I != MostChunks; ++I) {
    auto Next = partition_point(Areas, [&](const FilePart &A) { return A.At <= At; });
    if (Next != Areas.begin() && At - std::prev(Next)->At < std::prev(Next)->Size) {
      At = std::prev(Next)->At + std::prev(Next)->Size;
      continue;
    }
    const uint64_t End = Next == Areas.end() ? Committed : std::min(Next->At, Committed);
    pbd_chunk Head = {};
    if (pread(FD, &Head, sizeof(Head), off_t(At)) != ssize_t(sizeof(Head)))
      break;
    if (!Head.kind || Head.size < sizeof(Head) || Head.size % 8 || Head.size > Committed - At) {
      Head = {PBD_SPARE, 0, End - At};
      if (Head.size < sizeof(Head) ||
          !writeAll(FD, reinterpret_cast<const char *>(&Head), sizeof(Head), At))
        break;
    }
    if (Head.kind == PBD_SPARE)
      Current->Unused[At] = Head.size;
    At += Head.size;
  }
  Current->Checked = std::min(At, Committed);
}

// See filesInUse().
bool DataWriter::isUnused() {
  if (flock(FD, LOCK_EX | LOCK_NB))
    return false;
  flock(FD, LOCK_UN | LOCK_NB);
  return true;
}

void DataWriter::forget(StringRef Name, uint64_t StartNs) {
  auto Known = Files.find({StartNs, Name.str()});
  if (Known == Files.end())
    return;
  if (Known->second.Cuts)
    Cut[Known->second.Name] += Known->second.Lost;
  if (Current == &Known->second)
    closeFile();
  Files.erase(Known);
}

unsigned DataWriter::cuts(StringRef Name, uint64_t StartNs) const {
  if (!HasCuts)
    return 0;
  auto Known = Files.find({StartNs, Name.str()});
  return Known == Files.end() ? 0 : Known->second.Cuts;
}

std::map<std::string, uint64_t> DataWriter::cutFiles() const {
  std::map<std::string, uint64_t> All = Cut;
  for (const auto &[Key, Of] : Files)
    if (Of.Cuts)
      All[Of.Name] += Of.Lost;
  return All;
}
