// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataFile.h"
#include "DataBlocks.h"
#include "DataErrors.h"
#include "Diagnostics.h"
#include "MappedFile.h"
#include "format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// Each of them was forked, and has then loaded modules, by the one before. More than
// programs have, and few enough to end soon: they are read for each of them.
static constexpr size_t MaxParents = 256;

// The header has the first failure: functions that cannot be traced for what they are
// (EILSEQ, EPROTONOSUPPORT) are none of the file's.
uint32_t DataFile::fileErrno() const {
  bool IsOfFile =
      Errno != EILSEQ && Errno != EPROTONOSUPPORT && !isOutOfSpace(Errno);
  return IsOfFile && !Losses.empty() && Losses[PBD_LOST_SPACE] ? Errno : 0;
}

// A program that loads and unloads modules all its life has very many.
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
  // Of several that were there one after the other, the first.
  uint64_t Base = std::prev(Above)->first;
  auto In = partition_point(
      Bases, [&](const auto &Entry) { return Entry.first < Base; });
  return {&Modules.at(In->second), Address - Base};
}

namespace {

class Reader {
public:
  /// How much of it is read.
  enum DetailT {
    All,
    Outline, // of events only how many
    Summary, // nor functions and counts
  };
  Reader(StringRef Path, StringRef Data, DataFile &Out, DetailT Detail)
      : Path(Path), Data(Data), Out(Out), Detail(Detail) {}
  Error read();
  Error readHeader();

  /// What pbd_parent says.
  struct Parent {
    std::string File;
    uint64_t Size = 0, StartNs = 0;
    uint32_t Pid = 0;
  };

private:
  Error readChunks();
  Error readChunk(uint32_t Kind, StringRef Chunk);
  Error readCmdline(StringRef Chunk);
  Error readModule(StringRef Chunk);
  Error readCounters(StringRef Chunk);
  Error readSession(StringRef Chunk);
  Error readFunctions(StringRef Chunk, bool ByAddress);
  Error readBlock(StringRef Chunk);
  Error readHistograms(StringRef Chunk);
  Error readLeftOut(StringRef Chunk);
  Error readAsked(StringRef Chunk);
  Error readParent(StringRef Chunk);
  Error readMaps(const Parent &Of);
  void addParents();
  Error readLosses(StringRef Chunk);
  Error readIndex(StringRef Chunk);
  DataMoment moment(StringRef Chunk, uint64_t At) const;

  /// What is wrong, and where in the file.
  Error corrupt(uint64_t At, const Twine &What) const {
    return makeError(Path + ": corrupt at offset " + Twine(At) + ": " + What);
  }
  Error truncated(uint64_t At) const {
    return makeError(Path + ": truncated at offset " + Twine(Data.size()) +
                     ": the part that begins at offset " + Twine(At) +
                     " is incomplete");
  }

  // Every caller has checked that the field is inside the bytes.
  uint32_t u32(StringRef Bytes, uint64_t At) const {
    return support::endian::read32(Bytes.data() + At, Out.Order);
  }
  uint64_t u64(StringRef Bytes, uint64_t At) const {
    return support::endian::read64(Bytes.data() + At, Out.Order);
  }
  // It has an end only if it is shorter than Size.
  static std::string name(StringRef Bytes, uint64_t At, size_t Size) {
    StringRef Field = Bytes.substr(At, Size);
    return Field.take_front(Field.find('\0')).str();
  }

  StringRef Path;
  StringRef Data;
  DataFile &Out;
  uint64_t Offset = 0; // of the chunk being read
  DetailT Detail;
  bool OnlyMaps = false;
  std::optional<Parent> From;
};

} // namespace

