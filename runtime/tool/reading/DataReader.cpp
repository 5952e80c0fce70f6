// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"

using namespace llvm;
using namespace patchbay;

Error DataReader::readHeader() {
  Out.Bytes = Data;
  StringRef Magic(PBD_MAGIC);
  if (!Data.starts_with(Magic) && !Magic.starts_with(Data))
    return makeError(Path + ": not a patchbay data file");
  if (Data.size() < PBD_HEADER_MIN)
    return truncated(0);
  auto Header = structAt<pbd_header>(Data);
  if (Header.byte_order != PBD_BYTE_ORDER)
    return corrupt(offsetof(pbd_header, byte_order), "no byte order mark");
  if (Header.version < PBD_VERSION_MIN || Header.version > PBD_VERSION)
    return makeError(Path + ": data format version " + Twine(Header.version) +
                     ", this patchbay reads versions " +
                     Twine(PBD_VERSION_MIN) + " to " + Twine(PBD_VERSION));
  Offset = Header.header_size;
  if (Offset < PBD_HEADER_MIN || Offset % 8)
    return corrupt(offsetof(pbd_header, header_size), "header size " + Twine(Offset));
  // The header of an older writer is shorter.
  Header = structAt<pbd_header>(Data.take_front(Offset));
  Out.Machine = Header.machine;
  Out.Pid = Header.pid;
  Out.Errno = Header.error;
  Out.StartNs = Header.start_ns;
  Out.Recording = Header.recording;
  Out.Committed = Header.committed;
  if (Out.Committed < Offset)
    return corrupt(offsetof(pbd_header, committed),
                   "committed size " + Twine(Out.Committed) + " ends inside the header");
  if (Header.blocks)
    readTable(Header.blocks);
  return Error::success();
}

// Is the checksum of Bytes equal to Sum? Always true for a fuzzer, which cannot guess
// checksums but must reach the code after this check.
static bool hasSum(StringRef Bytes, uint32_t Sum) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#endif
  return crc32(arrayRefFromStringRef(Bytes)) == Sum;
}

// If the file is truncated, or the table is uncommitted or damaged, the reader searches
// for blocks, as in a file without a table.
void DataReader::readTable(uint64_t At) {
  constexpr size_t EntryAt = offsetof(pbd_blocks, entry);
  uint64_t End = Out.Committed;
  if (Data.size() < End || At < Offset || At > End || End - At < EntryAt)
    return;
  auto Head = structAt<pbd_blocks>(Data, At);
  if (Head.chunk.kind != PBD_BLOCKS ||
      Head.nr > (End - At - EntryAt) / sizeof(pbd_blocks_entry))
    return;
  StringRef Entries = Data.substr(At + EntryAt, Head.nr * sizeof(pbd_blocks_entry));
  if (!hasSum(Entries, Head.entries_crc))
    return;
  TableAt = At;
  Table = Entries;
  IndexSum = Head.index_crc;
}

/// Returns the table's entry for the next chunk, if there is an entry.
Expected<std::optional<pbd_blocks_entry>> DataReader::inTable() {
  if (Table.empty())
    return std::nullopt;
  auto Entry = structAt<pbd_blocks_entry>(Table);
  if (Entry.offset > Offset)
    return std::nullopt;
  auto Head = structAt<pbd_chunk>(StringRef(Entry.head, sizeof(Entry.head)));
  if (Entry.offset < Offset || Head.kind != PBD_BLOCK)
    return corrupt(TableAt, "no block is at offset " + Twine(Entry.offset));
  Table = Table.drop_front(sizeof(pbd_blocks_entry));
  return Entry;
}

Error DataReader::read() {
  Error E = readHeader();
  if (!E)
    E = readChunks();
  addParents();
  if (Detail == All)
    addBlocks(Out, /*OnlyThreads=*/false);
  else if (Detail == Outline)
    countEvents(Out);
  // Without --overwrite, each block belongs to one thread, and its header names the
  // thread.
  else if (Out.Session && Out.Session->Flags & PBD_SESSION_OVERWRITE)
    addBlocks(Out, /*OnlyThreads=*/true);
  return E;
}

