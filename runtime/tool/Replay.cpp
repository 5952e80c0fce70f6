// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay replay`: the events of a recording one after another, in the form
// in which ftrace prints them.
#include "Table.h"
#include "ThreadChoice.h"
#include "Trace.h"
#include "Values.h"
#include "Verb.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand ReplayCommand("replay",
                                    "Print the recorded events in their order");
static cl::opt<std::string> Dir(cl::Positional, cl::desc("[DIR]"),
                                cl::init(DefaultDataDir),
                                cl::sub(ReplayCommand), cl::cat(ToolOptions));
static cl::opt<bool>
    Nested("nested", cl::sub(ReplayCommand), cl::cat(ToolOptions),
           cl::desc("Show the calls of function_duration as those of "
                    "function_graph"));

static cl::opt<unsigned>
    MaxDepth("max-depth", cl::value_desc("N"), cl::sub(ReplayCommand),
             cl::cat(ToolOptions),
             cl::desc("Print no calls that are within N or more others"));
static cl::alias MaxDepthAlias("D", cl::Prefix, cl::desc("Same as --max-depth"),
                               cl::aliasopt(MaxDepth), cl::NotHidden,
                               cl::cat(ToolOptions));

static ThreadChoice Threads(ReplayCommand);

static constexpr char Help[] = R"(
  The form is ftrace's, of the tracer that was used: function prints entries,
  function_duration calls by the time of their entry, function_graph calls with
  what they called in brackets. Before a duration stands + if it is more than
  10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s.

  Calls are indented up to 50 deep. Beyond that a number says how deep.

EXAMPLES:
  patchbay replay | less
  patchbay replay -D 3
  patchbay replay --nested server.data

EXIT CODES:
  0  success
  1  no data or no events in it; a data file is truncated or corrupt (what
     precedes the damage is printed all the same); some functions of a process
     were not traced; or one that it forked could make no file
  2  wrong usage, or a depth of 0
  3  no thread that --tid or --thread names
)";

namespace {

/// A line of the output: a call, or the end of one.
struct Line {
  uint64_t Time;
  uint32_t Thread, Call;
  bool End;
};

class Printer {
public:
  Printer(Trace &T, raw_ostream &OS) : T(T), OS(OS) {}
  void entries();
  void durations();
  void nested();

private:
  const TraceThread &thread(const Line &L) const { return T.Threads[L.Thread]; }
  const TraceCall &call(const Line &L) const { return thread(L).Calls[L.Call]; }
  std::string function(const Line &L) const {
    return printable(T.Functions[call(L).Function].Name);
  }
  const DataValues *values(const Line &L) const {
    return valuesOf(thread(L), call(L));
  }
  std::string called(const Line &L) const {
    const DataValues *V = values(L);
    return V ? calledText(function(L), *V) : function(L);
  }
  std::string result(const Line &L) const {
    std::string Text = values(L) ? resultText(*values(L)) : "";
    return Text.empty() ? "" : " = " + Text;
  }
  std::string task(const Line &L) const {
    return printable(thread(L).Name) + "-" + std::to_string(thread(L).Tid);
  }
  bool isLeaf(const Line &L) const {
    if (MaxDepth && call(L).Depth + 1 == MaxDepth)
      return true;
    return L.Call + 1 == thread(L).Calls.size() ||
           thread(L).Calls[L.Call + 1].Parent != L.Call;
  }
  std::vector<Line> lines(bool Ends) const;
  void duration(const TraceCall &C);

  Trace &T;
  raw_ostream &OS;
};

} // namespace

// By time; within a thread lines stay as calls contain each other.
std::vector<Line> Printer::lines(bool Ends) const {
  std::vector<Line> Lines;
  for (uint32_t I = 0; I != T.Threads.size(); ++I) {
    const std::vector<TraceCall> &Calls = T.Threads[I].Calls;
    std::vector<uint32_t> Open;
    auto Close = [&](size_t Depth) {
      for (; Open.size() > Depth; Open.pop_back()) {
        const TraceCall &C = Calls[Open.back()];
        if (Ends && C.hasDuration() && !isLeaf({0, I, Open.back(), false}))
          Lines.push_back({C.end(), I, Open.back(), true});
      }
    };
    for (uint32_t J = 0; J != Calls.size(); ++J) {
      if (MaxDepth && Calls[J].Depth >= MaxDepth)
        continue;
      Close(Calls[J].Depth);
      Open.push_back(J);
      Lines.push_back({Calls[J].Start, I, J, false});
    }
    Close(0);
  }
  // Rounded times of a thread may be equal: the index decides, which is larger
  // for what comes later.
  std::vector<uint32_t> Order(Lines.size());
  for (uint32_t I = 0; I != Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    return std::tie(Lines[A].Time, A) < std::tie(Lines[B].Time, B);
  });
  std::vector<Line> Sorted;
  for (uint32_t I : Order)
    Sorted.push_back(Lines[I]);
  return Sorted;
}

