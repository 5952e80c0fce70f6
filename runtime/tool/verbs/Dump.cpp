// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay dump`: the events of a recording in one of several forms.
#include "DisplayOptions.h"
#include "InputOption.h"
#include "SymfsOption.h"
#include "export/Export.h"
#include "reading/CallChoice.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include <set>

using namespace llvm;
using namespace patchbay;

namespace {
enum FormT {
  Text,
  Csv,
  Json,
  Chrome,
  Folded,
  Perfetto,
  Pprof,
  Otlp,
};
}

static cl::SubCommand
    DumpCommand("dump", "Write the recorded events for other programs");
static InputOption Input(DumpCommand);
static std::string Dir; // that it names
static std::set<FormT>
    Asked; // last wins of one that is given twice, but not of two forms
static cl::opt<FormT>
    Form(cl::desc("Form:"),
         cl::callback([](const FormT &F) { Asked.insert(F); }), cl::init(Text),
         cl::sub(DumpCommand), cl::cat(ToolOptions),
         cl::values(
             clEnumValN(Text, "text", "one line per call (default)"),
             clEnumValN(Csv, "csv", "for spreadsheets and databases"),
             clEnumValN(Json, "json", "one JSON object per line"),
             clEnumValN(Chrome, "chrome",
                        "for chrome://tracing, Perfetto and speedscope"),
             clEnumValN(Folded, "folded",
                        "stacks with their own nanoseconds, for flame graphs"),
             clEnumValN(Perfetto, "perfetto", "Perfetto's protobuf"),
             clEnumValN(Pprof, "pprof", "stacks as pprof's protobuf"),
             clEnumValN(Otlp, "otlp", "OpenTelemetry's protobuf")));
static cl::opt<std::string>
    ParquetInto("parquet", cl::value_desc("OUT"), cl::ValueOptional,
                cl::sub(DumpCommand), cl::cat(ToolOptions),
                cl::desc("Apache Parquet, for DuckDB, ClickHouse, Spark and the like; "
                         "with OUT, added to the tree of partitions in the directory "
                         "OUT, which may have recordings of many hosts"));

static cl::opt<std::string> Output(
    "o", cl::Prefix, cl::value_desc("FILE"), cl::sub(DumpCommand),
    cl::cat(ToolOptions),
    cl::desc("Write to this file (default: standard output)"));
static cl::alias OutputLong("output", cl::desc("Same as -o"),
                            cl::aliasopt(Output), cl::NotHidden, cl::cat(ToolOptions));

static CallChoice Choice(DumpCommand);
static SymfsOption Symfs(DumpCommand);
static DisplayOptions Display(DumpCommand);

static constexpr char Help[] = R"(
  Times are nanoseconds of CLOCK_MONOTONIC on the traced machine. Of recordings
  without sleep time, duration_ns (of --csv, --json and --parquet) is the time on a
  processor, and elapsed_ns that from the call's beginning to its end; of others both
  are the same. In --chrome these are tdur, if it is less, and dur.

  How a call ended is its kind: returned; unwound, by an exception or the end of the
  thread; jumped, by longjmp(); unfinished, if nobody saw it end. Of the tracer
  function all are entry.

  In --json numbers are numbers, with all their digits, as 'perf data convert --to-json'
  writes them: who reads them as floating-point ones (JavaScript, jq before 1.7) has them
  rounded above 2^53. Addresses are texts, in hexadecimal, and so are floating-point
  values that are not finite. Of a result of which members were recorded there is an
  object. A pointer that is null is null; what could not be read is {"unknown": WHY}; a
  text that was cut has ... behind its 64 bytes.

  A call that is unfinished, because the end of the process or a change of stacks cut
  it off, ends in --chrome and --perfetto with the call that it is in, or before the
  next one begins. What is open when recording ends, ends there in --chrome, and
  never in --perfetto. In --folded it is as in 'patchbay graph'; calls that are more
  than 1,000 deep are there as one frame, '...'.

  --pprof has calls and their own time for each stack, of all threads of a name
  together, and nothing of when.

  --otlp has a span for each call, and a trace for each outermost call of a thread, with
  the attributes service.name, host.name, process.pid, thread.id, thread.name,
  code.function.name; patchbay.kind of what did not return, patchbay.args and
  patchbay.result where they were recorded, patchbay.why and code.stacktrace of calls of
  record --why. A call of which 'record --trace-context' has recorded a trace is a span of
  that trace, with all that is within it; its parent is the span that is named there.
  Collectors take 20 MiB at once unless they
  are told otherwise (max_request_body_size), some 100,000 calls.

  --parquet=OUT adds files OUT/host=HOST/day=DAY/build_id=ID/START-PID.parquet, which
  engines read as one table with the columns host, day (of the call, in UTC) and build_id
  (of the function's module), and with all others as in --parquet. A file appears when it
  is complete. A recording that is dumped again takes the place of what it had there.
  What has no host or build id is in __HIVE_DEFAULT_PARTITION__.

  Arguments, results and what slow calls waited for are in --json, --otlp, --chrome and
  --perfetto; --csv has the first two. In --parquet they have no columns, and the formats of
  --folded and --pprof have no place for them.

  What is known of a call stays the same where others are left out: depth counts
  all calls that it is in.

EXAMPLES:
  patchbay dump | less
  patchbay dump --chrome server.data > trace.json       open it in speedscope.app
  patchbay dump --perfetto > trace.pftrace       open it in ui.perfetto.dev
  patchbay dump --pprof > trace.pb.gz && go tool pprof -http=: trace.pb.gz
  patchbay dump --otlp --min 1ms | curl -H 'Content-Type: application/x-protobuf'
    --data-binary @- http://localhost:4318/v1/traces
  patchbay dump --otlp -o spans.pb server.data
  patchbay dump --folded | flamegraph.pl --countname=ns > flame.svg
  patchbay dump --parquet -o a.parquet a.data
  patchbay dump --parquet -o b.parquet b.data; duckdb -c "select host, program,
    function, sum(duration_ns) from '*.parquet' group by all"
  patchbay dump --parquet=/mnt/calls server.data    on each host, into one table

EXIT CODES:
  0  success
  1  no data, or counts alone in it; a data file is truncated or corrupt (what
     precedes the damage is written all the same); or some functions of a
     process were not traced
  2  wrong usage; or a form that is binary was to be written to a terminal
  3  no thread that --tid or --thread names, or no call that was asked for
)";

