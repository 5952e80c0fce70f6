// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay graph`: which function called which, and how long that took.
#include "CallTree.h"
#include "Durations.h"
#include "Table.h"
#include "ThreadChoice.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand GraphCommand("graph", "Show the tree of calls, summed");
static cl::opt<std::string> Dir(cl::Positional, cl::desc("[DIR]"),
                                cl::init(DefaultDataDir), cl::sub(GraphCommand),
                                cl::cat(ToolOptions));
static cl::opt<std::string>
    Root("f", cl::Prefix, cl::value_desc("FUNCTION"), cl::sub(GraphCommand),
         cl::cat(ToolOptions),
         cl::desc("Show what this function called, wherever it was called"));

static ThreadChoice Threads(GraphCommand);

static constexpr char Help[] = R"(
  Calls that were reached in the same way are one line. Trees of all threads and
  processes are added up.

EXAMPLES:
  patchbay graph
  patchbay graph -f 'Cache::get(int)' server.data

EXIT CODES:
  0  success
  1  no data or no events in it; a data file is truncated or corrupt (what
     precedes the damage is shown all the same); or some functions of a process
     were not traced
  2  wrong usage
  3  no call of the function that -f names, or no thread that --tid or --thread
     names
)";

static void addRows(const Trace &T, const CallNode &Of, unsigned Depth,
                    Table &Out) {
  std::vector<std::pair<uint32_t, const CallNode *>> Order;
  for (const auto &[Function, Sub] : Of.Subs)
    Order.push_back({Function, &Sub});
  llvm::sort(Order, [](const auto &A, const auto &B) {
    return std::make_tuple(B.second->Total, B.second->Calls, A.first) <
           std::make_tuple(A.second->Total, A.second->Calls, B.first);
  });
  for (auto [Function, Sub] : Order) {
    Out.addRow(
        {durationText(Sub->Total), durationText(Sub->Self), utostr(Sub->Calls),
         std::string(2 * Depth, ' ') + printable(T.Functions[Function].Name)});
    addRows(T, *Sub, Depth + 1, Out);
  }
}

static Expected<int> runGraph(ArrayRef<const char *>) {
  Expected<Trace> T = readEvents(Dir);
  if (!T)
    return T.takeError();
  if (Error E = Threads.apply(*T, Dir))
    return E;
  CallNode Top = callTree(*T, Root);
  if (Top.Subs.empty() && !Root.empty())
    return makeError(NothingFound, Dir + ": no call of '" + Root +
                                       "' was recorded: 'patchbay report' "
                                       "shows which were");
  Table Out;
  Out.addColumn("total", Table::Right);
  Out.addColumn("self", Table::Right);
  Out.addColumn("calls", Table::Right);
  Out.addColumn("function", Table::Left);
  addRows(*T, Top, 0, Out);
  Out.print(outs(), terminalWidth());
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::GraphVerb = {GraphCommand, Help, runGraph};
