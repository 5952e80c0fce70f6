// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EventWindows.h"
#include "Parallel.h"
#include "ValueReader.h"
#include <numeric>

using namespace llvm;
using namespace patchbay;

/// The events of a later piece that belong to windows of earlier pieces, sorted
/// by time.
struct EventWindows::Early {
  EventWindow Window;
  size_t Next = 0;
};

static StringRef bytesOf(const DataPiece &Piece) {
  return StringRef(Piece.Records, Piece.Size * DataRecord::Size);
}

// Adds the piece's events that began after After, and at Until or before. Checks the
// times, since a running process may have replaced events after plan().
static void read(const DataFile &File, const DataPiece &Piece,
                 std::optional<uint64_t> After, uint64_t Until,
                 std::vector<DataEvent> &Events,
                 std::vector<DataValues> &ValuesOf) {
  ValueReader Values;
  if (Piece.Before)
    Values = *Piece.Before;
  StringRef Bytes = bytesOf(Piece);
  for (const char *At = Bytes.begin(); At != Bytes.end();
       At += DataRecord::Size) {
    DataRecord R = DataRecord::read(At, Piece.Pass);
    if (R.Kind == PBD_RECORD_NONE)
      continue;
    if (LLVM_UNLIKELY(!R.isCall())) {
      if (R.Function != PBD_ASLEEP && R.Function != PBD_THREAD &&
          R.Function != PBD_THREAD_NAME)
        Values.add(R);
      continue;
    }
    bool IsOther = (After && R.Time <= *After) || R.Time > Until;
    if (IsOther && Values.empty())
      continue;
    if (R.Kind == PBD_RECORD_ENTRY && LLVM_UNLIKELY(!File.Moved.empty()) &&
        File.Moved.count({R.Time, R.Frame, R.Function}))
      continue;
    uint32_t Slot = File.slots().find(R.Function);
    if (Slot == FunctionSlots::None)
      continue;
    DataEvent E = {R.Time, R.Detail, Slot, R.Frame, 0, R.Kind};
    std::optional<DataValues> Found;
    if (LLVM_UNLIKELY(!Values.empty())) {
      Found = Values.takeValues(R);
      if (Values.takeJump(R) && R.Kind == PBD_RECORD_UNWOUND)
        E.Kind = DataEvent::Jumped;
    }
    if (IsOther)
      continue;
    if (Found) {
      if (!Found->Typed.empty())
        Found->Types = File.argumentsOf(R.Function);
      ValuesOf.push_back(std::move(*Found));
      E.Values = ValuesOf.size();
    }
    Events.push_back(E);
  }
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static bool comesFirst(const DataEvent &A, const DataEvent &B) {
  return A.Time != B.Time ? A.Time < B.Time : A.Frame > B.Frame;
}

// Keeps the order of equal events.
static void sortSlowly(MutableArrayRef<DataEvent> Events) {
  std::vector<uint32_t> Order(Events.size());
  std::iota(Order.begin(), Order.end(), 0);
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    return comesFirst(Events[A], Events[B]) ||
           (A < B && !comesFirst(Events[B], Events[A]));
  });
  std::vector<DataEvent> Sorted;
  Sorted.reserve(Events.size());
  for (uint32_t I : Order)
    Sorted.push_back(Events[I]);
  llvm::copy(Sorted, Events.begin());
}

// The times of a window have the same high bits. A radix sort sorts numbers that consist
// of the low bits and the event's index.
static constexpr unsigned NumberBits = 20, DigitBits = 11;

// Sorts by time only. Keeps the order of events with equal times.
static std::vector<uint64_t> sortedByTime(ArrayRef<DataEvent> Events,
                                          uint64_t First, uint64_t Last) {
  std::vector<uint64_t> Keys(Events.size()), Other(Events.size());
  for (size_t I = 0; I != Events.size(); ++I)
    Keys[I] = (Events[I].Time - First) << NumberBits | I;
  unsigned Bits = Last == First ? 0 : Log2_64(Last - First) + 1;
  for (unsigned Shift = NumberBits; Shift < NumberBits + Bits;
       Shift += DigitBits) {
    constexpr uint64_t Mask = (1u << DigitBits) - 1;
    uint32_t Start[1 << DigitBits] = {};
    for (uint64_t K : Keys)
      ++Start[K >> Shift & Mask];
    uint32_t Sum = 0;
    for (uint32_t &N : Start)
      Sum += std::exchange(N, Sum);
    for (uint64_t K : Keys)
      Other[Start[K >> Shift & Mask]++] = K;
    Keys.swap(Other);
  }
  return Keys;
}

static void sortEvents(std::vector<DataEvent> &Events) {
  if (llvm::is_sorted(Events, comesFirst))
    return;
  uint64_t First = UINT64_MAX, Last = 0;
  for (const DataEvent &E : Events) {
    First = std::min(First, E.Time);
    Last = std::max(Last, E.Time);
  }
  if (Events.size() >> NumberBits || (Last - First) >> (64 - NumberBits))
    return sortSlowly(Events);
  std::vector<DataEvent> Sorted;
  Sorted.reserve(Events.size());
  for (uint64_t K : sortedByTime(Events, First, Last))
    Sorted.push_back(Events[K & ((1u << NumberBits) - 1)]);
  // Only few events have the same time.
  for (size_t From = 0, To; From != Sorted.size(); From = To) {
    for (To = From + 1;
         To != Sorted.size() && Sorted[To].Time == Sorted[From].Time;)
      ++To;
    if (To - From > 1)
      sortSlowly(MutableArrayRef(Sorted).slice(From, To - From));
  }
  Events.swap(Sorted);
}

