// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the lines of the file `trace`, as kernel/trace/trace_functions_graph.c
// and trace_output.c print them.
#include "KernelTrace.h"
#include "TraceBuilder.h"
#include "support/Diagnostics.h"

using namespace llvm;
using namespace patchbay;

namespace {

class TextReader {
public:
  TextReader(StringRef Path, StringRef Text) : Path(Path), Text(Text) {}
  Expected<KernelTrace> read();

private:
  Error readHead();
  Error readColumns(StringRef Line);
  Error readLine(StringRef Line);
  bool readGraphLine(StringRef Line);
  bool readFunctionLine(StringRef Line);
  Error unknown() const {
    return makeError(Path + ":" + Twine(LineNo) + ": not a line of the tracer " +
                     (IsGraph ? "function_graph" : "function"));
  }

  StringRef Path, Text;
  size_t LineNo = 0;
  bool IsGraph = false, HasColumns = false, HasRelative = false, HasFlags = false;
  TraceBuilder Builder;
};

} // namespace

Error TextReader::readHead() {
  auto [Line, Rest] = Text.split('\n');
  StringRef Name = Line;
  if (Text.starts_with("\x17\x08" "Dtracing"))
    return makeError(Path + ": a binary file of trace-cmd: import what 'trace-cmd report -t -O "
                            "fgraph:tailprint " + Path + "' prints");
  if (!Name.consume_front("# tracer: "))
    return makeError(Path + ": neither the kernel's 'trace', which begins with '# tracer: ', "
                            "nor output of 'trace-cmd report'");
  IsGraph = Name == "function_graph";
  if (!IsGraph && Name != "function")
    return makeError(Path + ": of the tracer " + Name +
                     ": only function_graph and function have calls");
  Builder.Out.Tracer = IsGraph ? KernelTrace::Graph : KernelTrace::Entries;
  Text = Rest;
  LineNo = 1;
  return Error::success();
}

