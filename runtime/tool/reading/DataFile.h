// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a data file, which may be truncated, corrupt, or still growing.
#pragma once

#include "TypedText.h"
#include "support/MappedFile.h"
#include "trace/format/format.h"
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace patchbay {

/// Symbols of traced functions, as recorded by their process: see pbd_names.
class RecordedNames {
public:
  using Name = std::pair<uint64_t, llvm::StringRef>; // ELF address, symbol

  /// Reads the data after pbd_names::module. Thousands of processes may have the same
  /// names, so equal data is kept once, until the command ends.
  static llvm::Expected<const RecordedNames *> read(llvm::StringRef Bytes);

  /// All names, sorted by address.
  llvm::ArrayRef<Name> all() const { return Names; }
  /// The names of one function.
  llvm::ArrayRef<Name> at(uint64_t Entry) const;

private:
  std::vector<Name> Names;
};

struct DataFunction {
  uint32_t Module; // key in DataFile::Modules
  uint64_t Entry;
};

/// A hash table of functions that needs one or two probes per lookup, since a recording
/// may have some hundred million records.
class FunctionSlots {
public:
  static constexpr uint32_t None = UINT32_MAX;

  /// Adds all functions of a file. Must be called only once. Functions must not move
  /// during the lifetime of this object.
  void add(const std::unordered_map<uint64_t, DataFunction> &Functions) {
    unsigned Bits = 4;
    while (Functions.size() >> (Bits - 1))
      ++Bits;
    Shift = 64 - Bits;
    Table.assign(size_t(1) << Bits, {0, None});
    for (const auto &[Number, Function] : Functions) {
      size_t At = place(Number);
      while (Table[At].Slot != None)
        At = next(At);
      Table[At] = {Number, uint32_t(Of.size())};
      Of.push_back(&Function);
    }
  }
  /// Returns None if no function has this number, otherwise an index. Indices
  /// begin at 0 and have no gaps.
  uint32_t find(uint64_t Number) const {
    if (Table.empty())
      return None;
    size_t At = place(Number);
    while (Table[At].Slot != None && Table[At].Number != Number)
      At = next(At);
    return Table[At].Slot;
  }
  const DataFunction &operator[](uint32_t Slot) const { return *Of[Slot]; }
  size_t size() const { return Of.size(); }

private:
  struct Entry {
    uint64_t Number;
    uint32_t Slot;
  };
  // Fibonacci hashing: Knuth, The Art of Computer Programming, 6.4.
  size_t place(uint64_t Number) const {
    return Number * 0x9e3779b97f4a7c15 >> Shift;
  }
  size_t next(size_t At) const { return (At + 1) & (Table.size() - 1); }

  std::vector<Entry> Table; // less than half full
  unsigned Shift = 0;
  std::vector<const DataFunction *> Of;
};

/// The functions of a file by number. A forked child without functions of its own shares
/// its parent's table.
struct FunctionTable {
  std::unordered_map<uint64_t, DataFunction> Functions; // by number
  FunctionSlots Slots;                                  // built from Functions
};

struct DataModule {
  uint64_t Base = 0;
  std::string BuildId; // bytes; empty if the module has none
  std::string Path;
  const RecordedNames *Names = nullptr; // names of traced functions; nullptr if
                                        // none were recorded
};

struct DataCounter {
  uint32_t Module;
  uint64_t Entry;
  uint64_t Calls;
};

/// One moment by three clocks.
struct DataMoment {
  uint64_t Ticks = 0;
  uint64_t MonotonicNs = 0;
  uint64_t RealtimeNs = 0;
};

/// How events were recorded.
struct DataSession {
  uint32_t Counter = 0; // pbd_counter_kind
  uint32_t Flags = 0;   // PBD_SESSION_*
  uint64_t ThresholdNs = 0;
  uint64_t Buffer = 0;
  uint64_t Lost = 0; // including lost events that blocks report
  uint64_t Overwritten = 0;
  uint64_t Depth = 0; // maximum level of recorded calls; 0: any
  uint64_t Sample = 0; // N of --sample 1/N; 0: all calls were recorded
  uint64_t MaxMemory = 0, MaxSize = 0; // limits in bytes; 0: none
  uint64_t Part = 0; // number of the file; 0: the only file of the process
  /// In picoseconds: see pbd_session. All are 0 if not measured.
  uint64_t CostInside = 0, CostOutside = 0, CostPages = 0, CostError = 0;
  uint64_t CpuNs = 0; // CPU time of the process during the recording
  DataMoment First, Last;
  std::string Tracer;
  std::string Host;
};

/// The known arguments of a function, and the number of calls that --when excluded.
struct DataArguments {
  std::vector<TypedField> Fields;
  uint64_t LeftOut = 0;
};

/// The values of a call. Types says how to show the values; without types,
/// PATCHBAY_RECORD_* does.
struct DataValues {
  const DataArguments *Types = nullptr; // points into the DataFile
  std::vector<TypedPart> Typed;
  std::vector<uint64_t> Args; // values of integer registers
  std::optional<uint64_t> Result;
  bool IsFloat = false; // the result is a floating-point number, not converted
  bool IsRecorded = false; // arguments and result were recorded
  uint64_t Slow = 0;       // id of the DataSlow of this call; 0: none
  uint64_t SlowCost = 0;   // in ns: cost of recording these values, which the
                           // callers' durations include
  /// The trace id, in two halves, and the id of the parent span: see
  /// PBD_CONTEXT.
  std::optional<std::array<uint64_t, 3>> Context;
};

class ValueReader;

/// Describes a piece of a thread's events. The events themselves stay in the file.
struct DataPiece {
  const char *Records;
  uint32_t Size = 0;   // number of records
  uint32_t Events = 0; // number of events among the records
  uint64_t Begin = UINT64_MAX; // first begin of a call, in ticks
  uint64_t End = 0;            // latest time at which a record was written
  uint8_t Pass;                // pass of the block, as in its records
  bool IsPlain = true; // see pbd_index_piece
  /// Values that were recorded before the piece, for a call in the piece; usually none.
  std::shared_ptr<const ValueReader> Before;
};

/// How far the counter is ahead of a thread's own clock, from Time on.
struct DataSleep {
  uint64_t Time, Ticks;
};

struct DataThread {
  uint32_t Tid = 0;
  uint64_t Lost = 0;
  std::string Name;
  uint64_t Events = 0;            // number of entries and exits
  std::vector<DataPiece> Pieces;  // in the order in which they were recorded
  std::vector<DataSleep> Sleeps;  // sorted by time
};

/// A block of records. Blocks are reused, so their order in the file is
/// arbitrary.
struct DataBlock {
  uint32_t Thread; // the thread that began the block
  uint64_t Seq, Pass;
  llvm::StringRef Records;
  std::optional<uint64_t> Events; // known from the file's table
};

/// Durations of a function's calls in one thread: see pbd_histogram.
struct DataHistogram {
  uint32_t Tid;
  std::string Thread; // name of the thread
  uint64_t Function = 0; // number of a function; Functions may lack it
  uint64_t Total = 0, Longest = 0; // in ticks
  std::vector<uint64_t> Buckets;
};

/// The number of calls of a function in one thread; see pbd_sample.
struct DataSample {
  uint64_t Function; // number of a function; Functions may lack it
  uint64_t Calls;
};

/// A selected function that cannot be traced; see pbd_left_out.
struct DataLeftOut {
  uint64_t Address; // run-time address
  uint64_t Flags;   // PATCHBAY_RECORD_*
};

/// A module that cannot be traced; see pbd_other.
struct DataOther {
  uint32_t Why, Number;
  std::string Path;
};

/// A name that an option in PATCHBAY requested; see pbd_asked.
struct DataAsked {
  uint32_t By; // pbd_asked_by
  bool Matched;
  std::string Text;
};

/// See pbd_why.
struct DataWhy {
  uint64_t ThresholdNs = 0;
  uint32_t Have = 0, Refused = 0; // PBD_WHY_*; Refused: an errno
  uint64_t Calls = 0, Lost = 0;
};

/// See pbd_wait.
struct DataWait {
  uint64_t BeginNs, Ns;
  bool IsPreempted;
  std::vector<uint64_t> Kernel; // innermost first
  std::optional<uint64_t> User;
};

/// Why a call was slow: see pbd_slow.
struct DataSlow {
  uint64_t BeginNs, Ns, OffNs, PreemptedNs, NrWaits;
  bool IsWhole;
  uint32_t Maps;
  std::vector<DataWait> Waits;
  std::vector<uint64_t> Here;
  uint64_t CallerPc, CallerSp, CallerFp;
  uint64_t StackBegin;
  uint32_t StackErrno;
  llvm::StringRef Stack;
};

/// See pbd_place.
struct DataPlace {
  std::string BootId, Cgroup;
  uint64_t PidNamespace = 0;
  uint32_t PidOutside = 0;
  std::vector<uint32_t> Pids;
};

struct DataFile {
  std::shared_ptr<MappedFile> Mapped; // blocks and pieces point into Mapped
  llvm::StringRef Bytes;              // contents of the whole file
  uint64_t Committed = 0;             // size of the used part of Bytes
  uint32_t Machine = 0;
  uint32_t Pid = 0;
  uint64_t StartNs = 0;
  uint64_t Recording = 0; // 0: unknown
  uint32_t Errno = 0; // reason for missing data; 0: the file is complete
  std::vector<DataLeftOut> LeftOut;
  std::vector<DataOther> OtherModules;
  std::vector<DataAsked> Asked; // empty if `record` checked the names
  std::vector<uint64_t> Losses; // indexed by pbd_loss; empty: by an older writer
  uint64_t NoReturn = 0; // timed calls that had not returned at the end
  uint32_t Returns = 0;  // enum pbd_returns: is NoReturn valid?
  uint64_t NoContext = 0; // calls without a --trace-context
  // The errno with which the first forked child failed to create a file, and its user.
  uint32_t ChildErrno = 0, ChildUser = 0;
  /// For a forked child: the error in reading the parent's file, which describes some of
  /// the child's functions. Calls of these functions are missing. Empty: no error.
  std::string Unexplained;
  std::vector<std::string> Args;
  std::map<uint32_t, DataModule> Modules; // by id
  std::vector<DataCounter> Counters;      // each in one of Modules
  std::optional<DataSession> Session;     // unset without events
  std::shared_ptr<const FunctionTable> Table = std::make_shared<FunctionTable>();
  const std::unordered_map<uint64_t, DataFunction> &functions() const {
    return Table->Functions;
  }
  const FunctionSlots &slots() const { return Table->Slots; }
  std::map<uint32_t, DataThread> Threads; // by the process's thread number
  std::vector<DataBlock> Blocks;
  uint32_t PieceRecords = 4096; // records per piece: about 100 KB, which fit into a
                                // processor's cache
  std::vector<pbd_index_piece> Index; // sorted by offset
  /// A piece that belongs to no thread: it has no events, or IsPlain is false.
  struct OtherPiece {
    uint64_t Offset;
    uint32_t Records;
    bool IsPlain;
  };
  std::vector<OtherPiece> Others;
  /// Time, frame and function of a call.
  using Entry = std::tuple<uint64_t, uint32_t, uint32_t>;
  /// Entries of calls whose exits are in other threads: see CallStream.h.
  std::set<Entry> Moved;
  bool RoughEvents = false; // DataThread::Events may be slightly too high
  std::vector<DataHistogram> Histograms;
  std::vector<DataSample> Samples;
  /// By module and ELF address.
  std::map<std::pair<uint32_t, uint64_t>, DataArguments> Arguments;
  std::optional<DataWhy> Why;
  std::optional<DataPlace> Place;
  std::map<uint32_t, std::vector<MemoryMapping>> Maps; // by id
  uint64_t NrSlow = 0; // number of slow calls with further data
  std::vector<llvm::StringRef> Slow;                 // chunks of pbd_slow
  /// The data about a slow call; std::nullopt if the data was overwritten, or is
  /// incomplete.
  std::optional<DataSlow> slow(uint64_t Id) const;

  /// The module with the highest base at or below a run-time address, and the ELF address
  /// in the module. Returns nullptr and Address if all bases are higher.
  std::pair<const DataModule *, uint64_t> place(uint64_t Address) const;
  /// The arguments of the function with this number; nullptr if unknown.
  const DataArguments *argumentsOf(uint32_t Function) const;
  /// Releases the memory of bytes that have been read and will not be needed
  /// soon.
  void release(llvm::StringRef Bytes) const {
    if (Mapped)
      Mapped->release(Bytes);
  }
  /// The number of calls made, if only some were recorded.
  uint64_t sampledFrom() const;
  /// The number of recorded calls, including lost and overwritten calls. Needs a session
  /// and the number of events.
  uint64_t tracedCalls() const;
  /// The errno with which growing the file failed, if events were lost for that reason. 0
  /// if growing did not fail, or failed because space was short.
  uint32_t fileErrno() const;

private:
  mutable std::vector<std::pair<uint64_t, uint32_t>> Bases; // base address and id
                                                            // of each module,
                                                            // sorted
  mutable std::unordered_map<uint64_t, size_t> SlowById;    // index in Slow
};

/// Reads the file, and the parents' files in the same directory, into Out. Reads
/// only offsets and times of events. On an error Out has the data before the defect.
llvm::Error readDataFile(llvm::StringRef Path, DataFile &Out);

/// Reads an open file. Path is for messages, and for finding files that this file refers
/// to.
llvm::Error readDataFile(int File, llvm::StringRef Path, DataFile &Out);

/// Reads only the header, since reading millions of events takes seconds.
llvm::Error readDataHeader(llvm::StringRef Path, DataFile &Out);

/// Reads all data except events, and the number of events. The time does not depend on
/// the number of events.
llvm::Error readDataOutline(llvm::StringRef Path, DataFile &Out);

/// Reads data about the process, its threads, and missing data. Omits events,
/// functions and counts, which may not fit into memory.
llvm::Error readDataSummary(llvm::StringRef Path, DataFile &Out);

/// Reads a file's bytes, which must stay valid while Out is used. Path is for
/// messages.
llvm::Error parseDataFile(llvm::StringRef Path, llvm::StringRef Bytes,
                          DataFile &Out);

/// The message for the errno in a data file's header.
std::string incompleteText(uint32_t Errno);

/// Does the error mean that some functions were not traced?
bool lacksFunctions(uint32_t Errno);

/// Does the error mean that the file ran out of space?
bool isOutOfSpace(uint32_t Errno);

/// Adds an index (see pbd_index) to a large data file without an index, so that the file
/// opens quickly. Summary is the result of readDataSummary(). The recording process must
/// have ended. Ignores errors, since the file can be read without an index.
void addIndex(llvm::StringRef Path, const DataFile &Summary);

} // namespace patchbay
