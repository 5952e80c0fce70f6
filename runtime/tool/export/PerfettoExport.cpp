// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace as Perfetto's protobuf (protos/perfetto/trace: trace_packet.proto,
// clock_snapshot.proto, track_event/track_event.proto, track_descriptor.proto,
// interned_data.proto).
#include "Export.h"
#include "Protobuf.h"
#include "showing/Values.h"
#include "showing/WhySlow.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

namespace {

// Trace
constexpr unsigned TracePacketField = 1;
// TracePacket
constexpr unsigned ClockSnapshot = 6, Timestamp = 8, SequenceId = 10,
                   TrackEventField = 11, InternedData = 12, SequenceFlags = 13,
                   ClockId = 58, TrackDescriptorField = 60;
constexpr unsigned StateCleared = 1, NeedsState = 2;
// ClockSnapshot, Clock, BuiltinClock
constexpr unsigned Clocks = 1, PrimaryClock = 2, ClockOf = 1, ClockTime = 2;
constexpr unsigned Realtime = 1, Monotonic = 3;
// TrackDescriptor
constexpr unsigned Uuid = 1, TrackName = 2, Process = 3, Thread = 4, ParentUuid = 5,
                   Counter = 8;
// ProcessDescriptor, ThreadDescriptor
constexpr unsigned ProcessPid = 1, Cmdline = 2, ProcessName = 6, ThreadPid = 1,
                   ThreadTid = 2, ThreadName = 5;
// InternedData, EventName
constexpr unsigned EventNames = 2, NameIid = 1, NameText = 2;
// TrackEvent
constexpr unsigned DebugAnnotations = 4;
// DebugAnnotation
constexpr unsigned AnnotationName = 10, AnnotationUint = 3, AnnotationText = 6;
constexpr unsigned EventType = 9, EventNameIid = 10, TrackUuid = 11, EventName = 23,
                   CounterValue = 30;
enum EventTypes { SliceBegin = 1, SliceEnd = 2, Instant = 3, CounterEvent = 4 };

class Writer : public CallSink {
public:
  Writer(Trace &T, raw_ostream &OS) : T(T), OS(OS), Why(T) {}
  void clocks();
  void processes();
  void beginThread(const TraceThread &From) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

private:
  void packet(ProtobufMessage &Packet) {
    Packet.number(SequenceId, 1);
    ProtobufMessage Trace;
    Trace.message(TracePacketField, Packet);
    OS << Trace.str();
  }
  void name(uint32_t Function);
  void event(uint64_t Time, EventTypes Type, uint64_t Function,
             const SlowReason *Slow = nullptr, const DataValues *Values = nullptr);
  void event(uint64_t Time, const ProtobufMessage &Event);
  void mark(uint64_t Time, const Mark &M);
  uint64_t counterTrack(const std::string &Name);
  uint64_t processTrack(size_t I) const { return I + 1; }

  Trace &T;
  raw_ostream &OS;
  WhySlow Why;
  const TraceThread *Of = nullptr;
  std::vector<bool> Named; // by function: was its name written?
  uint64_t Threads = 0;    // number of threads so far
  uint64_t Track = 0;      // track of the current thread
  std::map<std::pair<uint32_t, std::string>, uint64_t> Counters; // tracks of counters,
                                                                 // by process and name
  std::vector<bool> AreMarks; // for each open call: is it a mark?
};

} // namespace

// Declares the trace's clock, since Perfetto drops events of an undeclared clock. The default is
// CLOCK_BOOTTIME.
void Writer::clocks() {
  ProtobufMessage Snapshot, Packet;
  auto Add = [&](unsigned Id, uint64_t Time) {
    ProtobufMessage Clock;
    Clock.number(ClockOf, Id);
    Clock.number(ClockTime, Time);
    Snapshot.message(Clocks, Clock);
  };
  for (const TraceProcess &P : T.Processes)
    if (const std::optional<DataSession> &S = P.Data.Session) {
      Add(Monotonic, S->First.MonotonicNs);
      Add(Realtime, S->First.RealtimeNs);
      break;
    }
  Snapshot.number(PrimaryClock, Monotonic);
  Packet.number(SequenceFlags, StateCleared); // once, before the first event
  Packet.message(ClockSnapshot, Snapshot);
  packet(Packet);
}

// Writes the function's name before its first event. Events refer to the name by number.
void Writer::name(uint32_t Function) {
  if (Named.size() <= Function)
    Named.resize(T.Functions.size());
  if (Named[Function])
    return;
  Named[Function] = true;
  ProtobufMessage Name, Interned, Packet;
  Name.number(NameIid, Function + 1); // 0 is an invalid number
  Name.text(NameText, T.Functions[Function].Name);
  Interned.message(EventNames, Name);
  Packet.number(SequenceFlags, NeedsState);
  Packet.message(InternedData, Interned);
  packet(Packet);
}

void Writer::processes() {
  for (size_t I = 0; I != T.Processes.size(); ++I) {
    const DataFile &Data = T.Processes[I].Data;
    ProtobufMessage Descriptor, Track, Packet;
    Descriptor.number(ProcessPid, Data.Pid);
    for (const std::string &Arg : Data.Args)
      Descriptor.text(Cmdline, Arg);
    if (!Data.Args.empty())
      Descriptor.text(ProcessName, Data.Args.front());
    Track.number(Uuid, processTrack(I));
    Track.message(Process, Descriptor);
    Packet.message(TrackDescriptorField, Track);
    packet(Packet);
  }
}

