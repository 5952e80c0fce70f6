// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Export.h"
#include "analysis/CallTree.h"
#include "showing/Table.h"
#include "showing/Values.h"
#include "showing/WhySlow.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

StringRef patchbay::kindName(TraceCall::KindT Kind) {
  switch (Kind) {
  case TraceCall::Returned:
    return "returned";
  case TraceCall::Unwound:
    return "unwound";
  case TraceCall::Jumped:
    return "jumped";
  case TraceCall::Unfinished:
    return "unfinished";
  case TraceCall::Entry:
    return "entry";
  }
  llvm_unreachable("all kinds are above");
}

int64_t patchbay::realtimeOffset(const Trace &T) {
  for (const TraceProcess &P : T.Processes)
    if (const std::optional<DataSession> &S = P.Data.Session)
      return S->First.RealtimeNs - S->First.MonotonicNs;
  return 0;
}

std::vector<std::optional<uint64_t>>
patchbay::endTimes(ArrayRef<TraceCall> Open, size_t Depth,
                   std::optional<uint64_t> End) {
  std::vector<std::optional<uint64_t>> Ends;
  // Calls that end together are nested, so no end may be before the innermost call's start.
  uint64_t Least = Open.empty() ? 0 : Open.back().Start;
  for (const TraceCall &C : Open.drop_front(Depth)) {
    if (C.hasDuration()) {
      uint64_t Own = C.end();
      // Due to rounding to nanoseconds, the call's own end may be after End, or before the
      // end of a nested call.
      End = std::max(Least, std::min(Own, End.value_or(Own)));
    }
    Ends.push_back(End);
  }
  return Ends;
}

namespace {
/// Writes each call when the call begins.
class Lines : public CallSink {
public:
  using WriteFn = function_ref<void(const TraceThread &, const TraceCall &,
                                    const DataValues *)>;
  explicit Lines(WriteFn Write) : Write(Write) {}
  void beginThread(const TraceThread &Of) override { Thread = &Of; }
  void begin(ArrayRef<TraceCall> Open, const DataValues *V) override {
    Write(*Thread, Open.back(), V);
  }

private:
  WriteFn Write;
  const TraceThread *Thread = nullptr;
};
} // namespace

static void writeLines(Trace &T, Lines::WriteFn Write) {
  Lines L(Write);
  readCalls(T, {&L});
}

static std::string host(const Trace &T, const TraceThread &Thread) {
  return T.Processes[Thread.Process].Data.Session->Host;
}

static uint32_t pid(const Trace &T, const TraceThread &Thread) {
  return T.Processes[Thread.Process].Data.Pid;
}

// Nanoseconds as seconds, without floating-point rounding errors.
static std::string seconds(uint64_t Ns) {
  std::string Text;
  appendDecimal(Text, Ns, 1000000000, 9);
  return Text;
}

void patchbay::exportText(Trace &T, raw_ostream &OS) {
  WhySlow Why(T);
  writeLines(T, [&](const TraceThread &Thread, const TraceCall &C,
                    const DataValues *V) {
    OS << printable(Thread.Name) << '-' << Thread.Tid << ' '
       << seconds(C.Start) << ' ';
    if (C.hasDuration())
      OS << C.Duration << " ns ";
    OS << kindName(C.Kind) << ' ';
    std::string Name = printable(T.Functions[C.Function].Name);
    if (V && V->IsRecorded) {
      std::string Result = resultText(*V);
      OS << calledText(Name, *V) << (Result.empty() ? "" : " = ") << Result;
    } else {
      OS << Name;
    }
    if (std::string Caller = C.Caller ? T.caller(Thread, C) : "";
        !Caller.empty())
      OS << " <- " << printable(Caller);
    if (std::optional<SlowReason> R = Why.of(Thread, V)) {
      OS << " (" << printable(R->summary()) << ')';
      for (const std::string &From : R->Callers)
        OS << " <- " << printable(From);
    }
    OS << '\n';
  });
}

