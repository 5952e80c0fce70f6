// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay outliers`: shows why some calls of a function are slow.
#include "CallChoice.h"
#include "analysis/Outliers.h"
#include "names/NameForms.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "showing/Values.h"
#include "showing/WhySlow.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

static OptionTable Options("outliers", "Compare slow calls of a function with its other calls");
static InputOption Dir(Options);
static StringOption Root(Options, "f", "FUNCTION",
                         "Compare calls of FUNCTION (a GLOB that matches one)");
static DurationOption Slower(Options, "slower",
                             "Treat calls of at least DURATION as slow (10ms; default: above p99)");
static FlagOption All(Options, "all", "Show all lines, even without a difference");
static FlagOption Json(Options, "json", "Print JSON");
static CallChoice Choice(Options);
static DisplayOptions Display(Options, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay outliers -f handle_request
  patchbay outliers -f Cache::get --slower 10ms server.data
  patchbay outliers -f handle_request --from 10s --thread 'worker*'
  patchbay outliers -f handle_request --json | jq '.tree[0].more_ns'

DESCRIPTION:
  'outliers' compares the slow calls of a function with all its other calls.
  Each line is a function on the path of these calls, with its callees below.
  All values are per call of the compared function. A line is hidden if its
  differences, and all below it, are less than 1 % of the total difference.

  By default calls are slow if they are 1/64 longer than the 99th percentile, or
  than all calls but one if there are fewer than 100.

COLUMNS:
  more           additional time of slow calls, with callees
  itself         additional self time of slow calls. Without filters the values
                 add up to the total difference: look at the largest first
  slow, calls    time with callees, and number of calls, in a slow call
  others, calls  time with callees, and number of calls, in another call

CAUSES:
  The cause of a slow call is the function with the most additional self time in
  it. If there are several causes, a table has the slow calls of each. The cause
  with the most additional time in all slow calls is first.

SLOWEST CALLS:
  The last table shows the start of the slowest calls. To see one in full, use
  'patchbay replay --tid TID --from TIME --min DURATION'. Recordings of record
  --args have the arguments of these calls, those of --why their waits. If a
  call waited for a lock, 'meanwhile in' is the likely holder: the call of
  another thread that ended when the wait did, lasted for most of it, and did
  not wait for a lock itself.

FILTERS:
  Without -f, -F names the function. With -f, filters such as -F, -N and --min
  choose calls as in 'patchbay graph': --under compares only calls made there.

NOTES:
  A call within another call of the function is part of that call. Calls
  without a recorded return are in neither group. Times include off-CPU time,
  unless recorded with --no-sleep-time.
  The mark ~ precedes a time that was mostly the cost of tracing.

EXIT CODES:
  0  success
  1  no data or no durations; damaged data (calls before the damage are
     compared); or functions of a process that were not traced
  2  wrong usage, or -f matches several functions
  3  no call of the function, no slow call, no other call, or no matching thread
)";

// For each node: the callees that were disarmed during the recording. Later calls of these
// callees count as self time of the caller.
static std::vector<std::vector<uint32_t>> disarmedCallees(const CallTree &Tree,
                                                          const std::set<uint32_t> &Disarmed) {
  std::vector<std::vector<uint32_t>> Of(Tree.size());
  for (size_t I = 1; I != Tree.size(); ++I)
    if (Disarmed.count(Tree[I].Function))
      Of[Tree[I].Parent].push_back(Tree[I].Function);
  return Of;
}

// A name that is short enough for a message, or for a cell of a table.
static std::string shortName(const Trace &T, uint32_t Function) {
  return shortened(printable(plainName(T.Functions[Function].Name)), 40);
}

static std::string differenceText(double Ns) {
  uint64_t Size = std::llround(std::abs(Ns));
  if (!Size)
    return "0";
  return (Ns < 0 ? "-" : "+") + durationText(Size);
}

static std::string threadOf(const TraceThread &T) {
  return printable(T.Name) + "-" + utostr(T.Tid);
}

// A time in the format of 'patchbay replay' and --from.
static std::string timeText(uint64_t Ns) {
  return formatv("{0}.{1:d9}", Ns / 1000000000, Ns % 1000000000).str();
}

static std::string callsText(double Calls) { return formatv("{0:f2}", Calls).str(); }

static void printSummary(const Trace &T, const OutlierTrees &Of, uint64_t From,
                         uint64_t Unfinished, raw_ostream &OS) {
  uint64_t Slow = Of.SlowDurations.calls(), Others = Of.OtherDurations.calls();
  OS << printable(T.Functions[Of.Slow[1].Function].Name) << ": "
     << counted(Slow, "slow call") << " of " << durationText(From)
     << " or more, on average " << durationText(Of.slowAverage(), Of.Slow[1].isMostlyCost())
     << "; " << counted(Others, "other") << ", on average "
     << durationText(Of.Others[1].Total / Others, Of.Others[1].isMostlyCost());
  if (Unfinished)
    OS << "; " << counted(Unfinished, "call") << " without a recorded return";
  OS << "\n\n";
}

