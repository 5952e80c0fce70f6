// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataFile.h"
#include "DataReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

// Limits the number of ancestors that are read for a process. A longer chain of forks in
// which each process has loaded modules is unlikely.
static constexpr size_t MaxParents = 256;

const DataArguments *DataFile::argumentsOf(uint32_t Function) const {
  auto F = functions().find(Function);
  if (F == functions().end())
    return nullptr;
  auto A = Arguments.find({F->second.Module, F->second.Entry});
  return A == Arguments.end() ? nullptr : &A->second;
}

// The header has only the first failure. EILSEQ and EPROTONOSUPPORT mean functions whose
// code cannot be traced, not failures of the file.
uint32_t DataFile::fileErrno() const {
  bool IsOfFile =
      Errno != EILSEQ && Errno != EPROTONOSUPPORT && !isOutOfSpace(Errno);
  return IsOfFile && !Losses.empty() && Losses[PBD_LOST_SPACE] ? Errno : 0;
}

uint64_t DataFile::tracedCalls() const {
  uint64_t Number = SaturatingAdd(Session->Lost, Session->Overwritten);
  for (const auto &[Id, Thread] : Threads)
    Number = SaturatingAdd(Number, Thread.Events);
  // The number of events includes an entry and an exit for each call.
  return Session->Tracer == "function_graph" && !Session->ThresholdNs ? Number / 2 : Number;
}

uint64_t DataFile::sampledFrom() const {
  uint64_t Calls = 0;
  for (const DataSample &S : Samples)
    Calls = SaturatingAdd(Calls, S.Calls);
  return Calls;
}

// Uses a binary search, since a program that keeps loading and unloading modules has very
// many modules.
std::pair<const DataModule *, uint64_t>
DataFile::place(uint64_t Address) const {
  if (Bases.size() != Modules.size()) {
    Bases.clear();
    for (const auto &[Id, M] : Modules)
      Bases.push_back({M.Base, Id});
    llvm::sort(Bases);
  }
  auto Above = partition_point(
      Bases, [&](const auto &Entry) { return Entry.first <= Address; });
  if (Above == Bases.begin())
    return {nullptr, Address};
  // Take the first of several modules that were loaded at this address one after another.
  uint64_t Base = std::prev(Above)->first;
  auto In = partition_point(
      Bases, [&](const auto &Entry) { return Entry.first < Base; });
  return {&Modules.at(In->second), Address - Base};
}

static Error cannotRead(StringRef Path, Error E) {
  return makeError(Path + ": cannot read: " + toString(std::move(E)));
}

// Maps the file, so that unused parts are not read. The traced process may still extend
// the file, but committed data does not change. Follows no link: any user with write
// access to the directory could add a link to a file that only we can read.
static Expected<MappedFile> mapDataFile(StringRef Path) {
  auto Mapped = MappedFile::open(Path, O_NOFOLLOW);
  if (!Mapped)
    return cannotRead(Path, Mapped.takeError());
  return Mapped;
}

// Reads the referenced part of a parent's file only once, since thousands of children may
// refer to that part. The part does not change.
Expected<std::shared_ptr<const DataReader::Maps>>
DataReader::mapsOf(const std::string &Name, const Parent &Of, DetailT Detail) {
  using Key = std::tuple<std::string, uint64_t, uint64_t, uint32_t, DetailT>;
  constexpr size_t Most = 256;
  static std::map<Key, std::shared_ptr<const Maps>> Known;
  Key K = {Name, Of.Size, Of.StartNs, Of.Pid, Detail};
  if (auto At = Known.find(K); At != Known.end())
    return At->second;
  auto Mapped = mapDataFile(Name);
  if (!Mapped)
    return Mapped.takeError();
  DataFile File;
  DataReader R(Name, Mapped->bytes(), File, Detail);
  auto Result = std::make_shared<Maps>();
  if (Error E = R.readMaps(Of))
    Result->Why = toString(std::move(E));
  Result->Table = R.tableOf();
  Result->Modules = std::move(File.Modules);
  Result->Arguments = std::move(File.Arguments);
  Result->LeftOut = std::move(File.LeftOut);
  Result->From = std::move(R.From);
  if (Result->Why.empty()) {
    if (Known.size() == Most)
      Known.clear();
    Known[K] = Result;
  }
  return Result;
}

