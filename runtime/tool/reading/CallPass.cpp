// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads all events once. Most of the work is to find events in the file and to sort them.
// Workers on all processors do that work in advance, also for later threads. One thread
// then computes the nesting of calls.
#include "CallStream.h"
#include "ValueReader.h"
#include <deque>

using namespace llvm;
using namespace patchbay;

//===----------------------------------------------------------------------===//
// Calls that began and ended in different threads
//===----------------------------------------------------------------------===//

static DataFile::Entry entryOf(const DataRecord &R) {
  return {R.Time, R.Frame, R.Function};
}

static void forEachCall(const DataFile &File, const DataThread &Thread,
                        function_ref<void(const DataRecord &)> Do) {
  for (const DataPiece &P : Thread.Pieces) {
    const char *End = P.Records + P.Size * DataRecord::Size;
    for (const char *At = P.Records; At != End; At += DataRecord::Size) {
      DataRecord R = DataRecord::read(At, P.Pass);
      if (R.Kind != PBD_RECORD_NONE && R.isCall())
        Do(R);
    }
    File.release({P.Records, P.Size * DataRecord::Size});
  }
}

// Adds hashes of entries and subtracts hashes of exits. Returns 0 if each entry has an
// exit and each exit has an entry; otherwise 0 is very improbable.
static uint64_t sumOf(const DataFile &File, const DataThread &Thread) {
  uint64_t Sum = 0;
  forEachCall(File, Thread, [&](const DataRecord &R) {
    uint64_t Hash = (R.Time * 0x9e3779b97f4a7c15) ^
                    ((uint64_t(R.Frame) << 32 | R.Function) * 0xc2b2ae3d27d4eb4f);
    Hash = (Hash ^ Hash >> 29) * 0xbf58476d1ce4e5b9;
    Sum += R.Kind == PBD_RECORD_ENTRY ? Hash : -Hash;
  });
  return Sum;
}

namespace {
// Entries without an exit, and exits without an entry, of one thread.
struct Halves {
  std::map<DataFile::Entry, uint32_t> Entries, Exits;
};
} // namespace

static Halves halvesOf(const DataFile &File, const DataThread &Thread) {
  Halves Result;
  forEachCall(File, Thread, [&](const DataRecord &R) {
    if (R.Kind == PBD_RECORD_ENTRY) {
      ++Result.Entries[entryOf(R)];
      return;
    }
    auto At = Result.Entries.find(entryOf(R));
    if (At == Result.Entries.end())
      ++Result.Exits[entryOf(R)];
    else if (!--At->second)
      Result.Entries.erase(At);
  });
  return Result;
}

static void findMovedIn(DataFile &File, ArrayRef<const DataThread *> Threads) {
  std::vector<uint64_t> Sums(Threads.size());
  std::vector<const DataThread *> Odd;
  inOrder(
      Threads.size(), [&](size_t I) { Sums[I] = sumOf(File, *Threads[I]); },
      [&](size_t I) {
        if (Sums[I])
          Odd.push_back(Threads[I]);
      });
  if (Odd.size() < 2)
    return;
  std::vector<Halves> All(Odd.size());
  std::set<DataFile::Entry> Exits;
  inOrder(
      Odd.size(), [&](size_t I) { All[I] = halvesOf(File, *Odd[I]); },
      [&](size_t I) {
        for (const auto &[Exit, N] : All[I].Exits)
          Exits.insert(Exit);
      });
  for (const Halves &Of : All)
    for (const auto &[Entry, N] : Of.Entries)
      if (Exits.count(Entry))
        File.Moved.insert(Entry);
}

// Finds calls that began in one thread and ended in another, such as calls of fibers that
// move. The first thread has the entry; the other thread has the exit, which has all data
// of the call. Adds the entries to DataFile::Moved, so that they are not shown as separate
// calls. Reads all events of processes in which such calls are possible.
static void findMovedCalls(Trace &T) {
  std::map<uint32_t, std::vector<const DataThread *>> ByProcess;
  for (const TraceThread &Thread : T.Threads)
    if (Thread.Data->Events &&
        T.Processes[Thread.Process].Data.Session->Tracer == "function_graph")
      ByProcess[Thread.Process].push_back(Thread.Data);
  for (const auto &[Process, Threads] : ByProcess)
    if (Threads.size() > 1)
      findMovedIn(T.Processes[Process].Data, Threads);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// Passes only the selected calls to sinks. The open calls that a sink receives are also
/// selected calls, as if no other calls had been recorded.
class ChosenCalls : public CallSink {
public:
  explicit ChosenCalls(ArrayRef<CallSink *> Sinks) : Sinks(Sinks) {}
  void beginThread(const TraceThread &Thread) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &Thread) override;

private:
  ArrayRef<CallSink *> Sinks;
  std::vector<TraceCall> Chosen; // the open selected calls
  std::vector<size_t> Places;    // for each of Chosen: its index among all open calls
  std::vector<uint32_t> OpenOf;  // number of calls in Chosen, by function
};

class WindowQueue {
public:
  explicit WindowQueue(const Trace &T) : T(T), Done(events(T)) {}
  /// Returns nullptr after the last window of the thread. Thread must not decrease from
  /// one call to the next.
  const EventWindow *next(size_t Thread);

private:
  struct Entry {
    size_t Thread;
    EventWindows::Plan Plan;
    EventWindow Window;
    Workers::Job Job;
  };
  static uint64_t events(const Trace &T) {
    uint64_t Sum = 0;
    if (T.Chosen.byTime())
      return Sum;
    for (const TraceThread &Thread : T.Threads)
      Sum += Thread.Data->Events;
    return Sum;
  }
  void lookAhead();
  void skipTo(size_t Thread);

