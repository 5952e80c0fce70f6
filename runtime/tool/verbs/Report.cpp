// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay report`: what the processes of one recording counted, summed; of
// events, how long functions took.
#include "Diagnostics.h"
#include "DisplayOptions.h"
#include "InputOption.h"
#include "NamedValue.h"
#include "SymfsOption.h"
#include "reading/CallChoice.h"
#include "showing/AskedFor.h"
#include "showing/Histogram.h"
#include "showing/HowRecorded.h"
#include "showing/HtmlReport.h"
#include "showing/Losses.h"
#include "showing/NothingTraced.h"
#include "showing/ReportTable.h"
#include "showing/SlowTotals.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand ReportCommand("report",
                                    "Show how often functions were called, and "
                                    "how long they took");
static InputOption Input(ReportCommand);
static cl::opt<Field, false, NamedValue<Field>> Sort(
    "s", cl::Prefix, cl::value_desc("KEY"), cl::sub(ReportCommand),
    cl::cat(ToolOptions),
    cl::desc("Sort by; without -f there is a column of it, too"),
    cl::values(clEnumValN(Field::Calls, "calls",
                          "calls, most first (default, of counts)"),
               clEnumValN(Field::Made, "made",
                          "calls with those that 'record --sample' only counted"),
               clEnumValN(Field::Unfinished, "unfinished",
                          "calls that were not seen to return"),
               clEnumValN(Field::Name, "name", "function name"),
               clEnumValN(Field::Total, "total",
                          "time with sub-routines (default, of durations)"),
               clEnumValN(Field::Self, "self", "time without them"),
               clEnumValN(Field::Average, "average", "average time"),
               clEnumValN(Field::Longest, "longest", "longest call"),
               clEnumValN(Field::P50, "p50", "what half of the calls took at most"),
               clEnumValN(Field::P95, "p95", "what 95 of 100 calls took at most"),
               clEnumValN(Field::P99, "p99", "what 99 of 100 calls took at most"),
               clEnumValN(Field::Sub, "sub",
                          "name of the sub-routine that took "
                          "most"),
               clEnumValN(Field::Module, "module", "file with the function")));
static cl::opt<std::string>
    FieldList("f", cl::Prefix, cl::value_desc("KEYS"), cl::sub(ReportCommand),
              cl::cat(ToolOptions),
              cl::desc("Show these columns, in this order: keys of -s, or percent, "
                       "separated by commas"));
static cl::alias SortAlias("sort", cl::desc("Same as -s"), cl::aliasopt(Sort),
                           cl::NotHidden, cl::cat(ToolOptions));
static cl::alias FieldsAlias("fields", cl::desc("Same as -f"),
                             cl::aliasopt(FieldList), cl::NotHidden,
                             cl::cat(ToolOptions));
static cl::opt<Apart, false, NamedValue<Apart>>
    By("by", cl::sub(ReportCommand), cl::cat(ToolOptions),
       cl::init(Apart::Nothing), cl::desc("Show calls of a function apart"),
       cl::values(clEnumValN(Apart::Thread, "thread", "by thread"),
                  clEnumValN(Apart::Caller, "caller",
                             "by the function that called it")));
static cl::opt<bool>
    Histograms("histogram", cl::sub(ReportCommand), cl::cat(ToolOptions),
               cl::desc("Show how many calls of each function took how long"));
static cl::opt<std::string>
    Diff("diff", cl::value_desc("BEFORE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Show what changed since another recording, sorted by the "
                  "change of -s (default: self, of samples total, of "
                  "counts calls)"));
static cl::opt<bool> All("all", cl::sub(ReportCommand), cl::cat(ToolOptions),
                         cl::desc("Show also functions that were not called"));
static cl::opt<bool> Json("json", cl::desc("Print JSON"),
                          cl::sub(ReportCommand), cl::cat(ToolOptions));

static cl::opt<std::string>
    Html("html", cl::value_desc("FILE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Write a page for a browser there: threads over time, flame "
                  "graph, callers and callees, durations; with --diff of both "
                  "recordings"));