// Thousands of processes may execute the same program. Processes share a table if their
// chunks, and the modules that the chunks refer to, are the same.
std::shared_ptr<const FunctionTable> DataReader::tableOf() const {
  constexpr size_t Most = 256;
  static StringMap<std::shared_ptr<const FunctionTable>> Known;
  std::string Key = utostr(Functions.size()) + " " + Functions;
  for (const auto &[Id, M] : Out.Modules)
    Key += (utostr(Id) + " " + toHex(M.BuildId) + " " +
            utostr(reinterpret_cast<uintptr_t>(M.Names)) + " " + M.Path + '\0');
  if (auto At = Known.find(Key); At != Known.end())
    return At->second;
  auto Table = std::make_shared<FunctionTable>();
  addTo(Table->Functions);
  Table->Slots.add(Table->Functions);
  if (Known.size() == Most)
    Known.clear();
  return Known[Key] = std::move(Table);
}

/// Reads the parent's file, the grandparent's file, and so on. Does not recurse, since
/// untrusted files determine the depth.
void DataReader::addParents() {
  std::set<std::string> Seen = {sys::path::filename(Path).str()};
  StringRef Folder = sys::path::parent_path(Path);
  std::optional<Parent> Next = From;
  std::vector<std::shared_ptr<const FunctionTable>> Tables;
  while (Next && !Next->File.empty()) {
    SmallString<128> Buffered = Folder;
    sys::path::append(Buffered, Next->File);
    std::string Name = Buffered.str().str();
    if (!Seen.insert(Next->File).second) {
      Out.Unexplained = Name + ": refers to itself";
      break;
    }
    if (Seen.size() > MaxParents) {
      Out.Unexplained =
          "more than " + utostr(MaxParents) + " files refer to each other";
      break;
    }
    auto Found = mapsOf(Name, *Next, Detail);
    if (!Found) {
      Out.Unexplained = toString(Found.takeError());
      break;
    }
    const Maps &Of = **Found;
    if (Out.Unexplained.empty())
      Out.Unexplained = Of.Why;
    // Both files have a module if this file was read while its process copied the
    // module from the parent's file. insert() then keeps the module of this file.
    Out.Modules.insert(Of.Modules.begin(), Of.Modules.end());
    Out.Arguments.insert(Of.Arguments.begin(), Of.Arguments.end());
    append_range(Out.LeftOut, Of.LeftOut);
    Tables.push_back(Of.Table);
    Next = Of.From;
  }
  if (Tables.empty() || (Functions.empty() && Tables.size() == 1)) {
    Out.Table = Tables.empty() ? tableOf() : std::move(Tables.front());
    return;
  }
  auto Table = std::make_shared<FunctionTable>();
  addTo(Table->Functions);
  for (const auto &Of : Tables)
    Table->Functions.insert(Of->Functions.begin(), Of->Functions.end());
  Table->Slots.add(Table->Functions);
  Out.Table = std::move(Table);
}

static Error readMapped(StringRef Path, MappedFile Mapped, DataReader::DetailT Detail,
                        DataFile &Out) {
  Out.Mapped = std::make_shared<MappedFile>(std::move(Mapped));
  Error E = DataReader(Path, Out.Mapped->bytes(), Out, Detail).read();
  // Unmap the file, since a recording may have more processes than a process may have
  // mappings (vm.max_map_count).
  if (Detail != DataReader::All || Out.Blocks.empty()) {
    Out.Blocks.clear();
    Out.Bytes = "";
    Out.Mapped.reset();
  }
  return E;
}

static Error readMapped(StringRef Path, DataReader::DetailT Detail, DataFile &Out) {
  auto Mapped = mapDataFile(Path);
  if (!Mapped)
    return Mapped.takeError();
  return readMapped(Path, std::move(*Mapped), Detail, Out);
}

Error patchbay::readDataFile(int File, StringRef Path, DataFile &Out) {
  struct stat Status;
  if (fstat(File, &Status) || !S_ISREG(Status.st_mode))
    return makeError(Path + ": not a regular file");
  auto Mapped = MappedFile::map(File, Path);
  if (!Mapped)
    return cannotRead(Path, Mapped.takeError());
  return readMapped(Path, std::move(*Mapped), DataReader::All, Out);
}

Error patchbay::readDataFile(StringRef Path, DataFile &Out) {
  return readMapped(Path, DataReader::All, Out);
}