Error DataReader::readChunks() {
  // Release the memory of a large file each ReleaseSize bytes, and the rest at the end.
  constexpr uint64_t ReleaseSize = 1 << 20;
  uint64_t Released = Offset;
  // Data after the committed size is unfinished, not corrupt.
  while (Offset != Out.Committed) {
    if (Offset >= Data.size() || Data.size() - Offset < sizeof(pbd_chunk))
      return Out.Committed > Data.size() ? truncated(Offset)
                                     : corrupt(Offset, "no room for a chunk");
    auto Known = inTable();
    if (!Known)
      return Known.takeError();
    // A table entry contains the block's head, so the block itself is not read.
    StringRef Head = *Known ? StringRef((*Known)->head, sizeof(pbd_blocks_entry::head))
                            : Data.substr(Offset, sizeof(pbd_chunk));
    auto [Kind, Reserved, Size] = structAt<pbd_chunk>(Head);
    if (Size < sizeof(pbd_chunk) || Size % 8 || Size > Out.Committed - Offset)
      return corrupt(Offset, "chunk of " + Twine(Size) + " bytes");
    if (Size > Data.size() - Offset)
      return truncated(Offset);
    StringRef Chunk = Data.substr(Offset, Size);
    if (!*Known) {
      if (Error E = readChunk(Kind, Chunk))
        return E;
    } else if (!OnlyMaps) {
      if (Size < offsetof(pbd_block, record))
        return corrupt(Offset, "block is too small");
      addBlock(Head, Chunk, (*Known)->events);
    }
    Offset += Size;
    if (Offset - Released >= ReleaseSize) {
      Out.release(Data.slice(Released, Offset));
      Released = Offset;
    }
  }
  Out.release(Data.slice(Released, Offset));
  return Error::success();
}

// The kinds of chunks that this version knows, and when each is read.
Error DataReader::readChunk(uint32_t Kind, StringRef Chunk) {
  enum : unsigned {
    Always = 0,
    AlsoOfParents = 1, // chunks that map numbers to functions
    NotInSummary = 2,
    OnlyWithAll = 4,
  };
  static constexpr struct {
    uint32_t Kind;
    unsigned When;
    size_t LeastSize;
    const char *What;
    Error (DataReader::*Read)(StringRef Chunk);
  } Known[] = {
      {PBD_CMDLINE, Always, offsetof(pbd_cmdline, args), "command line chunk",
       &DataReader::readCmdline},
      {PBD_MODULE, AlsoOfParents, offsetof(pbd_module, path), "module chunk",
       &DataReader::readModule},
      {PBD_COUNTERS, NotInSummary, offsetof(pbd_counters, counter), "counter chunk",
       &DataReader::readCounters},
      {PBD_SESSION, Always, PBD_SESSION_MIN, "session chunk", &DataReader::readSession},
      {PBD_FUNCTIONS, AlsoOfParents | NotInSummary, offsetof(pbd_functions, entry),
       "function chunk", &DataReader::readFunctions},
      {PBD_TEXT, AlsoOfParents | NotInSummary, offsetof(pbd_text, entry),
       "function chunk", &DataReader::readFunctions},
      {PBD_NAMES, AlsoOfParents, offsetof(pbd_names, nr), "chunk of names",
       &DataReader::readNames},
      {PBD_BLOCK, Always, offsetof(pbd_block, record), "block", &DataReader::readBlock},
      {PBD_LEFT_OUT, AlsoOfParents, offsetof(pbd_left_out, function),
       "chunk of untraced functions", &DataReader::readLeftOut},
      {PBD_OTHER, Always, offsetof(pbd_other, path), "chunk of another module",
       &DataReader::readOther},
      {PBD_ARGUMENTS, AlsoOfParents, offsetof(pbd_arguments, function),
       "chunk of arguments", &DataReader::readArguments},
      {PBD_ASKED, Always, offsetof(pbd_asked, asked), "chunk of requested names",
       &DataReader::readAsked},
      {PBD_PARENT, AlsoOfParents, offsetof(pbd_parent, file), "chunk of the parent",
       &DataReader::readParent},
      {PBD_LOSSES, Always, offsetof(pbd_losses, thread), "chunk of losses",
       &DataReader::readLosses},
      {PBD_HISTOGRAMS, Always, offsetof(pbd_histograms, histogram), "histogram chunk",
       &DataReader::readHistograms},
      {PBD_SAMPLES, Always, offsetof(pbd_samples, sample), "chunk of sampled functions",
       &DataReader::readSamples},
      {PBD_INDEX, Always, offsetof(pbd_index, piece), "index", &DataReader::readIndex},
      {PBD_WHY, Always, sizeof(pbd_why), "chunk of slow calls", &DataReader::readWhy},
      {PBD_SLOW, OnlyWithAll, sizeof(pbd_slow), "slow call", &DataReader::readSlow},
      {PBD_MAPS, OnlyWithAll, offsetof(pbd_maps, text), "chunk of mappings",
       &DataReader::readMapped},
      {PBD_PLACE, Always, offsetof(pbd_place, cgroup), "chunk of the host",
       &DataReader::readPlace},
  };
  Out.NrSlow += Kind == PBD_SLOW && !OnlyMaps;
  auto *Row = find_if(Known, [&](const auto &Of) { return Of.Kind == Kind; });
  // Ignore the chunks of newer writers.
  if (Row == std::end(Known) || (OnlyMaps && !(Row->When & AlsoOfParents)) ||
      (Detail == Summary && Row->When & NotInSummary) ||
      (Detail != All && Row->When & OnlyWithAll))
    return Error::success();
  if (Chunk.size() < Row->LeastSize)
    return corrupt(Offset, Twine(Row->What) + " is too small");
  return (this->*Row->Read)(Chunk);
}

