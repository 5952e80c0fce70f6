// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileReader.h"
#include "Diagnostics.h"
#include "format.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace patchbay;

namespace {

class Reader {
public:
  Reader(StringRef Path, StringRef Data, Profile &Out)
      : Path(Path), Data(Data), Out(Out) {}
  Error read();

private:
  Error readHeader();
  Error readChunk(uint32_t Kind, StringRef Chunk);
  Error readCmdline(StringRef Chunk);
  Error readModule(StringRef Chunk);
  Error readCounters(StringRef Chunk);

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
    return DataExtractor(Bytes, LittleEndian, 8).getU32(&At);
  }
  uint64_t u64(StringRef Bytes, uint64_t At) const {
    return DataExtractor(Bytes, LittleEndian, 8).getU64(&At);
  }

  StringRef Path;
  StringRef Data;
  Profile &Out;
  bool LittleEndian = true;
  uint64_t Committed = 0;
  uint64_t Offset = 0; // of the chunk being read
};

} // namespace

Error Reader::readHeader() {
  StringRef Magic(PBD_MAGIC);
  if (!Data.starts_with(Magic) && !Magic.starts_with(Data))
    return makeError(Path + ": not a patchbay data file");
  if (Data.size() < sizeof(pbd_header))
    return truncated(0);

  uint64_t OrderAt = offsetof(pbd_header, byte_order);
  if (u32(Data, OrderAt) != PBD_BYTE_ORDER)
    LittleEndian = false;
  if (u32(Data, OrderAt) != PBD_BYTE_ORDER)
    return corrupt(OrderAt, "no byte order mark");
  uint32_t Version = u32(Data, offsetof(pbd_header, version));
  if (Version != PBD_VERSION)
    return makeError(Path + ": data format version " + Twine(Version) +
                     ", this patchbay reads version " + Twine(PBD_VERSION));

  uint64_t SizeAt = offsetof(pbd_header, header_size);
  Offset = u32(Data, SizeAt);
  if (Offset < sizeof(pbd_header) || Offset % 8)
    return corrupt(SizeAt, "header size " + Twine(Offset));
  Out.Machine = u32(Data, offsetof(pbd_header, machine));
  Out.Pid = u32(Data, offsetof(pbd_header, pid));
  Out.Errno = u32(Data, offsetof(pbd_header, error));
  Out.StartNs = u64(Data, offsetof(pbd_header, start_ns));
  uint64_t CommittedAt = offsetof(pbd_header, committed);
  Committed = u64(Data, CommittedAt);
  if (Committed < Offset)
    return corrupt(CommittedAt, "committed size " + Twine(Committed) +
                                    " ends inside the header");
  return Error::success();
}

Error Reader::read() {
  if (Error E = readHeader())
    return E;
  // What lies behind the committed size is unfinished, not corrupt.
  while (Offset != Committed) {
    if (Offset >= Data.size() || Data.size() - Offset < sizeof(pbd_chunk))
      return Committed > Data.size() ? truncated(Offset)
                                     : corrupt(Offset, "no room for a chunk");
    uint32_t Kind = u32(Data, Offset + offsetof(pbd_chunk, kind));
    uint64_t Size = u64(Data, Offset + offsetof(pbd_chunk, size));
    if (Size < sizeof(pbd_chunk) || Size % 8 || Size > Committed - Offset)
      return corrupt(Offset, "chunk of " + Twine(Size) + " bytes");
    if (Size > Data.size() - Offset)
      return truncated(Offset);
    if (Error E = readChunk(Kind, Data.substr(Offset, Size)))
      return E;
    Offset += Size;
  }
  return Error::success();
}

Error Reader::readChunk(uint32_t Kind, StringRef Chunk) {
  switch (Kind) {
  case PBD_CMDLINE:
    return readCmdline(Chunk);
  case PBD_MODULE:
    return readModule(Chunk);
  case PBD_COUNTERS:
    return readCounters(Chunk);
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

  ProfileModule Module;
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

Error patchbay::readProfile(StringRef Path, Profile &Out) {
  // Volatile: the traced process may still be writing it.
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!Buffer)
    return makeError(Path + ": cannot read: " + Buffer.getError().message());
  return Reader(Path, (*Buffer)->getBuffer(), Out).read();
}
