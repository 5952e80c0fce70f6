// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static constexpr uint64_t Second = 1'000'000'000;

std::optional<uint64_t> patchbay::readTime(StringRef Text) {
  auto [Seconds, Digits] = Text.trim().split('.');
  uint64_t S, Fraction;
  if (Seconds.getAsInteger(10, S) || (Digits.size() != 6 && Digits.size() != 9) ||
      Digits.getAsInteger(10, Fraction) || S > UINT64_MAX / Second - 1)
    return std::nullopt;
  return S * Second + (Digits.size() == 6 ? Fraction * 1000 : Fraction);
}

// Reads "12.345 us", possibly after a mark such as "! ". Returns the shortest and the
// longest duration with the same printed digits.
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

std::optional<uint32_t> patchbay::taskId(StringRef Task) {
  uint32_t Tid;
  if (Task.trim().rsplit('-').second.getAsInteger(10, Tid))
    return std::nullopt;
  return Tid;
}

std::optional<TaskLine> TaskLine::read(StringRef Line) {
  TaskLine Out;
  // A task's name may contain anything, so search for the CPU after the task's number: a
  // number in brackets.
  size_t Begin = 0, End = 0;
  do {
    Begin = Line.find('[', Begin + 1);
    End = Line.find(']', Begin);
    if (End == StringRef::npos)
      return std::nullopt;
    Out.Task = Line.take_front(Begin).rtrim();
    // The option record-tgid adds a number: "comm-4711  ( 4700)".
    if (Out.Task.ends_with(")"))
      Out.Task = Out.Task.rsplit('(').first;
  } while (!taskId(Out.Task) || Line.slice(Begin + 1, End).getAsInteger(10, Out.Cpu));
  auto [Before, What] = Line.drop_front(End + 1).split(": ");
  // The time follows the flags, which are optional.
  auto Time = readTime(Before.substr(Before.rtrim().rfind(' ') + 1));
  if (!Time)
    return std::nullopt;
  Out.Time = *Time;
  Out.What = What;
  return Out;
}

size_t TraceBuilder::thread(StringRef Task, unsigned Cpu) {
  Task = Task.trim();
  uint32_t Tid = *taskId(Task);
  // Each CPU has its own idle thread, and all of these have number 0.
  auto [At, IsNew] = Threads.try_emplace({Tid, Tid ? 0 : Cpu}, Out.Threads.size());
  if (IsNew) {
    StringRef Comm = Task.rsplit('-').first;
    Out.Threads.push_back(
        {Tid, Tid ? Comm.str() : "swapper/" + utostr(Cpu), {}});
    Calls.emplace_back();
  }
  return At->second;
}

uint32_t TraceBuilder::function(StringRef Symbol) {
  auto [At, IsNew] = Functions.try_emplace(Symbol, Out.Functions.size());
  if (IsNew) {
    auto [Name, Module] = Symbol.split(" [");
    Module.consume_back("]");
    Out.Functions.push_back({Name.str(), Module.str()});
  }
  return At->second;
}

bool TraceBuilder::addLoss(StringRef Line) {
  StringRef What = Line.split('[').second;
  if (!Line.starts_with("CPU:") ||
      !(What.consume_front("LOST ") ? What.consume_back("EVENTS]")
                                    : What.consume_back("EVENTS DROPPED]")))
    return false;
  uint64_t Lost = 1;
  if (!What.trim().empty() && What.trim().getAsInteger(10, Lost))
    return false;
  Out.Lost += Lost;
  return true;
}

// Removes the return value from "name [module] ret=0x0", or from "name [module] = -22"
// (Linux 6.5 to 6.12). Later additions also begin with a space.
static StringRef dropReturnValue(StringRef Tail) {
  for (StringRef Mark : {" ret=", " = "})
    Tail = Tail.split(Mark).first;
  return Tail.trim();
}

static bool takeFunctionName(StringRef &Call, StringRef End) {
  // The brackets may contain arguments, and a return value may follow.
  Call = Call.split(" /*").first;
  if (!Call.consume_back(End))
    return false;
  size_t Args = Call.find('(');
  if (Args == 0 || Args == StringRef::npos)
    return false;
  Call = Call.take_front(Args);
  return true;
}

bool TraceBuilder::addGraphCall(StringRef Task, unsigned Cpu, uint64_t Time,
                                StringRef Duration, StringRef Call) {
  StringRef Name = Call.ltrim();
  if (Name.starts_with("/*"))
    return true; // an event of another tracer, or text that a user wrote into the trace
  size_t Spaces = Call.size() - Name.size();
  if (Spaces < 2)
    return false;
  uint32_t Depth = (Spaces - 2) / 2;
  auto Took = readDuration(Duration);
  KernelCalls &Its = Calls[thread(Task, Cpu)];
  if (Name.consume_front("}")) {
    if (!Took)
      return false;
    std::optional<uint32_t> Function;
    Name = Name.trim();
    if (Name.consume_front("/* ")) {
      if (!Name.consume_back("*/"))
        return false;
      Function = function(dropReturnValue(Name));
    }
    if (!Its.leave(Function, Depth, Time, Took->first, Took->second))
      ++Out.Nameless;
    return true;
  }
  StringRef Symbol = Name.rtrim();
  bool IsLeaf = Took.has_value();
  if (!takeFunctionName(Symbol, IsLeaf ? ";" : " {"))
    return false;
  uint32_t Function = function(Symbol);
  HasEntries = true;
  Its.enter(Function, Depth, Time);
  if (IsLeaf)
    Its.leave(Function, Depth, Time + Took->first, Took->first, Took->second);
  return true;
}

void TraceBuilder::addEntry(const TaskLine &Line, StringRef Function,
                            StringRef Caller) {
  KernelEvent E;
  E.Function = function(Function);
  E.Caller = function(Caller);
  E.Time = Line.Time;
  Out.Threads[thread(Line.Task, Line.Cpu)].Events.push_back(E);
}

KernelTrace TraceBuilder::finish() {
  bool IsGraph = Out.Tracer != KernelTrace::Entries;
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
