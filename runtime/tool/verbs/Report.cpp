// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay report`: shows calls and times of functions, summed over processes.
#include "CallChoice.h"
#include "names/NameForms.h"
#include "showing/HowRecorded.h"
#include "showing/HtmlReport.h"
#include "showing/Losses.h"
#include "showing/SlowTotals.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("report", "Show calls and times of each function");
static InputOption Dir(Options);
static ChoiceOption<Field> Sort(
    Options, "s,sort", "KEY", "Sort by this key, and show it unless -f is given", Field::Calls,
    {{"calls", Field::Calls, "calls, most first (default for counts)"},
     {"made", Field::Made, "calls, including those that --sample only counted"},
     {"unfinished", Field::Unfinished, "calls without a recorded return"},
     {"name", Field::Name, "function name"},
     {"total", Field::Total, "time with callees (default for durations)"},
     {"error", Field::Error, "possible error of total"},
     {"self", Field::Self, "time without callees"},
     {"average", Field::Average, "average time"},
     {"longest", Field::Longest, "longest call"},
     {"p50", Field::P50, "median (half of the calls took no longer)"},
     {"p95", Field::P95, "95th percentile"},
     {"p99", Field::P99, "99th percentile"},
     {"sub", Field::Sub, "name of the callee with the largest total"},
     {"module", Field::Module, "file of the function"}});
static StringOption FieldList(Options, "f,fields", "KEYS",
                              "Show these columns: keys of -s, percent, source; with +KEYS "
                              "also the default ones");
static ChoiceOption<Apart> By(Options, "by", "WHAT", "Split the calls of a function",
                              Apart::Nothing,
                              {{"thread", Apart::Thread, "by thread"},
                               {"caller", Apart::Caller, "by calling function"}});
static FlagOption Histograms(Options, "histogram",
                             "Show a histogram of the durations of each function");
static StringOption Diff(Options, "diff", "BEFORE", "Compare with the recording BEFORE");
static FlagOption All(Options, "all", "Also show functions that were not called");
static FlagOption Json(Options, "json", "Print JSON");
static StringOption Html(Options, "html", "FILE",
                         "Write a page with timeline and flame graph to FILE");
