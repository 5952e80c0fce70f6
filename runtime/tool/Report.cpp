// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay report`: what the processes of one recording counted, summed; of
// events, how long functions took.
#include "Durations.h"
#include "HtmlReport.h"
#include "Table.h"
#include "Trace.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

namespace {
using Key = DurationKey;
}

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
static cl::opt<Key>
    Sort("s", cl::Prefix, cl::value_desc("KEY"), cl::sub(ReportCommand),
         cl::cat(ToolOptions), cl::desc("Sort by"), cl::init(Key::Calls),
         cl::values(clEnumValN(Key::Calls, "calls",
                               "calls, most first (default, of counts)"),
                    clEnumValN(Key::Name, "name", "function name"),
                    clEnumValN(Key::Total, "total",
                               "time with sub-routines (default, of events)"),
                    clEnumValN(Key::Self, "self", "time without them"),
                    clEnumValN(Key::Average, "average", "average time"),
                    clEnumValN(Key::Longest, "longest", "longest call")));
static cl::opt<std::string>
    Diff("diff", cl::value_desc("BEFORE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Show what changed since another recording of events, as a "
                  "table by change of self"));
static cl::opt<bool> All("all", cl::sub(ReportCommand), cl::cat(ToolOptions),
                         cl::desc("Show also functions that were not called"));
static cl::opt<bool> Json("json", cl::desc("Print JSON"),
                          cl::sub(ReportCommand), cl::cat(ToolOptions));

static cl::opt<std::string>
    Html("html", cl::value_desc("FILE"), cl::sub(ReportCommand),
         cl::cat(ToolOptions),
         cl::desc("Write a page for a browser there: flame graph, durations, "
                  "timeline"));

static constexpr char Help[] = R"(
  Counts of several processes and of several copies of a module (same build
  id) are added up. A process that still runs can be reported on.

  Of events, the columns are:
    total     time in the function and all that it called; where it called
              itself, that of the outermost call
    average   time of a call, longest: of the longest
    self      total without what the functions that it called took, as far as
              these were recorded: with a threshold or a filter, self is more
    sub-routine that took most: of those that it called itself
  Time in which a thread waited or did not run is in it.

  Names are read from the files that were traced, so keep these where they
  were. One that was changed shows addresses; without a build id (link with
  -Wl,--build-id) that cannot be noticed, and names may be wrong.

EXAMPLES:
  patchbay report
  patchbay report -s name --all before.data
  patchbay report -s self server.data
  patchbay report --html out.html
  patchbay report --diff before.data after.data
  patchbay report --json | jq '.functions[] | select(.calls > 1000)'

EXIT CODES:
  0  success
  1  no data or no function in it; a data file is truncated or corrupt (what
     precedes the damage is reported all the same); or some functions of a
     process were not traced
  2  wrong usage
)";

namespace {

struct Module {
  std::string Path;
  std::string BuildId;
  std::map<uint64_t, uint64_t> Calls; // by entry
};

struct Function {
  const Module *In;
  uint64_t Entry;
  uint64_t Calls;
  std::string Name;
};

/// A recording, summed: modules by what identifies them.
using Modules = std::map<std::string, Module>;

} // namespace

static void add(const DataFile &Data, Modules &Sum) {
  for (const auto &[Id, M] : Data.Modules) {
    Module &Target = Sum[moduleKey(M)];
    if (Target.Path.empty()) {
      Target.Path = M.Path;
      Target.BuildId = M.BuildId;
    }
  }
  for (const DataCounter &C : Data.Counters) {
    uint64_t &Calls = Sum[moduleKey(Data.Modules.at(C.Module))].Calls[C.Entry];
    Calls = SaturatingAdd(Calls, C.Calls);
  }
}

static void symbolize(const Module &M, TracedNames &Names,
                      std::vector<Function> &Functions) {
  DataModule File;
  File.BuildId = M.BuildId;
  File.Path = M.Path;
  for (const auto &[Entry, Calls] : M.Calls)
    Functions.push_back({&M, Entry, Calls, Names.function(File, Entry)});
}

