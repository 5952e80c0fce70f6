// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataReader.h"
#include "DataBlocks.h"
#include "trace/format/format.h"
#include "llvm/ADT/STLExtras.h"
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
  uint64_t BlocksAt = offsetof(pbd_header, blocks);
  uint64_t RecordingAt = offsetof(pbd_header, recording);
  if (Offset >= sizeof(pbd_header) && Data.size() >= sizeof(pbd_header))
    Out.Recording = u64(Data, RecordingAt);
  if (Offset < PBD_HEADER_BLOCKS || Data.size() < PBD_HEADER_BLOCKS ||
      !u64(Data, BlocksAt))
    return Error::success();
  readTable(u64(Data, BlocksAt));
  return Error::success();
}

// A fuzzer cannot guess checksums, and must also test the code after this check.
static bool hasSum(StringRef Bytes, uint32_t Sum) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#endif
  return crc32(arrayRefFromStringRef(Bytes)) == Sum;
}

// If the file is truncated, or the table is uncommitted or damaged, blocks are
// searched as in a file without a table.
void DataReader::readTable(uint64_t At) {
  constexpr size_t EntryAt = offsetof(pbd_blocks, entry);
  uint64_t End = Out.Committed;
  if (Data.size() < End || At < Offset || At > End || End - At < EntryAt)
    return;
  StringRef Chunk = Data.substr(At);
  uint64_t Nr = u64(Chunk, offsetof(pbd_blocks, nr));
  if (u32(Chunk, offsetof(pbd_chunk, kind)) != PBD_BLOCKS ||
      Nr > (End - At - EntryAt) / sizeof(pbd_blocks_entry))
    return;
  StringRef Entries = Chunk.substr(EntryAt, Nr * sizeof(pbd_blocks_entry));
  if (!hasSum(Entries, u32(Chunk, offsetof(pbd_blocks, entries_crc))))
    return;
  TableAt = At;
  Table = Entries;
  IndexSum = u32(Chunk, offsetof(pbd_blocks, index_crc));
}

/// The table's entry for the next chunk; null if there is none.
Expected<const char *> DataReader::inTable() {
  if (Table.empty())
    return nullptr;
  uint64_t Next = u64(Table, offsetof(pbd_blocks_entry, offset));
  if (Next > Offset)
    return nullptr;
  const char *Entry = Table.data();
  constexpr size_t HeadAt = offsetof(pbd_blocks_entry, head);
  if (Next < Offset ||
      u32(Table, HeadAt + offsetof(pbd_chunk, kind)) != PBD_BLOCK)
    return corrupt(TableAt, "no block is at offset " + Twine(Next));
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
  // Without overwriting, each thread has begun a block, which names it.
  else if (Out.Session && Out.Session->Flags & PBD_SESSION_OVERWRITE)
    addBlocks(Out, /*OnlyThreads=*/true);
  return E;
}