static CallChoice Choice(Options);
static DisplayOptions Display(Options, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay report
  patchbay report -s name --all before.data
  patchbay report -s self server.data
  patchbay report -f self,name,module --sort longest
  patchbay report -f +source
  patchbay report --histogram server.data
  patchbay report --from 10s --to 11s --min 1ms
  patchbay report -F Cache::get -f calls,p50,p99,longest,name --by caller
  patchbay report --html out.html
  patchbay report --html out.html --diff before.data after.data
  patchbay report --diff before.data after.data
  patchbay report --json | jq '.functions[] | select(.calls > 1000)'

DESCRIPTION:
  'report' shows the calls and times of each function. Processes and copies of
  a module (same build ID) are added up. The processes may still be running.

  Times include off-CPU time, unless recorded with --no-sleep-time. With filters
  such as -F, -N and --min, all values are those of the chosen calls. Each
  chosen call keeps its own time. Its callees are the chosen calls within it.

COLUMNS:
  total          time in the function and its callees; recursive calls are part
                 of the outermost call
  error          total is known to this much, as the cost of tracing is an
                 estimate (-f)
  average        mean time of a call
  longest        time of the longest call
  self           total without recorded callees, so a threshold or a filter
                 makes it larger
  made           with record --sample: all calls, recorded or counted. Other
                 values cover recorded calls and are not scaled
  %              share of the self time of all functions, or of all calls if
                 self is unknown (-f percent)
  unfinished     calls without a recorded return. A running call counts in
                 total and self until the recording ends; one cut off, as by
                 longjmp(), until the last event within it. Average and longest
                 exclude both (-f)
  p50, p95, p99  percentiles of the durations, to one part in 128 (-f)
  sub            direct callee with the largest total (-f)
  source         file and line of the function, if compiled with -g (-f)

  In recordings of --histogram there is no self, and each recursive call counts
  in total.

COMPARISONS:
  --diff compares functions by name. 'calls' are those of BEFORE, 'calls now'
  and all times are those of DIR. Lines are sorted by the change of self; of
  total if sampled, of calls if only counted. A number from the compiler
  (parse.llvm.1527) is ignored, so static functions that differ only by it are
  added up.

  p is the probability that chance makes such a difference, by the rank-sum test
  of Mann and Whitney. A difference is called significant if p is below 0.05.
  The test assumes independent calls. Among millions of dependent calls any p
  is small, so look at the change, too.

  A warning says if the two were recorded with different options. It also says
  if different functions of a file with the same build ID were traced.

COST OF TRACING:
  Recording a call costs some tens of nanoseconds. 'patchbay record' measures
  the cost on this machine, within a call and around it. Times exclude the cost
  of the call and of all recorded calls within it. --raw shows measured times,
  and --min and --max compare them. 'patchbay info' shows the cost and its
  error: a call costs less if the processor executes tracing code in parallel
  with the function's own, so the cost of a typical call is taken out.

  -f +error shows how far the total may be from the truth. It may be further if
  the machine was busy when recording began, or if many callees return
  floating-point numbers, whose calls cost more. The mark ~ precedes a time that
  was mostly cost. Times without it are wrong by a third at most, and usually by
  less than 20 %. 'record -N' and --max-overhead give better times.
  Self has the mark if the total has it. The cost of calls that --threshold or
  --depth dropped is unknown and stays in the times. The cost of reading
  arguments (--args) stays in them, too. The cost of record --why is measured
  for each slow call and taken out of its callers' times.

SLOW CALLS:
  The waits of calls of record --why are below the table. Names of kernel
  functions come from /proc/kallsyms, on the same machine until it reboots.
  off-CPU is a share of the calls' time; >= marks a lower bound. A wait lasts
  until the thread runs again, so it includes the time in the run queue. For a
  preempted thread that is all of it.

NAMES:
  Names are shortened to the width of the terminal, or else to COLUMNS or 100
  characters. A name loses its parameters first, then template arguments, then
  namespaces and classes, then its middle. Short names stay distinct.
  --full-names and --json show full names.

  Names come from the traced files: keep these where they are, or store the
  names with 'patchbay archive'. A file that changed shows addresses. In a file
  without a build ID (link with -Wl,--build-id) a change is not noticed, and
  names may be wrong.

HTML PAGE:
  --html writes one file of less than 5 MB that needs no network. -s orders its
  functions. The page has its own columns, and a narrow page drops some of them.
  The pointer shows full names. If there are too many calls, the timeline adds
  up successive short calls, and states the limit. All values cover all calls.

RESTRICTIONS:
  --json       not with -f or --histogram
  --histogram  not with --by or -f
  --diff       not with --all, --by, --json or --histogram, or the columns sub,
               module and percent
  --html       not with -f, --all, --by, --json or --histogram
  --by         needs events; no column 'made'
  made         not with filters by thread, time, duration or --under
  --from       needs events, and so do --to, --min, --max and --under

EXIT CODES:
  0  success
  1  no data, no function or no call; damaged data (calls before the damage are
     reported); functions of a process that were not traced; or a forked child
     that could not create its file
  2  wrong usage
  3  no matching call or thread
)";

static void printHistograms(const Trace &T,
                            ArrayRef<FunctionDurations> Functions,
                            ArrayRef<size_t> Order) {
  for (size_t I : Order) {
    if (I != Order.front())
      outs() << '\n';
    printHistogram(T.Functions[Functions[I].Function].Name, T.BucketUnit, Functions[I].Buckets,
                   outs());
  }
}

static void printJsonTimes(json::OStream &J, const Trace &T,
                           const FunctionDurations &F) {
  J.attribute("total_ns", F.Total);
  if (!T.Raw && F.Measured > F.Total)
    J.attribute("measured_ns", F.Measured);
  if (!T.Raw && F.Error)
    J.attribute("total_error_ns", F.Error);
  J.attribute("average_ns", F.average());
  if (T.hasEvents())
    J.attribute("self_ns", F.Self);
  J.attribute("longest_ns", F.Longest);
  if (F.Durations.calls()) {
    J.attribute("p50_ns", F.quantile(0.5));
    J.attribute("p95_ns", F.quantile(0.95));
    J.attribute("p99_ns", F.quantile(0.99));
  }
  if (F.unfinished()) {
    J.attribute("open", F.Open);
    J.attribute("cut_off", F.CutOff);
  }
  if (!F.SubName.empty())
    J.attributeObject("sub", [&] {
      J.attribute("name", json::fixUTF8(F.SubName));
      J.attribute("calls", F.SubCalls);
      J.attribute("total_ns", F.SubTotal);
    });
  J.attributeArray("histogram", [&] {
    for (size_t I = 0; I != F.Buckets.size(); ++I)
      if (F.Buckets[I])
        J.object([&] {
          J.attribute("at_least_ns", bucketStart(T.BucketUnit, I));
          J.attribute("calls", F.Buckets[I]);
        });
  });
}