// Prints each cause separately, since averages over slow calls with different causes
// describe no call.
static void printCauses(const Trace &T, const OutlierTrees &Of, raw_ostream &OS) {
  const std::vector<OutlierTrees::Cause> Causes = Of.causes();
  if (Causes.size() < 2)
    return;
  OS << "slow calls by cause, the function with the most additional self time:\n\n";
  Table Out;
  for (const char *Title : {"calls", "on average", "itself"})
    Out.addColumn(Title, Table::Right);
  Out.addColumn("function", Table::Names);
  for (const OutlierTrees::Cause &C : Causes)
    Out.addRow({utostr(C.Calls), durationText(C.Total / C.Calls, isMostlyCost(C.Measured, C.Total)),
                differenceText(C.More / double(C.Calls)),
                printable(T.Functions[C.Function].Name)});
  Out.print(OS, lineWidth());
  OS << '\n';
}

static void printTable(const Trace &T, const OutlierTrees &Of,
                       const std::set<uint32_t> &Disarmed, raw_ostream &OS) {
  auto Missing = disarmedCallees(Of.Slow, Disarmed);
  bool SomeMissing = false;
  Table Out;
  for (const char *Title :
       {"more", "itself", "slow", "calls", "others", "calls"})
    Out.addColumn(Title, Table::Right);
  Out.addColumn("function", Table::Names);
  size_t LeftOut = 0;
  for (const OutlierLine &L : Of.lines()) {
    const uint32_t I = L.Node;
    if (!L.MakesDifference && !All) {
      ++LeftOut;
      continue;
    }
    std::string After;
    if (size_t N = Missing[I].size()) {
      SomeMissing = true;
      After = " (itself may include " + shortName(T, Missing[I].front()) +
              (N > 1 ? " and " + utostr(N - 1) + " more)" : ")");
    }
    Out.addRow({differenceText(L.more()),
                differenceText(L.itself()),
                durationText(std::llround(L.SlowTotal), L.IsSlowRough),
                callsText(L.SlowCalls),
                durationText(std::llround(L.OtherTotal), L.IsOtherRough),
                callsText(L.OtherCalls),
                Table::nameCell(indentation(Of.Slow[I].Depth),
                                printable(T.Functions[Of.Slow[I].Function].Name), After)});
  }
  Out.print(OS, lineWidth());
  if (SomeMissing)
    OS << "\ncalls of disarmed functions count as their callers' own time: record these "
          "alone (-F), or with a larger limit\n";
  if (LeftOut)
    OS << "\n" << counted(LeftOut, "line") << (LeftOut == 1 ? " makes" : " make")
       << " less than a hundredth of the difference: --all shows "
       << (LeftOut == 1 ? "it" : "them") << '\n';
}

namespace {
// The slowest calls, with the recorded reasons.
struct SlowestCalls {
  SlowestCalls(Trace &T, const OutlierTrees &Of);
  const LockHolders::Holder &holder(size_t I) const { return Holders.holder(I); }
  std::string holderText(const Trace &T, size_t I) const {
    const LockHolders::Holder &H = holder(I);
    return H.Thread ? Table::nameCell("", printable(T.Functions[H.Function].Name),
                                      " (" + threadOf(*H.Thread) + ")")
                    : "-";
  }

  WhySlow Why;
  std::vector<std::optional<SlowReason>> Reasons;
  LockHolders Holders;
  bool AnyHolder = false;
};
} // namespace

SlowestCalls::SlowestCalls(Trace &T, const OutlierTrees &Of) : Why(T), Holders(Why) {
  for (const OutlierTrees::Slowest &S : Of.TheSlowest) {
    Reasons.push_back(Why.of(*S.Thread, &S.Values, S.Cost));
    Holders.add(*S.Thread, Reasons.back());
  }
  if (!Holders.hasWaits())
    return;
  T.Ended = {};
  T.Chosen = {}; // read all calls, since any call may be the holder
  readCalls(T, {&Holders});
  for (size_t I = 0; I != Reasons.size(); ++I)
    AnyHolder |= holder(I).Thread != nullptr;
}

// Arguments and result of a call: "(path=\"a.o\", 7) = 0".
static std::string valuesText(const DataValues &V) {
  const std::string Args = argsText(V), Result = resultText(V);
  return printable((Args.empty() ? "" : "(" + Args + ")") +
                   (Result.empty() ? "" : " = " + Result));
}