  const Trace &T;
  size_t Thread = 0; // index of the thread that Windows belongs to
  std::optional<EventWindows> Windows;
  std::deque<std::unique_ptr<Entry>> Asked;
  std::vector<std::unique_ptr<Entry>> Unused;
  std::unique_ptr<Entry> InUse;
  Progress Done;
  Workers All; // last member: is destroyed before the objects that jobs use
};

class QueuedWindows : public WindowSource {
public:
  QueuedWindows(WindowQueue &Queue, size_t Thread)
      : Queue(Queue), Thread(Thread) {}
  const EventWindow *next() override { return Queue.next(Thread); }

private:
  WindowQueue &Queue;
  size_t Thread;
};

} // namespace

void ChosenCalls::beginThread(const TraceThread &Thread) {
  for (CallSink *S : Sinks)
    S->beginThread(Thread);
}

void ChosenCalls::begin(ArrayRef<TraceCall> Open, const DataValues *Values) {
  const TraceCall &C = Open.back();
  if (!C.Chosen)
    return;
  if (OpenOf.size() <= C.Function)
    OpenOf.resize(C.Function + 1);
  Chosen.push_back(C);
  Chosen.back().Recursive = OpenOf[C.Function]++ != 0;
  Places.push_back(Open.size() - 1);
  for (CallSink *S : Sinks)
    S->begin(Chosen, Values);
}

void ChosenCalls::end(ArrayRef<TraceCall> Open, size_t Depth,
                      std::optional<uint64_t> Next) {
  size_t Left = Chosen.size();
  for (; Left && Places[Left - 1] >= Depth; --Left) {
    TraceCall &C = Chosen[Left - 1];
    bool Recursive = C.Recursive;
    C = Open[Places[Left - 1]];
    C.Recursive = Recursive;
    --OpenOf[C.Function];
  }
  if (Left == Chosen.size() && Next)
    return;
  for (CallSink *S : Sinks)
    S->end(Chosen, Left, Next);
  Chosen.resize(Left);
  Places.resize(Left);
}

void ChosenCalls::endThread(const TraceThread &Thread) {
  for (CallSink *S : Sinks)
    S->endThread(Thread);
}

void WindowQueue::lookAhead() {
  while (Asked.size() <= jobsAhead() && Thread != T.Threads.size()) {
    const TraceThread &Of = T.Threads[Thread];
    const DataFile &File = T.Processes[Of.Process].Data;
    if (!Windows)
      Windows.emplace(File, *Of.Data, firstTick(T, Of));
    std::unique_ptr<Entry> E;
    if (!Unused.empty()) {
      E = std::move(Unused.back());
      Unused.pop_back();
    } else {
      E = std::make_unique<Entry>();
    }
    if (!Windows->plan(E->Plan)) {
      Unused.push_back(std::move(E));
      Windows.reset();
      ++Thread;
      continue;
    }
    E->Thread = Thread;
    E->Job.Do = [&File, To = E.get()] {
      EventWindows::make(File, To->Plan, To->Window);
    };
    All.ask(E->Job);
    Asked.push_back(std::move(E));
  }
}

// Drops queued windows of threads before Of, which the caller did not read to the end.
void WindowQueue::skipTo(size_t Of) {
  for (; !Asked.empty() && Asked.front()->Thread < Of; Asked.pop_front()) {
    All.finish(Asked.front()->Job);
    Unused.push_back(std::move(Asked.front()));
  }
  if (Thread >= Of)
    return;
  Thread = Of;
  Windows.reset();
}

const EventWindow *WindowQueue::next(size_t Of) {
  if (InUse)
    Unused.push_back(std::move(InUse));
  skipTo(Of);
  lookAhead();
  if (Asked.empty() || Asked.front()->Thread != Of)
    return nullptr;
  InUse = std::move(Asked.front());
  Asked.pop_front();
  All.finish(InUse->Job);
  Done.add(InUse->Plan.Piece->Events);
  return &InUse->Window;
}

static void showStack(CallStream &Calls, ArrayRef<CallSink *> Sinks) {
  while (Calls.advance()) {
    if (Calls.depth() != Calls.open().size())
      for (CallSink *S : Sinks)
        S->end(Calls.open(), Calls.depth(), Calls.nextStart());
    Calls.begin();
    for (CallSink *S : Sinks)
      S->begin(Calls.open(), Calls.values());
  }
  for (CallSink *S : Sinks)
    S->end(Calls.open(), 0, std::nullopt);
}

void patchbay::readCalls(Trace &T, ArrayRef<CallSink *> Sinks, bool StacksApart) {
  findMovedCalls(T);
  ChosenCalls Chosen(Sinks);
  CallSink *Only = &Chosen;
  if (T.Chosen.isActive())
    Sinks = Only;
  WindowQueue Queue(T);
  for (size_t I = 0; I != T.Threads.size(); ++I) {
    const TraceThread &Thread = T.Threads[I];
    QueuedWindows Windows(Queue, I);
    for (CallSink *S : Sinks)
      S->beginThread(Thread);
    CallStream Calls(T, Thread, Windows, StacksApart);
    showStack(Calls, Sinks);
    std::vector<EventWindow> Aside = Calls.takeAside();
    T.Ended.Overlapping += !Aside.empty();
    while (!Aside.empty()) {
      KeptWindows Kept(std::move(Aside));
      CallStream Others(T, Thread, Kept, StacksApart);
      showStack(Others, Sinks);
      Aside = Others.takeAside();
    }
    for (CallSink *S : Sinks)
      S->endThread(Thread);
  }
}
