// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelTrace.h"
#include "names/NameArchive.h"
#include "reading/DataFiles.h"
#include "reading/TracedNames.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace patchbay;

namespace {

// Traces have no addresses, so functions of a module get consecutive addresses, at the distance
// that the format requires.
constexpr uint64_t AddressStep = 16;

class Writer {
public:
  Writer(const std::string &Dir, const KernelTrace &Trace, int64_t Realtime)
      : Dir(Dir), Trace(Trace), Realtime(Realtime) {}
  Error write(StringRef Source);

private:
  struct Module {
    DataModule Data;
    std::vector<uint32_t> Functions; // functions, sorted by address
  };

  void sortFunctions();
  void addHeader();
  void addCommand(StringRef Source);
  void addSession();
  Error addModules();
  void addThreads();
  void addRecord(const KernelEvent &E, const KernelThread &T);
  /// Adds a chunk of Struct and Tail.
  template <typename T> void addChunk(uint32_t Kind, T Struct, StringRef Tail = "");

  const std::string &Dir;
  const KernelTrace &Trace;
  const int64_t Realtime;
  std::string Bytes, Records;
  std::map<std::string, Module> Modules; // by name; "": the kernel
  std::vector<uint64_t> Addresses;       // indexed by function
};

} // namespace

template <typename T>
static void append(std::string &To, const T &What, size_t Size = sizeof(T)) {
  To.append(reinterpret_cast<const char *>(&What), Size);
}

static void setName(char *To, size_t Size, StringRef Name) {
  Name = Name.take_front(Size);
  std::copy(Name.begin(), Name.end(), To);
}

template <typename T>
void Writer::addChunk(uint32_t Kind, T Struct, StringRef Tail) {
  size_t Size = sizeof(T) + Tail.size();
  Struct.chunk = {Kind, 0, alignTo(Size, 8)};
  append(Bytes, Struct);
  Bytes += Tail;
  Bytes.resize(alignTo(Bytes.size(), 8));
}

void Writer::sortFunctions() {
  for (uint32_t I = 0; I != Trace.Functions.size(); ++I)
    Modules[Trace.Functions[I].Module].Functions.push_back(I);
  Addresses.resize(Trace.Functions.size());
  uint64_t Next = AddressStep; // 0 is no valid address
  for (auto &[Name, M] : Modules) {
    M.Data.Base = Next;
    M.Data.Path = Name.empty() ? "[kernel]" : "[" + Name + "]";
    for (uint32_t Function : M.Functions) {
      Addresses[Function] = Next;
      Next += AddressStep;
    }
  }
}

void Writer::addHeader() {
  pbd_header H = {};
  setName(H.magic, sizeof(H.magic), PBD_MAGIC);
  H.byte_order = PBD_BYTE_ORDER;
  H.version = PBD_VERSION;
  H.header_size = sizeof(H);
  append(Bytes, H);
}

void Writer::addCommand(StringRef Source) {
  struct {
    pbd_chunk chunk;
    uint64_t length;
  } Command = {};
  std::string Args = "kernel";
  Args += '\0';
  Args += Source;
  Args += '\0';
  Command.length = Args.size();
  static_assert(sizeof(Command) == offsetof(pbd_cmdline, args));
  addChunk(PBD_CMDLINE, Command, Args);
}

static const char *tracerName(KernelTrace::TracerT Tracer) {
  switch (Tracer) {
  case KernelTrace::Entries:
    return "function";
  case KernelTrace::Graph:
    return "function_graph";
  case KernelTrace::Durations:
    return "function_duration";
  }
  return "";
}

void Writer::addSession() {
  pbd_session S = {};
  S.counter = PBD_COUNTER_TRACE_CLOCK;
  S.lost = Trace.Lost;
  S.overwritten = Trace.Overwritten;
  S.flags = Trace.Overwritten ? PBD_SESSION_OVERWRITE : 0;
  auto [First, Last] = Trace.span();
  S.first = {First, First, First + Realtime};
  S.last[0] = S.last[1] = {Last, Last, Last + Realtime};
  setName(S.tracer, sizeof(S.tracer) - 1, tracerName(Trace.Tracer));
  addChunk(PBD_SESSION, S);
}

