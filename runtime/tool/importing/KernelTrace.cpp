// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of `trace`, as kernel/trace/trace_functions_graph.c and trace_output.c print
// them.
#include "KernelTrace.h"
#include "Diagnostics.h"
#include "KernelCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace llvm;
using namespace patchbay;

namespace {

constexpr uint64_t Second = 1'000'000'000;

class TextReader {
public:
  TextReader(StringRef Path, StringRef Text) : Path(Path), Text(Text) {}
  Expected<KernelTrace> read();

private:
  Error readHead();
  Error readColumns(StringRef Line);
  Error readLine(StringRef Line);
  bool readLoss(StringRef Line);
  bool readGraphLine(StringRef Line);
  bool readGraphCall(size_t Thread, uint64_t Time, StringRef Duration,
                     StringRef Call);
  bool readFunctionLine(StringRef Line);
  Error unknown() const {
    return makeError(Path + ":" + Twine(LineNo) + ": not a line of the tracer " +
                     (IsGraph ? "function_graph" : "function"));
  }
  size_t thread(StringRef Task, unsigned Cpu);
  uint32_t function(StringRef Symbol);

  StringRef Path, Text;
  size_t LineNo = 0;
  bool IsGraph = false, HasColumns = false, HasRelative = false, HasFlags = false;
  KernelTrace Out;
  std::vector<KernelCalls> Calls; // by thread
  bool HasEntries = false;
  std::map<std::pair<uint32_t, unsigned>, size_t> Threads; // by tid, and CPU of tid 0
  StringMap<uint32_t> Functions;
};

} // namespace

// "12.345678"
static std::optional<uint64_t> readTime(StringRef Text) {
  auto [Seconds, Micros] = Text.trim().split('.');
  uint64_t S, Us;
  if (Seconds.getAsInteger(10, S) || Micros.size() != 6 ||
      Micros.getAsInteger(10, Us) || S > UINT64_MAX / Second - 1)
    return std::nullopt;
  return S * Second + Us * 1000;
}

// "12.345 us": how long at least and, by the digits that are not there, at most. A mark
// may be before it: "! ".
static std::optional<std::pair<uint64_t, uint64_t>> readDuration(StringRef Text) {
  Text = Text.trim();
  if (!Text.consume_back(" us"))
    return std::nullopt;
  Text = Text.drop_while([](char C) { return !isDigit(C); });
  auto [Micros, Digits] = Text.split('.');
  uint64_t Us, Ns = 0, Unit = 1;
  if (Micros.getAsInteger(10, Us) || Us > UINT64_MAX / 2000 || Digits.size() > 3 ||
      (!Digits.empty() && Digits.getAsInteger(10, Ns)))
    return std::nullopt;
  for (size_t I = Digits.size(); I != 3; ++I)
    Unit *= 10;
  return std::pair(Us * 1000 + Ns * Unit, Us * 1000 + Ns * Unit + Unit - 1);
}

// "comm-4711", whose comm may have anything in it.
static std::optional<uint32_t> taskId(StringRef Task) {
  uint32_t Tid;
  if (Task.trim().rsplit('-').second.getAsInteger(10, Tid))
    return std::nullopt;
  return Tid;
}

size_t TextReader::thread(StringRef Task, unsigned Cpu) {
  Task = Task.trim();
  uint32_t Tid = *taskId(Task);
  // There is an idle thread for each CPU, and all have this number.
  auto [At, IsNew] = Threads.try_emplace({Tid, Tid ? 0 : Cpu}, Out.Threads.size());
  if (IsNew) {
    StringRef Comm = Task.rsplit('-').first;
    Out.Threads.push_back(
        {Tid, Tid ? Comm.str() : "swapper/" + utostr(Cpu), {}});
    Calls.emplace_back();
  }
  return At->second;
}

uint32_t TextReader::function(StringRef Symbol) {
  auto [At, IsNew] = Functions.try_emplace(Symbol, Out.Functions.size());
  if (IsNew) {
    auto [Name, Module] = Symbol.split(" [");
    Module.consume_back("]");
    Out.Functions.push_back({Name.str(), Module.str()});
  }
  return At->second;
}