Error DataReader::readChunks() {
  // Small files usually have few pages, which are released once, at the end.
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
    StringRef Head =
        *Known ? StringRef(*Known + offsetof(pbd_blocks_entry, head),
                           sizeof(pbd_blocks_entry::head))
               : Data.substr(Offset, sizeof(pbd_chunk));
    uint32_t Kind = u32(Head, offsetof(pbd_chunk, kind));
    uint64_t Size = u64(Head, offsetof(pbd_chunk, size));
    if (Size < sizeof(pbd_chunk) || Size % 8 || Size > Out.Committed - Offset)
      return corrupt(Offset, "chunk of " + Twine(Size) + " bytes");
    if (Size > Data.size() - Offset)
      return truncated(Offset);
    StringRef Chunk = Data.substr(Offset, Size);
    if (*Known) {
      uint64_t Events = u64({*Known, sizeof(pbd_blocks_entry)},
                            offsetof(pbd_blocks_entry, events));
      if (Error E = OnlyMaps ? Error::success() : readBlock(Head, Chunk, Events))
        return E;
    } else {
      if (Error E = readChunk(Kind, Chunk))
        return E;
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

Error DataReader::readChunk(uint32_t Kind, StringRef Chunk) {
  if (OnlyMaps && !is_contained({PBD_MODULE, PBD_NAMES, PBD_FUNCTIONS, PBD_TEXT,
                                 PBD_ARGUMENTS, PBD_LEFT_OUT, PBD_PARENT},
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
  case PBD_NAMES:
    return readNames(Chunk);
  case PBD_TEXT:
    return Detail == Summary ? Error::success() : readFunctions(Chunk, true);
  case PBD_BLOCK:
    return readBlock(Chunk, Chunk, std::nullopt);
  case PBD_LEFT_OUT:
    return readLeftOut(Chunk);
  case PBD_OTHER:
    return readOther(Chunk);
  case PBD_ARGUMENTS:
    return readArguments(Chunk);
  case PBD_ASKED:
    return readAsked(Chunk);
  case PBD_PARENT:
    return readParent(Chunk);
  case PBD_LOSSES:
    return readLosses(Chunk);
  case PBD_HISTOGRAMS:
    return readHistograms(Chunk);
  case PBD_SAMPLES:
    return readSamples(Chunk);
  case PBD_INDEX:
    // The table has the numbers of events, too.
    return Detail != All && TableAt ? Error::success() : readIndex(Chunk);
  case PBD_WHY:
    return readWhy(Chunk);
  case PBD_SLOW:
    ++Out.NrSlow;
    return Detail == All ? readSlow(Chunk) : Error::success();
  case PBD_MAPS:
    return Detail == All ? readMapped(Chunk) : Error::success();
  case PBD_PLACE:
    return readPlace(Chunk);
  default: // of a newer writer
    return Error::success();
  }
}

Error DataReader::readCmdline(StringRef Chunk) {
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

Error DataReader::readModule(StringRef Chunk) {
  constexpr size_t PathAt = offsetof(pbd_module, path);
  if (Chunk.size() < PathAt)
    return corrupt(Offset, "module chunk is too small");
  uint32_t BuildIdSize = u32(Chunk, offsetof(pbd_module, build_id_size));
  if (BuildIdSize > PBD_BUILD_ID_MAX)
    return corrupt(Offset, "build id of " + Twine(BuildIdSize) + " bytes");
  StringRef Rest = Chunk.drop_front(PathAt), ModulePath;
  if (Error E = takeString(Rest, ModulePath, "module path"))
    return E;

  DataModule Module;
  Module.Base = u64(Chunk, offsetof(pbd_module, base));
  Module.BuildId =
      Chunk.substr(offsetof(pbd_module, build_id), BuildIdSize).str();
  Module.Path = ModulePath.str();
  uint32_t Id = u32(Chunk, offsetof(pbd_module, id));
  if (!Out.Modules.try_emplace(Id, std::move(Module)).second)
    return corrupt(Offset, "second module with id " + Twine(Id));
  return Error::success();
}

Error DataReader::readNames(StringRef Chunk) {
  if (Chunk.size() < offsetof(pbd_names, nr))
    return corrupt(Offset, "chunk of names is too small");
  auto Module = Out.Modules.find(u32(Chunk, offsetof(pbd_names, module)));
  if (Module == Out.Modules.end())
    return corrupt(Offset, "names of an unknown module");
  auto Names =
      RecordedNames::read(Chunk.drop_front(offsetof(pbd_names, nr)), Out.Order);
  if (!Names)
    return corrupt(Offset, toString(Names.takeError()));
  Module->second.Names = *Names;
  return Error::success();
}

Error DataReader::readCounters(StringRef Chunk) {
  constexpr size_t CounterAt = offsetof(pbd_counters, counter);
  if (Chunk.size() < CounterAt)
    return corrupt(Offset, "counter chunk is too small");
  uint32_t Module = u32(Chunk, offsetof(pbd_counters, module));
  if (!Out.Modules.count(Module))
    return corrupt(Offset, "counters of unknown module " + Twine(Module));
  uint64_t Nr = u32(Chunk, offsetof(pbd_counters, nr));
  if (Error E = checkTable(Chunk, CounterAt, sizeof(pbd_counter), Nr, "counters"))
    return E;
  Out.Counters.reserve(Out.Counters.size() + Nr);
  for (uint64_t I = 0; I != Nr; ++I) {
    uint64_t At = CounterAt + I * sizeof(pbd_counter);
    Out.Counters.push_back({Module,
                            u64(Chunk, At + offsetof(pbd_counter, entry)),
                            u64(Chunk, At + offsetof(pbd_counter, calls))});
  }
  return Error::success();
}

DataMoment DataReader::moment(StringRef Chunk, uint64_t At) const {
  return {u64(Chunk, At + offsetof(pbd_moment, ticks)),
          u64(Chunk, At + offsetof(pbd_moment, monotonic_ns)),
          u64(Chunk, At + offsetof(pbd_moment, realtime_ns))};
}

Error DataReader::readSession(StringRef Chunk) {
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
  if (Chunk.size() >= offsetof(pbd_session, sample))
    S.Depth = u64(Chunk, offsetof(pbd_session, depth));
  if (Chunk.size() >= sizeof(pbd_session)) {
    S.CostInside = u64(Chunk, offsetof(pbd_session, cost_inside));
    S.CostOutside = u64(Chunk, offsetof(pbd_session, cost_outside));
    S.CostPages = u64(Chunk, offsetof(pbd_session, cost_pages));
    S.CostError = u64(Chunk, offsetof(pbd_session, cost_error));
    uint64_t First = u64(Chunk, offsetof(pbd_session, cpu_first_ns));
    S.CpuNs = std::max(First, u64(Chunk, offsetof(pbd_session, cpu_last_ns))) - First;
  }
  if (Chunk.size() >= PBD_SESSION_COST) {
    S.Sample = u64(Chunk, offsetof(pbd_session, sample));
    S.MaxMemory = u64(Chunk, offsetof(pbd_session, max_memory));
    S.MaxSize = u64(Chunk, offsetof(pbd_session, max_size));
    S.Part = u64(Chunk, offsetof(pbd_session, part));
  }
  Out.Session = std::move(S);
  return Error::success();
}

// A pbd_text, in which addresses are numbers, begins like a pbd_functions.
Error DataReader::readFunctions(StringRef Chunk, bool ByAddress) {
  static_assert(offsetof(pbd_functions, first) == offsetof(pbd_text, first) &&
                offsetof(pbd_functions, entry) == offsetof(pbd_text, entry));
  constexpr size_t EntryAt = offsetof(pbd_functions, entry);
  if (Chunk.size() < EntryAt)
    return corrupt(Offset, "function chunk is too small");
  uint32_t Module = u32(Chunk, offsetof(pbd_functions, module));
  if (!Out.Modules.count(Module))
    return corrupt(Offset, "functions of unknown module " + Twine(Module));
  uint64_t Nr = u32(Chunk, offsetof(pbd_functions, nr));
  if (Error E = checkTable(Chunk, EntryAt, 8, Nr, "functions"))
    return E;
  Functions += char(ByAddress);
  Functions += Chunk.take_front(EntryAt + Nr * 8);
  return Error::success();
}

void DataReader::addTo(std::unordered_map<uint64_t, DataFunction> &Table) const {
  constexpr size_t EntryAt = offsetof(pbd_functions, entry);
  for (StringRef Rest = Functions; !Rest.empty();) {
    bool ByAddress = Rest.front();
    Rest = Rest.drop_front();
    uint32_t Module = u32(Rest, offsetof(pbd_functions, module));
    uint64_t Nr = u32(Rest, offsetof(pbd_functions, nr));
    uint64_t First = u64(Rest, offsetof(pbd_functions, first));
    for (uint64_t I = 0; I != Nr; ++I) {
      uint64_t Entry = u64(Rest, EntryAt + I * 8);
      Table.try_emplace(First + (ByAddress ? Entry : I), DataFunction{Module, Entry});
    }
    Rest = Rest.drop_front(EntryAt + Nr * 8);
  }
}

// Head: the bytes before its records, from the block or from the table.
Error DataReader::readBlock(StringRef Head, StringRef Chunk,
                        std::optional<uint64_t> Events) {
  constexpr size_t RecordAt = offsetof(pbd_block, record);
  if (Chunk.size() < RecordAt)
    return corrupt(Offset, "block is too small");
  uint32_t Thread = u32(Head, offsetof(pbd_block, thread));
  uint64_t Lost = u64(Head, offsetof(pbd_block, lost));
  DataThread &T = Out.Threads[Thread];
  T.Tid = u32(Head, offsetof(pbd_block, tid));
  T.Lost = SaturatingAdd(T.Lost, Lost);
  if (Out.Session)
    Out.Session->Lost = SaturatingAdd(Out.Session->Lost, Lost);
  T.Name = name(Head, offsetof(pbd_block, comm), sizeof(pbd_block::comm));
  Out.Blocks.push_back({Thread, u64(Head, offsetof(pbd_block, seq)),
                        u64(Head, offsetof(pbd_block, pass)),
                        Chunk.drop_front(RecordAt), Events});
  return Error::success();
}

Error DataReader::readLeftOut(StringRef Chunk) {
  constexpr size_t FunctionAt = offsetof(pbd_left_out, function);
  constexpr size_t Size = sizeof(pbd_left_out::function[0]);
  if (Chunk.size() < FunctionAt)
    return corrupt(Offset, "chunk of what was left out is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_left_out, nr));
  if (Error E = checkTable(Chunk, FunctionAt, Size, Nr, "functions"))
    return E;
  for (uint64_t I = 0; I != Nr; ++I)
    Out.LeftOut.push_back({u64(Chunk, FunctionAt + I * Size),
                           u64(Chunk, FunctionAt + I * Size + 8)});
  return Error::success();
}

Error DataReader::readOther(StringRef Chunk) {
  constexpr size_t PathAt = offsetof(pbd_other, path);
  if (Chunk.size() < PathAt)
    return corrupt(Offset, "chunk of another module is too small");
  StringRef Rest = Chunk.drop_front(PathAt), Path;
  if (Error E = takeString(Rest, Path, "path of another module"))
    return E;
  Out.OtherModules.push_back({u32(Chunk, offsetof(pbd_other, why)),
                        u32(Chunk, offsetof(pbd_other, number)),
                        Path.str()});
  return Error::success();
}

Error DataReader::readArguments(StringRef Chunk) {
  constexpr size_t FunctionAt = offsetof(pbd_arguments, function);
  constexpr size_t Size = sizeof(pbd_arguments::function[0]);
  if (Chunk.size() < FunctionAt)
    return corrupt(Offset, "chunk of arguments is too small");
  uint32_t Module = u32(Chunk, offsetof(pbd_arguments, module));
  uint64_t Nr = u32(Chunk, offsetof(pbd_arguments, nr));
  if (Error E = checkTable(Chunk, FunctionAt, Size, Nr, "functions", "arguments of "))
    return E;
  StringRef Texts = Chunk.drop_front(FunctionAt + Nr * Size), Text;
  for (uint64_t I = 0; I != Nr; ++I) {
    if (Error E = takeString(Texts, Text, "what arguments are"))
      return E;
    uint64_t At = FunctionAt + I * Size;
    DataArguments &A = Out.Arguments[{Module, u64(Chunk, At)}];
    A.Fields = parseTypedFields(Text);
    // A forked child counts in its parent's file.
    if (!OnlyMaps)
      A.LeftOut = SaturatingAdd(A.LeftOut, u64(Chunk, At + 8));
  }
  return Error::success();
}

Error DataReader::readAsked(StringRef Chunk) {
  constexpr size_t AskedAt = offsetof(pbd_asked, asked);
  constexpr size_t Size = sizeof(pbd_asked::asked[0]);
  if (Chunk.size() < AskedAt)
    return corrupt(Offset, "chunk of what was asked for is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_asked, nr));
  if (Error E = checkTable(Chunk, AskedAt, Size, Nr, "names"))
    return E;
  StringRef Texts = Chunk.drop_front(AskedAt + Nr * Size), Text;
  for (uint64_t I = 0; I != Nr; ++I) {
    if (Error E = takeString(Texts, Text, "what was asked for"))
      return E;
    Out.Asked.push_back({u32(Chunk, AskedAt + I * Size),
                         u32(Chunk, AskedAt + I * Size + 4) != 0,
                         Text.str()});
  }
  return Error::success();
}

Error DataReader::readParent(StringRef Chunk) {
  constexpr size_t FileAt = offsetof(pbd_parent, file);
  if (Chunk.size() < FileAt)
    return corrupt(Offset, "chunk of the parent is too small");
  StringRef Rest = Chunk.drop_front(FileAt), File;
  if (Error E = takeString(Rest, File, "name of the parent's file"))
    return E;
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
  // This file also has a copy of those chunks, so its parent's file is not needed. But in
  // a file that is itself a parent, the copy comes after the part that a child needs.
  if (u32(Chunk, offsetof(pbd_parent, here)) && !OnlyMaps)
    From->File.clear();
  return Error::success();
}

/// Reads the chunks that explain the numbers of functions, in that part.
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
  constexpr size_t CountAt =
      offsetof(pbd_losses, process) + offsetof(pbd_loss_counts, count);
  if (Chunk.size() < CountAt + PBD_LOSS_MAX * sizeof(uint64_t))
    return corrupt(Offset, "chunk of losses is too small");
  Out.Losses.clear();
  for (unsigned I = 0; I != PBD_LOSS_MAX; ++I)
    Out.Losses.push_back(u64(Chunk, CountAt + I * sizeof(uint64_t)));
  if (Chunk.size() >= sizeof(pbd_losses))
    Out.Returns = u32(Chunk, offsetof(pbd_losses, returns));
  if (Chunk.size() >= offsetof(pbd_losses, returns))
    Out.NoReturn = u64(Chunk, offsetof(pbd_losses, no_return));
  if (Chunk.size() >= offsetof(pbd_losses, no_return))
    Out.NoContext = u64(Chunk, offsetof(pbd_losses, no_context));
  if (Chunk.size() >= offsetof(pbd_losses, no_context)) {
    Out.ChildErrno = u32(Chunk, offsetof(pbd_losses, child_error));
    Out.ChildUser = u32(Chunk, offsetof(pbd_losses, child_user));
  }
  return Error::success();
}

Error DataReader::readHistograms(StringRef Chunk) {
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
    if (!Function) // unused
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

Error DataReader::readSamples(StringRef Chunk) {
  constexpr size_t SampleAt = offsetof(pbd_samples, sample);
  if (Chunk.size() < SampleAt)
    return corrupt(Offset, "chunk of sampled functions is too small");
  Chunk = Chunk.drop_front(SampleAt);
  for (; Chunk.size() >= sizeof(pbd_sample);
       Chunk = Chunk.drop_front(sizeof(pbd_sample)))
    if (uint64_t Function = u64(Chunk, offsetof(pbd_sample, function)))
      Out.Samples.push_back(
          {Function - 1, u64(Chunk, offsetof(pbd_sample, calls))});
  return Error::success();
}

Error DataReader::readIndex(StringRef Chunk) {
  constexpr size_t PieceAt = offsetof(pbd_index, piece);
  if (Chunk.size() < PieceAt)
    return corrupt(Offset, "index is too small");
  uint64_t Nr = u64(Chunk, offsetof(pbd_index, nr));
  if (Error E = checkTable(Chunk, PieceAt, sizeof(pbd_index_piece), Nr, "pieces"))
    return E;
  StringRef Pieces = Chunk.substr(PieceAt, Nr * sizeof(pbd_index_piece));
  if (IndexSum && !hasSum(Pieces, *IndexSum)) // read the blocks instead
    return Error::success();
  Out.Index.reserve(Out.Index.size() + Nr);
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
