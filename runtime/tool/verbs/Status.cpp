// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay status`: shows the state of tracing in running processes.
#include "Verb.h"
#include "analysis/Durations.h"
#include "attach/ProcessChoice.h"
#include "live/LiveProcess.h"
#include "live/RecordedNow.h"
#include "live/ThreadStatus.h"
#include "recording/Visit.h"
#include "showing/Table.h"
#include "trace/budget/budget.h"
#include "trace/options/option_table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("status", "Show the state of tracing in running processes");
static StringsOption Processes(Options, "p", "PID",
                               "Show this process (repeatable; default: all)");
static StringsOption Alone(Options, "", "[PID...]", "");
static FlagOption Json(Options, "json", "Print JSON");
static DurationOption Wait(Options, "wait", "Measure rates over DURATION (300ms; default: 1s)",
                           1000000000);
static DisplayOptions Display(Options, /*WithPager=*/false);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay status
  patchbay status 4711
  patchbay status -p 4711 --json | jq '.[0].lost'

DESCRIPTION:
  'status' shows the state of tracing in processes. Without -p it shows all
  processes that have the runtime and that you may debug. 'patchbay info' and
  'patchbay report' say more about lost and missed events.

COLUMNS:
  tracer    what is recorded, or one of the states below
  armed     functions with a tracer
  of        functions with a site
  refused   functions that could not be armed: see 'patchbay list -p PID'
  calls/s   rate during --wait: calls for count and --histogram, events for
            other tracers (graph has two per call). It is approximate with
            --overwrite. It excludes calls that --threshold, --sample and
            --when leave out
  overhead  recent cost of tracing, as a share of the CPU time of the process
            itself; - without --max-overhead
  bytes     size of the data file
  lost      events without space, and those of children without a file
  missed    calls that the tracer did not see
  left      handlers that a signal handler left by siglongjmp(3)
  waits     waits for handlers that timed out, and the thread of the last one

STATES:
  -            nothing is recorded, or the process does not listen. 'patchbay
               record --live' and 'patchbay record -p' make it listen
  (off)        the recording has stopped
  (stopped)    the process is stopped or frozen
  (no answer)  the process listens and does not answer, as under a debugger

EXIT CODES:
  0  success
  1  a given process does not exist, or is not yours to debug
  2  wrong usage
  3  no process has the runtime
)";

namespace {
struct ProcessStatus {
  pid_t Pid = 0;
  std::string Name;
  uint64_t Sites = 0, Armed = 0, Refused = 0;
  LiveCounters Counters;
  bool StandsStill = false; // the process listens, but is stopped or frozen
  bool IsSilent = false;    // the process listens, but does not reply
  // The following fields are set from the reply.
  std::string Tracer;
  bool IsRecording = false;
  uint64_t ThresholdNs = 0;
  uint32_t Overhead = PB_OVERHEAD_UNKNOWN;
  Descriptor File;
  RecordedNow Before, Now;
  double Seconds = 0;

  double rate() const {
    uint64_t More = Now.Calls + Now.Events - Before.Calls - Before.Events;
    bool HasGrown = Now.Calls + Now.Events >= Before.Calls + Before.Events;
    return Seconds > 0 && HasGrown ? double(More) / Seconds : 0;
  }
};
} // namespace

static Error ask(ProcessStatus &S) {
  auto Reply = ControlSocket::askForFile(S.Pid, S.File, ControlSocket::AtOnce);
  if (!Reply)
    return Reply.takeError();
  S.Tracer = Reply->tracer;
  S.IsRecording = Reply->recording;
  S.ThresholdNs = Reply->threshold_ns;
  S.Overhead = Reply->overhead;
  return Error::success();
}

// Asks the process. Without a reply, `status` shows only data from the process's memory.
// Fails if the process has ended. Also fails for a process that the user named, unless it is
// stopped or its recording has just ended.
static Error askProcess(ProcessStatus &S, bool IsNamed) {
  auto Listens = ControlSocket::listens(S.Pid);
  if (!Listens || !*Listens)
    return Listens.takeError();
  Error Failed = ask(S);
  if (!Failed)
    return Error::success();
  std::string Why = whyStill(S.Pid);
  auto StillListens = ControlSocket::listens(S.Pid);
  bool IsGone = !StillListens, HasEnded = !IsGone && !*StillListens;
  consumeError(StillListens.takeError());
  if (Why.empty() && !HasEnded && (IsNamed || IsGone))
    return Failed;
  S.StandsStill = !Why.empty();
  S.IsSilent = Why.empty() && !HasEnded;
  if (S.IsSilent)
    warn(toString(std::move(Failed)));
  else
    consumeError(std::move(Failed));
  if (S.StandsStill)
    warn("process " + Twine(S.Pid) + ": cannot read its recording: " + Why);
  return Error::success();
}

// Returns std::nullopt if the process has not loaded the runtime.
static Expected<std::optional<ProcessStatus>> statusOf(pid_t Pid,
                                                        bool IsNamed) {
  auto Live = LiveProcess::open(Pid);
  if (!Live)
    return Live.takeError();
  if (!Live->hasRuntime())
    return std::nullopt;
  auto Modules = Live->modules();
  if (!Modules)
    return Modules.takeError();
  ProcessStatus S;
  S.Pid = Pid;
  S.Name = StringRef(fileText("/proc/" + Twine(Pid) + "/comm")).trim('\n').str();
  for (const LiveModule &M : *Modules)
    for (const LiveSite &Site : M.Sites) {
      ++S.Sites;
      S.Armed += !Site.Tracers.empty();
    }
  S.Counters = Live->counters();
  for (uint64_t Refused : S.Counters.Refused)
    S.Refused += Refused;
  if (Error E = askProcess(S, IsNamed))
    return std::move(E);
  return S;
}

