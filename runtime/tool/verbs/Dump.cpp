// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay dump`: writes the events of a recording in one of several formats.
#include "CallChoice.h"
#include "export/Export.h"
#include "showing/Table.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("dump", "Write the recorded events in a format for other programs");
static InputOption Dir(Options);

namespace {
struct Format : FlagOption {
  Format(StringRef Name, StringRef Help, void (*Write)(Trace &T, raw_ostream &OS),
         bool IsBinary = false)
      : FlagOption(Options.in("Format"), Name, Help), Write(Write), IsBinary(IsBinary) {}
  void (*const Write)(Trace &T, raw_ostream &OS);
  const bool IsBinary;
};
} // namespace

static Format Formats[] = {
    {"text", "One line per call (default)", exportText},
    {"csv", "For spreadsheets and databases", exportCsv},
    {"json", "One JSON object per line", exportJson},
    {"chrome", "For chrome://tracing, Perfetto and speedscope", exportChrome},
    {"folded", "Stack traces with self time, for flame graphs", exportFolded},
    {"perfetto", "Perfetto's protobuf format", exportPerfetto, /*IsBinary=*/true},
    {"pprof", "Stack traces in pprof's protobuf format", exportPprof, /*IsBinary=*/true},
    {"otlp", "Spans in OpenTelemetry's protobuf format", exportOtlp, /*IsBinary=*/true}};
static const Format *Form = Formats; // the selected format
static StringOption ParquetInto(Options, "parquet", "OUT",
                                "Write Apache Parquet, or add to the partitions in OUT", "",
                                /*IsValueOptional=*/true);
static StringOption Output(Options.in("General"), "o,output", "FILE",
                           "Write to FILE (default: standard output)");
static CallChoice Choice(Options);
static DisplayOptions Display(Options);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay dump | less
  patchbay dump --chrome server.data > trace.json  # speedscope.app
  patchbay dump --perfetto > trace.pftrace         # ui.perfetto.dev
  patchbay dump --pprof > trace.pb.gz && go tool pprof -http=: trace.pb.gz
  patchbay dump --otlp --min 1ms |
    curl -H 'Content-Type: application/x-protobuf' --data-binary @- \
    http://localhost:4318/v1/traces
  patchbay dump --otlp -o spans.pb server.data
  patchbay dump --folded | flamegraph.pl --countname=ns > flame.svg
  patchbay dump --parquet -o a.parquet a.data
  patchbay dump --parquet -o b.parquet b.data; duckdb -c "select host,
    program, function, sum(duration_ns) from '*.parquet' group by all"
  patchbay dump --parquet=/mnt/calls server.data   # many hosts, one table

DESCRIPTION:
  'dump' writes the recorded calls in a format for other programs. Times are
  nanoseconds of CLOCK_MONOTONIC on the traced machine. Filters such as -F and
  --min leave out calls, and do not change the values of the others: depth
  counts all calls around a call.
  Durations are as measured, with or without --raw. 'patchbay report' takes the
  cost of tracing out of them, so its sums of short calls are smaller.

FIELDS:
  kind         how the call ended
  duration_ns  duration; CPU time if recorded with --no-sleep-time. --chrome
               has it as tdur, if it is less than dur
  elapsed_ns   time from start to end of the call; dur in --chrome

KINDS:
  returned    the function returned
  unwound     an exception or the end of the thread ended the call
  jumped      longjmp() ended the call
  unfinished  the end of the call was not recorded
  entry       the tracer 'entry' records no ends

UNFINISHED CALLS:
  A call may be cut off by the end of the process or a change of stacks. In
  --chrome and --perfetto it ends with its caller, or before the next call. A
  call that is open at the end of the recording ends there in --chrome, and
  has no end in --perfetto. --folded counts them as 'patchbay graph' does.

VALUES:
  Arguments, results and the waits of slow calls (record --why) are in --text,
  --json, --otlp, --chrome and --perfetto. --csv has arguments and results.
  The other formats have none of them.