static uint64_t lost(const Losses &L) {
  uint64_t Lost = SaturatingAdd(L.Lost, L.Sandbox, L.KernelLost, L.Size, L.Memory);
  for (auto [Errno, N] : L.NoFile)
    Lost = SaturatingAdd(Lost, N);
  return Lost;
}

static void printJson(Trace &T, ArrayRef<FunctionDurations> Functions,
                      ArrayRef<size_t> Order, const SlowTotals &Slow) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attributeArray("processes", [&] {
      for (const TraceProcess &P : T.Processes)
        J.object([&] {
          J.attribute("file", json::fixUTF8(P.File));
          J.attribute("pid", P.Data.Pid);
          J.attribute("machine", P.Data.Machine);
          J.attribute("start_ns", P.Data.StartNs);
          J.attribute("errno", P.Data.Errno);
          J.attributeArray("args", [&] {
            for (const std::string &Arg : P.Data.Args)
              J.value(json::fixUTF8(Arg));
          });
        });
    });
    Losses L = lossesOf(T);
    J.attribute("lost", lost(L));
    J.attribute("lost_in_sandbox", L.Sandbox);
    J.attribute("lost_of_children", L.Children);
    J.attribute("missed", L.Missed);
    J.attribute("overwritten", SaturatingAdd(L.Overwritten, L.KernelOverwritten));
    J.attribute("left_out", L.LeftOut.size());
    J.attribute("jumped", L.Jumped.Calls);
    J.attribute("cut_off", L.CutOff.Calls);
    J.attribute("open", L.Open.Calls);
    J.attributeArray("untraced_modules", [&] {
      for (const auto &Other : L.Others)
        J.object([&] {
          const auto &[Why, Number] = Other.second;
          J.attribute("path", json::fixUTF8(Other.first));
          if (Why == PBD_OTHER_VERSION)
            J.attribute("abi_version", Number);
          else if (Why == PBD_OTHER_NAMESPACE)
            J.attribute("functions_in_namespace", Number);
        });
    });
    J.attributeArray("functions", [&] {
      for (size_t I : Order)
        J.object([&] {
          const FunctionDurations &F = Functions[I];
          const TraceFunction &Of = T.Functions[F.Function];
          J.attribute("name", json::fixUTF8(Of.Name));
          if (By != Apart::Nothing && !F.Of.empty())
            J.attribute(By == Apart::Thread ? "thread" : "caller",
                        json::fixUTF8(F.Of));
          J.attribute("calls", F.Calls);
          if (F.Made)
            J.attribute("made", F.Made);
          if (T.hasDurations() || T.hasEvents())
            printJsonTimes(J, T, F);
          if (By == Apart::Nothing)
            Slow.print(J, F.Function);
          J.attribute("entry", formatv("{0:x}", Of.Entry).str());
          J.attribute("module", json::fixUTF8(Of.Module));
          J.attribute("build_id", toHex(Of.BuildId, /*LowerCase=*/true));
        });
    });
  });
  outs() << '\n';
}

// Accepts the keys of -s, percent and source.
static Expected<std::vector<Field>> parseFields() {
  std::vector<Field> Fields;
  if (!FieldList.given())
    return Fields;
  StringRef Words = FieldList;
  Words.consume_front("+");
  for (StringRef Word : split(Words, ',')) {
    std::optional<Field> Known = Word == "percent"  ? Field::Share
                                 : Word == "source" ? Field::Source
                                                    : Sort.meaning(Word);
    if (!Known)
      return makeError(Usage, "-f: unknown column '" + Word +
                                  "': use calls, made, unfinished, total, "
                                  "error, average, self, longest, p50, p95, p99, "
                                  "percent, name, sub, module, source");
    Fields.push_back(*Known);
  }
  return Fields;
}

// The default columns, and the columns that -f +KEYS adds.
static std::vector<Field> defaultAnd(std::vector<Field> Columns, Field SortBy,
                                     ArrayRef<Field> Added) {
  Columns = withSorted(std::move(Columns), SortBy);
  for (Field F : Added)
    Columns = withSorted(std::move(Columns), F);
  return Columns;
}

static bool areDefault() {
  return !FieldList.given() || StringRef(FieldList).starts_with("+");
}

// The recording with fewer kinds of values. Events have all kinds, counts only calls.
static const Trace &poorer(const Trace &A, const Trace &B) {
  auto Rank = [](const Trace &T) {
    return 4 * T.hasDurations() + 2 * T.hasEvents();
  };
  return Rank(A) < Rank(B) ? A : B;
}

