// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay report`: what the processes of one recording counted, summed; of
// events, how long functions took.
#include "Diagnostics.h"
#include "Verb.h"
#include "reading/ThreadChoice.h"
#include "showing/AskedFor.h"
#include "showing/Histogram.h"
#include "showing/HowRecorded.h"
#include "showing/HtmlReport.h"
#include "showing/Losses.h"
#include "showing/NothingTraced.h"
#include "showing/ReportTable.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand ReportCommand("report",
                                    "Show how often functions were called, and "
                                    "how long they took");
static cl::opt<std::string> Positional(cl::Positional, cl::desc("[DIR]"),
                                       cl::sub(ReportCommand),
                                       cl::cat(ToolOptions));
static cl::opt<std::string>
    InputDir("i", cl::Prefix, cl::value_desc("DIR"), cl::sub(ReportCommand),
             cl::cat(ToolOptions),
             cl::desc("Directory that 'patchbay record' wrote (default: "
                      "patchbay.data)"));
static cl::opt<Field> Sort(
    "s", cl::Prefix, cl::value_desc("KEY"), cl::sub(ReportCommand),
    cl::cat(ToolOptions), cl::desc("Sort by"),
    cl::values(clEnumValN(Field::Calls, "calls",
                          "calls, most first (default, of counts)"),
               clEnumValN(Field::Unfinished, "unfinished",
                          "calls that were not seen to return"),
               clEnumValN(Field::Name, "name", "function name"),
               clEnumValN(Field::Total, "total",
                          "time with sub-routines (default, of durations)"),
               clEnumValN(Field::Self, "self", "time without them"),
               clEnumValN(Field::Average, "average", "average time"),
               clEnumValN(Field::Longest, "longest", "longest call"),
               clEnumValN(Field::Sub, "sub",
                          "name of the sub-routine that took "
                          "most"),
               clEnumValN(Field::Module, "module", "file with the function")));
static cl::opt<std::string>
    FieldList("f", cl::Prefix, cl::value_desc("KEYS"), cl::sub(ReportCommand),
              cl::cat(ToolOptions),
              cl::desc("Show these columns, in this order: keys of -s, "
                       "separated by commas"));
static cl::alias SortAlias("sort", cl::desc("Same as -s"), cl::aliasopt(Sort),
                           cl::NotHidden, cl::cat(ToolOptions));
static cl::alias FieldsAlias("fields", cl::desc("Same as -f"),
                             cl::aliasopt(FieldList), cl::NotHidden,
                             cl::cat(ToolOptions));
static cl::opt<bool>
    Histograms("histogram", cl::sub(ReportCommand), cl::cat(ToolOptions),
               cl::desc("Show how many calls of each function took how long"));
static cl::opt<std::string>
    Diff("diff", cl::value_desc("BEFORE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Show what changed since another recording, sorted by the "
                  "change of -s (default: self, of counts calls)"));
static cl::opt<bool> All("all", cl::sub(ReportCommand), cl::cat(ToolOptions),
                         cl::desc("Show also functions that were not called"));
static cl::opt<bool> Json("json", cl::desc("Print JSON"),
                          cl::sub(ReportCommand), cl::cat(ToolOptions));

static cl::opt<std::string>
    Html("html", cl::value_desc("FILE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Write a page for a browser there: flame graph, durations, "
                  "timeline"));

static ThreadChoice Threads(ReportCommand);

static constexpr char Help[] = R"(
  Counts of several processes and of several copies of a module (same build
  id) are added up. A process that still runs can be reported on.

  On a terminal that is too narrow this gives way, in this order: parameters of
  functions, arguments of templates, the column of sub-routines unless -f asked for
  it, and what long names have in common. What tells two functions apart is never
  cut. Elsewhere nothing is.

  Of events, the columns are:
    total     time in the function and all that it called; where it called
              itself, that of the outermost call
    average   time of a call, longest: of the longest
    self      total without what the functions that it called took, as far as
              these were recorded: with a threshold or a filter, self is more
    unfinished (with -f) calls that were not seen to return: open when recording
              ended, or cut off, as by longjmp(). In total and self these count
              until then, or until the last that was seen in them; average and
              longest are of the others
    sub-routine that took most: of those that it called itself, with the time
              of the outermost calls, as in total
  With --diff, calls are those of BEFORE, calls now and all times those of DIR.
  Functions are compared by name. What a compiler appended to one, another number
  in each build (parse.llvm.1527 of ThinLTO), does not count, so static functions of
  one name are summed where only that tells them apart.
  A warning says if they were recorded with other options, or, where a file has
  the same build id in both, of other functions.
  Time in which a thread waited or did not run is in it, unless it was recorded
  with --no-sleep-time. What it takes to record a call, some tens of nanoseconds,
  is in the time of its caller: of functions that make very many short calls, self
  is mostly that. 'record -N' leaves those calls out, a profiler shows the rest. Histograms of function_profile have no self, and a total
  in which a function's calls of itself count each.

  Names are read from the files that were traced, so keep these where they
  were. One that was changed shows addresses; without a build id (link with
  -Wl,--build-id) that cannot be noticed, and names may be wrong.

  With --html, -s says in which order the page lists functions; it has columns of its
  own.