Error Reader::readHeader() {
  Out.Bytes = Data;
  StringRef Magic(PBD_MAGIC);
  if (!Data.starts_with(Magic) && !Magic.starts_with(Data))
    return makeError(Path + ": not a patchbay data file");
  if (Data.size() < PBD_HEADER_MIN)
    return truncated(0);

  uint64_t OrderAt = offsetof(pbd_header, byte_order);
  if (u32(Data, OrderAt) != PBD_BYTE_ORDER)
    Out.Order = endianness::big;
  if (u32(Data, OrderAt) != PBD_BYTE_ORDER)
    return corrupt(OrderAt, "no byte order mark");
  uint32_t Version = u32(Data, offsetof(pbd_header, version));
  if (Version < PBD_VERSION_MIN || Version > PBD_VERSION)
    return makeError(Path + ": data format version " + Twine(Version) +
                     ", this patchbay reads versions " +
                     Twine(PBD_VERSION_MIN) + " to " + Twine(PBD_VERSION));

  uint64_t SizeAt = offsetof(pbd_header, header_size);
  Offset = u32(Data, SizeAt);
  if (Offset < PBD_HEADER_MIN || Offset % 8)
    return corrupt(SizeAt, "header size " + Twine(Offset));
  Out.Machine = u32(Data, offsetof(pbd_header, machine));
  Out.Pid = u32(Data, offsetof(pbd_header, pid));
  Out.Errno = u32(Data, offsetof(pbd_header, error));
  Out.StartNs = u64(Data, offsetof(pbd_header, start_ns));
  uint64_t CommittedAt = offsetof(pbd_header, committed);
  Out.Committed = u64(Data, CommittedAt);
  if (Out.Committed < Offset)
    return corrupt(CommittedAt, "committed size " + Twine(Out.Committed) +
                                    " ends inside the header");
  return Error::success();
}

Error Reader::read() {
  Error E = readHeader();
  if (!E)
    E = readChunks();
  addParents();
  Out.Slots.add(Out.Functions);
  if (Detail == All)
    addBlocks(Out, /*OnlyThreads=*/false);
  else if (Detail == Outline)
    countEvents(Out);
  // Elsewhere every thread has begun a block.
  else if (Out.Session && Out.Session->Flags & PBD_SESSION_OVERWRITE)
    addBlocks(Out, /*OnlyThreads=*/true);
  return E;
}

Error Reader::readChunks() {
  // What lies behind the committed size is unfinished, not corrupt.
  while (Offset != Out.Committed) {
    if (Offset >= Data.size() || Data.size() - Offset < sizeof(pbd_chunk))
      return Out.Committed > Data.size() ? truncated(Offset)
                                     : corrupt(Offset, "no room for a chunk");
    uint32_t Kind = u32(Data, Offset + offsetof(pbd_chunk, kind));
    uint64_t Size = u64(Data, Offset + offsetof(pbd_chunk, size));
    if (Size < sizeof(pbd_chunk) || Size % 8 || Size > Out.Committed - Offset)
      return corrupt(Offset, "chunk of " + Twine(Size) + " bytes");
    if (Size > Data.size() - Offset)
      return truncated(Offset);
    if (Error E = readChunk(Kind, Data.substr(Offset, Size)))
      return E;
    Out.release(Data.substr(Offset, Size));
    Offset += Size;
  }
  return Error::success();
}

Error Reader::readChunk(uint32_t Kind, StringRef Chunk) {
  if (OnlyMaps && !is_contained({PBD_MODULE, PBD_FUNCTIONS, PBD_TEXT,
                                 PBD_LEFT_OUT, PBD_PARENT},
                                int(Kind)))
    return Error::success();
  switch (Kind) {
  case PBD_CMDLINE:
    return readCmdline(Chunk);
  case PBD_MODULE:
    return readModule(Chunk);
  case PBD_COUNTERS:
    return Detail == Summary ? Error::success() : readCounters(Chunk);
  case PBD_SESSION:
    return readSession(Chunk);
  case PBD_FUNCTIONS:
    return Detail == Summary ? Error::success() : readFunctions(Chunk, false);
  case PBD_TEXT:
    return Detail == Summary ? Error::success() : readFunctions(Chunk, true);
  case PBD_BLOCK:
    return readBlock(Chunk);
  case PBD_LEFT_OUT:
    return readLeftOut(Chunk);
  case PBD_ASKED:
    return readAsked(Chunk);
  case PBD_PARENT:
    return readParent(Chunk);
  case PBD_LOSSES:
    return readLosses(Chunk);
  case PBD_HISTOGRAMS:
    return readHistograms(Chunk);
  case PBD_INDEX:
    return readIndex(Chunk);
  default: // of a newer writer
    return Error::success();
  }
}

Error Reader::readCmdline(StringRef Chunk) {
  constexpr size_t ArgsAt = offsetof(pbd_cmdline, args);
  if (Chunk.size() < ArgsAt)
    return corrupt(Offset, "command line chunk is too small");
  uint64_t Length = u64(Chunk, offsetof(pbd_cmdline, length));
  StringRef Args = Chunk.drop_front(ArgsAt);
  if (Length > Args.size())
    return corrupt(Offset, "command line of " + Twine(Length) + " bytes");
  Args = Args.take_front(Length);
  Out.Args.clear();
  while (!Args.empty()) {
    auto [Arg, Rest] = Args.split('\0');
    Out.Args.push_back(Arg.str());
    Args = Rest;
  }
  return Error::success();
}

