// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Export.h"
#include "Table.h"
#include "Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

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
patchbay::endTimes(const TraceThread &Thread) {
  std::vector<std::optional<uint64_t>> Ends(Thread.Calls.size());
  std::vector<size_t> Open;
  auto Close = [&](size_t Depth, std::optional<uint64_t> End) {
    // The last call is in all of these, or the only one.
    uint64_t Least = Open.empty() ? 0 : Thread.Calls[Open.back()].Start;
    for (size_t I : ArrayRef(Open).drop_front(Depth)) {
      const TraceCall &C = Thread.Calls[I];
      if (C.hasDuration()) {
        uint64_t Own = C.end();
        // Rounded to nanoseconds it may be behind that, or before what is in
        // it.
        End = std::max(Least, std::min(Own, End.value_or(Own)));
      }
      Ends[I] = End;
    }
    Open.resize(Depth);
  };
  for (size_t I = 0; I != Thread.Calls.size(); ++I) {
    Close(Thread.Calls[I].Depth, Thread.Calls[I].Start);
    Open.push_back(I);
  }
  Close(0, std::nullopt);
  return Ends;
}

static std::string host(const Trace &T, const TraceThread &Thread) {
  return T.Processes[Thread.Process].Data.Session->Host;
}

static uint32_t pid(const Trace &T, const TraceThread &Thread) {
  return T.Processes[Thread.Process].Data.Pid;
}

// Nanoseconds as seconds, without the errors of floating point.
static std::string seconds(uint64_t Ns) {
  return formatv("{0}.{1:d9}", Ns / 1000000000, Ns % 1000000000).str();
}

void patchbay::exportText(Trace &T, raw_ostream &OS) {
  for (const TraceThread &Thread : T.Threads)
    for (const TraceCall &C : Thread.Calls) {
      OS << printable(Thread.Name) << '-' << Thread.Tid << ' '
         << seconds(C.Start) << ' ';
      if (C.hasDuration())
        OS << C.Duration << " ns ";
      OS << kindName(C.Kind) << ' ';
      std::string Name = printable(T.Functions[C.Function].Name);
      if (const DataValues *V = valuesOf(Thread, C)) {
        std::string Result = resultText(*V);
        OS << calledText(Name, *V) << (Result.empty() ? "" : " = ") << Result;
      } else {
        OS << Name;
      }
      if (std::string Caller = C.Caller ? T.caller(Thread, C) : "";
          !Caller.empty())
        OS << " <- " << printable(Caller);
      OS << '\n';
    }
}

static std::string quotedCsv(StringRef Text) {
  if (Text.find_first_of(",\"\r\n") == StringRef::npos)
    return Text.str();
  std::string Quoted = "\"";
  for (char C : Text)
    Quoted += C == '"' ? "\"\"" : std::string(1, C);
  return Quoted + "\"";
}

void patchbay::exportCsv(const Trace &T, raw_ostream &OS) {
  OS << "host,pid,tid,thread,start_ns,duration_ns,kind,depth,function,module,"
        "build_id,args,result,elapsed_ns\n";
  for (const TraceThread &Thread : T.Threads) {
    std::string Prefix =
        formatv("{0},{1},{2},{3},", quotedCsv(host(T, Thread)), pid(T, Thread),
                Thread.Tid, quotedCsv(Thread.Name))
            .str();
    for (const TraceCall &C : Thread.Calls) {
      const TraceFunction &F = T.Functions[C.Function];
      OS << Prefix << C.Start << ',';
      if (C.hasDuration())
        OS << C.Duration;
      OS << ',' << kindName(C.Kind) << ',' << C.Depth << ','
         << quotedCsv(F.Name) << ',' << quotedCsv(F.Module) << ','
         << toHex(F.BuildId, /*LowerCase=*/true) << ',';
      if (const DataValues *V = valuesOf(Thread, C))
        OS << quotedCsv(argsText(*V)) << ',' << resultText(*V);
      else
        OS << ',';
      OS << ',';
      if (C.hasDuration())
        OS << C.elapsed();
      OS << '\n';
    }
  }
}