// Advises recording with --why if waits are unknown. Does not advise --why for slow calls
// of less than 100 us, since recording the reason takes about 40 us.
static void printHowToSeeWaits(const Trace &T, uint64_t From, raw_ostream &OS) {
  if (From < 100000 || llvm::any_of(T.Processes, [](const TraceProcess &P) {
        return P.Data.Why || !P.Data.Session ||
               P.Data.Session->Flags & PBD_SESSION_NO_SLEEP_TIME;
      }))
    return;
  uint64_t Digit = 1;
  while (From / 10 >= Digit)
    Digit *= 10;
  const uint64_t Us = From / Digit * Digit / 1000;
  OS << "\nto see whether these waited, and for what: record --why "
     << (Us % 1000 ? utostr(Us) + "us" : utostr(Us / 1000) + "ms") << '\n';
}

static void printSlowest(const Trace &T, const OutlierTrees &Of, const SlowestCalls &Known,
                         raw_ostream &OS) {
  OS << "\nthe slowest:\n\n";
  ArrayRef<std::optional<SlowReason>> Reasons = Known.Reasons;
  const bool HasValues = llvm::any_of(
      Of.TheSlowest, [](const auto &S) { return S.Values.IsRecorded; });
  const bool IsKnown = llvm::any_of(Reasons, [](const auto &R) { return R.has_value(); });
  Table Out;
  Out.addColumn("duration", Table::Right);
  Out.addColumn("began", Table::Right);
  Out.addColumn("thread", Table::Left);
  if (HasValues)
    Out.addColumn("arguments", Table::Whole);
  Out.addColumn("cause", Table::Names);
  if (Known.AnyHolder)
    Out.addColumn("meanwhile in", Table::Names);
  if (IsKnown)
    Out.addColumn("why", Table::Whole);
  const unsigned Width = lineWidth();
  for (auto [I, S] : enumerate(Of.TheSlowest)) {
    std::vector<std::string> Row = {durationText(S.Duration, S.IsRough), timeText(S.Start),
                                    threadOf(*S.Thread)};
    if (HasValues)
      Row.push_back(shortened(valuesText(S.Values), Width / 3));
    Row.push_back(printable(T.Functions[S.Cause].Name));
    if (Known.AnyHolder)
      Row.push_back(Known.holderText(T, I));
    // List further waits if there is space for them.
    if (IsKnown)
      Row.push_back(Reasons[I] ? printable(Reasons[I]->summary(Width / 3)) : "");
    Out.addRow(std::move(Row));
  }
  Out.print(OS, Width);
}

static void printJson(const Trace &T, const OutlierTrees &Of,
                      const std::set<uint32_t> &Disarmed, const SlowestCalls &Known,
                      uint64_t From, uint64_t Unfinished) {
  auto Missing = disarmedCallees(Of.Slow, Disarmed);
  auto NameOf = [&](uint32_t Function) { return json::fixUTF8(T.Functions[Function].Name); };
  json::OStream J(outs(), /*IndentSize=*/2);
  auto Durations = [&](StringRef Kind, const Spread &S, uint64_t Average) {
    J.attributeObject(Kind, [&] {
      J.attribute("calls", S.calls());
      J.attribute("average_ns", Average);
      J.attribute("p50_ns", S.quantile(0.5));
      J.attribute("p99_ns", S.quantile(0.99));
    });
  };
  auto Side = [&](StringRef Kind, double Total, double Self, double Calls) {
    J.attributeObject(Kind, [&] {
      J.attribute("total_ns", Total);
      J.attribute("self_ns", Self);
      J.attribute("calls", Calls);
    });
  };
  J.object([&] {
    J.attribute("function",
                json::fixUTF8(T.Functions[Of.Slow[1].Function].Name));
    J.attribute("slow_from_ns", From);
    J.attribute("unfinished", Unfinished);
    Durations("slow", Of.SlowDurations, Of.slowAverage());
    Durations("others", Of.OtherDurations, Of.Others[1].Total / Of.OtherDurations.calls());
    J.attributeArray("tree", [&] {
      for (const OutlierLine &L : Of.lines())
        J.object([&] {
          const uint32_t I = L.Node;
          J.attribute("name",
                      json::fixUTF8(T.Functions[Of.Slow[I].Function].Name));
          J.attribute("depth", Of.Slow[I].Depth);
          J.attribute("more_ns", L.more());
          J.attribute("itself_ns", L.itself());
          Side("slow", L.SlowTotal, L.SlowSelf, L.SlowCalls);
          Side("others", L.OtherTotal, L.OtherSelf, L.OtherCalls);
          if (!Missing[I].empty())
            J.attributeArray("disarmed_callees", [&] {
              for (uint32_t Callee : Missing[I])
                J.value(NameOf(Callee));
            });
        });
    });
    J.attributeArray("causes", [&] {
      for (const OutlierTrees::Cause &C : Of.causes())
        J.object([&] {
          J.attribute("name", NameOf(C.Function));
          J.attribute("calls", C.Calls);
          J.attribute("average_ns", C.Total / C.Calls);
          J.attribute("itself_ns", C.More / double(C.Calls));
        });
    });
    J.attributeArray("slowest", [&] {
      for (auto [I, S] : enumerate(Of.TheSlowest))
        J.object([&, I = I, &S = S] {
          J.attribute("start_ns", S.Start);
          J.attribute("duration_ns", S.Duration);
          J.attribute("tid", S.Thread->Tid);
          J.attribute("thread", json::fixUTF8(S.Thread->Name));
          J.attribute("cause", NameOf(S.Cause));
          if (S.Values.IsRecorded)
            printValues(J, S.Values);
          if (const LockHolders::Holder &H = Known.holder(I); H.Thread)
            J.attributeObject("meanwhile", [&] {
              J.attribute("name", NameOf(H.Function));
              J.attribute("tid", H.Thread->Tid);
            });
          if (Known.Reasons[I])
            Known.Reasons[I]->print(J);
        });
    });
  });
  outs() << '\n';
}