Error Reader::readModule(StringRef Chunk) {
  constexpr size_t PathAt = offsetof(pbd_module, path);
  if (Chunk.size() < PathAt)
    return corrupt(Offset, "module chunk is too small");
  uint32_t BuildIdSize = u32(Chunk, offsetof(pbd_module, build_id_size));
  if (BuildIdSize > PBD_BUILD_ID_MAX)
    return corrupt(Offset, "build id of " + Twine(BuildIdSize) + " bytes");
  StringRef ModulePath = Chunk.drop_front(PathAt);
  size_t End = ModulePath.find('\0');
  if (End == StringRef::npos)
    return corrupt(Offset, "module path has no end");

  DataModule Module;
  Module.Base = u64(Chunk, offsetof(pbd_module, base));
  Module.BuildId =
      Chunk.substr(offsetof(pbd_module, build_id), BuildIdSize).str();
  Module.Path = ModulePath.take_front(End).str();
  uint32_t Id = u32(Chunk, offsetof(pbd_module, id));
  if (!Out.Modules.try_emplace(Id, std::move(Module)).second)
    return corrupt(Offset, "second module with id " + Twine(Id));
  return Error::success();
}

Error Reader::readCounters(StringRef Chunk) {
  constexpr size_t CounterAt = offsetof(pbd_counters, counter);
  if (Chunk.size() < CounterAt)
    return corrupt(Offset, "counter chunk is too small");
  uint32_t Module = u32(Chunk, offsetof(pbd_counters, module));
  if (!Out.Modules.count(Module))
    return corrupt(Offset, "counters of unknown module " + Twine(Module));
  uint64_t Nr = u32(Chunk, offsetof(pbd_counters, nr));
  if (Nr > (Chunk.size() - CounterAt) / sizeof(pbd_counter))
    return corrupt(Offset, Twine(Nr) + " counters in a chunk of " +
                               Twine(Chunk.size()) + " bytes");
  for (uint64_t I = 0; I != Nr; ++I) {
    uint64_t At = CounterAt + I * sizeof(pbd_counter);
    Out.Counters.push_back({Module,
                            u64(Chunk, At + offsetof(pbd_counter, entry)),
                            u64(Chunk, At + offsetof(pbd_counter, calls))});
  }
  return Error::success();
}

DataMoment Reader::moment(StringRef Chunk, uint64_t At) const {
  return {u64(Chunk, At + offsetof(pbd_moment, ticks)),
          u64(Chunk, At + offsetof(pbd_moment, monotonic_ns)),
          u64(Chunk, At + offsetof(pbd_moment, realtime_ns))};
}

Error Reader::readSession(StringRef Chunk) {
  if (Chunk.size() < PBD_SESSION_MIN)
    return corrupt(Offset, "session chunk is too small");
  if (Out.Session)
    return corrupt(Offset, "second session");
  DataSession S;
  S.Counter = u32(Chunk, offsetof(pbd_session, counter));
  S.Flags = u32(Chunk, offsetof(pbd_session, flags));
  S.ThresholdNs = u64(Chunk, offsetof(pbd_session, threshold_ns));
  S.Buffer = u64(Chunk, offsetof(pbd_session, buffer));
  S.Lost = u64(Chunk, offsetof(pbd_session, lost));
  S.Overwritten = u64(Chunk, offsetof(pbd_session, overwritten));
  S.First = moment(Chunk, offsetof(pbd_session, first));
  uint64_t NrLast = u64(Chunk, offsetof(pbd_session, nr_last));
  S.Last = moment(Chunk, offsetof(pbd_session, last) +
                             NrLast % 2 * sizeof(pbd_moment));
  S.Tracer = name(Chunk, offsetof(pbd_session, tracer), PBD_NAME_MAX);
  S.Host = name(Chunk, offsetof(pbd_session, host), PBD_NAME_MAX);
  if (Chunk.size() >= sizeof(pbd_session))
    S.Depth = u64(Chunk, offsetof(pbd_session, depth));
  Out.Session = std::move(S);
  return Error::success();
}