static void measureRates(std::vector<ProcessStatus> &All, uint64_t WaitNs) {
  using Clock = std::chrono::steady_clock;
  auto Begin = Clock::now();
  bool Any = false;
  for (ProcessStatus &S : All)
    if (S.File >= 0) {
      S.Before = recordedNow(S.File);
      Any = true;
    }
  if (!Any)
    return;
  std::this_thread::sleep_for(std::chrono::nanoseconds(WaitNs));
  for (ProcessStatus &S : All)
    if (S.File >= 0) {
      S.Now = recordedNow(S.File);
      S.Seconds = std::chrono::duration<double>(Clock::now() - Begin).count();
    }
}

static void printTable(ArrayRef<ProcessStatus> All) {
  Table T;
  for (const char *Title : {"pid", "name", "tracer"})
    T.addColumn(Title, Title[0] == 'p' ? Table::Right : Table::Left);
  for (const char *Title : {"armed", "of", "refused", "calls/s", "overhead", "bytes",
                            "lost", "missed", "left", "waits"})
    T.addColumn(Title, Table::Right);
  for (const ProcessStatus &S : All) {
    const LiveCounters &C = S.Counters;
    bool IsKnown = S.File >= 0;
    auto IfKnown = [&](uint64_t N) { return IsKnown ? utostr(N) : "-"; };
    std::string Tracer = S.StandsStill      ? "(stopped)"
                         : S.IsSilent       ? "(no answer)"
                         : S.Tracer.empty()
                             ? "-"
                             : printable(pb_tracer_name(S.Tracer.c_str()));
    if (!S.Tracer.empty() && !S.IsRecording)
      Tracer += " (off)";
    std::string Waits = utostr(C.Timeouts);
    if (C.Timeouts && C.WaitedFor)
      Waits += ":" + utostr(C.WaitedFor);
    T.addRow({itostr(S.Pid), printable(S.Name), Tracer, utostr(S.Armed),
              utostr(S.Sites), utostr(S.Refused),
              IsKnown ? formatv("{0:f0}", S.rate()).str() : "-",
              S.Overhead == PB_OVERHEAD_UNKNOWN
                  ? "-"
                  : formatv("{0:f2}%", S.Overhead / 1e4).str(),
              IfKnown(S.Now.Bytes), IfKnown(S.Now.Lost), IfKnown(S.Now.Missed),
              utostr(C.Left), Waits});
  }
  T.print(outs());
}

static void printJson(ArrayRef<ProcessStatus> All) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.array([&] {
    for (const ProcessStatus &S : All)
      J.object([&] {
        const LiveCounters &C = S.Counters;
        J.attribute("pid", S.Pid);
        J.attribute("name", json::fixUTF8(S.Name));
        J.attribute("sites", S.Sites);
        J.attribute("armed", S.Armed);
        J.attribute("refused", S.Refused);
        J.attribute("left", C.Left);
        J.attribute("timeouts", C.Timeouts);
        J.attribute("waited_for", C.WaitedFor);
        J.attribute("listens",
                    S.StandsStill || S.IsSilent || !S.Tracer.empty());
        if (S.StandsStill)
          J.attribute("stands_still", true);
        if (S.IsSilent)
          J.attribute("no_answer", true);
        if (S.Tracer.empty())
          return;
        J.attribute("tracer", json::fixUTF8(S.Tracer));
        J.attribute("recording", S.IsRecording);
        J.attribute("threshold_ns", S.ThresholdNs);
        if (S.Overhead != PB_OVERHEAD_UNKNOWN)
          J.attribute("overhead_percent", S.Overhead / 1e4);
        if (S.File < 0)
          return;
        J.attribute("calls_per_second", S.rate());
        J.attribute("calls", S.Now.Calls);
        J.attribute("events", S.Now.Events);
        J.attribute("recorded_bytes", S.Now.Bytes);
        J.attribute("lost", S.Now.Lost);
        J.attribute("missed", S.Now.Missed);
        J.attribute("error", S.Now.Error);
      });
  });
  outs() << '\n';
}

static Error addNamed(std::vector<ProcessStatus> &All) {
  for (const std::string &Word : concat<const std::string, const std::vector<std::string> &, const std::vector<std::string> &>(Processes, Alone)) {
    pid_t Pid;
    if (!to_integer(Word, Pid, 10) || Pid <= 0)
      return makeError(Usage,
                       "'" + Word + "' is not a process ID");
    auto S = statusOf(Pid, /*IsNamed=*/true);
    if (!S)
      return S.takeError();
    if (!*S)
      return makeError(NothingFound,
                       "process " + Twine(Pid) +
                           ": libpatchbay is not in it: " + recordAdvice(Pid, "loads it"));
    All.push_back(std::move(**S));
  }
  return Error::success();
}

static Expected<int> runStatus(ArrayRef<const char *>) {
  if (Wait > uint64_t(3600) * 1000000000)
    return makeError(Usage, "--wait: '" + Wait.Words.back() + "' is more than an hour");
  std::vector<ProcessStatus> All;
  if (Error E = addNamed(All))
    return std::move(E);
  if (Processes.empty() && Alone.empty())
    for (pid_t Pid : allProcesses()) {
      auto S = statusOf(Pid, /*IsNamed=*/false);
      // Skip processes that the user may not debug or that have just ended.
      if (!S)
        consumeError(S.takeError());
      else if (*S)
        All.push_back(std::move(**S));
    }
  if (All.empty())
    return makeError(NothingFound, "no process that you may debug has libpatchbay");
  measureRates(All, Wait);
  if (Json)
    printJson(All);
  else
    printTable(All);
  return Success;
}

const Verb patchbay::StatusVerb = {Options, Help, runStatus};
