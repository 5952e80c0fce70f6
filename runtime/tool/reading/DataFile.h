// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a data file, which may be truncated, corrupt, or still being written.
#ifndef PATCHBAY_TOOL_DATAFILE_H
#define PATCHBAY_TOOL_DATAFILE_H

#include "FunctionSlots.h"
#include "MappedFile.h"
#include "RecordedNames.h"
#include "TypedText.h"
#include "llvm/ADT/bit.h"
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
  const RecordedNames *Names = nullptr; // of functions that were traced; null: none
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
  uint64_t Lost = 0; // with those that blocks count
  uint64_t Overwritten = 0;
  uint64_t Depth = 0; // of calls that were recorded; 0: any
  uint64_t Sample = 0; // one in so many calls was recorded; 0: all
  uint64_t MaxMemory = 0, MaxSize = 0; // bytes; 0: any
  uint64_t Part = 0; // of the process's files; 0: it has this one only
  /// In picoseconds: see pbd_session. All are 0 if they were not measured.
  uint64_t CostInside = 0, CostOutside = 0, CostPages = 0, CostError = 0;
  uint64_t CpuNs = 0; // CPU time of the process while it was recorded
  DataMoment First, Last;
  std::string Tracer;
  std::string Host;
};

/// What is known of a function's arguments, and how many calls --when left out.
struct DataArguments {
  std::vector<TypedField> Fields;
  uint64_t LeftOut = 0;
};

/// What was recorded beside a call: PATCHBAY_RECORD_* say of what class, or, if Types
/// is there, that does.
struct DataValues {
  const DataArguments *Types = nullptr; // in the DataFile
  std::vector<TypedPart> Typed;
  std::vector<uint64_t> Args; // those in integer registers
  std::optional<uint64_t> Result;
  bool IsFloat = false; // the result, as it was in its register
  bool IsRecorded = false; // arguments and result are
  uint64_t Slow = 0;       // the id of what is known beside; 0: nothing
  /// The trace's id, in two halves, and that of the span that is the parent; see
  /// PBD_CONTEXT.
  std::optional<std::array<uint64_t, 3>> Context;
};

class ValueReader;

/// Events of a thread lie in such pieces, which are all that is in memory of them.
struct DataPiece {
  const char *Records;
  uint32_t Size = 0;   // records
  uint32_t Events = 0; // of these
  uint64_t Begin = UINT64_MAX; // no call of it began before, in ticks
  uint64_t End = 0;            // and none was written down later
  uint8_t Pass;                // of the block, as records have it
  bool IsPlain = true; // nothing else waits in it, or for it: see DataIndexPiece
  /// What lies before it and is of a call in it; mostly nothing.
  std::shared_ptr<const ValueReader> Before;
};

/// From a time of a thread's own clock on, how far the counter is ahead of it.
struct DataSleep {
  uint64_t Time, Ticks;
};

struct DataThread {
  uint32_t Tid = 0;
  uint64_t Lost = 0;
  std::string Name;
  uint64_t Events = 0;            // records of calls' entries and exits
  std::vector<DataPiece> Pieces;  // in the order in which they were recorded
  std::vector<DataSleep> Sleeps;  // by time
};

/// Blocks are written over, so they may be in any order in the file.
struct DataBlock {
  uint32_t Thread; // that began it
  uint64_t Seq, Pass;
  llvm::StringRef Records;
  std::optional<uint64_t> Events; // if the file's table of blocks says it
};

/// How long the calls of a function took, of one thread; see pbd_histogram.
struct DataHistogram {
  uint32_t Tid;
  std::string Thread; // its name
  uint64_t Function = 0; // of one in Functions, or of one not written down
  uint64_t Total = 0, Longest = 0; // in ticks
  std::vector<uint64_t> Buckets;
};

/// How many calls of a function there were, of one thread; see pbd_sample.
struct DataSample {
  uint64_t Function; // of one in Functions, or of one not written down
  uint64_t Calls;
};

/// A function that was to be traced, and cannot be.
struct DataLeftOut {
  uint64_t Address; // at run time
  uint64_t Flags;   // PATCHBAY_RECORD_*
};

/// A module of which nothing can be traced; see pbd_other.
struct DataOther {
  uint32_t Why, Number;
  std::string Path;
};

/// What PATCHBAY asked for; see pbd_asked.
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

