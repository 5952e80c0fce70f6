// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace as OpenTelemetry's protobuf (opentelemetry-proto: trace/v1, resource/v1,
// common/v1). Each call is a span. Each outermost call of a thread, with its nested calls, is a
// trace. Attributes have OpenTelemetry's conventional names.
#include "Export.h"
#include "Protobuf.h"
#include "showing/Values.h"
#include "showing/WhySlow.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace patchbay;

namespace {

// TracesData, which is also ExportTraceServiceRequest
constexpr unsigned ResourceSpansField = 1;
// ResourceSpans, ScopeSpans
constexpr unsigned ResourceOf = 1, ScopeSpansField = 2, ScopeOf = 1, SpanField = 2;
// Resource, InstrumentationScope, KeyValue, AnyValue
constexpr unsigned ResourceAttribute = 1, ScopeName = 1, ScopeVersion = 2;
constexpr unsigned Key = 1, Value = 2, StringValue = 1, IntValue = 3;
// Span
constexpr unsigned TraceId = 1, SpanId = 2, ParentSpanId = 4, SpanName = 5, Kind = 6,
                   StartTime = 7, EndTime = 8, Attribute = 9, StatusOf = 15;
constexpr unsigned KindInternal = 1;
constexpr unsigned Flags = 16, HasIsRemote = 0x100, IsRemote = 0x200;
// Status
constexpr unsigned StatusMessage = 2, StatusCode = 3, StatusError = 2;

// Readers load all spans of a resource at once, so limit their number.
constexpr unsigned SpansAtOnce = 1000;

class Spans : public CallSink {
public:
  Spans(Trace &T, raw_ostream &OS) : T(T), OS(OS), Offset(realtimeOffset(T)), Why(T) {}
  void beginThread(const TraceThread &Thread) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &) override { flush(); }

private:
  /// The open spans, indexed by depth.
  struct OpenSpan {
    uint64_t Id;
    std::string Args, Result;
    uint64_t Slow;
    std::array<uint64_t, 2> Trace;
    uint64_t Parent;      // parent span; 0: none
    bool ParentIsRemote;  // the parent span belongs to another program
  };
  void span(size_t I, const TraceCall &C, uint64_t End);
  void flush();
  std::string process() const;
  uint64_t spanOf(const OpenSpan &Of) const;

  Trace &T;
  raw_ostream &OS;
  int64_t Offset;
  WhySlow Why;
  const TraceThread *Thread = nullptr;
  ProtobufMessage Resource, Scope;
  unsigned InScope = 0;
  std::vector<OpenSpan> Open;
  std::array<uint64_t, 2> Traces = {};
  uint64_t Id = 0;
  uint64_t Processes = 0; // first half of the trace ids that this dump assigns
  uint64_t Last = 0;
};

} // namespace

static ProtobufMessage attribute(StringRef Name, const ProtobufMessage &Any) {
  ProtobufMessage A;
  A.text(Key, Name);
  A.message(Value, Any);
  return A;
}

static ProtobufMessage attribute(StringRef Name, StringRef Text) {
  ProtobufMessage Any;
  Any.text(StringValue, Text);
  return attribute(Name, Any);
}

static ProtobufMessage attribute(StringRef Name, uint64_t Number) {
  ProtobufMessage Any;
  Any.number(IntValue, Number);
  return attribute(Name, Any);
}

static std::string bigEndian(uint64_t Id) {
  char Bytes[8];
  support::endian::write64be(Bytes, Id);
  return std::string(Bytes, sizeof(Bytes));
}

void Spans::beginThread(const TraceThread &Of) {
  const DataFile &Data = T.Processes[Of.Process].Data;
  Thread = &Of;
  Processes = xxh3_64bits(process());
  Last = 0;
  Resource = ProtobufMessage();
  auto Add = [&](StringRef Name, auto V) {
    Resource.message(ResourceAttribute, attribute(Name, V));
  };
  StringRef Program = Data.Args.empty() ? StringRef("unknown") : StringRef(Data.Args.front());
  Add("service.name", sys::path::filename(Program));
  Add("process.pid", uint64_t(Data.Pid));
  if (!Data.Args.empty())
    Add("process.command_line", StringRef(join(Data.Args, " ")));
  if (Data.Session)
    Add("host.name", StringRef(Data.Session->Host));
}

void Spans::begin(ArrayRef<TraceCall> Calls, const DataValues *V) {
  Open.resize(Calls.size());
  bool HasValues = V && V->IsRecorded;
  // If the program has set a trace context for the call, the call and its callees belong to
  // the trace of that context.
  if (V && V->Context)
    Traces = {(*V->Context)[0], (*V->Context)[1]};
  else if (Calls.size() > 1)
    Traces = Open[Calls.size() - 2].Trace;
  else
    Traces = {Processes, Id + 1};
  Open.back() = {++Id, HasValues ? argsText(*V) : "", HasValues ? resultText(*V) : "",
                 V ? V->Slow : 0, Traces,
                 V && V->Context     ? (*V->Context)[2]
                 : Calls.size() > 1 ? Open[Calls.size() - 2].Id
                                    : 0,
                 V && V->Context};
}

