// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay tui`: what report and graph show, on the whole of a terminal; of a process
// that runs, what happens in it now.
#include "DurationText.h"
#include "InputOption.h"
#include "SymfsOption.h"
#include "reading/CallChoice.h"
#include "showing/HowRecorded.h"
#include "showing/Losses.h"
#include "showing/NothingTraced.h"
#include "terminal/Browser.h"
#include "terminal/LiveFigures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand
    TuiCommand("tui", "Look at a recording, or a running process, on a terminal");
static InputOption Input(TuiCommand);
static std::string Dir; // that it names
static cl::opt<std::string>
    Process("p", cl::value_desc("PID"), cl::sub(TuiCommand), cl::cat(ToolOptions),
            cl::desc("Show what this process does now, again and again, as top does"));
static cl::opt<std::string> Delay(
    "d", cl::value_desc("DURATION"), cl::init("1s"), cl::sub(TuiCommand),
    cl::cat(ToolOptions),
    cl::desc(
        "With -p, how long each of these moments is: 200ms (default: 1s)"));
static cl::alias DelayAlias("delay", cl::desc("Same as -d"), cl::aliasopt(Delay),
                            cl::NotHidden, cl::cat(ToolOptions));

static CallChoice Choice(TuiCommand);
static SymfsOption Symfs(TuiCommand);

static constexpr char Help[] = R"(
  Views are the table of functions that 'patchbay report' prints, the tree of calls of
  'patchbay graph', the callers of a function and what it called, and the histogram of
  its durations. Keys are those of perf report and htop; h lists them:
    arrows, PgUp, PgDn  move           Enter  callers of a function, or unfold a node
    1 to 5, Tab         other views    /      only names with a text, in trees: find
    < and >             sort           q      leave
  Numbers that are much are in colours: 5 % of the time or more, and 0.5 %.

  With -p, a process that records already (record --live, record -p) is shown as it
  does; any other is recorded with -t function_profile --histogram, as 'patchbay record
  -p' does, until this command ends, and nothing is kept. -F and -N choose functions
  then. Columns are calls a second, busy, which is time in calls of the function in
  part of the time that passed, so of several threads it may be more than 100 %, what
  calls took on average in that moment, the longest, and all calls by now.
  Of events there are all views, of the calls that began in the last moment.

EXAMPLES:
  patchbay tui
  patchbay tui --under handle_request server.data
  patchbay tui -p 4711
  patchbay tui -p 4711 -F 'http_*' -d 5s

EXIT CODES:
  0  success
  1  no data, or no function in it; a data file is truncated or corrupt; the process
     cannot be recorded; or ncurses is not there
  2  wrong usage, or no terminal
  3  no thread that --tid or --thread names, or no call that was asked for
)";

static Expected<Figures> readFigures() {
  Expected<Trace> Read = readTrace(Dir, Symfs);
  if (!Read)
    return Read.takeError();
  Figures F;
  F.Title = Dir;
  F.T = std::make_unique<Trace>(std::move(*Read));
  Trace &T = *F.T;
  if (Error E = Choice.apply(T, Dir))
    return std::move(E);
  FunctionTotals Totals(T, /*WithSpread=*/true);
  TreeBuilder Builder(T);
  readCalls(T, {&Totals, &Builder}, /*StacksApart=*/true);
  if (Error E = CallChoice::checkFound(T, Dir))
    return std::move(E);
  F.Functions = Totals.finish();
  F.Tree = Builder.finish();
  F.readNames();
  if (double Part = lossesOf(T).Cost.share(); Part >= TracingCost::Noted)
    F.Note = formatv("tracing took {0:f0}% of CPU time", 100 * Part).str();
  return std::move(F);
}

static Expected<int> showRecording() {
  // Not first a minute of reading, and then that there is no terminal.
  if (Error E = Terminal::check())
    return std::move(E);
  Expected<Figures> F = readFigures();
  if (!F)
    return F.takeError();
  if (F->T->Functions.empty())
    return nothingTraced(*F->T, Dir);
  auto Term = Terminal::open();
  if (!Term)
    return Term.takeError();
  if (Error E = Browser(**Term, *F).run())
    return std::move(E);
  return F->T->Incomplete ? Failure : Success;
}

static Expected<int> showProcess() {
  int Pid;
  if (!to_integer(Process, Pid, 10) || Pid <= 0)
    return makeError(Usage, "-p: '" + Process +
                                "' is no process ID: that is a number from 1 on");
  auto Ns = readDuration("-d", Delay);
  if (!Ns)
    return Ns.takeError();
  if (*Ns < 50000000 || *Ns > uint64_t(3600) * 1000000000)
    return makeError(Usage, "-d: '" + Delay + "' is no time from 50ms to 1h");
  auto Options = Choice.ofRecord();
  if (!Options)
    return Options.takeError();
  if (Error E = Terminal::check())
    return std::move(E);
  auto Live = LiveFigures::begin(Pid, *Options);
  if (!Live)
    return Live.takeError();
  Figures F;
  F.Title = "process " + std::to_string(Pid);
  if (auto More = (*Live)->read(F); !More)
    return More.takeError();
  auto Term = Terminal::open();
  if (!Term)
    return Term.takeError();
  if (Error E = Browser(**Term, F).run(*Ns / 1000000,
                                       [&] { return (*Live)->read(F); }))
    return std::move(E);
  return Success;
}

static Expected<int> runTui(ArrayRef<const char *>) {
  bool IsLive = Process.getNumOccurrences();
  if (Error E = Input.get().moveInto(Dir))
    return std::move(E);
  if (Error E = Choice.checkDurations())
    return std::move(E);
  if (IsLive && Input.isGiven())
    return makeError(Usage, "a recording or a process: leave out " + Dir + " or -p");
  if (Delay.getNumOccurrences() && !IsLive)
    return makeError(Usage, "-d is for a process: add -p PID");
  return IsLive ? showProcess() : showRecording();
}

const Verb patchbay::TuiVerb = {TuiCommand, Help, runTui};