Error patchbay::readDataHeader(StringRef Path, DataFile &Out) {
  char Header[sizeof(pbd_header)];
  auto File = openRegularFile(Path, O_NOFOLLOW);
  if (!File)
    return cannotRead(Path, File.takeError());
  ssize_t Size = pread(*File, Header, sizeof(Header), 0);
  if (Size < 0)
    return cannotRead(Path, makeError(errnoText(errno)));
  return DataReader(Path, StringRef(Header, Size), Out, DataReader::All).readHeader();
}

Error patchbay::readDataOutline(StringRef Path, DataFile &Out) {
  return readMapped(Path, DataReader::Outline, Out);
}

Error patchbay::readDataSummary(StringRef Path, DataFile &Out) {
  return readMapped(Path, DataReader::Summary, Out);
}

Error patchbay::parseDataFile(StringRef Path, StringRef Bytes, DataFile &Out) {
  return DataReader(Path, Bytes, Out, DataReader::All).read();
}

bool patchbay::isOutOfSpace(uint32_t Errno) {
  return is_contained({ENOSPC, EDQUOT, EFBIG}, int(Errno));
}

bool patchbay::lacksFunctions(uint32_t Errno) {
  return Errno && !isOutOfSpace(Errno) &&
         !is_contained({ENODATA, ETIME, ETIMEDOUT}, int(Errno));
}

std::string patchbay::incompleteText(uint32_t Errno) {
  std::string Why = errnoText(Errno);
  if (isOutOfSpace(Errno))
    return "the disk had no space left for the file: " + Why +
           "; earlier events are kept";
  if (Errno == ENODATA)
    return "another program truncated the file while it was recorded: earlier events are lost";
  if (Errno == ETIME)
    return "the thread that listens for 'patchbay live' was busy for more than "
           "10 s when the process restricted its system calls (seccomp) or "
           "files (Landlock): that thread is not restricted, or the restriction "
           "ended the process";
  if (Errno == ETIMEDOUT)
    return "a thread stayed in a handler longer than the wait limit "
           "(patchbay_set_wait_limit()), so it may have used a tracer that had been "
           "stopped";
  if (Errno == EILSEQ)
    Why = "other code changed their entries, or llvm-bolt moved "
          "them, or the code is execute-only: 'patchbay verify' shows which";
  if (Errno == EIO)
    Why += "; if the kernel lets only debuggers write code, boot it with "
           "proc_mem.force_override=always";
  if (Errno == EOVERFLOW)
    Why = "more than 4 GB of code were loaded: events refer to functions by 32-bit offsets";
  if (Errno == EPROTONOSUPPORT)
    Why = "a library that was loaded was compiled for another version of Patchbay's ABI: "
          "'patchbay verify LIBRARY' shows the version";
  return "some functions were not traced: " + Why;
}

Expected<const RecordedNames *> RecordedNames::read(StringRef Bytes) {
  static StringMap<RecordedNames> Known; // by Bytes, which the names point into
  constexpr size_t EntryAt = offsetof(pbd_names, entry) - offsetof(pbd_names, nr);
  if (auto At = Known.find(Bytes); At != Known.end())
    return &At->second;
  if (Bytes.size() < EntryAt)
    return makeError("chunk of names is too small");
  uint64_t Nr = support::endian::read32le(Bytes.data());
  if (Nr > (Bytes.size() - EntryAt) / sizeof(uint64_t))
    return makeError(Twine(Nr) + " names in a chunk of " + Twine(Bytes.size()) +
                     " bytes");
  auto &Kept = *Known.try_emplace(Bytes).first;
  Bytes = Kept.getKey();
  StringRef Text = Bytes.drop_front(EntryAt + Nr * sizeof(uint64_t));
  for (uint64_t I = 0; I != Nr; ++I) {
    size_t End = Text.find('\0');
    if (End == StringRef::npos) {
      Known.erase(Known.find(Bytes));
      return makeError("name has no end");
    }
    uint64_t Entry =
        support::endian::read64le(Bytes.data() + EntryAt + I * sizeof(uint64_t));
    Kept.second.Names.push_back({Entry, Text.take_front(End)});
    Text = Text.drop_front(End + 1);
  }
  llvm::stable_sort(Kept.second.Names, llvm::less_first());
  return &Kept.second;
}

ArrayRef<RecordedNames::Name> RecordedNames::at(uint64_t Entry) const {
  auto Begin = partition_point(Names, [&](const Name &N) { return N.first < Entry; });
  auto End = Begin;
  while (End != Names.end() && End->first == Entry)
    ++End;
  return ArrayRef(Names).slice(Begin - Names.begin(), End - Begin);
}