static void annotate(ProtobufMessage &Event, const SlowReason &R) {
  ProtobufMessage Off, Why, Stack;
  Off.text(AnnotationName, "off_cpu_ns");
  Off.number(AnnotationUint, R.OffNs);
  Why.text(AnnotationName, "why");
  Why.text(AnnotationText, R.summary());
  Stack.text(AnnotationName, "stack");
  Stack.text(AnnotationText, join(R.Callers, "\n"));
  for (const ProtobufMessage *M : {&Off, &Why, &Stack})
    Event.message(DebugAnnotations, *M);
}

static void annotate(ProtobufMessage &Event, const DataValues &V) {
  auto Add = [&](StringRef Name, const std::string &Text) {
    ProtobufMessage Value;
    Value.text(AnnotationName, Name);
    Value.text(AnnotationText, Text);
    Event.message(DebugAnnotations, Value);
  };
  Add("args", argsText(V));
  if (std::string Result = resultText(V); !Result.empty())
    Add("result", Result);
}

void Writer::event(uint64_t Time, EventTypes Type, uint64_t Function,
                   const SlowReason *Slow, const DataValues *Values) {
  ProtobufMessage Event;
  if (Values && Values->IsRecorded)
    annotate(Event, *Values);
  if (Slow)
    annotate(Event, *Slow);
  Event.number(EventType, Type);
  if (Type != SliceEnd)
    Event.number(EventNameIid, Function + 1);
  Event.number(TrackUuid, Track);
  event(Time, Event);
}

void Writer::event(uint64_t Time, const ProtobufMessage &Event) {
  ProtobufMessage Packet;
  Packet.number(Timestamp, Time);
  Packet.number(ClockId, Monotonic);
  Packet.number(SequenceFlags, NeedsState);
  Packet.message(TrackEventField, Event);
  packet(Packet);
}

// The track of a counter, with an ID above the IDs of all processes and threads.
uint64_t Writer::counterTrack(const std::string &Name) {
  auto [At, IsNew] = Counters.try_emplace(
      {Of->Process, Name}, T.Processes.size() + T.Threads.size() + Counters.size() + 1);
  if (IsNew) {
    ProtobufMessage TrackOf, Packet;
    TrackOf.number(Uuid, At->second);
    TrackOf.text(TrackName, Name);
    TrackOf.number(ParentUuid, processTrack(Of->Process));
    TrackOf.message(Counter, ProtobufMessage());
    Packet.message(TrackDescriptorField, TrackOf);
    packet(Packet);
  }
  return At->second;
}

// Writes a mark as an instant of the thread, or a value as a counter of its process.
void Writer::mark(uint64_t Time, const Mark &M) {
  ProtobufMessage Event;
  Event.number(EventType, M.Value ? CounterEvent : Instant);
  Event.number(TrackUuid, M.Value ? counterTrack(M.Name) : Track);
  if (M.Value)
    Event.number(CounterValue, uint64_t(*M.Value));
  else
    Event.text(EventName, M.Name);
  event(Time, Event);
}

void Writer::beginThread(const TraceThread &From) {
  Of = &From;
  Track = T.Processes.size() + ++Threads;
  ProtobufMessage Descriptor, TrackOf, Packet;
  Descriptor.number(ThreadPid, T.Processes[From.Process].Data.Pid);
  Descriptor.number(ThreadTid, From.Tid);
  Descriptor.text(ThreadName, From.Name);
  TrackOf.number(Uuid, Track);
  TrackOf.number(ParentUuid, processTrack(From.Process));
  TrackOf.message(Thread, Descriptor);
  Packet.message(TrackDescriptorField, TrackOf);
  packet(Packet);
}

void Writer::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  const TraceCall &C = Open.back();
  std::optional<Mark> M = markOf(T.Functions[C.Function].Name, V);
  AreMarks.resize(Open.size());
  AreMarks.back() = M.has_value();
  if (M)
    return mark(C.Start, *M);
  name(C.Function);
  std::optional<SlowReason> R = Why.of(*Of, V);
  event(C.Start, C.Kind == TraceCall::Entry ? Instant : SliceBegin, C.Function,
        R ? &*R : nullptr, V);
}

// Slices begin and end like brackets, so a call that did not return gets an end. Without an
// end, the call would take the end of an outer call. Perfetto marks a slice without an end.
void Writer::end(ArrayRef<TraceCall> Open, size_t Depth,
                 std::optional<uint64_t> Next) {
  std::vector<std::optional<uint64_t>> Ends = endTimes(Open, Depth, Next);
  for (size_t I = Open.size(); I-- != Depth;)
    if (Ends[I - Depth] && Open[I].Kind != TraceCall::Entry && !AreMarks[I])
      event(*Ends[I - Depth], SliceEnd, 0);
}

void patchbay::exportPerfetto(Trace &T, raw_ostream &OS) {
  Writer W(T, OS);
  W.clocks();
  W.processes();
  readCalls(T, {&W});
}