static CallChoice Choice(ReportCommand);
static SymfsOption Symfs(ReportCommand);
static DisplayOptions Display(ReportCommand, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
  Counts of several processes and of several copies of a module (same build
  id) are added up. A process that still runs can be reported on.

  Names are shortened until lines fit into the terminal; elsewhere into COLUMNS or 100
  characters. A name loses its parameters first, then template arguments, then the
  namespaces and classes in front of it, then its middle. Names of one table stay
  distinct. --full-names and --json show whole names. The page of --html shortens names
  in the same order, and shows a whole name at the pointer. Where the page is too narrow,
  its table drops columns: p50, p95, p99, unfinished, average, max, self, calls.

  Of events, the columns are:
    total     time in the function and all that it called; where it called
              itself, that of the outermost call
    average   time of a call, longest: of the longest
    self      total without what the functions that it called took, as far as
              these were recorded: with a threshold or a filter, self is more
    %         (-f percent) share of the self time of all functions, or of all calls where
              self is not known
    made      of a recording with --sample: how often the function was called; calls,
              and all times, are those of the calls that were recorded, and not
              scaled. Self is not known then. Not beside --by, nor where calls are
              chosen by thread, time or duration
    unfinished (with -f) calls that were not seen to return: open when recording
              ended, or cut off, as by longjmp(). In total and self these count
              until then, or until the last that was seen in them; average and
              longest are of the others
    p50, p95, p99 (with -f) what so many of a hundred calls that were seen to
              return took at most, to one part in 128
    sub       (with -f) the sub-routine that took most: of those that it called itself,
              with the time of the outermost calls, as in total
  With -F, -N, --min and the like, the figures are those of the calls that were chosen,
  each with its own time as it was; sub-routines are what was chosen within them.
  With --diff, calls are those of BEFORE, calls now and all times those of DIR.
  Functions are compared by name. What a compiler appended to one, another number
  in each build (parse.llvm.1527 of ThinLTO), does not count, so static functions of
  one name are summed where only that tells them apart.
  p is how likely durations differ by so much or more by chance, by the rank-sum test
  of Mann and Whitney: below 0.05 is called significant. It takes calls to be
  independent of each other; of millions that are not, any p is small, so look at the
  change, too.
  A warning says if they were recorded with other options, or, where a file has
  the same build id in both, of other functions.
  Time in which a thread waited or did not run is in it, unless it was recorded
  with --no-sleep-time. Histograms of function_profile have no self, and a total
  in which a function's calls of itself count each.

  To record a call takes some tens of nanoseconds. 'patchbay record' measures how many on
  this machine, within the call and around it. All times are without that: the call's own
  cost and that of all recorded calls within it. --raw shows what was measured. The mark ~
  stands before what is left of a time that was mostly such cost: it is known badly, and
  'record -N' or --max-overhead give better times. 'patchbay info' shows the cost and its
  error. Not known, and not taken out, is the cost of calls that --threshold, --depth or
  --sample dropped. --min and --max compare what was measured.

  Below it, of calls that were recorded with --why, is what they waited for: what the
  kernel's functions are called /proc/kallsyms says, on the machine on which it was
  recorded, until that is started anew. 'off processor' is a part of their time, with >=
  where no more is known than that it was at least so much.

  Names are read from the files that were traced, so keep these where they
  were, or put the names into the recording with 'patchbay archive', whose help says
  where debug files are looked for. One that was changed shows addresses; without a build id (link with
  -Wl,--build-id) that cannot be noticed, and names may be wrong.

  With --html, -s says in which order the page lists functions; it has columns of its
  own. The page is one file, needs no network, and stays below 5 MB: of recordings with
  more calls than that can hold, its threads over time have short calls that follow one
  another summed, and it says below which duration; all its figures are of all calls.

EXAMPLES:
  patchbay report
  patchbay report -s name --all before.data
  patchbay report -s self server.data
  patchbay report -f self,name,module --sort longest
  patchbay report --histogram server.data
  patchbay report --from 10s --to 11s --min 1ms
  patchbay report -F Cache::get -f calls,p50,p99,longest,name --by caller
  patchbay report --html out.html
  patchbay report --html out.html --diff before.data after.data
  patchbay report --diff before.data after.data
  patchbay report --json | jq '.functions[] | select(.calls > 1000)'

EXIT CODES:
  0  success
  1  no data, no function or no call in it; a data file is truncated or corrupt (what
     precedes the damage is reported all the same), or becomes shorter while it
     is read; some functions of a process were not traced; or one that it forked
     could make no file
  2  wrong usage
  3  no thread that --tid or --thread names, or no call that was asked for
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
  J.attribute("average_ns", F.average());
  if (T.hasEvents() && !T.isSampled())
    J.attribute("self_ns", F.Self);
  J.attribute("longest_ns", F.Longest);
  if (F.Durations.calls()) {
    J.attribute("p50_ns", F.Durations.quantile(0.5));
    J.attribute("p95_ns", F.Durations.quantile(0.95));
    J.attribute("p99_ns", F.Durations.quantile(0.99));
  }
  if (F.unfinished()) {
    J.attribute("open", F.Open);
    J.attribute("cut_off", F.CutOff);
  }
  if (!F.SubName.empty() && !T.isSampled())
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

static Expected<std::vector<Field>> parseFields() {
  static constexpr std::pair<StringLiteral, Field> Keys[] = {
      {"calls", Field::Calls},     {"made", Field::Made},
      {"unfinished", Field::Unfinished},
      {"total", Field::Total},     {"average", Field::Average},
      {"self", Field::Self},       {"longest", Field::Longest},
      {"p50", Field::P50},         {"p95", Field::P95},
      {"p99", Field::P99},         {"percent", Field::Share},
      {"name", Field::Name},       {"sub", Field::Sub},
      {"module", Field::Module}};
  std::vector<Field> Fields;
  if (!FieldList.getNumOccurrences())
    return Fields;
  for (StringRef Word : split(FieldList, ',')) {
    auto *Key = llvm::find_if(
        Keys, [&](const auto &Known) { return Known.first == Word; });
    if (Key == std::end(Keys))
      return makeError(Usage, "-f: there is no column '" + Word +
                                  "': name some of calls, made, unfinished, total, "
                                  "average, self, longest, p50, p95, p99, percent, "
                                  "name, sub, module");
    Fields.push_back(Key->second);
  }
  return Fields;
}

// Events have most to say, and calls are what all recordings have.
static const Trace &poorer(const Trace &A, const Trace &B) {
  auto Rank = [](const Trace &T) {
    return 4 * T.hasDurations() + 2 * T.hasEvents() + !T.isSampled();
  };
  return Rank(A) < Rank(B) ? A : B;
}

static Error refuseBeside(StringRef Other,
                          std::initializer_list<const cl::Option *> Options) {
  for (const cl::Option *Given : Options)
    if (Given->getNumOccurrences())
      return makeError(Usage, (Given->ArgStr.size() == 1 ? "-" : "--") +
                                  Given->ArgStr + " does nothing beside " +
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
  sayEnded(T, Dir);
  if (Error E = CallChoice::checkFound(T, Dir))
    return E;
  return Totals.finish();
}

// Before: what T is compared with, or null.
static Expected<int> writePage(Trace &T, const std::string &Dir, Trace *Before,
                               Field SortBy) {
  std::optional<PageSide> Old;
  if (Before) {
    Old.emplace(*Before, Diff);
    sayEnded(*Before, Diff);
    if (Error E = CallChoice::checkFound(*Before, Diff))
      return E;
  }
  PageSide New(T, Dir);
  sayEnded(T, Dir);
  if (Error E = CallChoice::checkFound(T, Dir))
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

static Expected<int> runDiff(const std::string &Dir,
                             std::vector<Field> Fields) {
  if (Error E = refuseBeside("--diff", {&All, &By, &Json, &Histograms}))
    return E;
  auto IsOther = [](Field F) {
    return F == Field::Sub || F == Field::Module || F == Field::Share;
  };
  if (llvm::any_of(Fields, IsOther) ||
      (Sort.getNumOccurrences() && IsOther(Sort)))
    return makeError(Usage, "--diff compares functions by name: leave out sub, "
                            "module and percent");
  Expected<Trace> Before = readTrace(Diff, Symfs);
  if (!Before)
    return Before.takeError();
  Expected<Trace> After = readTrace(Dir, Symfs);
  if (!After)
    return After.takeError();
  if (Error E = Choice.apply(*Before, Diff))
    return E;
  if (Error E = Choice.apply(*After, Dir))
    return E;
  if (std::string How = recordedDifferently(*Before, *After); !How.empty())
    warn(
        Diff + " and " + Dir +
        " were recorded with other options, so that calls and times differ for "
        "this alone: " +
        How);
  const Trace &Kind = poorer(*Before, *After);
  Field SortBy = Sort.getNumOccurrences() ? Sort : defaultDiffSort(Kind);
  const bool AreDefault = Fields.empty();
  if (AreDefault)
    Fields = withSorted(defaultDiffFields(Kind), SortBy);
  if (!Html.empty())
    return writePage(*After, Dir, &*Before, SortBy);
  auto Old = totals(*Before, Diff, /*WithSpread=*/true);
  if (!Old)
    return Old.takeError();
  auto New = totals(*After, Dir, /*WithSpread=*/true);
  if (!New)
    return New.takeError();
  printReportDiff({*Before, *Old}, {*After, *New}, SortBy, Fields, AreDefault,
                  lineWidth(), outs());
  return Before->Incomplete || After->Incomplete ? Failure : Success;
}

static Expected<int> runHtml(const std::string &Dir) {
  Expected<Trace> T = readTrace(Dir, Symfs);
  if (!T)
    return T.takeError();
  if (Error E = Choice.apply(*T, Dir))
    return E;
  return writePage(*T, Dir, /*Before=*/nullptr,
                   Sort.getNumOccurrences() ? Sort : defaultSort(*T));
}

static Expected<int> runTable(const std::string &Dir,
                              std::vector<Field> Fields) {
  Expected<Trace> T = readTrace(Dir, Symfs);
  if (!T)
    return T.takeError();
  if (Error E = Choice.apply(*T, Dir))
    return E;
  if (By != Apart::Nothing && !T->hasEvents())
    return makeError(Twine(Dir) + ": has no events, only counts: --by is for "
                                  "what 'patchbay record -t function_duration' "
                                  "records");
  if (Histograms && !T->hasDurations())
    return makeError(Twine(Dir) +
                     ": has no durations: 'patchbay record -t "
                     "function_profile --histogram' counts them, -t "
                     "function_duration records them");
  const bool AreDefault = Fields.empty();
  const Field SortBy = Sort.getNumOccurrences() ? Sort : defaultSort(*T);
  if (AreDefault)
    Fields = withSorted(defaultFields(*T, By), SortBy);
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
  if (By == Apart::Caller && T->isSampled())
    errs() << "patchbay: " << printable(Dir)
           << ": sampled: the caller is the innermost that was recorded, too\n";
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
  std::string Dir;
  if (Error E = Input.get().moveInto(Dir))
    return E;
  Expected<std::vector<Field>> Fields = parseFields();
  if (!Fields)
    return Fields.takeError();
  if (StringRef(Html).starts_with("-") && Html != "-")
    return makeError(Usage, "--html takes a file: '" + Html + "' looks like an option: for a "
                            "file of this name give './" + Html + "'");
  if (!Html.empty())
    if (Error E = refuseBeside("--html", {&FieldList, &All, &By, &Json, &Histograms}))
      return E;
  if (!Diff.empty())
    return runDiff(Dir, *Fields);
  if (!Html.empty())
    return runHtml(Dir);
  if (Json && (Histograms || !Fields->empty()))
    return makeError(Usage, "--json has all there is: leave out -f and "
                            "--histogram");
  if (Histograms && By != Apart::Nothing)
    return makeError(Usage, "--histogram shows all calls of a function: leave "
                            "out --by, and choose calls with --tid");
  if (Histograms && !Fields->empty())
    return makeError(Usage, "--histogram shows no columns: leave out -f");
  return runTable(Dir, *Fields);
}

const Verb patchbay::ReportVerb = {ReportCommand, Help, runReport};
