// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay import`: makes a recording of what the kernel has traced of itself.
#include "Verb.h"
#include "export/Export.h"
#include "format.h"
#include "importing/KernelTrace.h"
#include "importing/WriteRecording.h"
#include "reading/MappedFile.h"
#include "reading/Trace.h"
#include "recording/OutputDir.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand ImportCommand("import",
                                    "Make a recording of a trace of the kernel");
static cl::opt<std::string> File(cl::Positional, cl::desc("FILE"), cl::Required,
                                 cl::sub(ImportCommand), cl::cat(ToolOptions));
static cl::opt<std::string> Output("o", cl::desc("Directory to write to"),
                                   cl::value_desc("DIR"),
                                   cl::init(DefaultDataDir),
                                   cl::sub(ImportCommand), cl::cat(ToolOptions));
static cl::alias OutputLong("output", cl::desc("Same as -o"),
                            cl::aliasopt(Output), cl::NotHidden, cl::cat(ToolOptions));
static cl::opt<bool> Add("add", cl::sub(ImportCommand), cl::cat(ToolOptions),
                         cl::desc("To the recording that is in DIR, which was made "
                                  "at the same time"));

static constexpr char Help[] = R"(
  Reads a copy of the kernel's file 'trace', as the tracers function_graph and function
  print it (kernel: Documentation/trace/ftrace.rst), and writes a recording that all
  other verbs read: report, graph, replay, dump. The kernel is its one process; threads
  are tasks, and modules are programs. Of function_graph with tracing_thresh it is as if
  recorded by function_duration.

  The text must say when each call was, of which task and on which CPU. These options
  can be set after tracing, as they are about what is printed:
    cd /sys/kernel/tracing
    echo 1 > options/funcgraph-abstime
    echo 1 > options/funcgraph-proc
    echo 1 > options/funcgraph-tail
    cat trace > FILE

  The kernel prints times in microseconds and durations in nanoseconds. Durations are
  kept; times are made to agree with them, and with the order of the lines, and are up
  to a microsecond too early. Interrupts are calls of the task that they interrupt.

  An earlier recording in DIR is moved to DIR.old, as by 'patchbay record'. With --add
  it stays, and what processes and the kernel did is on one time line. For that the
  kernel must trace by the clock of 'patchbay record':
    echo mono > trace_clock          # or trace-cmd record -C mono

EXAMPLES:
  patchbay import trace.txt && patchbay report
  patchbay import trace.txt -o kernel.data && patchbay report --html=page.html kernel.data
  patchbay record -t function_graph ./prog   # while the kernel traces
  patchbay import --add trace.txt && patchbay replay

EXIT CODES:
  0  success; a line on stderr says what the kernel has lost
  1  FILE cannot be read, is no such text, lacks times or tasks, or ends within a line;
     or the recording cannot be written; with --add, there is none in DIR, or it has
     the kernel's calls already, or FILE is of another time
  2  wrong usage
  3  there is no call in FILE
)";

static Expected<KernelTrace> readFile() {
  Expected<int> Opened = openRegularFile(File);
  if (!Opened)
    return makeError("cannot read " + File + ": " + toString(Opened.takeError()));
  Expected<MappedFile> Mapped = MappedFile::map(*Opened, File);
  close(*Opened);
  if (!Mapped)
    return makeError("cannot read " + File + ": " + toString(Mapped.takeError()));
  Expected<KernelTrace> Trace = readKernelTrace(File, Mapped->bytes());
  if (Trace && !Trace->Calls)
    return makeError(NothingFound,
                     File + (Trace->Nameless ? ": no call whose function is known: " +
                                                   std::string(Trace->NamesAdvice)
                                             : ": no calls"));
  return Trace;
}

static Error createWith(const KernelTrace &Trace) {
  Expected<OutputDir> Dir = OutputDir::create(Output);
  if (!Dir)
    return Dir.takeError();
  Error E = writeRecording(Dir->path(), File, Trace, 0);
  if (E)
    Dir->undo();
  return E;
}

static Error addTo(const KernelTrace &Kernel) {
  LockedDir Lock;
  Expected<LockedDir::State> State = Lock.lock(Output);
  if (!State)
    return makeError("cannot add to " + Output + ": " + toString(State.takeError()));
  Expected<Trace> Recorded = readOutline(Output);
  if (!Recorded)
    return Recorded.takeError();
  if (*State == LockedDir::State::Busy)
    return makeError("cannot add to " + Output + ": it is being recorded");
  auto [First, Last] = Kernel.span();
  uint64_t Began = UINT64_MAX, Ended = 0;
  for (const TraceProcess &P : Recorded->Processes) {
    if (!P.Data.Session)
      continue;
    if (P.Data.Session->Counter == PBD_COUNTER_TRACE_CLOCK)
      return makeError("cannot add to " + Output + ": it has calls of the kernel");
    Began = std::min(Began, P.Data.Session->First.MonotonicNs);
    Ended = std::max(Ended, P.Data.Session->Last.MonotonicNs);
  }
  if (Last < Began || First > Ended)
    return makeError("cannot add to " + Output + ": " + File +
                     " is of another time, or by another clock: echo mono > "
                     "trace_clock, before both are recorded");
  return writeRecording(Output, File, Kernel, realtimeOffset(*Recorded));
}

static Expected<int> runImport(ArrayRef<const char *>) {
  Expected<KernelTrace> Trace = readFile();
  if (!Trace)
    return Trace.takeError();
  if (Error E = Add ? addTo(*Trace) : createWith(*Trace))
    return std::move(E);
  errs() << "patchbay: "
         << printable(counted(Trace->Calls, "call") + " of " +
                      counted(Trace->Functions.size(), "function") + " and " +
                      counted(Trace->Threads.size(), "task") + " are in " + Output +
                      " now")
         << '\n';
  if (Trace->Nameless)
    warn(File + ": the beginning of " + counted(Trace->Nameless, "call") +
         " is not there, nor the function: left out; " + Trace->NamesAdvice);
  return Success;
}

const Verb patchbay::ImportVerb = {ImportCommand, Help, runImport};
