// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay import`: converts a text trace of the kernel's ftrace to a recording.
#include "Verb.h"
#include "export/Export.h"
#include "importing/KernelTrace.h"
#include "showing/Losses.h"
#include "showing/Table.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("import", "Convert an ftrace log of the kernel to a recording");
static StringOption File(Options, "", "FILE", "");
static StringOption Output(Options, "o,output", "DIR", "Write to DIR (default: patchbay.data)",
                           DefaultDataDir);
static FlagOption Add(Options, "add", "Add to the recording in DIR, made at the same time");

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay import trace.txt && patchbay report
  patchbay import trace.txt -o kernel.data
  patchbay report --html=page.html kernel.data
  patchbay record -t graph ./prog     # while the kernel traces
  patchbay import --add trace.txt && patchbay replay

DESCRIPTION:
  'import' reads a copy of the kernel's file 'trace', or the output of
  'trace-cmd report'. It writes a recording for all other verbs. The kernel is
  one process of the recording, and its tasks are threads. Interrupts are calls
  of the task that they interrupt.

  FILE must be a log of the tracer function_graph or function (kernel:
  Documentation/trace/ftrace.rst). With tracing_thresh, function_graph makes a
  recording as 'record -t duration' does.

PREPARING THE LOG:
  The log needs the time, task and CPU of each call. These options affect
  only the output, so you can set them after tracing:
    cd /sys/kernel/tracing
    echo 1 > options/funcgraph-abstime
    echo 1 > options/funcgraph-proc
    echo 1 > options/funcgraph-tail
    cat trace > FILE

TIMES:
  The kernel prints timestamps in microseconds and durations in nanoseconds.
  'import' keeps the durations. It makes timestamps agree with them and with
  the order of lines, so timestamps are up to a microsecond early.

OUTPUT DIRECTORY:
  An earlier recording in DIR is renamed to DIR.old. With --add it stays, and
  the kernel's calls are added on the same time line. The kernel must trace
  with the clock of 'patchbay record' for that:
    echo mono > trace_clock           # or trace-cmd record -C mono

EXIT CODES:
  0  success; a line on stderr counts the events that the kernel lost
  1  FILE cannot be read, has another format, lacks times or tasks, or ends
     within a line; the recording cannot be written; or --add found no
     recording, one with kernel calls, or one of another time
  2  wrong usage
  3  no call in FILE
)";

static Expected<KernelTrace> readFile() {
  Expected<MappedFile> Mapped = MappedFile::open(File);
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
  Expected<Trace> Recorded = openOutline(Output);
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
      return makeError("cannot add to " + Output + ": it already has calls of the kernel");
    Began = std::min(Began, P.Data.Session->First.MonotonicNs);
    Ended = std::max(Ended, P.Data.Session->Last.MonotonicNs);
  }
  if (Last < Began || First > Ended)
    return makeError("cannot add to " + Output + ": " + File +
                     " has another time range or clock: use 'echo mono > "
                     "trace_clock' before you record both");
  return writeRecording(Output, File, Kernel, realtimeOffset(*Recorded));
}

static Expected<int> runImport(ArrayRef<const char *>) {
  Expected<KernelTrace> Trace = readFile();
  if (!Trace)
    return Trace.takeError();
  if (Error E = Add ? addTo(*Trace) : createWith(*Trace))
    return std::move(E);
  errs() << "patchbay: "
         << printable("imported " + counted(Trace->Calls, "call") + " of " +
                      counted(Trace->Functions.size(), "function") + " and " +
                      counted(Trace->Threads.size(), "task") + " into " + Output)
         << '\n';
  if (Trace->Nameless)
    warn(File + ": skipped " + counted(Trace->Nameless, "call") +
         " without a start and a function name: " + Trace->NamesAdvice);
  return Success;
}

const Verb patchbay::ImportVerb = {Options, Help, runImport};
