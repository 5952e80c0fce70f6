// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceBuilder.h"
#include "support/Diagnostics.h"

using namespace llvm;
using namespace patchbay;

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

// "funcgraph_exit:     + 12.384 us   |    }", "function:       name <-- caller"
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

// "  comm-4711    [000]   12.345678: event:     the event's own text"
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
