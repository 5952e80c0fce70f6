// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataReader.h"
#include "Parallel.h"
#include "ValueReader.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace patchbay;

// Number of bytes that can be read within a few milliseconds.
static constexpr uint64_t FewBytes = 4 << 20;

namespace {

/// The records of one thread in a block.
struct Part {
  uint32_t Thread;
  const char *Begin, *End;
  std::optional<uint32_t> Tid;  // thread ID, if another thread began the block
  std::optional<std::string> Name;
  std::vector<DataPiece> Pieces; // DataPiece::Before has only values of this part
  std::vector<DataFile::OtherPiece> Others;
  std::vector<DataSleep> Sleeps;
  ValueReader Values; // values at the end of the part that wait for their call
};

/// Reads blocks concurrently. If a block ends with values whose call is in the thread's
/// next block, addBlocks() reads the part of the next block again, with these values.
class Scanner {
public:
  Scanner(const DataFile &Data) : Data(Data) {}
  std::vector<Part> parts(const DataBlock &B) const;
  /// Reads pieces of the part from the file's index. Reads the records of pieces that the
  /// index lacks.
  void scan(Part &P, const DataBlock &B) const;

private:
  DataPiece look(Part &P, const char *At, size_t Least, size_t Most,
                 uint8_t Pass) const;
  const DataFile &Data;
};

} // namespace

static std::string threadName(const DataRecord &R) {
  char Bytes[sizeof(pbd_block::comm)];
  support::endian::write64le(Bytes, R.Time);
  support::endian::write64le(Bytes + 8, R.Detail);
  StringRef Name(Bytes, sizeof(Bytes));
  return Name.take_front(Name.find('\0')).str();
}

static const char *endOf(const DataBlock &B) {
  return B.Records.data() +
         B.Records.size() / DataRecord::Size * DataRecord::Size;
}

std::vector<Part> Scanner::parts(const DataBlock &B) const {
  std::vector<Part> Parts(1);
  Parts.back().Thread = B.Thread;
  Parts.back().Begin = B.Records.data();
  uint8_t Pass = DataRecord::passBits(B.Pass);
  if (Data.Session && Data.Session->Flags & PBD_SESSION_OVERWRITE)
    for (const char *At = B.Records.data(); At != endOf(B);
         At += DataRecord::Size) {
      DataRecord R = DataRecord::read(At, Pass);
      if (R.Kind == PBD_RECORD_NONE)
        continue;
      if (R.Function == PBD_THREAD) {
        Parts.back().End = At;
        Parts.emplace_back();
        Parts.back().Thread = R.Time;
        Parts.back().Begin = At;
        Parts.back().Tid = R.Detail;
      } else if (R.Function == PBD_THREAD_NAME && !Parts.back().Name) {
        Parts.back().Name = threadName(R);
      }
    }
  Parts.back().End = endOf(B);
  return Parts;
}

// Reads the next records of the part, beginning at At. A piece does not end
// while values wait for their call, if the call follows soon: see
// pbd_index_piece.
DataPiece Scanner::look(Part &P, const char *At, size_t Least, size_t Most,
                        uint8_t Pass) const {
  DataPiece Piece;
  Piece.Records = At;
  Piece.Pass = Pass;
  if (!P.Values.empty())
    Piece.Before = std::make_shared<ValueReader>(P.Values);
  size_t Sleeps = P.Sleeps.size();
  for (; Piece.Size != Most && (Piece.Size < Least || !P.Values.empty());
       At += DataRecord::Size) {
    DataRecord R = DataRecord::read(At, Pass);
    ++Piece.Size;
    if (R.Kind == PBD_RECORD_NONE)
      continue;
    if (LLVM_LIKELY(R.isCall())) {
      ++Piece.Events;
      Piece.Begin = std::min(Piece.Begin, R.Time);
      Piece.End = std::max(Piece.End, R.written());
      if (LLVM_UNLIKELY(!P.Values.empty()) &&
          Data.slots().find(R.Function) != FunctionSlots::None) {
        P.Values.takeValues(R);
        P.Values.takeJump(R);
      }
    } else if (R.Function == PBD_ASLEEP) {
      P.Sleeps.push_back({R.Time, R.Detail});
    } else if (R.Function != PBD_THREAD && R.Function != PBD_THREAD_NAME) {
      P.Values.add(R);
    }
  }
  Piece.IsPlain =
      !Piece.Before && P.Values.empty() && P.Sleeps.size() == Sleeps;
  return Piece;
}

static bool isPlain(const pbd_index_piece &P) { return P.events != PBD_INDEX_LOOK; }

// The index is not checked against the events: both are in the same file. With a wrong
// index, events are missing.
static DataPiece indexed(const pbd_index_piece &From, const char *At, uint8_t Pass) {
  DataPiece Piece;
  Piece.Records = At;
  Piece.Size = From.records;
  Piece.Events = From.events;
  Piece.Begin = From.begin;
  Piece.End = From.end;
  Piece.Pass = Pass;
  return Piece;
}

