// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay info`: shows the processes and the settings of a recording.
#include "Verb.h"
#include "analysis/Durations.h"
#include "reading/DataFiles.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "showing/WhySlow.h"
#include "trace/options/option_table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

static OptionTable Options("info", "Show how a recording was made");
static InputOption Dir(Options);
static SymfsOption Symfs(Options);
static DisplayOptions Display(Options);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay info server.data

DESCRIPTION:
  'info' shows the command that made a recording. For each process it shows the
  settings, threads and modules. Filters are part of the command. If the
  environment (PATCHBAY) asked for the recording, they are lines of each
  process.

  The tracer 'duration' writes one event per call, 'graph' writes two. In large
  files the number of events is approximate, because 'info' reads only headers.

FUNCTIONS LEFT OUT:
  The last lines list the functions that were not traced. The tracers of
  durations cannot call the body of some functions: they are variadic, never
  return, or end in a guaranteed tail call (musttail, C++20 coroutines). Trace
  these with -t entry, or with -t count without --histogram.

EXIT CODES:
  0  success
  1  no data; damaged data; functions of a process that were not traced; no
     space for events; or a forked child that could not create its file
  2  wrong usage
)";

static StringRef counterName(uint32_t Counter) {
  switch (Counter) {
  case PBD_COUNTER_TSC:
    return "TSC (x86-64)";
  case PBD_COUNTER_CNTVCT:
    return "CNTVCT (AArch64)";
  case PBD_COUNTER_TB:
    return "timebase (ppc64le)";
  case PBD_COUNTER_TIME:
    return "time (riscv64)";
  case PBD_COUNTER_TRACE_CLOCK:
    return "trace_clock of the kernel, in nanoseconds";
  default:
    return "of a newer patchbay";
  }
}

static StringRef ownClockName(uint32_t Flags) {
  switch (Flags & (PBD_SESSION_OWN_PAGE | PBD_SESSION_OWN_CALL)) {
  case PBD_SESSION_OWN_PAGE:
    return "by pages of perf_event_open(2)";
  case PBD_SESSION_OWN_CALL:
    return "by system calls: perf_event_open(2) was refused";
  case PBD_SESSION_OWN_PAGE | PBD_SESSION_OWN_CALL:
    return "by pages of perf_event_open(2), and system calls where it was "
           "refused";
  default:
    return "no thread was traced yet";
  }
}

static void printSession(const DataFile &Data, raw_ostream &OS) {
  const DataSession &S = *Data.Session;
  bool Imported = S.Counter == PBD_COUNTER_TRACE_CLOCK;
  if (!Imported)
    OS << "  host       " << printable(S.Host) << '\n';
  OS << "  tracer     " << printable(pb_tracer_name(S.Tracer.c_str())) << '\n';
  const bool IsChanged = S.Flags & PBD_SESSION_THRESHOLD_CHANGED;
  if (S.ThresholdNs || IsChanged)
    OS << "  threshold  " << durationText(S.ThresholdNs)
       << (IsChanged ? ", changed while recording\n" : "\n");
  if (S.Depth)
    OS << "  depth      " << S.Depth << '\n';
  if (S.Sample)
    OS << "  sample     1/" << S.Sample << " per function and thread, of "
       << Data.sampledFrom() << " calls"
       << (S.Flags & PBD_SESSION_TREES && S.Tracer != "function" ? ", with all calls inside\n"
                                                                 : "\n");
  if (S.Flags & PBD_SESSION_UNDER)
    OS << "  under      only within calls of the functions of --under"
       << (S.Flags & PBD_SESSION_NO_ROOT ? ", none of which was called" : "")
       << '\n';
  if (S.Flags & PBD_SESSION_SOME_THREADS)
    OS << "  threads    only threads of --thread\n";
  if (S.Flags & PBD_SESSION_NO_SLEEP_TIME)
    OS << "  sleep      left out of durations, " << ownClockName(S.Flags) << '\n';
  if (S.Tracer != "function_profile" && !Imported)
    OS << "  buffer     " << S.Buffer << " bytes per thread, when full "
       << (S.Flags & PBD_SESSION_OVERWRITE ? "the oldest events are overwritten"
                                           : "the next events are lost")
       << '\n';
  if (S.MaxMemory)
    OS << "  memory     " << S.MaxMemory << " bytes for all threads\n";
  if (S.MaxSize)
    OS << "  size       " << S.MaxSize << " bytes for all processes\n";
  if (S.Part)
    OS << "  part       " << S.Part << " of the files that the process wrote\n";
  if (Data.NoContext)
    OS << "  context    no readable traceparent in " << counted(Data.NoContext, "call")
       << " (--trace-context)\n";
  if (S.CostInside)
    OS << formatv("  cost       {0:f1} ns within each recorded call and {1:f1} ns around "
                  "it ({2:f1} ns for new pages), +-{3:f1} ns\n",
                  S.CostInside / 1e3, S.CostOutside / 1e3, S.CostPages / 1e3,
                  S.CostError / 1e3);
  else if (S.Tracer == "function_duration" || S.Tracer == "function_graph")
    OS << "  cost       not measured: all times include the cost of tracing\n";
  OS << "  lost       " << S.Lost << " events, overwritten " << S.Overwritten
     << '\n'
     << "  clock      " << counterName(S.Counter);
  uint64_t Ticks = S.Last.Ticks - S.First.Ticks;
  uint64_t Ns = S.Last.MonotonicNs - S.First.MonotonicNs;
  if (Ns && !Imported)
    OS << formatv(", {0:f3} MHz +-{1:f0} ppm",
                  double(Ticks) * 1000 / double(Ns),
                  // Each timestamp has an error of about 50 ns. Round up, so that the
                  // error is never shown as 0.
                  std::ceil(100 * 1e6 / double(Ns)));
  if (S.Flags & PBD_SESSION_VARIABLE_RATE)
    OS << ", rate may vary";
  OS << '\n';
}