Error Writer::addModules() {
  uint32_t Id = 0;
  for (const auto &[Name, M] : Modules) {
    pbd_module Module = {};
    Module.id = ++Id;
    Module.base = M.Data.Base;
    std::string Path = M.Data.Path;
    Path += '\0';
    // The path begins at the structure's trailing padding.
    size_t At = Bytes.size();
    Module.chunk = {PBD_MODULE, 0, alignTo(offsetof(pbd_module, path) + Path.size(), 8)};
    append(Bytes, Module, offsetof(pbd_module, path));
    Bytes += Path;
    Bytes.resize(At + Module.chunk.size);

    pbd_text Text = {};
    Text.module = Id;
    Text.nr = M.Functions.size();
    // Function numbers are relative to the module's base.
    Text.first = M.Data.Base;
    std::string Entries;
    SymbolNames Names;
    for (uint32_t Function : M.Functions) {
      uint64_t Entry = Addresses[Function] - M.Data.Base;
      append(Entries, Entry);
      Names.add({Entry, AddressStep, Trace.Functions[Function].Name,
                 ELF::STB_GLOBAL, 0, true});
    }
    addChunk(PBD_TEXT, Text, Entries);
    Names.sort();
    std::string Key = moduleKey(M.Data);
    if (Error E = writeNames(nameArchivePath(Dir, Key), Key, Names))
      return E;
  }
  return Error::success();
}

void Writer::addRecord(const KernelEvent &E, const KernelThread &T) {
  // Deeper calls have lower stack pointers.
  constexpr uint32_t Outermost = 1 << 20;
  pbd_record R = {};
  R.function = Addresses[E.Function];
  R.frame = Outermost - std::min(E.Depth, Outermost);
  uint64_t Detail = 0;
  if (!E.IsExit) {
    if (Trace.Tracer == KernelTrace::Durations)
      return; // the record of the exit also describes the entry
    R.time = E.Time;
    Detail = Trace.Tracer == KernelTrace::Entries ? Addresses[E.Caller] : 0;
    R.last = Detail << PBD_DETAIL_SHIFT | PBD_RECORD_ENTRY;
  } else {
    R.time = T.Events[E.Partner].Time;
    Detail = std::min<uint64_t>(E.Time - R.time, PBD_DETAIL_MAX);
    R.last = Detail << PBD_DETAIL_SHIFT | PBD_RECORD_CALL;
  }
  append(Records, R);
}

void Writer::addThreads() {
  uint32_t Number = 0;
  for (const KernelThread &T : Trace.Threads) {
    pbd_block Block = {};
    Block.seq = 1;
    Block.thread = ++Number;
    Block.tid = T.Tid;
    setName(Block.comm, sizeof(Block.comm), T.Name);
    Records.clear();
    for (const KernelEvent &E : T.Events)
      addRecord(E, T);
    addChunk(PBD_BLOCK, Block, Records);
  }
}

Error Writer::write(StringRef Source) {
  sortFunctions();
  addHeader();
  addCommand(Source);
  addSession();
  if (Error E = addModules())
    return E;
  addThreads();
  uint64_t Committed = Bytes.size();
  std::copy_n(reinterpret_cast<const char *>(&Committed), sizeof(Committed),
              Bytes.begin() + offsetof(pbd_header, committed));
  std::string Path = Dir + '/' + KernelFile;
  return handleErrors(writeToOutput(Path,
                                    [&](raw_ostream &OS) {
                                      OS << Bytes;
                                      return Error::success();
                                    }),
                      [&](const ErrorInfoBase &E) {
                        return makeError("cannot write " + Path + ": " +
                                         E.message());
                      });
}

Error patchbay::writeRecording(const std::string &Dir, StringRef Source,
                               const KernelTrace &Trace, int64_t Realtime) {
  return Writer(Dir, Trace, Realtime).write(Source);
}