static void sortFunctions(std::vector<Function> &Functions) {
  llvm::sort(Functions, [](const Function &A, const Function &B) {
    if (Sort != Key::Name && A.Calls != B.Calls)
      return A.Calls > B.Calls;
    return std::tie(A.Name, A.In->Path, A.Entry) <
           std::tie(B.Name, B.In->Path, B.Entry);
  });
}

static void printTable(ArrayRef<Function> Functions) {
  Table T;
  T.addColumn("calls", Table::Right);
  T.addColumn("function", Table::Left);
  T.addColumn("module", Table::Left);
  for (const Function &F : Functions)
    T.addRow(
        {utostr(F.Calls), F.Name, printable(sys::path::filename(F.In->Path))});
  T.print(outs());
}

static void printJson(ArrayRef<TraceProcess> Processes,
                      ArrayRef<Function> Functions) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attributeArray("processes", [&] {
      for (const TraceProcess &P : Processes)
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
    J.attributeArray("functions", [&] {
      for (const Function &F : Functions)
        J.object([&] {
          J.attribute("name", json::fixUTF8(F.Name));
          J.attribute("calls", F.Calls);
          J.attribute("entry", formatv("{0:x}", F.Entry).str());
          J.attribute("module", json::fixUTF8(F.In->Path));
          J.attribute("build_id", toHex(F.In->BuildId, /*LowerCase=*/true));
        });
    });
  });
  outs() << '\n';
}

// Returns whether there is anything to report.
static bool reportCounts(Trace &T) {
  Modules Sum;
  for (const TraceProcess &P : T.Processes)
    add(P.Data, Sum);
  std::vector<Function> Functions;
  for (const auto &[Key, M] : Sum)
    if (!M.Calls.empty())
      symbolize(M, T.Names, Functions);
  size_t Traced = Functions.size();
  if (!All)
    llvm::erase_if(Functions, [](const Function &F) { return !F.Calls; });
  sortFunctions(Functions);
  if (Json)
    printJson(T.Processes, Functions);
  else
    printTable(Functions);
  if (Functions.empty() && Traced && !Json)
    errs() << "patchbay: none of the " << Traced
           << " traced functions was called, --all shows them\n";
  return Traced;
}

static bool hasCounts(const Trace &T) {
  return llvm::any_of(T.Processes, [](const TraceProcess &P) {
    return !P.Data.Session || !P.Data.Counters.empty();
  });
}

static Expected<int> runDiff(const std::string &Dir) {
  Expected<Trace> Before = readEvents(Diff);
  if (!Before)
    return Before.takeError();
  Expected<Trace> After = readEvents(Dir);
  if (!After)
    return After.takeError();
  printDurationsDiff(*Before, *After, outs());
  return Before->Incomplete || After->Incomplete ? Failure : Success;
}

static Expected<int> runHtml(const std::string &Dir) {
  Expected<Trace> T = readEvents(Dir);
  if (!T)
    return T.takeError();
  std::error_code EC;
  raw_fd_ostream OS(Html, EC);
  if (!EC) {
    printHtml(*T, "patchbay report: " + Dir, OS);
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  if (EC)
    return makeError("cannot write " + Html + ": " + EC.message());
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
  if (!Diff.empty()) {
    for (const cl::Option *Given :
         std::initializer_list<const cl::Option *>{&All, &Json, &Sort})
      if (Given->getNumOccurrences())
        return makeError(Usage, Twine(Given->ArgStr.size() == 1 ? "-" : "--") +
                                    Given->ArgStr +
                                    " does nothing beside --diff: leave it out");
    return runDiff(Dir);
  }
  if (!Html.empty())
    return runHtml(Dir);
  Expected<Trace> T = readTrace(Dir);
  if (!T)
    return T.takeError();
  bool Traced = true;
  Key By = Sort.getNumOccurrences() ? Sort : Key::Total;
  if (hasCounts(*T))
    Traced = reportCounts(*T);
  else if (Json)
    printDurationsJson(*T, By, outs());
  else
    printDurations(*T, By, outs());
  if (!Traced && !T->Incomplete)
    return makeError(Twine(Dir) + ": no function was traced");
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::ReportVerb = {ReportCommand, Help, runReport};