// A pbd_text, where addresses are numbers, begins as a pbd_functions does.
Error Reader::readFunctions(StringRef Chunk, bool ByAddress) {
  static_assert(offsetof(pbd_functions, first) == offsetof(pbd_text, first) &&
                offsetof(pbd_functions, entry) == offsetof(pbd_text, entry));
  constexpr size_t EntryAt = offsetof(pbd_functions, entry);
  if (Chunk.size() < EntryAt)
    return corrupt(Offset, "function chunk is too small");
  uint32_t Module = u32(Chunk, offsetof(pbd_functions, module));
  if (!Out.Modules.count(Module))
    return corrupt(Offset, "functions of unknown module " + Twine(Module));
  uint64_t Nr = u32(Chunk, offsetof(pbd_functions, nr));
  if (Nr > (Chunk.size() - EntryAt) / 8)
    return corrupt(Offset, Twine(Nr) + " functions in a chunk of " +
                               Twine(Chunk.size()) + " bytes");
  uint64_t First = u64(Chunk, offsetof(pbd_functions, first));
  for (uint64_t I = 0; I != Nr; ++I) {
    uint64_t Entry = u64(Chunk, EntryAt + I * 8);
    Out.Functions.try_emplace(First + (ByAddress ? Entry : I),
                              DataFunction{Module, Entry});
  }
  return Error::success();
}

Error Reader::readBlock(StringRef Chunk) {
  constexpr size_t RecordAt = offsetof(pbd_block, record);
  if (Chunk.size() < RecordAt)
    return corrupt(Offset, "block is too small");
  uint32_t Thread = u32(Chunk, offsetof(pbd_block, thread));
  uint64_t Lost = u64(Chunk, offsetof(pbd_block, lost));
  DataThread &T = Out.Threads[Thread];
  T.Tid = u32(Chunk, offsetof(pbd_block, tid));
  T.Lost = SaturatingAdd(T.Lost, Lost);
  if (Out.Session)
    Out.Session->Lost = SaturatingAdd(Out.Session->Lost, Lost);
  T.Name = name(Chunk, offsetof(pbd_block, comm), sizeof(pbd_block::comm));
  Out.Blocks.push_back({Thread, u64(Chunk, offsetof(pbd_block, seq)),
                    u64(Chunk, offsetof(pbd_block, pass)),
                    Chunk.drop_front(RecordAt)});
  return Error::success();
}