/// See pbd_index_piece.
struct DataIndexPiece {
  uint64_t Offset, Begin, End;
  uint32_t Records, Events;
  bool isPlain() const;
};

struct DataFile {
  std::shared_ptr<MappedFile> Mapped; // what Blocks and pieces are in
  llvm::StringRef Bytes;              // all of the file
  uint64_t Committed = 0;             // how many of these are used
  llvm::endianness Order = llvm::endianness::little;
  uint32_t Machine = 0;
  uint32_t Pid = 0;
  uint64_t StartNs = 0;
  uint64_t Recording = 0; // 0: not known
  uint32_t Errno = 0; // why something was not recorded, 0 if all was
  std::vector<DataLeftOut> LeftOut;
  std::vector<DataOther> OtherModules;
  std::vector<DataAsked> Asked; // none if 'patchbay record' looked for it
  std::vector<uint64_t> Losses; // by pbd_loss; empty of older writers
  uint64_t NoReturn = 0; // timed calls that had none when recording ended
  uint32_t Returns = 0;  // enum pbd_returns: whether these are all
  uint64_t NoContext = 0; // calls without what --trace-context names
  // Why the first forked child could make no file, and as which user it tried to.
  uint32_t ChildErrno = 0, ChildUser = 0;
  /// Of a forked child: what is wrong with the file that says what some of its
  /// functions are; empty if nothing is. Their calls are not here then.
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
  uint32_t PieceRecords = 4096; // of a piece: some 100 KB, which stay in a cache
  std::vector<DataIndexPiece> Index; // by Offset; empty if there is none
  /// Pieces that are in no thread, because they have no events, or are not plain.
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
  bool RoughEvents = false; // threads may have a few events less than they say
  std::vector<DataHistogram> Histograms;
  std::vector<DataSample> Samples;
  /// By module and ELF address.
  std::map<std::pair<uint32_t, uint64_t>, DataArguments> Arguments;
  std::optional<DataWhy> Why;
  std::optional<DataPlace> Place;
  std::map<uint32_t, std::vector<DataMapping>> Maps; // by id
  uint64_t NrSlow = 0; // of which more is known
  std::vector<llvm::StringRef> Slow;                 // chunks of pbd_slow
  /// What is known of a slow call; std::nullopt: that is gone, or was not complete.
  std::optional<DataSlow> slow(uint64_t Id) const;

  /// The module that is at a run-time address, of those that there are the one
  /// that lies next below, and the ELF address there. Null, and the address, if
  /// there is none.
  std::pair<const DataModule *, uint64_t> place(uint64_t Address) const;
  /// What is known of the arguments of the function with a number; may be null.
  const DataArguments *argumentsOf(uint32_t Function) const;
  /// Bytes have been looked at, and will not be soon.
  void release(llvm::StringRef Bytes) const {
    if (Mapped)
      Mapped->release(Bytes);
  }
  /// How many calls there were of which some were recorded.
  uint64_t sampledFrom() const;
  /// Why the file could not be made longer, if that lost events and it was not for
  /// lack of space; else 0.
  uint32_t fileErrno() const;

private:
  mutable std::vector<std::pair<uint64_t, uint32_t>> Bases; // sorted, with ids
  mutable std::unordered_map<uint64_t, size_t> SlowById;    // in Slow
};

/// Reads the file into Out, and what it refers to in others of its directory; of
/// events where they are, and of what time. On an error Out holds what precedes it.
llvm::Error readDataFile(llvm::StringRef Path, DataFile &Out);

/// The same of a file that is open. Path is for messages, and for where the files are
/// that it refers to.
llvm::Error readDataFile(int File, llvm::StringRef Path, DataFile &Out);

/// Reads what a file says of its process; of one with millions of events the
/// rest takes seconds.
llvm::Error readDataHeader(llvm::StringRef Path, DataFile &Out);

/// The same, but of events only how many they are. It does not take longer where there
/// are more.
llvm::Error readDataOutline(llvm::StringRef Path, DataFile &Out);

/// Reads what a file says of its process and its threads, and of what it does not
/// have. Events, functions and counts may be more than there is memory.
llvm::Error readDataSummary(llvm::StringRef Path, DataFile &Out);

/// The same as the first, of a file's bytes, which stay where they are as long as Out
/// is used; Path is for messages.
llvm::Error parseDataFile(llvm::StringRef Path, llvm::StringRef Bytes,
                          DataFile &Out);

} // namespace patchbay

#endif