EXAMPLES:
  patchbay report
  patchbay report -s name --all before.data
  patchbay report -s self server.data
  patchbay report -f self,name,module --sort longest
  patchbay report --histogram server.data
  patchbay report --html out.html
  patchbay report --diff before.data after.data
  patchbay report --json | jq '.functions[] | select(.calls > 1000)'

EXIT CODES:
  0  success
  1  no data, no function or no call in it; a data file is truncated or corrupt (what
     precedes the damage is reported all the same), or becomes shorter while it
     is read; some functions of a process were not traced; or one that it forked
     could make no file
  2  wrong usage
  3  no thread that --tid or --thread names
)";

static void printHistograms(const Trace &T,
                            ArrayRef<FunctionDurations> Functions,
                            ArrayRef<size_t> Order) {
  for (size_t I : Order) {
    if (I != Order.front())
      outs() << '\n';
    printHistogram(T.Functions[I].Name, T.BucketUnit, Functions[I].Buckets,
                   outs());
  }
}

static void printJsonTimes(json::OStream &J, const Trace &T,
                           const FunctionDurations &F) {
  J.attribute("total_ns", F.Total);
  J.attribute("average_ns", F.average());
  if (T.hasEvents())
    J.attribute("self_ns", F.Self);
  J.attribute("longest_ns", F.Longest);
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

static void printJson(Trace &T, ArrayRef<FunctionDurations> Functions,
                      ArrayRef<size_t> Order) {
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
    uint64_t Lost = SaturatingAdd(L.Lost, L.Sandbox);
    for (auto [Errno, N] : L.NoFile)
      Lost = SaturatingAdd(Lost, N);
    J.attribute("lost", Lost);
    J.attribute("lost_in_sandbox", L.Sandbox);
    J.attribute("lost_of_children", L.Children);
    J.attribute("missed", L.Missed);
    J.attribute("overwritten", L.Overwritten);
    J.attribute("left_out", L.LeftOut.size());
    J.attribute("jumped", L.Jumped.Calls);
    J.attribute("cut_off", L.CutOff.Calls);
    J.attribute("open", L.Open.Calls);
    J.attributeArray("functions", [&] {
      for (size_t I : Order)
        J.object([&] {
          const FunctionDurations &F = Functions[I];
          const TraceFunction &Of = T.Functions[I];
          J.attribute("name", json::fixUTF8(Of.Name));
          J.attribute("calls", F.Calls);
          if (T.hasDurations() || T.hasEvents())
            printJsonTimes(J, T, F);
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
      {"calls", Field::Calls},     {"unfinished", Field::Unfinished},
      {"total", Field::Total},     {"average", Field::Average},
      {"self", Field::Self},       {"longest", Field::Longest},
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
                                  "': name some of calls, unfinished, total, "
                                  "average, self, longest, name, sub, module");
    Fields.push_back(Key->second);
  }
  return Fields;
}

// Events have most to say, and calls are what all recordings have.
static const Trace &poorer(const Trace &A, const Trace &B) {
  auto Rank = [](const Trace &T) { return T.hasDurations() + T.hasEvents(); };
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

static std::vector<FunctionDurations> totals(Trace &T, StringRef Dir) {
  FunctionTotals Totals(T);
  readCalls(T, {&Totals});
  sayEnded(T, Dir);
  return Totals.finish();
}

static Expected<int> runDiff(const std::string &Dir,
                             std::vector<Field> Fields) {
  if (Error E = refuseBeside("--diff", {&All, &Json, &Histograms, &Html}))
    return E;
  auto IsOther = [](Field F) { return F == Field::Sub || F == Field::Module; };
  if (llvm::any_of(Fields, IsOther) ||
      (Sort.getNumOccurrences() && IsOther(Sort)))
    return makeError(Usage, "--diff compares functions by name: leave out sub "
                            "and module");
  Expected<Trace> Before = readTrace(Diff);
  if (!Before)
    return Before.takeError();
  Expected<Trace> After = readTrace(Dir);
  if (!After)
    return After.takeError();
  if (Error E = Threads.apply(*Before, Diff))
    return E;
  if (Error E = Threads.apply(*After, Dir))
    return E;
  if (std::string How = recordedDifferently(*Before, *After); !How.empty())
    warn(
        Diff + " and " + Dir +
        " were recorded with other options, so that calls and times differ for "
        "this alone: " +
        How);
  const Trace &Kind = poorer(*Before, *After);
  Field By = Sort.getNumOccurrences() ? Sort : defaultDiffSort(Kind);
  if (Fields.empty())
    Fields = defaultDiffFields(Kind);
  std::vector<FunctionDurations> Old = totals(*Before, Diff),
                                 New = totals(*After, Dir);
  printReportDiff({*Before, Old}, {*After, New}, By, Fields, terminalWidth(),
                  outs());
  return Before->Incomplete || After->Incomplete ? Failure : Success;
}

static Expected<int> runHtml(const std::string &Dir) {
  if (Error E = refuseBeside("--html", {&FieldList, &All, &Json, &Histograms}))
    return E;
  Expected<Trace> T = readTrace(Dir);
  if (!T)
    return T.takeError();
  if (Error E = Threads.apply(*T, Dir))
    return E;
  HtmlReport Page(*T);
  sayEnded(*T, Dir);
  if (T->Functions.empty())
    return nothingTraced(*T, Dir);
  std::error_code EC;
  raw_fd_ostream OS(Html, EC);
  if (!EC) {
    Page.print(Dir, Sort.getNumOccurrences() ? Sort : defaultSort(*T), OS);
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  if (EC)
    return makeError("cannot write " + Html + ": " + EC.message());
  return T->Incomplete ? Failure : Success;
}

static Expected<int> runTable(const std::string &Dir,
                              std::vector<Field> Fields) {
  Expected<Trace> T = readTrace(Dir);
  if (!T)
    return T.takeError();
  if (Error E = Threads.apply(*T, Dir))
    return E;
  if (Histograms && !T->hasDurations())
    return makeError(Twine(Dir) +
                     ": has no durations: 'patchbay record -t "
                     "function_profile --histogram' counts them, -t "
                     "function_duration records them");
  std::vector<FunctionDurations> Functions = totals(*T, Dir);
  std::vector<size_t> Order = sortFunctions(
      *T, Functions, Sort.getNumOccurrences() ? Sort : defaultSort(*T));
  size_t Traced = Order.size();
  if (!All)
    llvm::erase_if(Order, [&](size_t I) { return !Functions[I].Calls; });
  if (Fields.empty())
    Fields = defaultFields(*T);
  if (Json)
    printJson(*T, Functions, Order);
  else if (Histograms)
    printHistograms(*T, Functions, Order);
  else if (Traced)
    printReport(*T, Functions, Order, Fields, terminalWidth(), outs());
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
  if (!InputDir.empty() && !Positional.empty())
    return makeError(Usage, "give the directory once, either with -i or not");
  std::string Dir = DefaultDataDir;
  if (!InputDir.empty())
    Dir = InputDir;
  else if (!Positional.empty())
    Dir = Positional;
  Expected<std::vector<Field>> Fields = parseFields();
  if (!Fields)
    return Fields.takeError();
  if (!Diff.empty())
    return runDiff(Dir, *Fields);
  if (!Html.empty())
    return runHtml(Dir);
  if (Json && (Histograms || !Fields->empty()))
    return makeError(Usage, "--json has all there is: leave out -f and "
                            "--histogram");
  if (Histograms && !Fields->empty())
    return makeError(Usage, "--histogram shows no columns: leave out -f");
  return runTable(Dir, *Fields);
}

const Verb patchbay::ReportVerb = {ReportCommand, Help, runReport};