Error Reader::readLeftOut(StringRef Chunk) {
  constexpr size_t FunctionAt = offsetof(pbd_left_out, function);
  constexpr size_t Size = sizeof(pbd_left_out::function[0]);
  if (Chunk.size() < FunctionAt)
    return corrupt(Offset, "chunk of what was left out is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_left_out, nr));
  if (Nr > (Chunk.size() - FunctionAt) / Size)
    return corrupt(Offset, Twine(Nr) + " functions in a chunk of " +
                               Twine(Chunk.size()) + " bytes");
  for (uint64_t I = 0; I != Nr; ++I)
    Out.LeftOut.push_back({u64(Chunk, FunctionAt + I * Size),
                           u64(Chunk, FunctionAt + I * Size + 8)});
  return Error::success();
}

Error Reader::readAsked(StringRef Chunk) {
  constexpr size_t AskedAt = offsetof(pbd_asked, asked);
  constexpr size_t Size = sizeof(pbd_asked::asked[0]);
  if (Chunk.size() < AskedAt)
    return corrupt(Offset, "chunk of what was asked for is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_asked, nr));
  if (Nr > (Chunk.size() - AskedAt) / Size)
    return corrupt(Offset, Twine(Nr) + " names in a chunk of " +
                               Twine(Chunk.size()) + " bytes");
  StringRef Texts = Chunk.drop_front(AskedAt + Nr * Size);
  for (uint64_t I = 0; I != Nr; ++I) {
    size_t End = Texts.find('\0');
    if (End == StringRef::npos)
      return corrupt(Offset, "what was asked for has no end");
    Out.Asked.push_back({u32(Chunk, AskedAt + I * Size),
                         u32(Chunk, AskedAt + I * Size + 4) != 0,
                         Texts.take_front(End).str()});
    Texts = Texts.drop_front(End + 1);
  }
  return Error::success();
}

Error Reader::readParent(StringRef Chunk) {
  constexpr size_t FileAt = offsetof(pbd_parent, file);
  if (Chunk.size() < FileAt)
    return corrupt(Offset, "chunk of the parent is too small");
  StringRef File = Chunk.drop_front(FileAt);
  size_t End = File.find('\0');
  if (End == StringRef::npos)
    return corrupt(Offset, "name of the parent's file has no end");
  File = File.take_front(End);
  // In the same directory, and nothing but a recording.
  if (File.contains('/') || !File.ends_with(PBD_SUFFIX))
    return corrupt(Offset, "the parent's file is called '" + File + "'");
  if (From)
    return corrupt(Offset, "second parent");
  uint64_t Size = u64(Chunk, offsetof(pbd_parent, size));
  if (Size < PBD_HEADER_MIN)
    return corrupt(Offset, Twine(Size) + " bytes of the parent's file");
  From = Parent{File.str(), Size, u64(Chunk, offsetof(pbd_parent, start_ns)),
                u32(Chunk, offsetof(pbd_parent, pid))};
  // A copy of all that is in this file, too; but behind what was there when a child was
  // forked, if that one is read.
  if (u32(Chunk, offsetof(pbd_parent, here)) && !OnlyMaps)
    From->File.clear();
  return Error::success();
}

/// Reads what explains the numbers of functions in the part that is meant.
Error Reader::readMaps(const Parent &Of) {
  OnlyMaps = true;
  if (Error E = readHeader())
    return E;
  if (Out.Pid != Of.Pid || Out.StartNs != Of.StartNs)
    return makeError(Path + ": is of another process");
  if (Of.Size < Offset || Of.Size > Out.Committed)
    return makeError(Path + ": has " + Twine(Out.Committed) +
                     " bytes, and the first " + Twine(Of.Size) +
                     " are needed");
  Out.Committed = Of.Size;
  return readChunks();
}

// Files of a recording are named by whoever may write to its directory: a link would
// lead to anything that we may read.
static Expected<int> openDataFile(StringRef Path) {
  auto File = openRegularFile(Path, O_NOFOLLOW);
  if (!File)
    return makeError(Path + ": cannot read: " + toString(File.takeError()));
  return File;
}

// Mapped, so that what is not looked at is not read. The traced process may still be
// writing it: it may grow, but what was committed stays.
static Expected<MappedFile> mapDataFile(StringRef Path) {
  auto File = openDataFile(Path);
  if (!File)
    return File.takeError();
  auto Mapped = MappedFile::map(*File, Path);
  close(*File);
  if (!Mapped)
    return makeError(Path + ": cannot read: " + toString(Mapped.takeError()));
  return Mapped;
}

/// The parent's file, that which it refers to in its turn, and so on. Not by recursion:
/// who made the files decides how many these are.
void Reader::addParents() {
  std::set<std::string> Seen = {sys::path::filename(Path).str()};
  StringRef Folder = sys::path::parent_path(Path);
  std::optional<Parent> Next = From;
  while (Next && !Next->File.empty()) {
    SmallString<128> Buffered = Folder;
    sys::path::append(Buffered, Next->File);
    std::string Name = Buffered.str().str();
    if (!Seen.insert(Next->File).second) {
      Out.Unexplained = Name + ": refers to itself";
      return;
    }
    if (Seen.size() > MaxParents) {
      Out.Unexplained =
          "more than " + utostr(MaxParents) + " files refer to each other";
      return;
    }
    auto Mapped = mapDataFile(Name);
    if (!Mapped) {
      Out.Unexplained = toString(Mapped.takeError());
      return;
    }
    DataFile Maps;
    Reader R(Name, Mapped->bytes(), Maps, Detail);
    if (Error E = R.readMaps(*Next)) {
      std::string Why = toString(std::move(E));
      if (Out.Unexplained.empty())
        Out.Unexplained = std::move(Why);
    }
    // What is in both was being copied when the file was read.
    Out.Modules.merge(Maps.Modules);
    Out.Functions.merge(Maps.Functions);
    append_range(Out.LeftOut, Maps.LeftOut);
    Next = R.From;
  }
}

Error Reader::readLosses(StringRef Chunk) {
  constexpr size_t CountAt =
      offsetof(pbd_losses, process) + offsetof(pbd_loss_counts, count);
  if (Chunk.size() < CountAt + PBD_LOSS_MAX * sizeof(uint64_t))
    return corrupt(Offset, "chunk of losses is too small");
  Out.Losses.clear();
  for (unsigned I = 0; I != PBD_LOSS_MAX; ++I)
    Out.Losses.push_back(u64(Chunk, CountAt + I * sizeof(uint64_t)));
  if (Chunk.size() >= sizeof(pbd_losses)) {
    Out.ChildErrno = u32(Chunk, offsetof(pbd_losses, child_error));
    Out.ChildUser = u32(Chunk, offsetof(pbd_losses, child_user));
  }
  return Error::success();
}

Error Reader::readHistograms(StringRef Chunk) {
  constexpr size_t HistogramAt = offsetof(pbd_histograms, histogram);
  if (Chunk.size() < HistogramAt)
    return corrupt(Offset, "histogram chunk is too small");
  uint32_t Tid = u32(Chunk, offsetof(pbd_histograms, tid));
  std::string Thread =
      name(Chunk, offsetof(pbd_histograms, comm), sizeof(pbd_histograms::comm));
  Chunk = Chunk.drop_front(HistogramAt);
  for (; Chunk.size() >= sizeof(pbd_histogram);
       Chunk = Chunk.drop_front(sizeof(pbd_histogram))) {
    uint64_t Function = u64(Chunk, offsetof(pbd_histogram, function));
    if (!Function) // not in use
      continue;
    DataHistogram H;
    H.Tid = Tid;
    H.Thread = Thread;
    if (Detail == Summary) {
      Out.Histograms.push_back(std::move(H));
      break;
    }
    H.Function = Function - 1;
    H.Total = u64(Chunk, offsetof(pbd_histogram, total));
    H.Longest = u64(Chunk, offsetof(pbd_histogram, longest));
    for (unsigned I = 0; I != PBD_HISTOGRAM_BUCKETS; ++I)
      H.Buckets.push_back(
          u64(Chunk, offsetof(pbd_histogram, bucket) + I * sizeof(uint64_t)));
    Out.Histograms.push_back(std::move(H));
  }
  return Error::success();
}

Error Reader::readIndex(StringRef Chunk) {
  constexpr size_t PieceAt = offsetof(pbd_index, piece);
  if (Chunk.size() < PieceAt)
    return corrupt(Offset, "index is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_index, nr));
  if (Nr > (Chunk.size() - PieceAt) / sizeof(pbd_index_piece))
    return corrupt(Offset, Twine(Nr) + " pieces in a chunk of " +
                               Twine(Chunk.size()) + " bytes");
  for (uint64_t I = 0; I != Nr; ++I) {
    uint64_t At = PieceAt + I * sizeof(pbd_index_piece);
    Out.Index.push_back(
        {u64(Chunk, At + offsetof(pbd_index_piece, offset)),
         u64(Chunk, At + offsetof(pbd_index_piece, begin)),
         u64(Chunk, At + offsetof(pbd_index_piece, end)),
         u32(Chunk, At + offsetof(pbd_index_piece, records)),
         u32(Chunk, At + offsetof(pbd_index_piece, events))});
  }
  return Error::success();
}

bool DataIndexPiece::isPlain() const { return Events != PBD_INDEX_LOOK; }

static Error readMapped(StringRef Path, Reader::DetailT Detail, DataFile &Out) {
  auto Mapped = mapDataFile(Path);
  if (!Mapped)
    return Mapped.takeError();
  Out.Mapped = std::make_shared<MappedFile>(std::move(*Mapped));
  Error E = Reader(Path, Out.Mapped->bytes(), Out, Detail).read();
  // A recording may be of more processes than there may be mappings (vm.max_map_count).
  if (Detail != Reader::All || Out.Blocks.empty()) {
    Out.Blocks.clear();
    Out.Bytes = "";
    Out.Mapped.reset();
  }
  return E;
}

Error patchbay::readDataFile(StringRef Path, DataFile &Out) {
  return readMapped(Path, Reader::All, Out);
}

Error patchbay::readDataHeader(StringRef Path, DataFile &Out) {
  char Header[sizeof(pbd_header)];
  auto File = openDataFile(Path);
  if (!File)
    return File.takeError();
  ssize_t Size = pread(*File, Header, sizeof(Header), 0);
  int Errno = errno;
  close(*File);
  if (Size < 0)
    return makeError(Path + ": cannot read: " + errnoText(Errno));
  return Reader(Path, StringRef(Header, Size), Out, Reader::All).readHeader();
}

Error patchbay::readDataOutline(StringRef Path, DataFile &Out) {
  return readMapped(Path, Reader::Outline, Out);
}

Error patchbay::readDataSummary(StringRef Path, DataFile &Out) {
  return readMapped(Path, Reader::Summary, Out);
}

Error patchbay::parseDataFile(StringRef Path, StringRef Bytes, DataFile &Out) {
  return Reader(Path, Bytes, Out, Reader::All).read();
}