static std::string quotedCsv(StringRef Text) {
  if (Text.find_first_of(",\"\r\n") == StringRef::npos)
    return Text.str();
  std::string Quoted = "\"";
  for (char C : Text)
    Quoted += C == '"' ? "\"\"" : std::string(1, C);
  return Quoted + "\"";
}

void patchbay::exportCsv(Trace &T, raw_ostream &OS) {
  OS << "host,pid,tid,thread,start_ns,duration_ns,kind,depth,function,module,"
        "build_id,args,result,elapsed_ns\n";
  writeLines(T, [&](const TraceThread &Thread, const TraceCall &C,
                    const DataValues *V) {
    const TraceFunction &F = T.Functions[C.Function];
    OS << quotedCsv(host(T, Thread)) << ',' << pid(T, Thread) << ','
       << Thread.Tid << ',' << quotedCsv(Thread.Name) << ',' << C.Start << ',';
    if (C.hasDuration())
      OS << C.Duration;
    OS << ',' << kindName(C.Kind) << ',' << C.Depth << ',' << quotedCsv(F.Name)
       << ',' << quotedCsv(F.Module) << ','
       << toHex(F.BuildId, /*LowerCase=*/true) << ',';
    if (V && V->IsRecorded)
      OS << quotedCsv(argsText(*V)) << ',' << quotedCsv(resultText(*V));
    else
      OS << ',';
    OS << ',';
    if (C.hasDuration())
      OS << C.elapsed();
    OS << '\n';
  });
}

static std::string spanId(uint64_t Id) {
  return formatv("{0:x-16}", Id).str();
}

static std::string traceId(const std::array<uint64_t, 3> &Context) {
  return spanId(Context[0]) + spanId(Context[1]);
}

void patchbay::exportJson(Trace &T, raw_ostream &OS) {
  WhySlow Why(T);
  writeLines(T, [&](const TraceThread &Thread, const TraceCall &C,
                    const DataValues *V) {
    const TraceFunction &F = T.Functions[C.Function];
    json::OStream J(OS);
    J.object([&] {
      J.attribute("host", json::fixUTF8(host(T, Thread)));
      J.attribute("pid", pid(T, Thread));
      J.attribute("tid", Thread.Tid);
      J.attribute("thread", json::fixUTF8(Thread.Name));
      J.attribute("start_ns", C.Start);
      if (C.hasDuration()) {
        J.attribute("duration_ns", C.Duration);
        J.attribute("elapsed_ns", C.elapsed());
      }
      J.attribute("kind", kindName(C.Kind));
      J.attribute("depth", C.Depth);
      J.attribute("function", json::fixUTF8(F.Name));
      if (V)
        printValues(J, *V);
      if (V && V->Context) {
        J.attribute("trace_id", traceId(*V->Context));
        J.attribute("parent_span_id", spanId((*V->Context)[2]));
      }
      if (std::optional<SlowReason> R = Why.of(Thread, V))
        R->print(J);
      J.attribute("module", json::fixUTF8(F.Module));
      J.attribute("build_id", toHex(F.BuildId, /*LowerCase=*/true));
    });
    OS << '\n';
  });
}

// Microseconds with three decimals, as a JSON number.
static std::string microseconds(uint64_t Ns) {
  std::string Text;
  appendDecimal(Text, Ns, 1000, 3);
  return Text;
}

static void nameChrome(json::OStream &J, StringRef What, uint32_t Pid,
                       uint32_t Tid, StringRef Name) {
  J.object([&] {
    J.attribute("ph", "M");
    J.attribute("name", What);
    J.attribute("pid", Pid);
    J.attribute("tid", Tid);
    J.attributeObject("args",
                      [&] { J.attribute("name", json::fixUTF8(Name)); });
  });
}

