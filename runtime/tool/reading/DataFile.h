// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a data file. It may be truncated, corrupt, or still being written.
#pragma once

#include "FunctionSlots.h"
#include "RecordedNames.h"
#include "TypedText.h"
#include "support/MappedFile.h"
#include "trace/format/format.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace patchbay {

struct DataModule {
  uint64_t Base = 0;
  std::string BuildId; // bytes; empty if the module has none
  std::string Path;
  const RecordedNames *Names = nullptr; // names of traced functions; null: none
};

struct DataCounter {
  uint32_t Module;
  uint64_t Entry;
  uint64_t Calls;
};

/// The same moment on three clocks.
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
  uint64_t Lost = 0; // including those in blocks
  uint64_t Overwritten = 0;
  uint64_t Depth = 0; // levels of recorded calls; 0: any
  uint64_t Sample = 0; // one in this many calls was chosen; 0: all
  uint64_t MaxMemory = 0, MaxSize = 0; // bytes; 0: any
  uint64_t Part = 0; // number among the process's files; 0: the only one
  /// In picoseconds: see pbd_session. All are 0 if not measured.
  uint64_t CostInside = 0, CostOutside = 0, CostPages = 0, CostError = 0;
  uint64_t CpuNs = 0; // CPU time of the process during the recording
  DataMoment First, Last;
  std::string Tracer;
  std::string Host;
};

/// A function's arguments, as far as known, and the number of calls that --when left out.
struct DataArguments {
  std::vector<TypedField> Fields;
  uint64_t LeftOut = 0;
};

/// Values of a call. Types, or else PATCHBAY_RECORD_*, tells how to show them.
struct DataValues {
  const DataArguments *Types = nullptr; // in the DataFile
  std::vector<TypedPart> Typed;
  std::vector<uint64_t> Args; // in integer registers
  std::optional<uint64_t> Result;
  bool IsFloat = false; // the result is unconverted
  bool IsRecorded = false; // arguments and result were recorded
  uint64_t Slow = 0;       // id of further data; 0: none
  uint64_t SlowCost = 0;   // in ns, of recording these; in callers' durations
  /// The trace's id, in two halves, and the id of the parent span; see
  /// PBD_CONTEXT.
  std::optional<std::array<uint64_t, 3>> Context;
};

class ValueReader;

/// A piece of a thread's events. Memory holds only these descriptions.
struct DataPiece {
  const char *Records;
  uint32_t Size = 0;   // number of records
  uint32_t Events = 0; // number of events among them
  uint64_t Begin = UINT64_MAX; // no call of it began earlier, in ticks
  uint64_t End = 0;            // and no record was written later
  uint8_t Pass;                // of the block, as in records
  bool IsPlain = true; // no value waits across its ends: see pbd_index_piece
  /// Values before the piece for a call in it; usually none.
  std::shared_ptr<const ValueReader> Before;
};

/// From a time of a thread's own clock on: how far the counter is ahead of it.
struct DataSleep {
  uint64_t Time, Ticks;
};

struct DataThread {
  uint32_t Tid = 0;
  uint64_t Lost = 0;
  std::string Name;
  uint64_t Events = 0;            // records of calls' entries and exits
  std::vector<DataPiece> Pieces;  // in the order of recording
  std::vector<DataSleep> Sleeps;  // by time
};

/// Blocks are used again, so they may be in any order in the file.
struct DataBlock {
  uint32_t Thread; // the one that began it
  uint64_t Seq, Pass;
  llvm::StringRef Records;
  std::optional<uint64_t> Events; // if the file's table of blocks has it
};

/// Durations of a function's calls in one thread; see pbd_histogram.
struct DataHistogram {
  uint32_t Tid;
  std::string Thread; // its name
  uint64_t Function = 0; // a number in Functions, or an unknown one
  uint64_t Total = 0, Longest = 0; // in ticks
  std::vector<uint64_t> Buckets;
};

/// The number of calls of a function in one thread; see pbd_sample.
struct DataSample {
  uint64_t Function; // a number in Functions, or an unknown one
  uint64_t Calls;
};

/// A function that was selected, and cannot be traced.
struct DataLeftOut {
  uint64_t Address; // at run time
  uint64_t Flags;   // PATCHBAY_RECORD_*
};

/// A module that cannot be traced; see pbd_other.
struct DataOther {
  uint32_t Why, Number;
  std::string Path;
};

/// A name that PATCHBAY asked for; see pbd_asked.
struct DataAsked {
  uint32_t By; // pbd_asked_by
  bool Matched;
  std::string Text;
};

/// See pbd_why.
struct DataWhy {
  uint64_t ThresholdNs = 0;
  uint32_t Have = 0, Refused = 0; // PBD_WHY_*, an errno
  uint64_t Calls = 0, Lost = 0;
};

/// A line of /proc/PID/maps.
struct DataMapping {
  uint64_t Begin, End, Offset, Inode;
  std::string Path;
};

/// See pbd_wait.
struct DataWait {
  uint64_t BeginNs, Ns;
  bool IsPreempted;
  std::vector<uint64_t> Kernel; // innermost first
  std::optional<uint64_t> User;
};