// Fails if several functions match, since their durations are not comparable.
static Error checkOneName(const Trace &T, ArrayRef<uint32_t> Functions) {
  for (uint32_t F : Functions)
    if (T.Functions[F].Name != T.Functions[Functions[0]].Name)
      return makeError(Usage, "-f: '" + Root + "' matches several functions: " +
                                  T.Functions[Functions[0]].Name + ", " +
                                  T.Functions[F].Name + ": name one");
  return Error::success();
}

static Error checkKinds(const OutlierTrees &Of, uint64_t From) {
  std::string Name = "'" + Root + "'";
  uint64_t Slow = Of.SlowDurations.calls(), Others = Of.OtherDurations.calls();
  if (!Slow)
    return makeError(NothingFound, Dir + ": no call of " + Name + " took " +
                                       durationText(From) +
                                       " or more: the longest took about " +
                                       durationText(Of.OtherDurations.quantile(1)));
  if (!Others)
    return makeError(NothingFound,
                     Dir + ": " +
                         (Slow == 1 ? "the one call of " : "all calls of ") + Name +
                         " took " + durationText(From) +
                         " or more: no other calls to compare with: raise --slower");
  return Error::success();
}

static Expected<int> runOutliers(ArrayRef<const char *>) {
  if (Root.empty())
    Root = Choice.takeFunction();
  if (Root.empty())
    return makeError(Usage, "outliers needs a function: add -f FUNCTION");
  Expected<Trace> T = Choice.openEvents(Dir);
  if (!T)
    return T.takeError();
  if (!T->hasDurations())
    return makeError(Dir + ": only the start of calls was recorded: for durations use "
                           "'patchbay record -t graph'");
  std::vector<int8_t> Known; // by function: is it the root?
  auto IsRoot = [&](uint32_t Function) -> bool {
    while (Known.size() <= Function)
      Known.push_back(T->isNamedBy(Known.size(), Root));
    return Known[Function];
  };
  RootDurations First(IsRoot);
  readCalls(*T, {&First});
  if (Error E = CallChoice::finish(*T, Dir))
    return E;
  if (First.Functions.empty())
    return makeError(NothingFound, Dir + ": no call of '" + Root +
                                       "' was recorded: " + T->hintFor(Root));
  if (Error E = checkOneName(*T, First.Functions.getArrayRef()))
    return E;
  if (!First.Durations.calls())
    return makeError(NothingFound, Dir + ": no call of '" + Root +
                                       "' has a recorded return");
  uint64_t From = Slower.given() ? uint64_t(Slower) : leastOfSlow(First.Durations);
  T->Ended = {}; // the second pass counts unfinished calls again
  OutlierTrees Trees(IsRoot, From, /*Show=*/5);
  readCalls(*T, {&Trees});
  if (Error E = checkKinds(Trees, From))
    return E;
  const std::set<uint32_t> Disarmed = disarmedFunctions(*T);
  const SlowestCalls Slowest(*T, Trees);
  if (Json) {
    printJson(*T, Trees, Disarmed, Slowest, From, First.Unfinished);
  } else {
    printSummary(*T, Trees, From, First.Unfinished, outs());
    printCauses(*T, Trees, outs());
    printTable(*T, Trees, Disarmed, outs());
    printSlowest(*T, Trees, Slowest, outs());
    printHowToSeeWaits(*T, From, outs());
  }
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::OutliersVerb = {Options, Help, runOutliers};
