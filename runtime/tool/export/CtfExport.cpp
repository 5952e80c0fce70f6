// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace in the Common Trace Format 1.8, for babeltrace2, Trace Compass and
// the like: a folder per process with its metadata, in that format's language,
// and a stream per thread.
#include "Diagnostics.h"
#include "Export.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace patchbay;

namespace {

constexpr uint32_t PacketMagic = 0xC1FC1FC1;
enum EventIds : uint8_t { FuncEntry, FuncExit };

// What Stream writes. Kinds are those of TraceCall.
constexpr char Layout[] = R"(
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer {
	size = 64; align = 8; signed = false; map = clock.monotonic.value;
} := time_t;
typealias enum : uint8_t { "returned" = 0, "unwound" = 1, "jumped" = 2 } := kind_t;

trace {
	major = 1;
	minor = 8;
	byte_order = le;
	packet.header := struct { uint32_t magic; };
};

stream {
	packet.context := struct {
		time_t timestamp_begin;
		time_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t events_discarded;
		uint32_t tid;
		string thread;
	};
	event.header := struct { uint8_t id; time_t timestamp; };
};

event {
	name = "func_entry";
	id = 0;
	fields := struct { string function; module_t module; uint32_t depth; };
};

event {
	name = "func_exit";
	id = 1;
	fields := struct {
		string function;
		module_t module;
		uint32_t depth;
		uint64_t duration;
		kind_t kind;
	};
};
)";

/// Modules have numbers in a trace, given when they are met.
using ModuleIds = std::map<std::pair<std::string, std::string>, uint32_t>;

void number(std::string &To, uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    To += char(Value >> 8 * I);
}

// A NUL would end it.
void text(std::string &To, StringRef Value) {
  To += json::fixUTF8(printable(Value));
  To += '\0';
}

// A string literal of the metadata.
std::string quoted(StringRef Text) {
  std::string Result = "\"";
  for (char C : json::fixUTF8(printable(Text))) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + "\"";
}

/// The events of a thread, in packets. None is larger than what readers map at
/// once.
class Stream {
public:
  Stream(const Trace &T, const TraceThread &Thread, ModuleIds &Modules,
         raw_ostream &OS)
      : T(T), Thread(Thread), Modules(Modules), OS(OS) {}
  void event(EventIds Id, uint64_t Time, const TraceCall &C);
  void finish();

private:
  void packet(uint64_t Discarded);

  const Trace &T;
  const TraceThread &Thread;
  ModuleIds &Modules;
  raw_ostream &OS;
  std::string Events;
  uint64_t Begin = 0, End = 0;
};

} // namespace

void Stream::packet(uint64_t Discarded) {
  std::string Name;
  text(Name, Thread.Name);
  uint64_t Bits = 8 * (4 + 5 * 8 + 4 + Name.size() + Events.size());
  std::string Head;
  number(Head, PacketMagic, 4);
  for (uint64_t Value : {Begin, End, Bits, Bits, Discarded})
    number(Head, Value, 8);
  number(Head, Thread.Tid, 4);
  OS << Head << Name << Events;
  Events.clear();
}

void Stream::event(EventIds Id, uint64_t Time, const TraceCall &C) {
  // Time must not go back there, not even where a call, rounded to nanoseconds,
  // ends before those that it made.
  End = std::max(End, Time);
  if (Events.empty())
    Begin = End;
  const TraceFunction &F = T.Functions[C.Function];
  number(Events, Id, 1);
  number(Events, End, 8);
  text(Events, F.Name);
  auto Module = Modules.try_emplace({F.Module, F.BuildId}, Modules.size());
  number(Events, Module.first->second, 4);
  number(Events, C.Depth, 4);
  if (Id == FuncExit) {
    number(Events, C.Duration, 8);
    number(Events, C.Kind, 1);
  }
  if (Events.size() >= 1 << 20)
    packet(0);
}

void Stream::finish() {
  if (!Events.empty())
    packet(0);
  // They found no place behind those that were recorded.
  Begin = End;
  if (Thread.Lost)
    packet(Thread.Lost);
}