namespace {
// Writes each call when it has ended, since a begin without an end would contain all later
// calls in this format. Calls that are still open when a thread's events end get that end.
// The innermost of these calls lasts at least a nanosecond, so that it is nested in its
// callers.
class ChromeCalls : public CallSink {
public:
  ChromeCalls(json::OStream &J, Trace &T) : J(J), T(T), Why(T) {}
  void beginThread(const TraceThread &) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

private:
  void call(const TraceCall &C, uint64_t End, const DataValues *V);
  std::optional<Mark> markOf(const TraceCall &C, const DataValues *V) const {
    return patchbay::markOf(T.Functions[C.Function].Name, V);
  }
  void mark(const TraceCall &C, const Mark &M);
  void where(StringRef Phase, StringRef Name, const TraceCall &C);

  json::OStream &J;
  Trace &T;
  WhySlow Why;
  const TraceThread *Thread = nullptr;
  uint64_t Last = 0;
  std::vector<DataValues> Values; // values of the open calls
};
} // namespace

void ChromeCalls::beginThread(const TraceThread &Of) {
  Thread = &Of;
  Last = 0;
  nameChrome(J, "thread_name", pid(T, Of), Of.Tid, Of.Name);
}

void ChromeCalls::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  Values.resize(Open.size());
  Values.back() = V ? *V : DataValues();
  if (std::optional<Mark> M = markOf(Open.back(), V))
    mark(Open.back(), *M);
  else if (Open.back().Kind == TraceCall::Entry)
    call(Open.back(), 0, V);
}

void ChromeCalls::end(ArrayRef<TraceCall> Open, size_t Depth,
                      std::optional<uint64_t> Next) {
  std::vector<std::optional<uint64_t>> Ends = endTimes(Open, Depth, Next);
  ArrayRef<TraceCall> Ended = Open.drop_front(Depth);
  for (const TraceCall &C : Ended)
    Last = std::max(Last,
                    SaturatingAdd(C.Start, std::max(C.elapsed(), uint64_t(1))));
  for (size_t I = 0; I != Ended.size(); ++I)
    if (Ended[I].Kind != TraceCall::Entry && !markOf(Ended[I], &Values[Depth + I]))
      call(Ended[I], Ends[I].value_or(Last), &Values[Depth + I]);
}

void ChromeCalls::where(StringRef Phase, StringRef Name, const TraceCall &C) {
  J.attribute("ph", Phase);
  J.attribute("name", json::fixUTF8(Name));
  J.attribute("pid", pid(T, *Thread));
  J.attribute("tid", Thread->Tid);
  J.attributeBegin("ts");
  J.rawValue(microseconds(C.Start));
  J.attributeEnd();
}

// Writes a mark as an instant of the thread, or a value as a counter of its process.
void ChromeCalls::mark(const TraceCall &C, const Mark &M) {
  J.object([&] {
    where(M.Value ? "C" : "i", M.Name, C);
    if (M.Value)
      J.attributeObject("args", [&] { J.attribute("value", *M.Value); });
    else
      J.attribute("s", "t");
  });
}

void ChromeCalls::call(const TraceCall &C, uint64_t End, const DataValues *V) {
  bool IsEntry = C.Kind == TraceCall::Entry;
  J.object([&] {
    where(IsEntry ? "i" : "X", T.Functions[C.Function].Name, C);
    if (IsEntry) {
      J.attribute("s", "t");
      if (V && V->IsRecorded)
        J.attributeObject("args", [&] { printValues(J, *V); });
      return;
    }
    J.attributeBegin("dur");
    J.rawValue(microseconds(End - C.Start));
    J.attributeEnd();
    if (C.Asleep) {
      // tdur is the duration by the thread's own clock.
      J.attributeBegin("tdur");
      J.rawValue(microseconds(C.Duration));
      J.attributeEnd();
    }
    std::optional<SlowReason> R = Why.of(*Thread, V);
    if (C.Kind != TraceCall::Returned || R || V->IsRecorded)
      J.attributeObject("args", [&] {
        if (V->IsRecorded)
          printValues(J, *V);
        if (C.Kind != TraceCall::Returned)
          J.attribute("kind", kindName(C.Kind));
        if (R)
          R->print(J);
      });
  });
}