static void printWhy(const DataFile &Data, raw_ostream &OS) {
  const DataWhy &Why = *Data.Why;
  bool IsUsedAgain = Data.Session && Data.Session->Flags & PBD_SESSION_OVERWRITE;
  OS << "  why slow   " << counted(Why.Calls, "call") << " of at least "
     << durationText(Why.ThresholdNs);
  if (IsUsedAgain && Why.Calls > Data.NrSlow)
    OS << ", " << Why.Calls - Data.NrSlow << " of them overwritten";
  if (Why.Lost)
    OS << "; no data of " << counted(Why.Lost, "other")
       << " (no space, no permission, or --max-overhead)";
  OS << "; " << whatIsKnown(Why) << '\n';
}

static void printPlace(const DataPlace &Place, raw_ostream &OS) {
  if (!Place.BootId.empty())
    OS << "  boot id    " << printable(Place.BootId) << '\n';
  if (!Place.Pids.empty() || Place.PidNamespace) {
    OS << "  pids       ";
    if (Place.PidOutside && !is_contained(Place.Pids, Place.PidOutside))
      OS << Place.PidOutside << " for the recorder, ";
    OS << join(map_range(Place.Pids, [](uint32_t Pid) { return utostr(Pid); }), " ")
       << " in PID namespace " << Place.PidNamespace << '\n';
  }
  for (StringRef Line : split(Place.Cgroup, '\n'))
    if (!Line.empty())
      OS << "  cgroup     " << printable(Line.str()) << '\n';
}

// Prints the filters of a recording that PATCHBAY in the environment started. For `patchbay
// record`, the command line shows the filters.
static void printFilters(const DataFile &Data, raw_ostream &OS) {
  for (const DataAsked &A : Data.Asked)
    if (A.Text != "*")
      OS << "  functions  " << printable(askedText(A)) << '\n';
}

// Prints each module once, since the tracer records a module again for each filter that
// selects functions in it.
static void printModules(const DataFile &Data, raw_ostream &OS) {
  std::set<std::pair<std::string, std::string>> Printed;
  for (const auto &[Id, M] : Data.Modules)
    if (Printed.insert({M.Path, M.BuildId}).second)
      OS << "  module     " << printable(M.Path) << ' '
         << (M.BuildId.empty() ? "without a build id"
                               : toHex(M.BuildId, /*LowerCase=*/true))
         << '\n';
}