// If a call has records of its entry and its exit, removes the entry. Both records have
// the same time and frame, so they are close together.
static void dropEntriesOfCalls(std::vector<DataEvent> &Events) {
  auto IsEntry = [](const DataEvent &E) { return !E.isCall(); };
  size_t Entries = llvm::count_if(Events, IsEntry);
  if (!Entries || Entries == Events.size())
    return;
  std::vector<DataEvent> Kept;
  Kept.reserve(Events.size() - Entries);
  std::map<uint32_t, uint32_t> Exits; // number of exits by function
  for (auto From = Events.begin(); From != Events.end();) {
    auto To = std::next(From);
    while (To != Events.end() && To->Time == From->Time &&
           To->Frame == From->Frame)
      ++To;
    if (To - From == 2 && From->Function == From[1].Function &&
        From->isCall() != From[1].isCall()) {
      Kept.push_back(From->isCall() ? *From : From[1]);
      From = To;
      continue;
    }
    Exits.clear();
    for (auto E = From; To - From > 1 && E != To; ++E)
      if (E->isCall())
        ++Exits[E->Function];
    for (; From != To; ++From) {
      auto Exit = Exits.end();
      if (!From->isCall())
        Exit = Exits.find(From->Function);
      if (Exit == Exits.end() || !Exit->second)
        Kept.push_back(*From);
      else
        --Exit->second;
    }
  }
  Events.swap(Kept);
}

//===----------------------------------------------------------------------===//
// EventWindows
//===----------------------------------------------------------------------===//

EventWindows::EventWindows(const DataFile &File, const DataThread &Thread,
                           uint64_t From)
    : File(File), Pieces(Thread.Pieces) {
  uint64_t Last = 0;
  for (uint32_t I = 0; I != Pieces.size(); ++I) {
    // Do all calls in pieces up to this one end before From?
    bool IsEarly = std::max(Last, Pieces[I].End) < From;
    if (I && !IsEarly && Pieces[I].Begin <= Last)
      ByBegin.push_back({Pieces[I].Begin, I});
    Last = std::max(Last, Pieces[I].End);
    Until.push_back(Last);
    Next += IsEarly;
  }
  llvm::sort(ByBegin);
}

// Loads pieces with a call that began at Then or earlier.
void EventWindows::loadEarly(uint64_t Then) {
  for (; NextByBegin != ByBegin.size() &&
         ByBegin[NextByBegin].first <= Then;
       ++NextByBegin) {
    uint32_t I = ByBegin[NextByBegin].second;
    if (I < Next)
      continue;
    auto E = std::make_shared<Early>();
    read(File, Pieces[I], std::nullopt, Until[I - 1], E->Window.Events,
         E->Window.Values);
    sortEvents(E->Window.Events);
    Loaded[I] = std::move(E);
  }
}

bool EventWindows::plan(Plan &To) {
  if (Next == Pieces.size())
    return false;
  To.Piece = &Pieces[Next];
  To.After.reset();
  if (Next)
    To.After = Until[Next - 1];
  To.Until = Until[Next];
  To.Later.Events.clear();
  To.Later.Values.clear();
  loadEarly(To.Until);
  for (auto At = Loaded.begin(); At != Loaded.end();) {
    Early &From = *At->second;
    ArrayRef<DataEvent> Events = From.Window.Events;
    for (; From.Next != Events.size() && Events[From.Next].Time <= To.Until;
         ++From.Next) {
      DataEvent E = Events[From.Next];
      if (E.Values) {
        To.Later.Values.push_back(From.Window.Values[E.Values - 1]);
        E.Values = To.Later.Values.size();
      }
      To.Later.Events.push_back(E);
    }
    At = From.Next == Events.size() ? Loaded.erase(At) : std::next(At);
  }
  To.Release = released();
  To.Reader = std::this_thread::get_id();
  ++Next;
  return true;
}

// Returns the bytes of the file that may be released: the piece at Next, and adjacent
// pieces before it. Returns an empty range until there are enough bytes, since each
// release interrupts all processors that this process uses.
StringRef EventWindows::released() {
  constexpr size_t Enough = 512 << 10;
  StringRef Bytes = bytesOf(Pieces[Next]);
  if (!Read.empty() && Read.end() == Bytes.begin())
    Read = StringRef(Read.begin(), Read.size() + Bytes.size());
  else
    Read = Bytes;
  bool GoesOn = Next + 1 != Pieces.size() &&
                bytesOf(Pieces[Next + 1]).begin() == Read.end();
  return GoesOn && Read.size() < Enough ? StringRef()
                                        : std::exchange(Read, StringRef());
}

void EventWindows::make(const DataFile &File, Plan &From, EventWindow &Out) {
  static thread_local std::vector<DataEvent> Events; // static to reuse the memory
  Events.clear();
  Out.Values = std::move(From.Later.Values);
  read(File, *From.Piece, From.After, From.Until, Events, Out.Values);
  append_range(Events, From.Later.Events);
  sortEvents(Events);
  dropEntriesOfCalls(Events);
  if (From.Reader == std::this_thread::get_id())
    Events.swap(Out.Events);
  else
    handOver(Events, Out.Events);
  if (!From.Release.empty())
    File.release(From.Release);
}