Error DataReader::readCmdline(StringRef Chunk) {
  uint64_t Length = structAt<pbd_cmdline>(Chunk).length;
  StringRef Args = Chunk.drop_front(offsetof(pbd_cmdline, args));
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

Error DataReader::readModule(StringRef Chunk) {
  auto Head = structAt<pbd_module>(Chunk);
  if (Head.build_id_size > PBD_BUILD_ID_MAX)
    return corrupt(Offset, "build id of " + Twine(Head.build_id_size) + " bytes");
  StringRef Rest = Chunk.drop_front(offsetof(pbd_module, path)), ModulePath;
  if (Error E = takeString(Rest, ModulePath, "module path"))
    return E;
  DataModule Module;
  Module.Base = Head.base;
  Module.BuildId = toStringRef(ArrayRef(Head.build_id, Head.build_id_size)).str();
  Module.Path = ModulePath.str();
  if (!Out.Modules.try_emplace(Head.id, std::move(Module)).second)
    return corrupt(Offset, "second module with id " + Twine(Head.id));
  return Error::success();
}

Error DataReader::readNames(StringRef Chunk) {
  auto Module = Out.Modules.find(structAt<pbd_names>(Chunk).module);
  if (Module == Out.Modules.end())
    return corrupt(Offset, "names of an unknown module");
  auto Names = RecordedNames::read(Chunk.drop_front(offsetof(pbd_names, nr)));
  if (!Names)
    return corrupt(Offset, toString(Names.takeError()));
  Module->second.Names = *Names;
  return Error::success();
}

Error DataReader::readCounters(StringRef Chunk) {
  auto Head = structAt<pbd_counters>(Chunk);
  if (!Out.Modules.count(Head.module))
    return corrupt(Offset, "counters of unknown module " + Twine(Head.module));
  auto Counters = elements<pbd_counter>(Chunk, offsetof(pbd_counters, counter), Head.nr,
                                        "counters");
  if (!Counters)
    return Counters.takeError();
  for (const pbd_counter &C : *Counters)
    Out.Counters.push_back({Head.module, C.entry, C.calls});
  return Error::success();
}

static DataMoment momentOf(const pbd_moment &M) {
  return {M.ticks, M.monotonic_ns, M.realtime_ns};
}

Error DataReader::readSession(StringRef Chunk) {
  if (Out.Session)
    return corrupt(Offset, "second session");
  // Read the number of moments before the moments, since the process may be adding one.
  const auto NrLast = structAt<uint64_t>(Chunk, offsetof(pbd_session, nr_last));
  const auto From = structAt<pbd_session>(Chunk);
  DataSession S;
  S.Counter = From.counter;
  S.Flags = From.flags;
  S.ThresholdNs = From.threshold_ns;
  S.Buffer = From.buffer;
  S.Lost = From.lost;
  S.Overwritten = From.overwritten;
  S.First = momentOf(From.first);
  S.Last = momentOf(From.last[NrLast % 2]);
  S.Tracer = name(From.tracer);
  S.Host = name(From.host);
  S.Depth = From.depth;
  S.Sample = From.sample;
  S.MaxMemory = From.max_memory;
  S.MaxSize = From.max_size;
  S.Part = From.part;
  S.CostInside = From.cost_inside;
  S.CostOutside = From.cost_outside;
  S.CostPages = From.cost_pages;
  S.CostError = From.cost_error;
  S.CpuNs = std::max(From.cpu_first_ns, From.cpu_last_ns) - From.cpu_first_ns;
  Out.Session = std::move(S);
  return Error::success();
}

// A pbd_text, in which addresses are numbers, begins like a pbd_functions.
Error DataReader::readFunctions(StringRef Chunk) {
  static_assert(offsetof(pbd_functions, first) == offsetof(pbd_text, first) &&
                offsetof(pbd_functions, entry) == offsetof(pbd_text, entry));
  constexpr size_t EntryAt = offsetof(pbd_functions, entry);
  auto Head = structAt<pbd_functions>(Chunk);
  if (!Out.Modules.count(Head.module))
    return corrupt(Offset, "functions of unknown module " + Twine(Head.module));
  if (Error E = elements<uint64_t>(Chunk, EntryAt, Head.nr, "functions").takeError())
    return E;
  Functions += Chunk.take_front(EntryAt + Head.nr * sizeof(uint64_t));
  return Error::success();
}

void DataReader::addTo(std::unordered_map<uint64_t, DataFunction> &Table) const {
  constexpr size_t EntryAt = offsetof(pbd_functions, entry);
  for (StringRef Rest = Functions; !Rest.empty();) {
    auto Head = structAt<pbd_functions>(Rest);
    for (uint64_t I = 0; I != Head.nr; ++I) {
      auto Entry = structAt<uint64_t>(Rest, EntryAt + I * sizeof(uint64_t));
      Table.try_emplace(Head.first + (Head.chunk.kind == PBD_TEXT ? Entry : I),
                        DataFunction{Head.module, Entry});
    }
    Rest = Rest.drop_front(EntryAt + Head.nr * sizeof(uint64_t));
  }
}

Error DataReader::readBlock(StringRef Chunk) {
  addBlock(Chunk, Chunk, std::nullopt);
  return Error::success();
}

// Head: the bytes before the block's records, from the block or from the table.
void DataReader::addBlock(StringRef Head, StringRef Chunk, std::optional<uint64_t> Events) {
  auto Of = structAt<pbd_block>(Head);
  DataThread &T = Out.Threads[Of.thread];
  T.Tid = Of.tid;
  T.Lost = SaturatingAdd(T.Lost, Of.lost);
  if (Out.Session)
    Out.Session->Lost = SaturatingAdd(Out.Session->Lost, Of.lost);
  T.Name = name(Of.comm);
  Out.Blocks.push_back({Of.thread, Of.seq, Of.pass,
                        Chunk.drop_front(offsetof(pbd_block, record)), Events});
}

Error DataReader::readLeftOut(StringRef Chunk) {
  auto Functions = elements<ElementOf<decltype(pbd_left_out::function)>>(
      Chunk, offsetof(pbd_left_out, function), structAt<pbd_left_out>(Chunk).nr, "functions");
  if (!Functions)
    return Functions.takeError();
  for (const auto &F : *Functions)
    Out.LeftOut.push_back({F.address, F.flags});
  return Error::success();
}

Error DataReader::readOther(StringRef Chunk) {
  StringRef Rest = Chunk.drop_front(offsetof(pbd_other, path)), Path;
  if (Error E = takeString(Rest, Path, "path of another module"))
    return E;
  auto Head = structAt<pbd_other>(Chunk);
  Out.OtherModules.push_back({Head.why, Head.number, Path.str()});
  return Error::success();
}

Error DataReader::readArguments(StringRef Chunk) {
  constexpr size_t FunctionAt = offsetof(pbd_arguments, function);
  auto Head = structAt<pbd_arguments>(Chunk);
  auto Functions = elements<ElementOf<decltype(pbd_arguments::function)>>(
      Chunk, FunctionAt, Head.nr, "functions", "arguments of ");
  if (!Functions)
    return Functions.takeError();
  StringRef Texts = Chunk.drop_front(FunctionAt + Head.nr * sizeof((*Functions)[0])), Text;
  for (const auto &F : *Functions) {
    if (Error E = takeString(Texts, Text, "description of arguments"))
      return E;
    DataArguments &A = Out.Arguments[{Head.module, F.entry}];
    A.Fields = parseTypedFields(Text);
    // A forked child has its own count, so do not add the parent's count.
    if (!OnlyMaps)
      A.LeftOut = SaturatingAdd(A.LeftOut, F.left_out);
  }
  return Error::success();
}

Error DataReader::readAsked(StringRef Chunk) {
  constexpr size_t AskedAt = offsetof(pbd_asked, asked);
  uint64_t Nr = structAt<pbd_asked>(Chunk).nr;
  auto All = elements<ElementOf<decltype(pbd_asked::asked)>>(Chunk, AskedAt, Nr, "names");
  if (!All)
    return All.takeError();
  StringRef Texts = Chunk.drop_front(AskedAt + Nr * sizeof((*All)[0])), Text;
  for (const auto &A : *All) {
    if (Error E = takeString(Texts, Text, "a requested name"))
      return E;
    Out.Asked.push_back({A.by, A.matched != 0, Text.str()});
  }
  return Error::success();
}

Error DataReader::readParent(StringRef Chunk) {
  auto Head = structAt<pbd_parent>(Chunk);
  StringRef Rest = Chunk.drop_front(offsetof(pbd_parent, file)), File;
  if (Error E = takeString(Rest, File, "name of the parent's file"))
    return E;
  // Accept only a data file in the same directory.
  if (File.contains('/') || !File.ends_with(PBD_SUFFIX))
    return corrupt(Offset, "the parent's file is called '" + File + "'");
  if (From)
    return corrupt(Offset, "second parent");
  if (Head.size < PBD_HEADER_MIN)
    return corrupt(Offset, "the parent's file has only " + Twine(Head.size) + " bytes");
  From = Parent{File.str(), Head.size, Head.start_ns, Head.pid};
  // If `here` is set, this file has a copy of the parent's chunks, and the parent's file
  // is not needed. When this file is read as a parent (OnlyMaps), the child refers only
  // to the part before the copy, so the parent's file is needed.
  if (Head.here && !OnlyMaps)
    From->File.clear();
  return Error::success();
}

/// Reads the chunks that map numbers to functions, in the part that Of refers to.
Error DataReader::readMaps(const Parent &Of) {
  OnlyMaps = true;
  if (Error E = readHeader())
    return E;
  if (Out.Pid != Of.Pid || Out.StartNs != Of.StartNs)
    return makeError(Path + ": belongs to another process");
  if (Of.Size < Offset || Of.Size > Out.Committed)
    return makeError(Path + ": has " + Twine(Out.Committed) +
                     " bytes, and the first " + Twine(Of.Size) +
                     " are needed");
  Out.Committed = Of.Size;
  return readChunks();
}

Error DataReader::readLosses(StringRef Chunk) {
  auto Of = structAt<pbd_losses>(Chunk);
  Out.Losses.assign(std::begin(Of.process.count), std::end(Of.process.count));
  Out.Returns = Of.returns;
  Out.NoReturn = Of.no_return;
  Out.NoContext = Of.no_context;
  Out.ChildErrno = Of.child_error;
  Out.ChildUser = Of.child_user;
  return Error::success();
}

Error DataReader::readHistograms(StringRef Chunk) {
  auto Head = structAt<pbd_histograms>(Chunk);
  Chunk = Chunk.drop_front(offsetof(pbd_histograms, histogram));
  for (; Chunk.size() >= sizeof(pbd_histogram);
       Chunk = Chunk.drop_front(sizeof(pbd_histogram))) {
    auto Of = structAt<pbd_histogram>(Chunk);
    if (!Of.function) // an unused entry
      continue;
    DataHistogram H;
    H.Tid = Head.tid;
    H.Thread = name(Head.comm);
    if (Detail == Summary) {
      Out.Histograms.push_back(std::move(H));
      break;
    }
    H.Function = Of.function - 1;
    H.Total = Of.total;
    H.Longest = Of.longest;
    H.Buckets.assign(std::begin(Of.bucket), std::end(Of.bucket));
    Out.Histograms.push_back(std::move(H));
  }
  return Error::success();
}

Error DataReader::readSamples(StringRef Chunk) {
  Chunk = Chunk.drop_front(offsetof(pbd_samples, sample));
  for (; Chunk.size() >= sizeof(pbd_sample); Chunk = Chunk.drop_front(sizeof(pbd_sample)))
    if (auto Of = structAt<pbd_sample>(Chunk); Of.function)
      Out.Samples.push_back({Of.function - 1, Of.calls});
  return Error::success();
}

Error DataReader::readIndex(StringRef Chunk) {
  // The table has the numbers of events, so Outline and Summary do not need the index.
  if (Detail != All && TableAt)
    return Error::success();
  constexpr size_t PieceAt = offsetof(pbd_index, piece);
  auto Pieces = elements<pbd_index_piece>(Chunk, PieceAt, structAt<pbd_index>(Chunk).nr,
                                          "pieces");
  if (!Pieces)
    return Pieces.takeError();
  StringRef Bytes = Chunk.substr(PieceAt, Pieces->size() * sizeof(pbd_index_piece));
  if (!IndexSum || hasSum(Bytes, *IndexSum)) // otherwise read the blocks
    append_range(Out.Index, *Pieces);
  return Error::success();
}