void patchbay::exportJson(const Trace &T, raw_ostream &OS) {
  for (const TraceThread &Thread : T.Threads)
    for (const TraceCall &C : Thread.Calls) {
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
        if (const DataValues *V = valuesOf(Thread, C)) {
          J.attributeArray("args", [&] {
            for (uint64_t Arg : V->Args)
              J.value(Arg);
          });
          if (V->Result)
            J.attribute("result", resultText(*V));
        }
        J.attribute("module", json::fixUTF8(F.Module));
        J.attribute("build_id", toHex(F.BuildId, /*LowerCase=*/true));
      });
      OS << '\n';
    }
}

// Microseconds with three decimals, as a JSON number.
static std::string microseconds(uint64_t Ns) {
  return formatv("{0}.{1:d3}", Ns / 1000, Ns % 1000).str();
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

// A begin without an end would have in it whatever comes behind it, so that no
// call is written as one: what was open when a thread's events end, ends there.
// The last of these lasts a nanosecond, else it would not be in the others.
static void callsChrome(json::OStream &J, const Trace &T,
                        const TraceThread &Thread) {
  std::vector<std::optional<uint64_t>> Ends = endTimes(Thread);
  uint64_t Last = 0;
  for (const TraceCall &C : Thread.Calls)
    Last = std::max(Last,
                    SaturatingAdd(C.Start, std::max(C.elapsed(), uint64_t(1))));
  for (size_t I = 0; I != Ends.size(); ++I) {
    const TraceCall &C = Thread.Calls[I];
    bool IsEntry = C.Kind == TraceCall::Entry;
    J.object([&] {
      J.attribute("ph", IsEntry ? "i" : "X");
      J.attribute("name", json::fixUTF8(T.Functions[C.Function].Name));
      J.attribute("pid", pid(T, Thread));
      J.attribute("tid", Thread.Tid);
      J.attributeBegin("ts");
      J.rawValue(microseconds(C.Start));
      J.attributeEnd();
      if (IsEntry) {
        J.attribute("s", "t");
        return;
      }
      J.attributeBegin("dur");
      J.rawValue(microseconds(Ends[I].value_or(Last) - C.Start));
      J.attributeEnd();
      if (C.Asleep) {
        // In that format, what a clock of the thread says.
        J.attributeBegin("tdur");
        J.rawValue(microseconds(C.Duration));
        J.attributeEnd();
      }
      if (C.Kind != TraceCall::Returned)
        J.attributeObject("args",
                          [&] { J.attribute("kind", kindName(C.Kind)); });
    });
  }
}

void patchbay::exportChrome(const Trace &T, raw_ostream &OS) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("displayTimeUnit", "ns");
    J.attributeArray("traceEvents", [&] {
      for (const TraceProcess &P : T.Processes)
        nameChrome(J, "process_name", P.Data.Pid, 0,
                   P.Data.Args.empty() ? "" : P.Data.Args.front());
      for (const TraceThread &Thread : T.Threads) {
        nameChrome(J, "thread_name", pid(T, Thread), Thread.Tid, Thread.Name);
        callsChrome(J, T, Thread);
      }
    });
  });
  OS << '\n';
}

// Semicolons and newlines separate, in that format, and it has no escapes.
static std::string frameName(StringRef Name) {
  std::string Result = printable(Name);
  llvm::replace(Result, ';', ':');
  return Result;
}

void patchbay::exportFolded(const Trace &T, raw_ostream &OS) {
  std::map<std::string, uint64_t> Stacks;
  for (const TraceThread &Thread : T.Threads) {
    std::vector<uint64_t> Self = T.selfTimes(Thread);
    std::vector<std::string> Stack;
    for (size_t I = 0; I != Self.size(); ++I) {
      const TraceCall &C = Thread.Calls[I];
      Stack.resize(C.Depth);
      std::string Outer = Stack.empty() ? frameName(Thread.Name) : Stack.back();
      Stack.push_back(Outer + ";" + frameName(T.Functions[C.Function].Name));
      // Entries have no duration: there, a call counts as one.
      uint64_t Weight = C.Kind == TraceCall::Entry ? 1 : Self[I];
      if (Weight)
        Stacks[Stack.back()] += Weight;
    }
  }
  for (const auto &[Stack, Weight] : Stacks)
    OS << Stack << ' ' << Weight << '\n';
}