static bool isParquet() { return ParquetInto.getNumOccurrences(); }

// Of these forms each figure is time that a function spent itself.
static void sayWhatIsSelf(const Trace &T) {
  if (T.isSampled() && (Form == Folded || Form == Pprof))
    errs() << "patchbay: " << printable(Dir)
           << ": sampled: calls that were not recorded are in their callers' own time\n";
}

// What a terminal makes of bytes may be anything.
static Error refuseTerminal() {
  StringRef Name = Form == Perfetto  ? "perfetto"
                   : Form == Pprof   ? "pprof"
                   : Form == Otlp    ? "otlp"
                   : isParquet()     ? "parquet"
                                     : "";
  if (Name.empty() || !ParquetInto.empty() || !outputIsTerminal() ||
      Output.getNumOccurrences())
    return Error::success();
  return makeError(Usage, "--" + Name +
                              " is binary, and standard output is a terminal: "
                              "write it to a file, with -o FILE");
}

static Error write(Trace &T, raw_ostream &OS) {
  if (!ParquetInto.empty())
    return exportParquetTree(T, ParquetInto);
  if (isParquet()) {
    exportParquet(T, OS);
    return Error::success();
  }
  switch (Form) {
  case Text:
    exportText(T, OS);
    break;
  case Csv:
    exportCsv(T, OS);
    break;
  case Json:
    exportJson(T, OS);
    break;
  case Chrome:
    exportChrome(T, OS);
    break;
  case Folded:
    exportFolded(T, OS);
    break;
  case Pprof:
    return exportPprof(T, OS);
  case Perfetto:
    exportPerfetto(T, OS);
    break;
  case Otlp:
    exportOtlp(T, OS);
    break;
  }
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
  if (Error E = Input.get().moveInto(Dir))
    return E;
  size_t Forms = Asked.size() + isParquet();
  bool HasOutput = Output.getNumOccurrences();
  if (HasOutput && Output.empty())
    return makeError(Usage, "-o needs a file, its name is empty");
  if (!ParquetInto.empty() && HasOutput)
    return makeError(
        Usage, "--parquet=OUT names a directory of many recordings: write "
               "--parquet -o FILE for a file of this one alone");
  if (Forms > 1)
    return makeError(Usage, "what is written has one form: give one of the options");
  if (Error E = refuseTerminal())
    return E;
  Expected<Trace> T = readEvents(Dir, Symfs);
  if (!T)
    return T.takeError();
  T->Raw = true; // other programs get what was measured
  if (Error E = Choice.apply(*T, Dir))
    return E;
  if (Error E = HasOutput ? writeFile(*T) : write(*T, outs()))
    return E;
  outs().flush();
  sayWhatIsSelf(*T);
  sayEnded(*T, Dir);
  if (Error E = Choice.checkFound(*T, Dir))
    return E;
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::DumpVerb = {DumpCommand, Help, runDump};