static Error refuseBeside(StringRef Other,
                          std::initializer_list<const OptionRow *> Rows) {
  for (const OptionRow *Row : Rows)
    if (Row->given())
      return makeError(Usage, Row->name() + " has no effect with " +
                                  Other + ": leave it out");
  return Error::success();
}

static Expected<std::vector<FunctionDurations>>
totals(Trace &T, const std::string &Dir, bool WithSpread,
       Apart Apart = Apart::Nothing, SlowTotals *Slow = nullptr) {
  FunctionTotals Totals(T, WithSpread, Apart);
  std::vector<CallSink *> Sinks = {&Totals};
  if (Slow)
    Sinks.push_back(Slow);
  readCalls(T, Sinks, /*StacksApart=*/true);
  if (Error E = CallChoice::finish(T, Dir))
    return E;
  return Totals.finish();
}

// Before: the recording to compare with, or nullptr.
static Expected<int> writePage(Trace &T, const std::string &Dir, Trace *Before,
                               Field SortBy) {
  std::optional<PageSide> Old;
  if (Before) {
    Old.emplace(*Before, Diff);
    if (Error E = CallChoice::finish(*Before, Diff))
      return E;
  }
  PageSide New(T, Dir);
  if (Error E = CallChoice::finish(T, Dir))
    return E;
  if (T.Functions.empty())
    return nothingTraced(T, Dir);
  std::error_code EC;
  raw_fd_ostream OS(Html, EC);
  if (!EC) {
    printPage(New, Old ? &*Old : nullptr, SortBy, OS);
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  if (EC)
    return makeError("cannot write " + Html + ": " + EC.message());
  return T.Incomplete || (Before && Before->Incomplete) ? Failure : Success;
}

static Expected<int> runDiff(std::vector<Field> Fields) {
  if (Error E = refuseBeside("--diff", {&All, &By, &Json, &Histograms}))
    return E;
  auto IsOther = [](Field F) {
    return F == Field::Sub || F == Field::Module || F == Field::Source || F == Field::Share;
  };
  if (llvm::any_of(Fields, IsOther) ||
      (Sort.given() && IsOther(Sort)))
    return makeError(Usage, "--diff compares functions by name: leave out sub, "
                            "module, source and percent");
  Expected<Trace> Before = Choice.open(Diff);
  if (!Before)
    return Before.takeError();
  Expected<Trace> After = Choice.open(Dir);
  if (!After)
    return After.takeError();
  if (std::string How = recordedDifferently(*Before, *After); !How.empty())
    warn(
        Diff + " and " + Dir +
        " were recorded with different options, which change calls and times: " +
        How);
  const Trace &Kind = poorer(*Before, *After);
  Field SortBy = Sort.given() ? Sort : defaultDiffSort(Kind);
  if (areDefault())
    Fields = defaultAnd(defaultDiffFields(Kind), SortBy, Fields);
  if (!Html.empty())
    return writePage(*After, Dir, &*Before, SortBy);
  auto Old = totals(*Before, Diff, /*WithSpread=*/true);
  if (!Old)
    return Old.takeError();
  auto New = totals(*After, Dir, /*WithSpread=*/true);
  if (!New)
    return New.takeError();
  printReportDiff({*Before, *Old}, {*After, *New}, SortBy, Fields, areDefault(),
                  lineWidth(), outs());
  return Before->Incomplete || After->Incomplete ? Failure : Success;
}

static Expected<int> runHtml() {
  Expected<Trace> T = Choice.open(Dir);
  if (!T)
    return T.takeError();
  return writePage(*T, Dir, /*Before=*/nullptr,
                   Sort.given() ? Sort : defaultSort(*T));
}

// A note about a function that mostly waits, such as an accept loop, since such a function
// distorts the shares of all other functions. Empty for a short program and for a single
// thread, which may have been preempted instead.
static std::string waitingText(const Trace &T, ArrayRef<FunctionDurations> Functions) {
  constexpr double LeastNs = 1e9;
  double Cpu = 0, All = 0;
  if (T.Threads.size() < 2)
    return "";
  for (const TraceProcess &P : T.Processes) {
    const auto &S = P.Data.Session;
    if (!S || !S->CpuNs || S->Flags & PBD_SESSION_NO_SLEEP_TIME)
      return "";
    Cpu += double(S->CpuNs);
  }
  const FunctionDurations *Most = nullptr;
  for (const FunctionDurations &F : Functions) {
    All += double(F.Self);
    if (!Most || F.Self > Most->Self)
      Most = &F;
  }
  const double Self = Most ? double(Most->Self) : 0;
  if (Self < All / 2 || Self < 2 * Cpu || Self < LeastNs || Self == All)
    return "";
  const std::string Name = printable(plainName(T.Functions[Most->Function].Name));
  return Name + " has " + shareText(Self, All) + " % of the time, and mostly waited: -N '" +
         Name + "' shows the shares of the others";
}

static Expected<int> runTable(std::vector<Field> Fields) {
  Expected<Trace> T = Choice.open(Dir);
  if (!T)
    return T.takeError();
  if (By != Apart::Nothing && !T->hasEvents())
    return makeError(Twine(Dir) + ": has only counts: --by needs events, from "
                                  "'patchbay record -t duration'");
  if (Histograms && !T->hasDurations())
    return makeError(Twine(Dir) +
                     ": has no durations: --histogram needs 'patchbay record "
                     "--histogram' or '-t duration'");
  const Field SortBy = Sort.given() ? Sort : defaultSort(*T);
  if (areDefault())
    Fields = defaultAnd(defaultFields(*T, By), SortBy, Fields);
  else if (By != Apart::Nothing)
    Fields.push_back(By == Apart::Thread ? Field::Thread : Field::Caller);
  bool WithSpread = Json || isQuantile(Sort) || llvm::any_of(Fields, isQuantile);
  SlowTotals Slow(*T);
  bool WithSlow = llvm::any_of(
      T->Processes, [](const TraceProcess &P) { return P.Data.Why.has_value(); });
  auto Sums = totals(*T, Dir, WithSpread, By, WithSlow ? &Slow : nullptr);
  if (!Sums)
    return Sums.takeError();
  ArrayRef<FunctionDurations> Functions = *Sums;
  std::vector<size_t> Order = sortFunctions(*T, Functions, SortBy);
  llvm::erase_if(Order,
                 [&](size_t I) { return !T->isWanted(Functions[I].Function); });
  size_t Traced = Order.size();
  if (!All)
    llvm::erase_if(Order, [&](size_t I) { return !Functions[I].Calls; });
  if (Json)
    printJson(*T, Functions, Order, Slow);
  else if (Histograms)
    printHistograms(*T, Functions, Order);
  else if (Traced)
    printReport(*T, Functions, Order, Fields, lineWidth(), outs());
  if (!Slow.empty() && !Json && !Histograms)
    Slow.print(outs(), lineWidth());
  if (std::string Waiting = waitingText(*T, Functions);
      !Waiting.empty() && !Json && !Histograms && By == Apart::Nothing)
    errs() << "patchbay: " << printable(Dir) << ": " << Waiting << '\n';
  if (By == Apart::Caller && T->isSampled() && !T->hasDurations())
    errs() << "patchbay: " << printable(Dir)
           << ": sampled: the caller is the innermost recorded call\n";
  if (Order.empty() && Traced && !Json)
    errs() << "patchbay: none of the " << Traced
           << " traced functions was called, --all shows them\n";
  if (!Traced && !T->Incomplete)
    return nothingTraced(*T, Dir);
  if (std::string Nothing = matchedNothing(*T); !Nothing.empty())
    warn(Dir + ": no function matches " + Nothing);
  return T->Incomplete ? Failure : Success;
}

static Expected<int> runReport(ArrayRef<const char *>) {
  Expected<std::vector<Field>> Fields = parseFields();
  if (!Fields)
    return Fields.takeError();
  if (StringRef(Html).starts_with("-") && Html != "-")
    return makeError(Usage, "--html: '" + Html + "' looks like an option: use './" +
                            Html + "' for a file of this name");
  if (!Html.empty())
    if (Error E = refuseBeside("--html", {&FieldList, &All, &By, &Json, &Histograms}))
      return E;
  if (!Diff.empty())
    return runDiff(*Fields);
  if (!Html.empty())
    return runHtml();
  if (Json && (Histograms || !Fields->empty()))
    return makeError(Usage, "--json prints all values: leave out -f and "
                            "--histogram");
  if (Histograms && By != Apart::Nothing)
    return makeError(Usage, "--histogram shows all calls of a function: leave "
                            "out --by, and choose calls with --tid");
  if (Histograms && !Fields->empty())
    return makeError(Usage, "--histogram shows no columns: leave out -f");
  return runTable(*Fields);
}

const Verb patchbay::ReportVerb = {Options, Help, runReport};