void Scanner::scan(Part &P, const DataBlock &B) const {
  P.Pieces.clear();
  P.Others.clear();
  P.Sleeps.clear();
  uint8_t Pass = DataRecord::passBits(B.Pass);
  uint64_t Offset = P.Begin - Data.Bytes.data();
  auto Known = partition_point(Data.Index, [&](const pbd_index_piece &Of) {
    return Of.offset < Offset;
  });
  bool Looked = false;
  for (const char *At = P.Begin; At != P.End;) {
    size_t Left = (P.End - At) / DataRecord::Size;
    Offset = At - Data.Bytes.data();
    bool IsKnown = Known != Data.Index.end() && Known->offset == Offset &&
                   Known->records && Known->records <= Left &&
                   (!isPlain(*Known) || Known->events <= Known->records);
    DataPiece Piece;
    if (IsKnown && isPlain(*Known) && P.Values.empty()) {
      Piece = indexed(*Known, At, Pass);
    } else {
      Looked = true;
      Piece = IsKnown ? look(P, At, Known->records, Known->records, Pass)
                      : look(P, At, std::min<size_t>(Left, Data.PieceRecords),
                             std::min<size_t>(Left, 2 * Data.PieceRecords), Pass);
    }
    Known += IsKnown;
    At += Piece.Size * DataRecord::Size;
    if (!Piece.Events || !Piece.IsPlain)
      P.Others.push_back({uint64_t(Piece.Records - Data.Bytes.data()), Piece.Size,
                          Piece.IsPlain});
    if (Piece.Events)
      P.Pieces.push_back(std::move(Piece));
  }
  if (Looked)
    Data.release(B.Records);
}

static void addPart(Part &P, DataFile &Out) {
  append_range(Out.Others, P.Others);
  DataThread &T = Out.Threads[P.Thread];
  if (P.Tid)
    T.Tid = *P.Tid;
  // A block that the thread began later has a newer name.
  if (P.Name && T.Name.empty())
    T.Name = *P.Name;
  for (const DataPiece &Piece : P.Pieces)
    T.Events += Piece.Events;
  llvm::move(P.Pieces, std::back_inserter(T.Pieces));
  append_range(T.Sleeps, P.Sleeps);
}

void patchbay::addBlocks(DataFile &Out, bool OnlyThreads) {
  llvm::sort(Out.Blocks, [](const DataBlock &A, const DataBlock &B) {
    return std::make_tuple(A.Thread, A.Seq, A.Records.data()) <
           std::make_tuple(B.Thread, B.Seq, B.Records.data());
  });
  Scanner S(Out);
  std::map<uint32_t, ValueReader> Waiting; // values that wait for their call
  std::vector<std::vector<Part>> Found(Out.Blocks.size());
  auto Look = [&](size_t I) {
    Found[I] = S.parts(Out.Blocks[I]);
    if (OnlyThreads)
      return Out.release(Out.Blocks[I].Records);
    for (Part &P : Found[I])
      S.scan(P, Out.Blocks[I]);
  };
  uint64_t All = 0;
  for (const DataBlock &B : Out.Blocks)
    All += B.Records.size() / DataRecord::Size;
  Progress Done(All);
  auto Add = [&](size_t I) {
    Done.add(Out.Blocks[I].Records.size() / DataRecord::Size);
    for (Part &P : Found[I]) {
      auto Before = Waiting.find(P.Thread);
      if (Before != Waiting.end()) {
        P.Values = std::move(Before->second);
        Waiting.erase(Before);
        S.scan(P, Out.Blocks[I]);
      }
      if (!P.Values.empty())
        Waiting[P.Thread] = std::move(P.Values);
      addPart(P, Out);
    }
    Found[I].clear();
  };
  inOrder(Found.size(), Look, Add);
  for (auto &[Id, T] : Out.Threads)
    llvm::sort(T.Sleeps, [](const DataSleep &A, const DataSleep &B) {
      return std::tie(A.Time, A.Ticks) < std::tie(B.Time, B.Ticks);
    });
}

// Counts used records. Records of a block are written in order, so all used records come
// first, except for gaps that interrupted handlers left.
static size_t countUsed(const DataBlock &B) {
  uint8_t Pass = DataRecord::passBits(B.Pass);
  size_t Used = 0, End = B.Records.size() / DataRecord::Size;
  auto IsUsed = [&](size_t I) {
    const char *At = B.Records.data() + I * DataRecord::Size;
    return DataRecord::read(At, Pass).Kind != PBD_RECORD_NONE;
  };
  // Usually all records are used except the last, which is never used.
  if (End > 1 && IsUsed(End - 2))
    return End - 1;
  while (Used != End) {
    size_t Middle = Used + (End - Used) / 2;
    if (!IsUsed(Middle))
      End = Middle;
    else
      Used = Middle + 1;
  }
  return Used;
}

void patchbay::countEvents(DataFile &Out) {
  if (all_of(Out.Blocks, [](const DataBlock &B) { return B.Events; })) {
    for (const DataBlock &B : Out.Blocks) {
      uint64_t &Events = Out.Threads[B.Thread].Events;
      Events = SaturatingAdd(Events, *B.Events);
    }
    return;
  }
  uint64_t Size = 0; // number of bytes to read
  if (Out.Index.empty())
    for (const DataBlock &B : Out.Blocks)
      Size += B.Records.size();
  for (const pbd_index_piece &P : Out.Index)
    if (!isPlain(P))
      Size += P.records * DataRecord::Size;
  if (Size <= FewBytes)
    return addBlocks(Out, /*OnlyThreads=*/false);
  if (Out.Session && Out.Session->Flags & PBD_SESSION_OVERWRITE)
    addBlocks(Out, /*OnlyThreads=*/true);
  Out.RoughEvents = true;
  for (const DataBlock &B : Out.Blocks) {
    Out.Threads[B.Thread].Events += countUsed(B);
    Out.release(B.Records);
  }
}