// "CPU:1 [LOST 34 EVENTS]", or without a number.
bool TextReader::readLoss(StringRef Line) {
  StringRef What = Line.split('[').second;
  if (!Line.starts_with("CPU:") || !What.consume_front("LOST ") ||
      !What.consume_back("EVENTS]"))
    return false;
  uint64_t Lost = 1;
  if (!What.trim().empty() && What.trim().getAsInteger(10, Lost))
    return false;
  Out.Lost += Lost;
  return true;
}

Error TextReader::readHead() {
  auto [Line, Rest] = Text.split('\n');
  StringRef Name = Line;
  if (!Name.consume_front("# tracer: "))
    return makeError(Path + ": not what the kernel's 'trace' has: it begins with"
                            " '# tracer: '");
  IsGraph = Name == "function_graph";
  if (!IsGraph && Name != "function")
    return makeError(Path + ": of the tracer " + Name +
                     ": only function_graph and function have calls");
  Out.Tracer = IsGraph ? KernelTrace::Graph : KernelTrace::Entries;
  Text = Rest;
  LineNo = 1;
  return Error::success();
}

// The line above the columns says which there are, which options decide; so one is
// enough that says how to have more.
Error TextReader::readColumns(StringRef Line) {
  if (StringRef Counts = Line; Counts.consume_front("# entries-in-buffer/"
                                                    "entries-written: ")) {
    uint64_t Kept, Written;
    auto [First, Second] = Counts.split(' ').first.split('/');
    if (!First.getAsInteger(10, Kept) && !Second.getAsInteger(10, Written) &&
        Kept < Written)
      Out.Overwritten = Written - Kept;
  }
  if (!IsGraph || !Line.ends_with("FUNCTION CALLS"))
    return Error::success();
  HasColumns = true;
  HasRelative = Line.contains("REL TIME");
  HasFlags = Line.contains("||||");
  for (auto [Column, Option] :
       {std::pair("#     TIME ", "funcgraph-abstime"), {"CPU", "funcgraph-cpu"},
        {"TASK/PID", "funcgraph-proc"}, {"DURATION", "funcgraph-duration"}})
    if (!Line.contains(Column))
      return makeError(Path + ": no column for " +
                       StringRef(Option).drop_front(strlen("funcgraph-")) +
                       ": echo 1 > options/" + Option + ", and read 'trace' again");
  return Error::success();
}

static bool takeFunctionName(StringRef &Call, StringRef End) {
  // Arguments may be in the brackets, and behind all of it what it returned.
  Call = Call.split(" /*").first;
  if (!Call.consume_back(End))
    return false;
  size_t Args = Call.find('(');
  if (Args == 0 || Args == StringRef::npos)
    return false;
  Call = Call.take_front(Args);
  return true;
}

// "name();", "name() {", "} /* name */", or "}".
bool TextReader::readGraphCall(size_t Thread, uint64_t Time, StringRef Duration,
                               StringRef Call) {
  StringRef Name = Call.ltrim();
  if (Name.starts_with("/*"))
    return true; // another event, or what someone wrote into the trace
  size_t Spaces = Call.size() - Name.size();
  if (Spaces < 2)
    return false;
  uint32_t Depth = (Spaces - 2) / 2;
  auto Took = readDuration(Duration);
  if (Name.consume_front("}")) {
    if (!Took)
      return false;
    std::optional<uint32_t> Function;
    Name = Name.trim();
    if (Name.consume_front("/* ")) {
      if (!Name.consume_back("*/"))
        return false;
      Function = function(Name.split(" ret=").first.trim());
    }
    if (!Calls[Thread].leave(Function, Depth, Time, Took->first, Took->second))
      ++Out.Nameless;
    return true;
  }
  StringRef Symbol = Name.rtrim();
  bool IsLeaf = Took.has_value();
  if (!takeFunctionName(Symbol, IsLeaf ? ";" : " {"))
    return false;
  uint32_t Function = function(Symbol);
  HasEntries = true;
  Calls[Thread].enter(Function, Depth, Time);
  if (IsLeaf)
    Calls[Thread].leave(Function, Depth, Time + Took->first, Took->first,
                        Took->second);
  return true;
}

