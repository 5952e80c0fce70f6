// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay tui`: shows report and graph interactively on a terminal, also for a running
// process.
#include "CallChoice.h"
#include "showing/Losses.h"
#include "terminal/Views.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("tui", "Browse a recording or a running process on a terminal");
static InputOption Dir(Options);
static StringOption Process(Options, "p", "PID", "Show a running process, as top does");
static DurationOption Delay(Options, "d,delay",
                            "With -p: refresh after DURATION (200ms; default: 1s)", 1000000000);
static CallChoice Choice(Options);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay tui
  patchbay tui --under handle_request server.data
  patchbay tui -p 4711
  patchbay tui -p 4711 -F 'http_*' -d 5s

DESCRIPTION:
  'tui' shows a recording, or with -p a running process, on the whole terminal.
  It has these views:
    1  the functions, as in 'patchbay report'
    2  the call tree, as in 'patchbay graph'
    3  the callers of a function
    4  its callees
    5  the histogram of its durations
    6  its slow calls, as in 'patchbay outliers'

  Large values are coloured: red from 5 %, green from 0.5 % of the time.

KEYS:
  arrows      move, and so do PgUp and PgDn
  1 to 6      change the view, and so does Tab
  < and >     sort by another column
  Enter       show the callers of a function
  Space       fold or unfold a node
  /           show only names with a text; in trees: search
  h           show all keys
  q           quit

RUNNING PROCESSES:
  A process that is recorded already (record --live, record -p) is shown with
  its tracer. 'tui' records any other process with -t count --histogram until it
  ends, and keeps nothing. Then -F and -N choose functions. If there are events,
  all views show the calls that began in the last interval.

COLUMNS OF A PROCESS:
  calls/s  calls per second
  busy     time in calls of the function, as a share of the elapsed time; more
           than 100 % if several threads call it
  average  mean duration in the last interval
  longest  the longest call
  calls    all calls up to now

EXIT CODES:
  0  success
  1  no data, or no function in it; damaged data; the process cannot be
     recorded; or ncurses is missing
  2  wrong usage, or no terminal
  3  no matching call or thread
)";

static Expected<Figures> readFigures() {
  Expected<Trace> Read = Choice.open(Dir);
  if (!Read)
    return Read.takeError();
  Figures F;
  F.Title = Dir;
  F.T = std::make_unique<Trace>(std::move(*Read));
  Trace &T = *F.T;
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
  // Check the terminal first, since reading may take a minute.
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
                                "' is not a process ID");
  if (Delay < 50000000 || Delay > uint64_t(3600) * 1000000000)
    return makeError(Usage, "-d: '" + Delay.Words.back() + "' is not between 50ms and 1h");
  auto Recorded = Choice.ofRecord();
  if (!Recorded)
    return Recorded.takeError();
  if (Error E = Terminal::check())
    return std::move(E);
  auto Live = LiveFigures::begin(Pid, *Recorded);
  if (!Live)
    return Live.takeError();
  Figures F;
  F.Title = "process " + std::to_string(Pid);
  if (auto More = (*Live)->read(F); !More)
    return More.takeError();
  auto Term = Terminal::open();
  if (!Term)
    return Term.takeError();
  if (Error E = Browser(**Term, F).run(Delay / 1000000,
                                       [&] { return (*Live)->read(F); }))
    return std::move(E);
  return Success;
}

static Expected<int> runTui(ArrayRef<const char *>) {
  bool IsLive = Process.given();
  if (Error E = Choice.checkDurations())
    return std::move(E);
  if (IsLive && Dir.isGiven())
    return makeError(Usage, "a recording and a process are given: leave out " + Dir + " or -p");
  if (Delay.given() && !IsLive)
    return makeError(Usage, "-d needs a process: add -p PID");
  return IsLive ? showProcess() : showRecording();
}

const Verb patchbay::TuiVerb = {Options, Help, runTui};