static void printTime(raw_ostream &OS, uint64_t Ns) {
  OS << format("%6llu.%06llu", static_cast<unsigned long long>(Ns / 1000000000),
               static_cast<unsigned long long>(Ns % 1000000000 / 1000));
}

void Printer::entries() {
  OS << "# tracer: function\n"
        "#\n"
        "#           TASK-PID        TIMESTAMP  FUNCTION\n"
        "#              | |              |         |\n";
  for (const Line &L : lines(/*Ends=*/false)) {
    OS << format("%20s  ", task(L).c_str());
    printTime(OS, L.Time);
    OS << ": " << called(L);
    if (std::string Caller = T.caller(thread(L), call(L)); !Caller.empty())
      OS << " <-" << printable(Caller);
    OS << '\n';
  }
}

void Printer::duration(const TraceCall &C) {
  static constexpr std::pair<uint64_t, char> Marks[] = {
      {1000000000, '$'}, {100000000, '@'}, {10000000, '*'},
      {1000000, '#'},    {100000, '!'},    {10000, '+'}};
  char Mark = ' ';
  for (auto [Least, M] : Marks)
    if (C.Duration > Least) {
      Mark = M;
      break;
    }
  OS << Mark
     << format(" %8llu.%03llu us |",
               static_cast<unsigned long long>(C.Duration / 1000),
               static_cast<unsigned long long>(C.Duration % 1000));
}

// By what, if not by its return.
static StringRef leftBy(const TraceCall &C) {
  if (C.Kind == TraceCall::Unwound)
    return "unwound";
  return C.Kind == TraceCall::Jumped ? "longjmp" : "";
}

static void noDuration(raw_ostream &OS) { OS << "                 |"; }

void Printer::durations() {
  OS << "# tracer: function_duration\n"
        "#\n"
        "#           TASK/PID  |        CALLTIME |     DURATION     |  "
        "FUNCTION CALLS\n"
        "#              | |    |            |    |       |   |      |   |   |  "
        " |\n";
  for (const Line &L : lines(/*Ends=*/false)) {
    OS << format("%20s  | ", task(L).c_str());
    OS << format("%5llu.%09llu | ",
                 static_cast<unsigned long long>(L.Time / 1000000000),
                 static_cast<unsigned long long>(L.Time % 1000000000));
    if (call(L).hasDuration())
      duration(call(L));
    else
      noDuration(OS);
    OS << "  " << called(L) << result(L);
    if (StringRef Left = leftBy(call(L)); !Left.empty())
      OS << " /* " << Left << " */";
    if (call(L).Kind == TraceCall::Unfinished)
      OS << " /* did not return */";
    OS << '\n';
  }
}

void Printer::nested() {
  OS << "# tracer: function_graph\n"
        "#\n"
        "#     TIME              TASK/PID        DURATION                  "
        "FUNCTION CALLS\n"
        "#      |                  |    |         |   |                     |  "
        " |   |   |\n";
  for (const Line &L : lines(/*Ends=*/true)) {
    const TraceCall &C = call(L);
    printTime(OS, L.Time);
    OS << format(" | %18s | ", task(L).c_str());
    bool Leaf = isLeaf(L);
    if (C.hasDuration() && (L.End || Leaf))
      duration(C);
    else
      noDuration(OS);
    OS << "  " << indentation(C.Depth);
    if (L.End)
      OS << "} /* " << function(L) << result(L);
    else
      // A demangled name has its parameters already.
      OS << called(L) << (StringRef(called(L)).ends_with(")") ? "" : "()")
         << (Leaf ? result(L) + ";" : " {");
    if (StringRef Left = leftBy(C); !Left.empty() && (L.End || Leaf)) {
      if (L.End)
        OS << ", " << Left;
      else
        OS << " /* " << Left << " */";
    }
    if (C.Kind == TraceCall::Unfinished)
      OS << " /* did not return */";
    OS << (L.End ? " */\n" : "\n");
  }
}

static Expected<int> runReplay(ArrayRef<const char *>) {
  if (MaxDepth.getNumOccurrences() && !MaxDepth)
    return makeError(Usage, "-D: a depth of 0 shows nothing: give 1 or more");
  Expected<Trace> T = readEvents(Dir);
  if (!T)
    return T.takeError();
  if (Error E = Threads.apply(*T, Dir))
    return E;
  // Of one recording all are of the same tracer.
  StringRef Tracer;
  for (const TraceProcess &P : T->Processes)
    if (P.Data.Session)
      Tracer = P.Data.Session->Tracer;
  Printer P(*T, outs());
  if (Tracer == "function")
    P.entries();
  else if (Tracer == "function_duration" && !Nested)
    P.durations();
  else
    P.nested();
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::ReplayVerb = {ReplayCommand, Help, runReplay};