// "   12.345678 |   0)  comm-4711  |   1.382 us    |    name();"
bool TextReader::readGraphLine(StringRef Line) {
  if (Line.contains(" => ") || Line.trim().starts_with("-----") ||
      Line.starts_with(" (Overruns:"))
    return true; // another thread goes on, which each line says
  auto [TimeText, Rest] = Line.split('|');
  if (HasRelative)
    Rest = Rest.split('|').second;
  auto [CpuText, Behind] = Rest.split(')');
  unsigned Cpu;
  auto Time = readTime(TimeText);
  if (!Time || CpuText.trim().getAsInteger(10, Cpu))
    return false;
  // A thread may be called anything, so up to the first number before a bar.
  size_t Bar = Behind.find('|');
  while (Bar != StringRef::npos && !taskId(Behind.take_front(Bar)))
    Bar = Behind.find('|', Bar + 1);
  if (Bar == StringRef::npos)
    return false;
  StringRef Task = Behind.take_front(Bar);
  Rest = Behind.drop_front(Bar + 1);
  if (HasFlags)
    Rest = Rest.split('|').second;
  if (Rest.contains("==========")) // an interrupt begins or ends
    return true;
  auto [Duration, Call] = Rest.split('|');
  return readGraphCall(thread(Task, Cpu), *Time, Duration, Call);
}

// "  comm-4711    [000] d..2.   12.345678: name <-caller"
bool TextReader::readFunctionLine(StringRef Line) {
  auto [Call, Caller] = Line.rsplit(" <-");
  if (Caller.empty() || Caller == Line)
    return true; // another event
  size_t Cpu = 0, End = 0;
  unsigned CpuNo = 0;
  do {
    Cpu = Call.find('[', Cpu + 1);
    End = Call.find(']', Cpu);
    if (End == StringRef::npos)
      return false;
  } while (Call.slice(Cpu + 1, End).getAsInteger(10, CpuNo));
  StringRef Task = Call.take_front(Cpu).rtrim();
  // With the option record-tgid: "comm-4711  ( 4700)".
  if (Task.ends_with(")"))
    Task = Task.rsplit('(').first;
  auto [Before, Name] = Call.drop_front(End + 1).split(": ");
  auto Time = readTime(Before.trim().rsplit(' ').second);
  if (!taskId(Task) || !Time)
    return false;
  size_t At = thread(Task, CpuNo);
  KernelEvent E;
  E.Function = function(Name.split('(').first.rtrim());
  E.Caller = function(Caller.rtrim());
  E.Time = *Time;
  Out.Threads[At].Events.push_back(E);
  return true;
}

Error TextReader::readLine(StringRef Line) {
  if (Line.starts_with("#"))
    return readColumns(Line);
  if (Line.trim().empty() || readLoss(Line))
    return Error::success();
  if (IsGraph && !HasColumns)
    return makeError(Path + ": no line with the names of columns");
  return (IsGraph ? readGraphLine(Line) : readFunctionLine(Line))
             ? Error::success()
             : unknown();
}

Expected<KernelTrace> TextReader::read() {
  if (Error E = readHead())
    return std::move(E);
  while (!Text.empty()) {
    ++LineNo;
    size_t End = Text.find('\n');
    if (End == StringRef::npos)
      return makeError(Path + ": ends within line " + Twine(LineNo));
    StringRef Line = Text.take_front(End);
    Text = Text.drop_front(End + 1);
    if (Error E = readLine(Line))
      return std::move(E);
  }
  if (IsGraph && !HasEntries)
    Out.Tracer = KernelTrace::Durations;
  for (size_t I = 0; IsGraph && I != Calls.size(); ++I)
    Out.Threads[I].Events = Calls[I].finish();
  for (KernelThread &T : Out.Threads) {
    settleTimes(T);
    Out.Calls += count_if(T.Events, [](const KernelEvent &E) { return !E.IsExit; });
  }
  return std::move(Out);
}

std::pair<uint64_t, uint64_t> KernelTrace::span() const {
  uint64_t First = UINT64_MAX, Last = 0;
  for (const KernelThread &T : Threads)
    if (!T.Events.empty()) {
      First = std::min(First, T.Events.front().Time);
      Last = std::max(Last, T.Events.back().Time);
    }
  return {std::min(First, Last), Last};
}

Expected<KernelTrace> patchbay::readKernelTrace(StringRef Path, StringRef Text) {
  return TextReader(Path, Text).read();
}
