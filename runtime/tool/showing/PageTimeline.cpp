// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageTimeline.h"

using namespace llvm;
using namespace patchbay;

// Estimates the begin and end of all calls, before calls are read.
static std::pair<uint64_t, uint64_t> timeOf(const Trace &T) {
  uint64_t Begin = UINT64_MAX, End = 0;
  for (const TraceThread &Thread : T.Threads) {
    const TraceProcess &P = T.Processes[Thread.Process];
    if (!P.Data.Session)
      continue;
    const Clock Time(*P.Data.Session);
    const OwnClock Own(Thread.Data->Sleeps);
    for (const DataPiece &Piece : Thread.Data->Pieces)
      if (Piece.Events)
        Begin = std::min(Begin, Time.time(Own.counter(Piece.Begin)));
    End = std::max(End, P.End);
  }
  Begin = std::max(Begin, T.Chosen.From);
  End = std::min(End, T.Chosen.To);
  return {std::min(Begin, End), End};
}

Timeline::Timeline(const Trace &T, size_t MaxSpans) : MaxSpans(MaxSpans) {
  auto [From, To] = timeOf(T);
  ActivityBegin = From;
  ActivityPart = (To - From) / Parts + 1;
}

void Timeline::beginThread(const TraceThread &) {
  Threads.emplace_back();
  Deeper = 0;
}

// If S and the last span of the row are short and adjacent, merges them and returns false.
// Otherwise adds S and returns true.
bool Timeline::append(std::vector<TimelineSpan> &Row, const TimelineSpan &S) const {
  uint64_t Width = resolution();
  if (!Shift || Row.empty() || Row.back().Length >= Width || S.Length >= Width ||
      Row.back().Start >> Shift != S.Start >> Shift) {
    Row.push_back(S);
    return true;
  }
  TimelineSpan &To = Row.back();
  uint64_t Begin = std::min(To.Start, S.Start);
  uint64_t End = std::max(SaturatingAdd(To.Start, To.Length),
                          SaturatingAdd(S.Start, S.Length));
  if (S.Longest > To.Longest) {
    To.Longest = S.Longest;
    To.Function = S.Function;
  }
  To.Start = Begin;
  To.Length = End - Begin;
  To.Calls += S.Calls;
  To.Busy += S.Busy;
  To.Within += S.Within;
  To.Open |= S.Open;
  To.CutOff |= S.CutOff;
  return false;
}

void Timeline::add(const TraceCall &C, size_t Depth) {
  TimelineThread &To = Threads.back();
  uint64_t Length = C.elapsed();
  Begin = std::min(Begin, C.Start);
  End = std::max(End, C.end());
  ++To.Calls;
  if (Depth >= MaxRows) {
    ++Deeper;
    AnyDeeper = true;
    return;
  }
  uint64_t Within = 0;
  if (Depth + 1 == MaxRows)
    Within = std::exchange(Deeper, 0);
  if (!Depth)
    To.Busy += Length;
  if (To.Rows.size() <= Depth) {
    Rows += Depth + 1 - To.Rows.size();
    To.Rows.resize(Depth + 1);
  }
  bool Unfinished = C.Kind == TraceCall::Unfinished;
  Spans += append(To.Rows[Depth],
                  {C.Start, Length, 1, C.Duration, Within, Length, C.Function,
                   Unfinished && C.Open, Unfinished && !C.Open});
  while (Spans > MaxSpans && coarsen())
    ;
}

void Timeline::end(ArrayRef<TraceCall> Open, size_t Depth,
                   std::optional<uint64_t>) {
  for (size_t I = Open.size(); I != Depth; --I) {
    const TraceCall &C = Open[I - 1];
    if (Activity.size() <= C.Function)
      Activity.resize(C.Function + 1);
    std::vector<uint32_t> &Of = Activity[C.Function];
    if (Of.empty())
      Of.resize(Parts);
    uint64_t Part = C.Start > ActivityBegin
                        ? (C.Start - ActivityBegin) / ActivityPart
                        : 0;
    uint32_t &N = Of[std::min<uint64_t>(Part, Parts - 1)];
    N = SaturatingAdd(N, uint32_t(1));
    add(C, I - 1);
  }
}

bool Timeline::coarsen() {
  size_t Before = Spans;
  if (Rows * 16 > Before)
    halveRows();
  // Remove at least a quarter of the spans, so that coarsen() is seldom called.
  while (Shift != 62 && Spans > Before - (Before + 3) / 4) {
    ++Shift;
    Spans = 0;
    std::vector<TimelineSpan> Fewer;
    for (TimelineThread &Thread : Threads)
      for (std::vector<TimelineSpan> &Row : Thread.Rows) {
        Fewer.clear();
        for (const TimelineSpan &S : Row)
          append(Fewer, S);
        Row.assign(Fewer.begin(), Fewer.end());
        Row.shrink_to_fit();
        Spans += Row.size();
      }
  }
  return Spans < Before;
}

// Removes the inner half of the rows. Counts calls of removed rows in their outer calls, or
// in Deeper if the outer call is still open.
void Timeline::halveRows() {
  if (MaxRows == 1)
    return;
  MaxRows /= 2;
  for (TimelineThread &Thread : Threads) {
    if (Thread.Rows.size() <= MaxRows)
      continue;
    AnyDeeper = true;
    std::vector<TimelineSpan> &Last = Thread.Rows[MaxRows - 1];
    for (size_t I = MaxRows; I != Thread.Rows.size(); ++I)
      for (const TimelineSpan &S : Thread.Rows[I]) {
        auto Outer = llvm::upper_bound(
            Last, S.Start,
            [](uint64_t At, const TimelineSpan &O) { return At < O.Start; });
        bool IsThere = Outer != Last.begin() &&
                       S.Start <= std::prev(Outer)->Start + std::prev(Outer)->Length;
        (IsThere ? std::prev(Outer)->Within : Deeper) += S.Calls + S.Within;
        --Spans;
      }
    Rows -= Thread.Rows.size() - MaxRows;
    Thread.Rows.resize(MaxRows);
  }
}
