// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallStream.h"

using namespace llvm;
using namespace patchbay;

WindowSource::~WindowSource() = default;

const EventWindow *PlainWindows::next() {
  if (!Windows.plan(Plan))
    return nullptr;
  EventWindows::make(File, Plan, Window);
  return &Window;
}

CallStream::CallStream(Trace &T, const TraceThread &Thread,
                       WindowSource &Windows)
    : T(T), Thread(Thread), Windows(Windows),
      Data(T.Processes[Thread.Process].Data), Time(*Data.Session),
      Own(Thread.Data->Sleeps),
      EntriesOnly(Data.Session->Tracer == "function") {}

bool CallStream::readNext() {
  while (!Window || NextEvent == Window->Events.size()) {
    Window = Windows.next();
    NextEvent = 0;
    if (!Window)
      return false;
  }
  const DataEvent &E = Window->Events[NextEvent++];
  NextValues = E.Values;
  TraceCall &C = Next;
  C = {};
  C.Ticks = E.Time;
  C.EndTicks = E.end();
  C.Frame = E.Frame;
  C.Start = Time.time(Own.counter(E.Time));
  C.Function = T.function(Thread.Process, E.Function);
  if (E.isCall()) {
    C.SeenTicks = C.EndTicks;
    C.Duration = Time.duration(E.Detail);
    C.Asleep =
        Time.duration(Own.asleep(C.EndTicks) - Own.asleep(E.Time));
    C.Kind = E.Kind == PBD_RECORD_CALL     ? TraceCall::Returned
             : E.Kind == DataEvent::Jumped ? TraceCall::Jumped
                                           : TraceCall::Unwound;
  } else {
    C.SeenTicks = E.Time;
    C.Caller = E.Detail;
    C.Kind = EntriesOnly ? TraceCall::Entry : TraceCall::Unfinished;
  }
  return true;
}

bool CallStream::advance() {
  bool IsEnd = !readNext();
  Depth = Open.size();
  while (Depth) {
    const TraceCall &Top = Open[Depth - 1];
    bool IsExit = Next.Kind <= TraceCall::Jumped;
    if (!IsEnd && !EntriesOnly && Top.Frame > Next.Frame &&
        (Top.EndTicks >= Next.EndTicks || !IsExit) &&
        Top.EndTicks >= Next.Ticks)
      break;
    --Depth;
  }
  endCalls(IsEnd);
  return !IsEnd;
}

// A call that was not seen to return was there at least until the last that was seen
// within it. What is open when the thread's events end goes on until the recording
// ends. Where events of a thread were lost, nobody knows: its calls may have returned.
void CallStream::endCalls(bool IsEnd) {
  for (size_t I = Open.size(); I != Depth; --I) {
    TraceCall &C = Open[I - 1];
    --OpenOf[C.Function];
    if (I > 1)
      Open[I - 2].SeenTicks = std::max(Open[I - 2].SeenTicks, C.SeenTicks);
    if (C.Kind == TraceCall::Unfinished) {
      C.Open = IsEnd;
      C.Duration = Time.duration(C.SeenTicks - C.Ticks);
      C.Asleep =
          Time.duration(Own.asleep(C.SeenTicks) - Own.asleep(C.Ticks));
      uint64_t End = T.Processes[Thread.Process].End;
      if (IsEnd && !Thread.Lost && C.end() < End) {
        // On a clock of its own the thread is not known to have run.
        bool HasOwn = Data.Session->Flags & PBD_SESSION_NO_SLEEP_TIME;
        (HasOwn ? C.Asleep : C.Duration) += End - C.end();
      }
      ++(IsEnd ? T.Ended.Open : T.Ended.CutOff)[C.Function];
    } else if (C.Kind == TraceCall::Jumped) {
      ++T.Ended.Jumped[C.Function];
    }
    if (I > 1)
      Open[I - 2].InOthers = SaturatingAdd(Open[I - 2].InOthers, C.Duration);
  }
}

void CallStream::begin() {
  Open.resize(Depth);
  Next.Depth = Depth;
  if (OpenOf.size() <= Next.Function)
    OpenOf.resize(T.Functions.size());
  Next.Recursive = OpenOf[Next.Function]++ != 0;
  Open.push_back(Next);
}

CallSink::~CallSink() = default;