// Reads the heading, which names the columns. The error for a missing column names the kernel
// option that enables the column.
Error TextReader::readColumns(StringRef Line) {
  if (StringRef Counts = Line; Counts.consume_front("# entries-in-buffer/"
                                                    "entries-written: ")) {
    uint64_t Kept, Written;
    auto [First, Second] = Counts.split(' ').first.split('/');
    if (!First.getAsInteger(10, Kept) && !Second.getAsInteger(10, Written) &&
        Kept < Written)
      Builder.Out.Overwritten = Written - Kept;
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

// Reads "   12.345678 |   0)  comm-4711  |   1.382 us    |    name();".
bool TextReader::readGraphLine(StringRef Line) {
  if (Line.contains(" => ") || Line.trim().starts_with("-----") ||
      Line.starts_with(" (Overruns:"))
    return true; // a switch to another thread; each line has its own thread
  auto [TimeText, Rest] = Line.split('|');
  if (HasRelative)
    Rest = Rest.split('|').second;
  auto [CpuText, Behind] = Rest.split(')');
  unsigned Cpu;
  auto Time = readTime(TimeText);
  if (!Time || CpuText.trim().getAsInteger(10, Cpu))
    return false;
  // The task ends at the first bar that follows a number, since a thread's name may contain
  // bars.
  size_t Bar = Behind.find('|');
  while (Bar != StringRef::npos && !taskId(Behind.take_front(Bar)))
    Bar = Behind.find('|', Bar + 1);
  if (Bar == StringRef::npos)
    return false;
  StringRef Task = Behind.take_front(Bar);
  Rest = Behind.drop_front(Bar + 1);
  if (HasFlags)
    Rest = Rest.split('|').second;
  if (Rest.contains("==========")) // the beginning or end of an interrupt
    return true;
  auto [Duration, Call] = Rest.split('|');
  return Builder.addGraphCall(Task, Cpu, *Time, Duration, Call);
}

// Reads "  comm-4711    [000] d..2.   12.345678: name <-caller".
bool TextReader::readFunctionLine(StringRef Line) {
  auto [Call, Caller] = Line.rsplit(" <-");
  if (Caller.empty() || Caller == Line)
    return true; // an event of another tracer
  auto Read = TaskLine::read(Call);
  if (!Read)
    return false;
  Builder.addEntry(*Read, Read->What.split('(').first.rtrim(), Caller.rtrim());
  return true;
}

Error TextReader::readLine(StringRef Line) {
  if (Line.starts_with("#"))
    return readColumns(Line);
  if (Line.trim().empty() || Builder.addLoss(Line))
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
  KernelTrace Trace = Builder.finish();
  Trace.NamesAdvice = "echo 1 > options/funcgraph-tail, and read 'trace' again";
  return Trace;
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
  return isTraceCmdReport(Text) ? readTraceCmdReport(Path, Text)
                                : TextReader(Path, Text).read();
}

// Is the line part of the heading: "cpus=2", "CPU 1 is empty", or the version
// of the file?
static bool isHead(StringRef Line) {
  return Line.starts_with("cpus=") || Line.starts_with("version = ") ||
         (Line.starts_with("CPU ") && Line.ends_with(" is empty"));
}

bool patchbay::isTraceCmdReport(StringRef Text) {
  return isHead(Text.split('\n').first);
}

namespace {

class ReportReader {
public:
  ReportReader(StringRef Path) : Path(Path) {}
  Error readLine(StringRef Line);
  KernelTrace finish() { return Builder.finish(); }

private:
  Error fail(StringRef What) const {
    return makeError(Path + ":" + Twine(LineNo) + ": " + What);
  }
  Error readCall(const TaskLine &Line, StringRef Event, StringRef What);

  StringRef Path;
  size_t LineNo = 0;
  std::optional<KernelTrace::TracerT> Tracer;
  TraceBuilder Builder;
};

} // namespace

// Reads "funcgraph_exit:     + 12.384 us   |    }", or "function:       name <-- caller".
Error ReportReader::readCall(const TaskLine &Line, StringRef Event, StringRef What) {
  bool IsGraph = Event != "function";
  auto Its = IsGraph ? KernelTrace::Graph : KernelTrace::Entries;
  if (Tracer && *Tracer != Its)
    return fail("calls of both tracers, function and function_graph");
  Tracer = Builder.Out.Tracer = Its;
  if (IsGraph) {
    auto [Duration, Call] = What.split('|');
    return Builder.addGraphCall(Line.Task, Line.Cpu, Line.Time, Duration, Call)
               ? Error::success()
               : fail("not a call of function_graph");
  }
  auto [Function, Caller] = What.split(" <-- ");
  if (Caller.empty())
    return fail("no caller: trace-cmd report -O ftrace:parent");
  // Nested calls are indented.
  Builder.addEntry(Line, Function.trim(), Caller.trim());
  return Error::success();
}

// Reads "  comm-4711    [000]   12.345678: event:     the event's own text".
Error ReportReader::readLine(StringRef Line) {
  ++LineNo;
  if (Line.trim().empty() || isHead(Line) || Builder.addLoss(Line) ||
      Line.starts_with("=> ")) // a line of a stack trace, below its event
    return Error::success();
  auto Read = TaskLine::read(Line);
  if (!Read)
    return fail("not a line of 'trace-cmd report'");
  auto [Event, What] = Read->What.split(':');
  Event = Event.trim();
  if (Event == "function" || Event == "funcgraph_entry" || Event == "funcgraph_exit")
    return readCall(*Read, Event, What);
  return Error::success(); // an event of another tracer
}

Expected<KernelTrace> patchbay::readTraceCmdReport(StringRef Path, StringRef Text) {
  ReportReader Reader(Path);
  for (size_t LineNo = 1; !Text.empty(); ++LineNo) {
    size_t End = Text.find('\n');
    if (End == StringRef::npos)
      return makeError(Path + ": ends within line " + Twine(LineNo));
    if (Error E = Reader.readLine(Text.take_front(End)))
      return std::move(E);
    Text = Text.drop_front(End + 1);
  }
  KernelTrace Trace = Reader.finish();
  Trace.NamesAdvice = "trace-cmd report -O fgraph:tailprint";
  return Trace;
}