void Spans::end(ArrayRef<TraceCall> Calls, size_t Depth,
                std::optional<uint64_t> Next) {
  std::vector<std::optional<uint64_t>> Ends = endTimes(Calls, Depth, Next);
  for (const TraceCall &C : Calls.drop_front(Depth))
    Last = std::max(Last, C.end());
  for (size_t I = Calls.size(); I != Depth; --I) {
    const TraceCall &C = Calls[I - 1];
    span(I - 1, C,
         C.Kind == TraceCall::Entry ? C.Start : Ends[I - 1 - Depth].value_or(Last));
  }
}

// A string that identifies the process, and is equal in each dump of a recording.
std::string Spans::process() const {
  const DataFile &Data = T.Processes[Thread->Process].Data;
  return (Data.Session ? Data.Session->Host : "") + ' ' + utostr(Data.Pid) + ' ' +
         utostr(Data.StartNs);
}

// The span id. In another program's trace, hashes the id, so that it differs from that program's
// span ids.
uint64_t Spans::spanOf(const OpenSpan &Of) const {
  // 0 is an invalid id.
  return Of.Trace[0] == Processes
             ? Of.Id
             : std::max<uint64_t>(xxh3_64bits(process() + ' ' + utostr(Of.Id)), 1);
}

void Spans::span(size_t I, const TraceCall &C, uint64_t End) {
  const TraceFunction &F = T.Functions[C.Function];
  ProtobufMessage Span;
  auto Add = [&](StringRef Name, auto V) { Span.message(Attribute, attribute(Name, V)); };
  Span.bytes(TraceId, bigEndian(Open[I].Trace[0]) + bigEndian(Open[I].Trace[1]));
  Span.bytes(SpanId, bigEndian(spanOf(Open[I])));
  if (Open[I].Parent)
    Span.bytes(ParentSpanId, bigEndian(Open[I].ParentIsRemote ? Open[I].Parent
                                                              : spanOf(Open[I - 1])));
  if (Open[I].ParentIsRemote)
    Span.fixed32(Flags, HasIsRemote | IsRemote);
  Span.text(SpanName, F.Name);
  Span.number(Kind, KindInternal);
  Span.fixed64(StartTime, C.Start + uint64_t(Offset));
  Span.fixed64(EndTime, std::max(End, C.Start) + uint64_t(Offset));
  Add("code.function.name", StringRef(F.Name));
  Add("patchbay.module", StringRef(F.Module));
  Add("thread.id", uint64_t(Thread->Tid));
  Add("thread.name", StringRef(Thread->Name));
  if (C.Kind != TraceCall::Returned)
    Add("patchbay.kind", kindName(C.Kind));
  if (C.Asleep)
    Add("patchbay.on_cpu_ns", C.Duration);
  DataValues Values;
  Values.Slow = Open[I].Slow;
  if (std::optional<SlowReason> R = Why.of(*Thread, &Values)) {
    Add("patchbay.off_cpu_ns", R->OffNs);
    Add("patchbay.why", StringRef(R->summary()));
    Add("code.stacktrace", StringRef(join(R->Callers, "\n")));
  }
  if (!Open[I].Args.empty())
    Add("patchbay.args", StringRef(Open[I].Args));
  if (!Open[I].Result.empty())
    Add("patchbay.result", StringRef(Open[I].Result));
  if (C.Kind == TraceCall::Unwound) {
    ProtobufMessage Status;
    Status.text(StatusMessage, "left by an exception");
    Status.number(StatusCode, StatusError);
    Span.message(StatusOf, Status);
  }
  Scope.message(SpanField, Span);
  if (++InScope == SpansAtOnce)
    flush();
}

void Spans::flush() {
  if (!InScope)
    return;
  ProtobufMessage Name, Of, All, Whole;
  Name.text(ScopeName, "patchbay");
  Name.text(ScopeVersion, PATCHBAY_VERSION);
  Of.message(ScopeOf, Name);
  Of.append(Scope);
  All.message(ResourceOf, Resource);
  All.message(ScopeSpansField, Of);
  Whole.message(ResourceSpansField, All);
  OS << Whole.str();
  Scope = ProtobufMessage();
  InScope = 0;
}

void patchbay::exportOtlp(Trace &T, raw_ostream &OS) {
  Spans All(T, OS);
  readCalls(T, {&All});
}