void patchbay::exportChrome(Trace &T, raw_ostream &OS) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("displayTimeUnit", "ns");
    J.attributeArray("traceEvents", [&] {
      for (const TraceProcess &P : T.Processes)
        nameChrome(J, "process_name", P.Data.Pid, 0,
                   P.Data.Args.empty() ? "" : P.Data.Args.front());
      ChromeCalls Calls(J, T);
      readCalls(T, {&Calls});
    });
  });
  OS << '\n';
}

// Replaces semicolons and newlines, which are separators in this format. The format has no
// escapes.
static std::string frameName(StringRef Name) {
  std::string Result = printable(Name);
  llvm::replace(Result, ';', ':');
  return Result;
}

// Writes the stacks of a tree. Uses one string that grows and shrinks with the depth, since a
// string per node would need memory proportional to the square of the depth.
namespace {
class FoldedTree {
public:
  FoldedTree(const Trace &T, const CallTree &Tree)
      : Tree(Tree), FirstChild(Tree.size(), None), Next(Tree.size(), None) {
    std::vector<uint32_t> ByName;
    for (uint32_t I = 1; I < Tree.size(); ++I) {
      ByName.push_back(I);
      if (std::string &Name = Names[Tree[I].Function]; Name.empty())
        Name = ";" + frameName(T.Functions[Tree[I].Function].Name);
    }
    llvm::stable_sort(ByName, [&](uint32_t A, uint32_t B) {
      return nameOf(A) < nameOf(B);
    });
    for (uint32_t I : llvm::reverse(ByName)) {
      Next[I] = FirstChild[Tree[I].Parent];
      FirstChild[Tree[I].Parent] = I;
    }
  }

  void print(StringRef Root, raw_ostream &OS) const {
    std::string Stack = frameName(Root);
    // Open nodes, and the length of Stack before each.
    std::vector<std::pair<uint32_t, size_t>> Open;
    uint64_t Deeper = 0;
    uint32_t Node = Tree.empty() ? None : FirstChild[0];
    while (Node != None || !Open.empty()) {
      if (Node == None) {
        if (Open.size() == MostFrames)
          print(Stack + ";...", std::exchange(Deeper, 0), OS);
        Node = Next[Open.back().first];
        Stack.resize(Open.back().second);
        Open.pop_back();
        continue;
      }
      Open.push_back({Node, Stack.size()});
      // An entry has no duration, so its weight is 1.
      uint64_t Weight = Tree[Node].Self + Tree[Node].Entries;
      if (Open.size() > MostFrames) {
        Deeper += Weight;
      } else {
        Stack += nameOf(Node);
        print(Stack, Weight, OS);
      }
      Node = FirstChild[Node];
    }
  }

private:
  static constexpr uint32_t None = ~0u;
  // Deeper frames are merged into one frame, since a flame graph cannot show such a
  // recursion.
  static constexpr size_t MostFrames = 1000;

  StringRef nameOf(uint32_t Node) const {
    return Names.find(Tree[Node].Function)->second;
  }
  static void print(StringRef Stack, uint64_t Weight, raw_ostream &OS) {
    if (Weight)
      OS << Stack << ' ' << Weight << '\n';
  }

  const CallTree &Tree;
  std::map<uint32_t, std::string> Names;
  std::vector<uint32_t> FirstChild, Next;
};
} // namespace

void patchbay::exportFolded(Trace &T, raw_ostream &OS) {
  TreesByThread Folded(T);
  readCalls(T, {&Folded}, /*StacksApart=*/true);
  for (auto &[Name, Builder] : Folded.Trees) {
    CallTree Tree = Builder->finish();
    FoldedTree(T, Tree).print(Name, OS);
  }
}