FORMATS:
  --json      Numbers have all digits, as in 'perf data convert --to-json'.
              Readers that use floating point round them above 2^53
              (JavaScript, jq before 1.7). Addresses are hexadecimal strings.
              Infinities and NaN are strings. A result with recorded members is
              an object. A null pointer is null. An unreadable value is
              {"unknown": WHY}. Strings are cut to 64 bytes and "...".
  --folded    Frames deeper than 1,000 calls are one frame, '...'.
  --pprof     Calls and self time by stack trace, without timestamps. Threads
              of the same name are added up.
  --otlp      One span per call, and one trace per outermost call of a thread.
              A call with a context from 'record --trace-context' belongs to
              that trace, with all calls within it. Its parent is the span in
              the context. A collector accepts 20 MiB at once by default
              (max_request_body_size), about 100,000 calls.
  --parquet=  Adds OUT/host=HOST/day=DAY/build_id=ID/START-PID.parquet. Engines
              read OUT as one table with the columns host, day (UTC) of the
              call, and build_id of the function's module. A file appears when
              it is complete. A second dump replaces the files of a recording.
              A missing host or build ID is __HIVE_DEFAULT_PARTITION__.

ATTRIBUTES OF SPANS:
  service.name, host.name, process.pid, thread.id, thread.name and
  code.function.name are in each span. Others are in some spans:
    patchbay.kind                     the call did not return
    patchbay.args, patchbay.result    arguments and results were recorded
    patchbay.why, code.stacktrace     slow calls of record --why

EXIT CODES:
  0  success
  1  no data, or counts only; damaged data (calls before the damage are
     written); or functions of a process that were not traced
  2  wrong usage, or a binary format on a terminal
  3  no matching call or thread
)";

static bool isParquet() { return ParquetInto.given(); }

// Fails if binary output would go to a terminal, since it could change the terminal's state.
static Error refuseTerminal() {
  if (!ParquetInto.empty() || !(isParquet() || Form->IsBinary) || !outputIsTerminal() ||
      Output.given())
    return Error::success();
  return makeError(Usage, (isParquet() ? ParquetInto.name() : Form->name()) +
                              " is binary and cannot be shown on a terminal: add -o FILE");
}

static Error write(Trace &T, raw_ostream &OS) {
  if (!ParquetInto.empty())
    return exportParquetTree(T, ParquetInto);
  (isParquet() ? exportParquet : Form->Write)(T, OS);
  return Error::success();
}

static Error writeFile(Trace &T) {
  std::error_code EC;
  raw_fd_ostream OS(Output, EC);
  if (EC)
    return makeError("cannot write " + Output + ": " + EC.message());
  if (Error E = write(T, OS))
    return E;
  OS.flush();
  EC = OS.error();
  OS.clear_error();
  return EC ? makeError("cannot write " + Output + ": " + EC.message())
            : Error::success();
}

static Expected<int> runDump(ArrayRef<const char *>) {
  size_t Forms = isParquet();
  for (const Format &F : Formats)
    if (F.given()) {
      ++Forms;
      Form = &F;
    }
  bool HasOutput = Output.given();
  if (HasOutput && Output.empty())
    return makeError(Usage, "-o: the file name is empty");
  if (!ParquetInto.empty() && HasOutput)
    return makeError(
        Usage, "--parquet=OUT writes to the directory OUT: leave out -o, or use "
               "--parquet -o FILE for one file");
  if (Forms > 1)
    return makeError(Usage, "several formats are given: choose one");
  if (Error E = refuseTerminal())
    return E;
  Expected<Trace> T = Choice.openEvents(Dir);
  if (!T)
    return T.takeError();
  T->Raw = true; // exported times include the cost of tracing
  if (Error E = HasOutput ? writeFile(*T) : write(*T, outs()))
    return E;
  outs().flush();
  if (Error E = CallChoice::finish(*T, Dir))
    return E;
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::DumpVerb = {Options, Help, runDump};