static void writeMetadata(const TraceProcess &P, const ModuleIds &Modules,
                          int64_t Offset, raw_ostream &OS) {
  OS << "/* CTF 1.8 */\n\nenv {\n\ttracer_name = \"patchbay\";\n"
     << "\thostname = " << quoted(P.Data.Session->Host) << ";\n"
     << "\tvpid = " << P.Data.Pid << ";\n";
  if (!P.Data.Args.empty())
    OS << "\tprocname = " << quoted(P.Data.Args.front()) << ";\n";
  for (const auto &[Module, Id] : Modules)
    OS << "\tbuild_id_" << Id << " = \""
       << toHex(Module.second, /*LowerCase=*/true) << "\";\n";
  OS << "};\n\nclock {\n\tname = \"monotonic\";\n\tfreq = 1000000000;\n"
     << "\toffset = " << Offset << ";\n\tabsolute = true;\n};\n\n"
     << "typealias integer { size = 32; align = 8; signed = false; } := "
        "module_id_t;\n"
     << "typealias enum : module_id_t {\n";
  for (const auto &[Module, Id] : Modules)
    OS << '\t' << quoted(Module.first) << " = " << Id << ",\n";
  OS << "} := module_t;\n" << Layout;
}

static Error cannotWrite(const Twine &Path, std::error_code EC) {
  return makeError("cannot write " + Path + ": " + EC.message());
}

static Error closeFile(raw_fd_ostream &OS, const Twine &Path) {
  OS.close();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC ? cannotWrite(Path, EC) : Error::success();
}

static Error createDirectory(const Twine &Path) {
  if (std::error_code EC = sys::fs::create_directory(
          Path, /*IgnoreExisting=*/false, sys::fs::all_all))
    return makeError("cannot create " + Path + ": " + EC.message() +
                     ": choose another directory");
  return Error::success();
}

namespace {

/// A process without events has no folder: there would be nothing to describe.
class Folders : public CallSink {
public:
  Folders(const Trace &T, StringRef Dir)
      : T(T), Dir(Dir), Streams(T.Processes.size()) {}
  void beginThread(const TraceThread &Of) override { Thread = &Of; }
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &) override;
  /// What went wrong first; then the rest is not written.
  Error finish();

private:
  std::string folder(size_t Process) const {
    return (Dir + "/" + sys::path::stem(T.Processes[Process].File)).str();
  }
  std::string path() const {
    return folder(Thread->Process) + "/thread_" +
           utostr(Streams[Thread->Process]);
  }
  void open();
  /// Nothing more is written behind an error.
  bool isWritten(Error E) {
    if (E)
      Failed = toString(std::move(E));
    return Failed.empty();
  }
  Error describe(size_t Process) const;

  const Trace &T;
  StringRef Dir;
  ModuleIds Modules;
  std::vector<unsigned> Streams; // by process: how many
  const TraceThread *Thread = nullptr;
  std::unique_ptr<raw_fd_ostream> OS;
  std::optional<Stream> To; // of this thread, if there is one
  std::string Failed;
};

} // namespace

void Folders::open() {
  if (!Streams[Thread->Process]++ &&
      !isWritten(createDirectory(folder(Thread->Process))))
    return;
  std::error_code EC;
  OS = std::make_unique<raw_fd_ostream>(path(), EC, sys::fs::CD_CreateNew);
  if (EC)
    isWritten(cannotWrite(path(), EC));
  else
    To.emplace(T, *Thread, Modules, *OS);
}

void Folders::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  if (!To && Failed.empty())
    open();
  if (To)
    To->event(FuncEntry, Open.back().Start, Open.back());
}

void Folders::end(ArrayRef<TraceCall> Open, size_t Depth,
                  std::optional<uint64_t>) {
  for (size_t I = Open.size(); To && I != Depth; --I)
    if (const TraceCall &C = Open[I - 1]; C.hasDuration())
      To->event(FuncExit, C.end(), C);
}

void Folders::endThread(const TraceThread &) {
  if (!To)
    return;
  To->finish();
  To.reset();
  isWritten(closeFile(*OS, path()));
}

// When all modules are known.
Error Folders::describe(size_t Process) const {
  std::string Path = folder(Process) + "/metadata";
  std::error_code EC;
  raw_fd_ostream To(Path, EC, sys::fs::CD_CreateNew);
  if (EC)
    return cannotWrite(Path, EC);
  writeMetadata(T.Processes[Process], Modules, realtimeOffset(T), To);
  return closeFile(To, Path);
}

Error Folders::finish() {
  if (!Failed.empty())
    return makeError(Failed);
  for (size_t I = 0; I != Streams.size(); ++I)
    if (Streams[I])
      if (Error E = describe(I))
        return E;
  return Error::success();
}

Error patchbay::exportCtf(Trace &T, StringRef Dir) {
  if (Error E = createDirectory(Dir))
    return E;
  Folders All(T, Dir);
  readCalls(T, {&All});
  return All.finish();
}
