// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libFuzzer target: passes the bytes of a data file to the reader and to the
// output for users. For all inputs, the reader returns a thread's events in the
// same order as a full sort. The nesting of calls is consistent with their
// intervals.
#include "export/Export.h"
#include "showing/ReportTable.h"
#include "reading/ValueReader.h"

using namespace llvm;
using namespace patchbay;

static void check(bool Holds) {
  if (!Holds)
    abort();
}

// ===----------------------------------------------------------------------===//
// Reference for EventWindows: sorts all events in memory
// ===----------------------------------------------------------------------===//

using Key = std::tuple<uint64_t, int64_t, uint64_t>; // time, frame, number

struct Known {
  DataRecord Record;
  std::optional<DataValues> Values;
  bool Jumped = false;
};

static std::map<Key, Known> sortAll(const DataFile &File,
                                    const DataThread &Thread) {
  std::map<Key, Known> Sorted;
  std::map<std::tuple<uint64_t, uint32_t, uint32_t>, unsigned> Exits;
  ValueReader Values;
  uint64_t Number = 0;
  const char *Behind = nullptr; // the end of the last piece
  for (const DataPiece &Piece : Thread.Pieces) {
    // If other bytes precede this piece, continue with the values that the reader had
    // stored for the piece.
    if (Piece.Records != Behind)
      Values = Piece.Before ? *Piece.Before : ValueReader();
    Behind = Piece.Records + Piece.Size * DataRecord::Size;
    for (uint32_t I = 0; I != Piece.Size; ++I) {
      Known K = {DataRecord::read(Piece.Records + I * DataRecord::Size, Piece.Pass),
                 std::nullopt};
      const DataRecord &R = K.Record;
      if (R.Kind == PBD_RECORD_NONE || R.Function == PBD_ASLEEP ||
          R.Function == PBD_THREAD || R.Function == PBD_THREAD_NAME)
        continue;
      if (!R.isCall()) {
        Values.add(R);
        continue;
      }
      if (!File.functions().count(R.Function))
        continue;
      K.Values = Values.takeValues(R);
      K.Jumped = Values.takeJump(R) && R.Kind == PBD_RECORD_UNWOUND;
      if (R.Kind != PBD_RECORD_ENTRY)
        ++Exits[{R.Time, R.Function, R.Frame}];
      Sorted[{R.Time, -int64_t(R.Frame), Number++}] = std::move(K);
    }
  }
  for (auto At = Sorted.begin(); At != Sorted.end();) {
    const DataRecord &R = At->second.Record;
    auto Exit = Exits.find({R.Time, R.Function, R.Frame});
    bool IsDropped = R.Kind == PBD_RECORD_ENTRY && Exit != Exits.end() &&
                     Exit->second && Exit->second--;
    At = IsDropped ? Sorted.erase(At) : std::next(At);
  }
  return Sorted;
}

static void checkWindows(const DataFile &File, const DataThread &Thread) {
  std::map<Key, Known> Sorted = sortAll(File, Thread);
  auto At = Sorted.begin();
  EventWindows Windows(File, Thread);
  EventWindows::Plan Plan;
  EventWindow Window;
  while (Windows.plan(Plan)) {
    EventWindows::make(File, Plan, Window);
    for (const DataEvent &E : Window.Events) {
      check(At != Sorted.end());
      const auto &[Record, Values, Jumped] = (At++)->second;
      check(E.Time == Record.Time && E.Frame == Record.Frame &&
            E.Detail == Record.Detail &&
            E.Kind == (Jumped ? DataEvent::Jumped : Record.Kind));
      check(&File.slots()[E.Function] == &File.functions().at(Record.Function));
      check(bool(E.Values) == Values.has_value());
      if (Values)
        check(Window.Values[E.Values - 1].Args == Values->Args &&
              Window.Values[E.Values - 1].Result == Values->Result);
    }
  }
  check(At == Sorted.end());
}

// ===----------------------------------------------------------------------===//
// Nesting of calls
// ===----------------------------------------------------------------------===//

namespace {
class Nesting : public CallSink {
public:
  void beginThread(const TraceThread &) override {
    Last = 0;
    Names.clear();
  }
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override {
    check(Open.back().Depth + 1 == Open.size());
    check(Last <= Open.back().Start);
    Last = Open.back().Start;
    check(Names.size() + 1 == Open.size());
    check(Open.back().Recursive ==
          is_contained(Names, Open.back().Function));
    Names.push_back(Open.back().Function);
  }
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override {
    check(Names.size() == Open.size() && Depth <= Open.size());
    check(!Next || Last <= *Next);
    for (const TraceCall &C : Open.drop_front(Depth))
      check(!C.Open || (!Next && C.Kind == TraceCall::Unfinished));
    Names.resize(Depth);
  }

private:
  uint64_t Last = 0;
  std::vector<uint32_t> Names; // functions of the open calls
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Bytes, size_t Size) {
  DataFile Data;
  Data.PieceRecords = 3; // so that small inputs contain many segments
  consumeError(parseDataFile(
      "fuzzed", StringRef(reinterpret_cast<const char *>(Bytes), Size), Data));
  // Do not read other files of this machine.
  for (auto &[Id, Module] : Data.Modules)
    Module.Path.clear(), Module.BuildId.clear();
  for (auto &[Id, Maps] : Data.Maps)
    for (MemoryMapping &M : Maps)
      M.Path.clear();
  if (Data.Place) // as from another machine: read no kernel symbols
    Data.Place->BootId.clear();
  Trace T = makeTrace("fuzzed", std::move(Data));
  // With a wrong index, the reader misses some events.
  if (T.Processes.front().Data.Index.empty())
    for (const TraceThread &Thread : T.Threads)
      checkWindows(T.Processes[Thread.Process].Data, *Thread.Data);
  raw_null_ostream Nowhere;
  Nesting Check;
  FunctionTotals Totals(T);
  readCalls(T, {&Check, &Totals});
  std::vector<FunctionDurations> Functions = Totals.finish();
  std::vector<size_t> Order = sortFunctions(T, Functions, Field::Self);
  printReport(T, Functions, Order, defaultFields(T), 80, Nowhere);
  exportText(T, Nowhere);
  exportCsv(T, Nowhere);
  exportChrome(T, Nowhere);
  exportFolded(T, Nowhere);
  exportPerfetto(T, Nowhere);
  return 0;
}
