// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay dump`: the events of a recording in one of several forms.
#include "Verb.h"
#include "export/Export.h"
#include "reading/ThreadChoice.h"
#include "showing/Losses.h"

using namespace llvm;
using namespace patchbay;

namespace {
enum FormT { Text, Csv, Json, Chrome, Folded, Perfetto, Parquet };
}

static cl::SubCommand
    DumpCommand("dump", "Write the recorded events for other programs");
static cl::opt<std::string> Dir(cl::Positional, cl::desc("[DIR]"),
                                cl::init(DefaultDataDir), cl::sub(DumpCommand),
                                cl::cat(ToolOptions));
static cl::opt<FormT>
    Form(cl::desc("Form:"), cl::init(Text), cl::sub(DumpCommand),
         cl::cat(ToolOptions),
         cl::values(
             clEnumValN(Text, "text", "one line per call (default)"),
             clEnumValN(Csv, "csv", "for spreadsheets and databases"),
             clEnumValN(Json, "json", "one JSON object per line"),
             clEnumValN(Chrome, "chrome",
                        "for chrome://tracing, Perfetto and speedscope"),
             clEnumValN(Folded, "folded",
                        "stacks with their own nanoseconds, for flame graphs"),
             clEnumValN(Perfetto, "perfetto", "Perfetto's protobuf"),
             clEnumValN(Parquet, "parquet",
                        "Apache Parquet, for DuckDB, ClickHouse and the "
                        "like")));
static cl::opt<std::string>
    Ctf("ctf", cl::value_desc("OUT"), cl::sub(DumpCommand),
        cl::cat(ToolOptions),
        cl::desc("Make the directory OUT and write the Common Trace Format "
                 "there, for babeltrace2 and Trace Compass"));

static ThreadChoice Threads(DumpCommand);

static constexpr char Help[] = R"(
  Times are nanoseconds of CLOCK_MONOTONIC on the traced machine. Of recordings
  without sleep time, duration_ns (of --csv, --json and --parquet) is the time on a
  processor, and elapsed_ns that from the call's beginning to its end; of others both
  are the same. In --chrome these are tdur, if it is less, and dur.

  How a call ended is its kind: returned; unwound, by an exception or the end of the
  thread; jumped, by longjmp(); unfinished, if nobody saw it end. Of the tracer
  function all are entry.

  A call that is unfinished, because the end of the process or a change of stacks cut
  it off, ends in --chrome and --perfetto with the call that it is in, or before the
  next one begins. What is open when recording ends, ends there in --chrome, and
  never in --perfetto. In --folded it is as in 'patchbay graph'.

  --ctf writes a trace per process, with a stream per thread. Events are
  func_entry and func_exit.

EXAMPLES:
  patchbay dump | less
  patchbay dump --chrome server.data > trace.json
  patchbay dump --perfetto > trace.pftrace       open it in ui.perfetto.dev
  patchbay dump --folded | flamegraph.pl --countname=ns > flame.svg
  patchbay dump --ctf=server.ctf server.data && babeltrace2 server.ctf
  patchbay dump --parquet a.data > a.parquet
  patchbay dump --parquet b.data > b.parquet; duckdb -c "select host, program,
    function, sum(duration_ns) from '*.parquet' group by all"

EXIT CODES:
  0  success
  1  no data or no events in it; a data file is truncated or corrupt (what
     precedes the damage is written all the same); or some functions of a
     process were not traced
  2  wrong usage; or a form that is binary was to be written to a terminal
  3  no thread that --tid or --thread names
)";

// What a terminal makes of bytes may be anything.
static Error refuseTerminal() {
  if ((Form != Perfetto && Form != Parquet) || !outs().is_displayed())
    return Error::success();
  return makeError(Usage, Twine("--") +
                              (Form == Perfetto ? "perfetto" : "parquet") +
                              " is binary, and standard output is a terminal: "
                              "write it to a file, with > FILE");
}

static void write(Trace &T, raw_ostream &OS) {
  switch (Form) {
  case Text:
    return exportText(T, OS);
  case Csv:
    return exportCsv(T, OS);
  case Json:
    return exportJson(T, OS);
  case Chrome:
    return exportChrome(T, OS);
  case Folded:
    return exportFolded(T, OS);
  case Perfetto:
    return exportPerfetto(T, OS);
  case Parquet:
    return exportParquet(T, OS);
  }
}

static Expected<int> runDump(ArrayRef<const char *>) {
  if (Ctf.getNumOccurrences() && Form.getNumOccurrences())
    return makeError(Usage, "--ctf is a form of its own: give it alone");
  if (Ctf.getNumOccurrences() && Ctf.empty())
    return makeError(Usage, "--ctf needs a directory, its name is empty");
  if (Error E = refuseTerminal())
    return E;
  Expected<Trace> T = readEvents(Dir);
  if (!T)
    return T.takeError();
  if (Error E = Threads.apply(*T, Dir))
    return E;
  if (!Ctf.empty()) {
    if (Error E = exportCtf(*T, Ctf))
      return E;
  } else {
    write(*T, outs());
  }
  outs().flush();
  sayEnded(*T, Dir);
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::DumpVerb = {DumpCommand, Help, runDump};
