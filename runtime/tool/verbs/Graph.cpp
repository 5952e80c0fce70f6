// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay graph`: which function called which, and how long that took.
#include "DisplayOptions.h"
#include "InputOption.h"
#include "SymfsOption.h"
#include "reading/CallChoice.h"
#include "showing/CallTree.h"
#include "showing/Durations.h"
#include "showing/Losses.h"
#include "showing/NothingTraced.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand GraphCommand("graph", "Show the tree of calls, summed");
static InputOption Input(GraphCommand);
static std::string Dir; // that it names
static cl::opt<std::string>
    Root("f", cl::Prefix, cl::value_desc("FUNCTION"), cl::sub(GraphCommand),
         cl::cat(ToolOptions),
         cl::desc("Show what this function called, wherever it was called; a "
                  "glob, as for 'patchbay record -F'"));

static cl::opt<bool>
    Callers("callers", cl::sub(GraphCommand), cl::cat(ToolOptions),
            cl::desc("With -f: show by whom the function was called, instead; "
                     "what is below a line called it"));

static cl::opt<unsigned>
    MaxDepth("max-depth", cl::value_desc("N"), cl::sub(GraphCommand),
             cl::cat(ToolOptions),
             cl::desc("Show no calls that are within N or more others"));
static cl::alias MaxDepthAlias("D", cl::Prefix, cl::desc("Same as --max-depth"),
                               cl::aliasopt(MaxDepth), cl::NotHidden,
                               cl::cat(ToolOptions));

static CallChoice Choice(GraphCommand);
static SymfsOption Symfs(GraphCommand);
static DisplayOptions Display(GraphCommand, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
  Calls that were reached in the same way are one line. Trees of all threads and
  processes are added up.

  Calls that were not seen to return are marked. One that was open when recording
  ended counts until then; of one that was cut off, as by longjmp(), the time is
  what is sure: until the last that was seen in it.

  Lines are indented up to 50 calls deep. Beyond that a number says how deep.

  Calls that were left out (-F, -N, --min ...) are no lines, and what they called is
  below what called them. Times are not changed by that.

  With --callers, times and calls of a line are those of the function that -f names,
  where it was reached in that way. Its calls of itself are lines of their own, and
  as in 'patchbay report' those within another are not in the times.

EXAMPLES:
  patchbay graph
  patchbay graph -D 3
  patchbay graph -f Cache::get server.data
  patchbay graph -f Cache::get --callers
  patchbay graph --under handle_request --min 1ms

EXIT CODES:
  0  success
  1  no data or no events in it; a data file is truncated or corrupt (what
     precedes the damage is shown all the same); or some functions of a process
     were not traced
  2  wrong usage, or a depth of 0
  3  no call of the function that -f names, or that was asked for; or no thread
     that --tid or --thread names
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

// Returns how many lines are missing, of those that are too deep.
static size_t print(const Trace &T, const CallTree &Tree, bool HasDurations) {
  Table Out;
  if (HasDurations) {
    Out.addColumn("total", Table::Right);
    Out.addColumn("self", Table::Right);
  }
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
      Row = {durationText(N.Total), T.isSampled() ? "-" : durationText(N.Self)};
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
  if (Error E = Input.get().moveInto(Dir))
    return E;
  if (MaxDepth.getNumOccurrences() && !MaxDepth)
    return makeError(Usage, "-D: a depth of 0 shows nothing: give 1 or more");
  if (Callers && Root.empty())
    return makeError(Usage, "--callers: of which function? Name it with -f");
  Expected<Trace> T = readEvents(Dir, Symfs);
  if (!T)
    return T.takeError();
  if (Error E = Choice.apply(*T, Dir))
    return E;
  if (!T->hasCalls())
    return nothingTraced(*T, Dir);
  TreeBuilder Builder(*T, Root, Callers);
  readCalls(*T, {&Builder}, /*StacksApart=*/true);
  sayEnded(*T, Dir);
  if (Error E = Choice.checkFound(*T, Dir))
    return E;
  CallTree Tree = Builder.finish();
  if (Tree.size() == 1 && !Root.empty())
    return makeError(NothingFound, Dir + ": no call of '" + Root +
                                       "' was recorded: " + T->hintFor(Root.getValue()));
  bool HasDurations = T->hasDurations();
  size_t TooDeep = print(*T, Tree, HasDurations);
  outs().flush();
  if (TooDeep)
    errs() << "patchbay: " << counted(TooDeep, "line")
           << (TooDeep == 1 ? " is" : " are") << " deeper than " << MaxDepth
           << " and not shown\n";
  if (!HasDurations)
    errs() << "patchbay: " << printable(Dir)
           << ": only entries of calls were recorded: how long calls took, and "
              "what they called, 'patchbay record -t function_graph' records\n";
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::GraphVerb = {GraphCommand, Help, runGraph};
