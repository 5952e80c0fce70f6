// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay graph`: shows the tree of calls with times.
#include "CallChoice.h"
#include "analysis/CallTree.h"
#include "analysis/Durations.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("graph", "Show the call tree, summed over threads and processes");
static InputOption Dir(Options);
static StringOption Root(Options, "f", "FUNCTION",
                         "Show the callees of FUNCTION (GLOB), summed over its callers");
static FlagOption Callers(Options, "callers", "Show the callers of -f FUNCTION instead");
static NumberOption MaxDepth(Options, "max-depth,D", "N", "Show at most N levels of calls");
static CallChoice Choice(Options);
static DisplayOptions Display(Options, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay graph
  patchbay graph -D 3
  patchbay graph -f Cache::get server.data
  patchbay graph -f Cache::get --callers
  patchbay graph --under handle_request --min 1ms

DESCRIPTION:
  'graph' shows each function below its caller. Calls with the same chain of
  callers are one line. The trees of all threads and processes are added up.
  Below 50 levels a number shows the depth instead of the indentation.

  Calls without a recorded return are marked:
    open     It was running when the recording ended. It counts until then.
    cut off  longjmp() or the like ended it. It counts until the last event
             within it.

  The column % is the share of the time of all calls shown. The mark ~ precedes
  a time that was mostly the cost of tracing, so it is inexact.

  Filters such as -F, -N and --min hide calls, and do not change times. The
  callees of a hidden call are below its caller.

CALLERS:
  With --callers each line is the caller of the line above it. Its time and
  calls are those of FUNCTION when it was reached on this path. Recursive calls
  have lines of their own. A call within another call of FUNCTION does not
  count in the times, as in 'patchbay report'.

EXIT CODES:
  0  success
  1  no data or no events; damaged data (calls before the damage are shown); or
     functions of a process that were not traced
  2  wrong usage, or a depth of 0
  3  no matching call or thread
)";

// " (1 open, 2 cut off)"; empty if all calls returned.
static std::string unfinishedText(const CallNode &N) {
  std::vector<std::string> Parts;
  if (N.Open)
    Parts.push_back(utostr(N.Open) + " open");
  if (N.CutOff)
    Parts.push_back(utostr(N.CutOff) + " cut off");
  return Parts.empty() ? "" : " (" + join(Parts, ", ") + ")";
}

static bool isLonger(const CallNode &A, const CallNode &B) {
  return std::make_tuple(B.Total, B.Calls, A.Function) <
         std::make_tuple(A.Total, A.Calls, B.Function);
}

// Prints the tree, and returns the number of lines that -D hides.
static size_t print(const Trace &T, const CallTree &Tree, bool HasDurations) {
  Table Out;
  if (HasDurations)
    for (const char *Title : {"%", "total", "self"})
      Out.addColumn(Title, Table::Right);
  Out.addColumn("calls", Table::Right);
  Out.addColumn("function", Table::Names);
  size_t TooDeep = 0;
  for (uint32_t I : inOrder(Tree, isLonger)) {
    const CallNode &N = Tree[I];
    if (MaxDepth && N.Depth >= MaxDepth) {
      ++TooDeep;
      continue;
    }
    std::vector<std::string> Row;
    if (HasDurations)
      Row = {shareText(N.Total, Tree[0].Total), durationText(N.Total, N.isMostlyCost()),
             durationText(N.Self, N.isMostlyCost())};
    Row.push_back(utostr(N.Calls));
    Row.push_back(Table::nameCell(indentation(N.Depth),
                                  printable(T.Functions[N.Function].Name),
                                  unfinishedText(N)));
    Out.addRow(std::move(Row));
  }
  Out.print(outs(), lineWidth());
  return TooDeep;
}

static Expected<int> runGraph(ArrayRef<const char *>) {
  if (MaxDepth.given() && !MaxDepth)
    return makeError(Usage, "-D: a depth of 0 shows nothing: give 1 or more");
  if (Callers && Root.empty())
    return makeError(Usage, "--callers needs a function: add -f FUNCTION");
  Expected<Trace> T = Choice.openEvents(Dir);
  if (!T)
    return T.takeError();
  if (!T->hasCalls())
    return nothingTraced(*T, Dir);
  TreeBuilder Builder(*T, Root, Callers);
  readCalls(*T, {&Builder}, /*StacksApart=*/true);
  if (Error E = CallChoice::finish(*T, Dir))
    return E;
  CallTree Tree = Builder.finish();
  if (Tree.size() == 1 && !Root.empty())
    return makeError(NothingFound, Dir + ": no call of '" + Root +
                                       "' was recorded: " + T->hintFor(Root));
  bool HasDurations = T->hasDurations();
  size_t TooDeep = print(*T, Tree, HasDurations);
  outs().flush();
  if (TooDeep)
    errs() << "patchbay: hid " << counted(TooDeep, "line") << " deeper than " << MaxDepth
           << " (-D)\n";
  if (!HasDurations)
    errs() << "patchbay: " << printable(Dir)
           << ": only the start of calls was recorded: for durations and callees use "
              "'patchbay record -t graph'\n";
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::GraphVerb = {Options, Help, runGraph};
