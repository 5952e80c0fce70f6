// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace in the Common Trace Format 1.8, for babeltrace2, Trace Compass and
// the like: a folder per process with its metadata, in that format's language,
// and a stream per thread.
#include "Diagnostics.h"
#include "Export.h"
#include "Table.h"
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

/// Modules have numbers in a trace.
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
  Stream(const Trace &T, const TraceThread &Thread, const ModuleIds &Modules,
         raw_ostream &OS)
      : T(T), Thread(Thread), Modules(Modules), OS(OS) {}
  void write();

private:
  void event(EventIds Id, uint64_t Time, const TraceCall &C);
  void packet(uint64_t Discarded);

  const Trace &T;
  const TraceThread &Thread;
  const ModuleIds &Modules;
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
  number(Events, Modules.at({F.Module, F.BuildId}), 4);
  number(Events, C.Depth, 4);
  if (Id == FuncExit) {
    number(Events, C.Duration, 8);
    number(Events, C.Kind, 1);
  }
  if (Events.size() >= 1 << 20)
    packet(0);
}

void Stream::write() {
  std::vector<const TraceCall *> Open;
  auto Close = [&](size_t Depth) {
    for (; Open.size() > Depth; Open.pop_back())
      if (const TraceCall &C = *Open.back(); C.hasDuration())
        event(FuncExit, C.end(), C);
  };
  for (const TraceCall &C : Thread.Calls) {
    Close(C.Depth);
    Open.push_back(&C);
    event(FuncEntry, C.Start, C);
  }
  Close(0);
  if (!Events.empty())
    packet(0);
  // They found no place behind those that were recorded.
  Begin = End;
  if (Thread.Lost)
    packet(Thread.Lost);
}

static ModuleIds numberModules(const Trace &T) {
  ModuleIds Ids;
  for (const TraceFunction &F : T.Functions)
    Ids.try_emplace({F.Module, F.BuildId}, Ids.size());
  return Ids;
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

static Error writeFile(const Twine &Path,
                       function_ref<void(raw_ostream &)> Write) {
  std::error_code EC;
  raw_fd_ostream OS(Path.str(), EC, sys::fs::CD_CreateNew);
  if (EC)
    return cannotWrite(Path, EC);
  Write(OS);
  OS.close();
  EC = OS.error();
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

// A process without events has no folder: there would be nothing to describe.
static Error writeProcess(const Trace &T, uint32_t Process, StringRef Dir,
                          const ModuleIds &Modules, int64_t Offset) {
  const TraceProcess &P = T.Processes[Process];
  std::string Folder = (Dir + "/" + sys::path::stem(P.File)).str();
  unsigned N = 0;
  for (const TraceThread &Thread : T.Threads) {
    if (Thread.Process != Process || Thread.Calls.empty())
      continue;
    if (!N) {
      if (Error E = createDirectory(Folder))
        return E;
      if (Error E = writeFile(Folder + "/metadata", [&](raw_ostream &OS) {
            writeMetadata(P, Modules, Offset, OS);
          }))
        return E;
    }
    if (Error E =
            writeFile(Folder + "/thread_" + Twine(++N), [&](raw_ostream &OS) {
              Stream(T, Thread, Modules, OS).write();
            }))
      return E;
  }
  return Error::success();
}

Error patchbay::exportCtf(const Trace &T, StringRef Dir) {
  if (Error E = createDirectory(Dir))
    return E;
  ModuleIds Modules = numberModules(T);
  int64_t Offset = realtimeOffset(T);
  for (uint32_t I = 0; I != T.Processes.size(); ++I)
    if (Error E = writeProcess(T, I, Dir, Modules, Offset))
      return E;
  return Error::success();
}