/// See pbd_slow.
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
  std::shared_ptr<MappedFile> Mapped; // the memory of Blocks and pieces
  llvm::StringRef Bytes;              // the whole file
  uint64_t Committed = 0;             // the used part of these
  uint32_t Machine = 0;
  uint32_t Pid = 0;
  uint64_t StartNs = 0;
  uint64_t Recording = 0; // 0: unknown
  uint32_t Errno = 0; // why data is missing; 0 if complete
  std::vector<DataLeftOut> LeftOut;
  std::vector<DataOther> OtherModules;
  std::vector<DataAsked> Asked; // empty if 'patchbay record' checked it
  std::vector<uint64_t> Losses; // by pbd_loss; empty in files of older writers
  uint64_t NoReturn = 0; // timed calls without a return at the end
  uint32_t Returns = 0;  // enum pbd_returns: is NoReturn valid?
  uint64_t NoContext = 0; // calls without the trace context that
                          // --trace-context names
  // Why the first forked child could not make a file, and its user.
  uint32_t ChildErrno = 0, ChildUser = 0;
  /// For a forked child: the defect of the file that describes some of its
  /// functions. Their calls are missing. Empty if there is none.
  std::string Unexplained;
  std::vector<std::string> Args;
  std::map<uint32_t, DataModule> Modules; // by id
  std::vector<DataCounter> Counters;      // each of a module in Modules
  std::optional<DataSession> Session;     // if events were recorded
  std::shared_ptr<const FunctionTable> Table = std::make_shared<FunctionTable>();
  const std::unordered_map<uint64_t, DataFunction> &functions() const {
    return Table->Functions;
  }
  const FunctionSlots &slots() const { return Table->Slots; }
  std::map<uint32_t, DataThread> Threads; // by the process's own count
  std::vector<DataBlock> Blocks;
  uint32_t PieceRecords = 4096; // per piece: about 100 KB, which fit into a
                                // cache
  std::vector<pbd_index_piece> Index; // by offset; empty without an index
  /// Pieces that have no events, or are not plain (!IsPlain). They belong to no thread.
  struct OtherPiece {
    uint64_t Offset;
    uint32_t Records;
    bool IsPlain;
  };
  std::vector<OtherPiece> Others;
  /// Time, frame and function of a call.
  using Entry = std::tuple<uint64_t, uint32_t, uint32_t>;
  /// Entries of calls whose exits are in other threads: see MovedCalls.h.
  std::set<Entry> Moved;
  bool RoughEvents = false; // numbers of events may be slightly too large
  std::vector<DataHistogram> Histograms;
  std::vector<DataSample> Samples;
  /// By module and ELF address.
  std::map<std::pair<uint32_t, uint64_t>, DataArguments> Arguments;
  std::optional<DataWhy> Why;
  std::optional<DataPlace> Place;
  std::map<uint32_t, std::vector<DataMapping>> Maps; // by id
  uint64_t NrSlow = 0; // slow calls with further data
  std::vector<llvm::StringRef> Slow;                 // chunks of pbd_slow
  /// The data about a slow call; std::nullopt: overwritten, or incomplete.
  std::optional<DataSlow> slow(uint64_t Id) const;

  /// The nearest module that begins at or below a run-time address, and the ELF address
  /// in it. Null and Address if there is none.
  std::pair<const DataModule *, uint64_t> place(uint64_t Address) const;
  /// The arguments of the function with this number; null if unknown.
  const DataArguments *argumentsOf(uint32_t Function) const;
  /// Bytes have been read, and will not be needed soon.
  void release(llvm::StringRef Bytes) const {
    if (Mapped)
      Mapped->release(Bytes);
  }
  /// The number of calls, where only some were recorded.
  uint64_t sampledFrom() const;
  /// The calls that were recorded, including those lost or overwritten. Needs a session, and
  /// the number of events.
  uint64_t tracedCalls() const;
  /// Why the file could not grow, if that lost events. 0 if it did not, or if
  /// space was short.
  uint32_t fileErrno() const;

private:
  mutable std::vector<std::pair<uint64_t, uint32_t>> Bases; // sorted, with ids
  mutable std::unordered_map<uint64_t, size_t> SlowById;    // in Slow
};

/// Reads the file into Out, and the data that it refers to in other files of
/// its directory. For events it finds their places and times. On an error Out
/// holds the data before it.
llvm::Error readDataFile(llvm::StringRef Path, DataFile &Out);

/// The same for an open file. Path is for messages, and for finding the files
/// that it refers to.
llvm::Error readDataFile(int File, llvm::StringRef Path, DataFile &Out);

/// Reads data about the process only. With millions of events the rest takes seconds.
llvm::Error readDataHeader(llvm::StringRef Path, DataFile &Out);

/// The same with the number of events. Its time does not grow with their number.
llvm::Error readDataOutline(llvm::StringRef Path, DataFile &Out);

/// Reads data about the process, its threads, and missing data. Events,
/// functions and counts may need more memory than available.
llvm::Error readDataSummary(llvm::StringRef Path, DataFile &Out);

/// The same as the first, for a file's bytes, which must stay valid while Out
/// is used. Path is for messages.
llvm::Error parseDataFile(llvm::StringRef Path, llvm::StringRef Bytes,
                          DataFile &Out);

} // namespace patchbay