// Prints the threads with histograms, and their numbers of calls.
static void printCounted(const DataFile &Data, raw_ostream &OS) {
  std::map<std::pair<uint32_t, std::string>, uint64_t> Calls;
  for (const DataHistogram &H : Data.Histograms)
    if (Data.functions().count(H.Function))
      for (uint64_t N : H.Buckets)
        Calls[{H.Tid, H.Thread}] += N;
  for (const auto &[Thread, N] : Calls)
    OS << "  thread     " << Thread.first << ' ' << printable(Thread.second)
       << ", " << N << " calls\n";
}

static StringRef whyLeftOut(uint64_t Flags, bool Again) {
  if (Again)
    return "disarmed when tracing exceeded --max-overhead, and armed again later";
  if (Flags & PBD_LEFT_OUT_HOT)
    return "disarmed when it exceeded --max-rate; earlier calls are recorded";
  if (Flags & PBD_LEFT_OUT_COSTLY)
    return "disarmed when tracing exceeded --max-overhead; earlier calls are recorded";
  if (Flags & PBD_LEFT_OUT_CHANGED)
    return "other code, such as a uprobe or a debugger, changed its site; some calls are "
           "missing";
  if (Flags & PATCHBAY_RECORD_VARIADIC)
    return "is variadic, so its arguments cannot be passed on";
  if (Flags & PATCHBAY_RECORD_NORETURN)
    return "never returns";
  if (Flags & PATCHBAY_RECORD_MUSTTAIL)
    return "ends in a guaranteed tail call: timing it would need extra stack";
  return "its arguments are not known, so they cannot be passed on";
}

// Prints each function once, since processes of one program have the same functions.
static void printLeftOut(Trace &T, raw_ostream &OS) {
  std::set<std::tuple<std::string, StringRef, std::string, uint64_t>> Lines;
  for (const TraceProcess &P : T.Processes) {
    std::set<uint64_t> Again;
    for (const DataLeftOut &F : P.Data.LeftOut)
      if (F.Flags & PBD_LEFT_OUT_AGAIN)
        Again.insert(F.Address);
    for (const DataLeftOut &F : P.Data.LeftOut) {
      if (F.Flags & PBD_LEFT_OUT_AGAIN)
        continue;
      auto [Module, Entry] = P.Data.place(F.Address);
      if (std::string Name = T.nameAt(P.Data, F.Address); !isOfCompiler(Name))
        Lines.insert({std::move(Name), whyLeftOut(F.Flags, Again.count(F.Address)),
                      Module ? moduleKey(*Module) : "", Entry});
    }
  }
  for (const auto &[Name, Why, Module, Entry] : Lines)
    OS << "left out     " << printable(Name) << ": " << Why << '\n';
}

static Expected<int> runInfo(ArrayRef<const char *>) {
  Expected<Trace> T = openOutline(Dir, Symfs);
  if (!T)
    return T.takeError();
  if (std::string Command = commandOf(Dir); !Command.empty())
    outs() << "command      " << printable(Command) << '\n';
  for (uint32_t I = 0; I != T->Processes.size(); ++I) {
    const DataFile &Data = T->Processes[I].Data;
    outs() << printable(T->Processes[I].File) << '\n'
           << "  process    " << Data.Pid;
    for (const std::string &Arg : Data.Args)
      outs() << ' ' << printable(Arg);
    outs() << '\n';
    if (Data.StartNs)
      outs() << formatv("  began      {0:%Y-%m-%d %H:%M:%S}",
                        sys::TimePoint<>(std::chrono::nanoseconds(Data.StartNs)))
             << '\n';
    if (Data.Place)
      printPlace(*Data.Place, outs());
    if (Data.Session)
      printSession(Data, outs());
    else
      outs() << "  tracer     count, " << Data.Counters.size()
             << " counters\n";
    printFilters(Data, outs());
    for (const TraceThread &Thread : T->Threads)
      if (Thread.Process == I)
        outs() << "  thread     " << Thread.Tid << ' ' << printable(Thread.Name)
               << (Data.RoughEvents ? ", about " : ", ")
               << Thread.Data->Events << " events\n";
    if (Data.Why)
      printWhy(Data, outs());
    printModules(Data, outs());
    printCounted(Data, outs());
    if (std::string Nothing = matchedNothing(&Data); !Nothing.empty())
      outs() << "  unmatched  " << printable(Nothing) << '\n';
  }
  printLeftOut(*T, outs());
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::InfoVerb = {Options, Help, runInfo};
