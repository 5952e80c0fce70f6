// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay replay`: prints the events of a recording, sorted by time, in ftrace's
// format.
#include "CallChoice.h"
#include "analysis/Durations.h"
#include "names/NameForms.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "showing/Values.h"
#include "showing/WhySlow.h"
#include <deque>
#include <queue>

using namespace llvm;
using namespace patchbay;

static OptionTable Options("replay", "Print the recorded events by time");
static InputOption Dir(Options);
static FlagOption Nested(Options, "nested", "Nest calls in their callers (default: true)",
                         /*Default=*/true);
static NumberOption MaxDepth(Options, "max-depth,D", "N", "Print at most N levels of calls");
static CallChoice Choice(Options);
static DisplayOptions Display(Options, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay replay | less
  patchbay replay -D 3
  patchbay replay --nested=false server.data
  patchbay replay --from 1.5s --to 1.6s --min 1ms
  patchbay replay --under handle_request -N 'std::*'

DESCRIPTION:
  'replay' prints the events of all threads by time, in ftrace's format. A
  recording of -t entry is a list of entries. Other recordings are nested calls
  with their callees in braces. --nested=false prints one line per call of -t
  duration, by the time of its entry.

  Below a call of record --why are its waits, with time and duration, and its
  stack trace, as in ftrace. Below 50 levels a number shows the depth instead of
  the indentation.

MARKS:
  A mark before a duration shows that it is longer than this limit:
    +  10 us
    !  100 us
    #  1 ms
    *  10 ms
    @  100 ms
    $  1 s
  The mark ~ after it shows that the call was mostly the cost of tracing, so its
  duration is inexact.

NAMES:
  On a terminal a name is shortened until its line fits: parameters first, then
  template arguments, then its middle. Short names stay distinct. --full-names
  shows full names.

TIMES:
  Times of nested calls exclude the cost of tracing; --raw includes it. See
  'patchbay report --help'. --nested=false shows measured times.

EXIT CODES:
  0  success
  1  no data or no events; damaged data (events before the damage are printed);
     functions of a process that were not traced; or a forked child that could
     not create its file
  2  wrong usage, or a depth of 0
  3  no matching call or thread
)";

// Replaces character sequences that would end a comment.
static std::string inComment(StringRef Text) {
  std::string Inside = printable(Text);
  for (size_t At; (At = Inside.find("*/")) != std::string::npos;)
    Inside.insert(At + 1, "\\");
  return Inside;
}

namespace {

/// A line of the output: the begin or end of a call.
struct Line {
  uint64_t Time;
  const TraceThread *Thread;
  TraceCall Call;
  std::optional<DataValues> Values;
  uint32_t Outer; // number of shown outer calls
  bool End;       // the end of a call with callees
  bool Leaf;      // a call without callees
};

/// The lines of a thread, sorted by time. Lines with equal times are in the order of
/// nesting, unless rounding of times changes the order.
class ThreadLines {
public:
  ThreadLines(Trace &T, const TraceThread &Thread, Workers &All, bool Ends);
  /// The next line; nullptr after the last line.
  const Line *front();
  void pop() { Ready.pop_front(); }

private:
  /// An open call that is shown.
  struct Shown {
    size_t Place; // index in all open calls
    std::optional<DataValues> Values;
    bool IsBlock = false; // does the call have callees that are shown?
  };
  void advance();
  void flush(uint64_t Until);
  void add(const TraceCall &C, std::optional<DataValues> V, size_t Outer,
           bool End, bool Leaf);

  const TraceThread &Thread;
  AheadWindows Windows;
  CallStream Calls;
  bool Ends, IsOver = false;
  std::deque<Line> Ready;    // sorted lines
  std::vector<Line> Waiting; // ends of calls after the start of the last call
  std::vector<Shown> Open;
  bool HasLast = false; // is the last call of Open still to be printed?
};

/// The lines of all threads, sorted by time.
class Lines {
public:
  Lines(Trace &T, bool Ends);
  /// Returns the next line, or nullptr after the last line.
  const Line *next();

private:
  using Entry = std::pair<uint64_t, size_t>; // time, thread
  void push(size_t Thread) {
    if (const Line *L = Threads[Thread]->front())
      Queue.push({L->Time, Thread});
  }
  std::vector<std::unique_ptr<ThreadLines>> Threads;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> Queue;
  std::optional<size_t> Last;
  Workers All; // last member: is destroyed first, since workers use the other members
};

class Printer {
public:
  Printer(Trace &T, raw_ostream &OS) : T(T), OS(OS), Why(T) {}
  void entries();
  void durations();
  void nested(StringRef Tracer);

private:
  /// Caches one string for each function or thread.
  class Texts {
  public:
    template <typename MakeT> const std::string &get(size_t Of, MakeT Make) {
      if (Known.size() <= Of)
        Known.resize(Of + 1);
      if (Known[Of].empty())
        Known[Of] = Make();
      return Known[Of];
    }

  private:
    std::deque<std::string> Known;
  };
  const std::string &function(const Line &L) {
    return Functions.get(L.Call.Function, [&] {
      return printable(T.Functions[L.Call.Function].Name);
    });
  }
  /// The task, right-aligned in Width characters.
  const std::string &task(const Line &L, unsigned Width) {
    return Tasks.get(L.Thread - T.Threads.data(), [&] {
      std::string Right;
      appendRight(Right, printable(L.Thread->Name) + "-" +
                             std::to_string(L.Thread->Tid), Width);
      return Right;
    });
  }
  std::optional<Mark> mark(const Line &L) {
    return markOf(T.Functions[L.Call.Function].Name, L.Values ? &*L.Values : nullptr);
  }
  void called(const Line &L) {
    NameAt = Text.size();
    if (std::optional<Mark> M = mark(L)) {
      Text += "/* " + inComment(M->text()) + " */"; // in the format of ftrace's
                                                    // trace_marker
      NameEnd = NameAt;
    } else if (L.Values && L.Values->IsRecorded) {
      Text += calledText(function(L), *L.Values);
      NameEnd = Text.size() - argsText(*L.Values).size() - 2;
    } else {
      name(L);
    }
  }
  void name(const Line &L) {
    NameAt = Text.size();
    Text += function(L);
    NameEnd = Text.size();
  }
  void result(const Line &L, bool IsInComment = false) {
    if (!L.Values)
      return;
    if (std::string Of = resultText(*L.Values); !Of.empty())
      Text += " = " + (IsInComment ? inComment(Of) : Of);
  }
  void time(uint64_t Ns) { appendDecimal(Text, Ns / 1000, 1000000, 6, 6); }
  void duration(const TraceCall &C);
  void why(const Line &L);
  void fitName(const std::string &Whole);
  bool isTooLong() const { return Width && Text.size() - Invisible > Width; }
  void endLine(const Line &L) {
    if (isTooLong())
      fitName(function(L));
    Text += '\n';
    Invisible = 0;
    OS << Text;
    Text.clear();
  }

  Trace &T;
  raw_ostream &OS;
  std::string Text; // the current line
  const unsigned Width = outputIsTerminal() ? lineWidth() : 0; // 0: no limit
  size_t NameAt = 0, NameEnd = 0; // position of the function's name in Text
  size_t Invisible = 0;           // number of bytes for colours in Text
  std::map<std::string, std::string> WholeOf; // full names, by short name
  // By name and width: the position in the name at which a unique short name begins.
  std::map<std::pair<std::string, size_t>, size_t> FirstApart;
  Texts Functions, Tasks;
  WhySlow Why;
};

} // namespace

ThreadLines::ThreadLines(Trace &T, const TraceThread &Thread, Workers &All,
                         bool Ends)
    : Thread(Thread), Windows(T, Thread, All, T.Threads.size()),
      Calls(T, Thread, Windows), Ends(Ends) {}

const Line *ThreadLines::front() {
  while (Ready.empty() && !IsOver)
    advance();
  return Ready.empty() ? nullptr : &Ready.front();
}

void ThreadLines::add(const TraceCall &C, std::optional<DataValues> V,
                      size_t Outer, bool End, bool Leaf) {
  Line L = {End ? C.end() : C.Start, &Thread,         C,  std::move(V),
            uint32_t(Outer),         End,             Leaf};
  if (!End) {
    Ready.push_back(std::move(L));
    return;
  }
  // Keep the order of ends with equal times.
  auto At = llvm::upper_bound(Waiting, L.Time, [](uint64_t T, const Line &Of) {
    return T < Of.Time;
  });
  Waiting.insert(At, std::move(L));
}

void ThreadLines::flush(uint64_t Until) {
  auto Later = llvm::find_if(
      Waiting, [&](const Line &L) { return L.Time > Until; });
  std::move(Waiting.begin(), Later, std::back_inserter(Ready));
  Waiting.erase(Waiting.begin(), Later);
}

// Adds a call only when the next call begins or the call ends, since it is known only then
// whether the call has callees.
void ThreadLines::advance() {
  IsOver = !Calls.advance();
  ArrayRef<TraceCall> All = Calls.open();
  for (; !Open.empty() && Open.back().Place >= Calls.depth(); Open.pop_back()) {
    Shown &S = Open.back();
    const TraceCall &C = All[S.Place];
    size_t Outer = Open.size() - 1;
    if (std::exchange(HasLast, false))
      add(C, std::move(S.Values), Outer, /*End=*/false, /*Leaf=*/true);
    else if (Ends && S.IsBlock && C.hasDuration())
      add(C, std::move(S.Values), Outer, /*End=*/true, /*Leaf=*/false);
  }
  if (IsOver)
    return flush(UINT64_MAX);
  Calls.begin();
  const TraceCall &C = Calls.open().back();
  if (!C.Chosen || (MaxDepth && Open.size() == MaxDepth)) {
    if (!HasLast)
      flush(C.Start);
    return;
  }
  if (HasLast) {
    Shown &S = Open.back();
    S.IsBlock = true;
    add(Calls.open()[S.Place], S.Values, Open.size() - 1, /*End=*/false,
        /*Leaf=*/false);
  }
  flush(C.Start);
  const DataValues *V = Calls.values();
  Open.push_back({Calls.open().size() - 1, V ? std::optional(*V) : std::nullopt});
  // Add the call now if no shown callee can follow, or if ends are not printed.
  HasLast = Ends && Open.size() != MaxDepth;
  if (!HasLast)
    add(C, Open.back().Values, Open.size() - 1, /*End=*/false, /*Leaf=*/true);
}

Lines::Lines(Trace &T, bool Ends) {
  for (const TraceThread &Thread : T.Threads) {
    Threads.push_back(std::make_unique<ThreadLines>(T, Thread, All, Ends));
    push(Threads.size() - 1);
  }
}

const Line *Lines::next() {
  if (Last) {
    Threads[*Last]->pop();
    push(*Last);
  }
  Last.reset();
  if (Queue.empty())
    return nullptr;
  Last = Queue.top().second;
  Queue.pop();
  return Threads[*Last]->front();
}

void Printer::entries() {
  OS << "# tracer: function\n"
        "#\n"
        "#           TASK-PID        TIMESTAMP  FUNCTION\n"
        "#              | |              |         |\n";
  Lines All(T, /*Ends=*/false);
  while (const Line *Next = All.next()) {
    const Line &L = *Next;
    Text += task(L, 20);
    Text += "  ";
    time(L.Time);
    Text += ": ";
    called(L);
    if (std::string Caller = T.caller(*L.Thread, L.Call); !Caller.empty())
      Text += " <-" + printable(Caller);
    endLine(L);
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
  if (C.Duration > 100000) {
    std::string Coloured =
        styled(StringRef(&Mark, 1),
               C.Duration > 10000000 ? TextStyle::Red : TextStyle::Yellow);
    Invisible += Coloured.size() - 1;
    Text += Coloured;
  } else
    Text += Mark;
  Text += isMostlyCost(C.measured(), C.Duration) ? '~' : ' ';
  appendDecimal(Text, C.Duration, 1000, 3, 8);
  Text += " us |";
}

// Shortens a name as tables do: drops parameters first, then template arguments, then the
// middle. Skips a short name that a function in an earlier line has. Later lines are
// unknown, since each line is printed before the next line is read.
void Printer::fitName(const std::string &Whole) {
  constexpr size_t Least = 12;
  auto Put = [&](std::string Short) {
    if (Short.size() >= NameEnd - NameAt ||
        WholeOf.try_emplace(Short, Whole).first->second != Whole)
      return false;
    Text.replace(NameAt, NameEnd - NameAt, Short);
    NameEnd = NameAt + Short.size();
    return true;
  };
  // ftrace appends () to a name. A demangled name has its own parentheses.
  StringRef Behind =
      Whole.back() == ')' && Text[NameEnd - 1] == ')' ? "()" : "";
  for (auto Form : {withoutParameters, plainName})
    if (isTooLong())
      Put((Form(Whole) + Behind).str());
  if (!isTooLong())
    return;
  size_t Over = Text.size() - Invisible - Width, Size = NameEnd - NameAt;
  size_t Room = Size > Over + Least ? Size - Over : Least;
  std::string Name = Text.substr(NameAt, Size);
  bool IsDone = Put(shortened(Name, Room));
  // Otherwise use the first unique substring of the name. Start at the last position found,
  // since more names cannot make an earlier substring unique.
  size_t &At = FirstApart[{Whole, Room}];
  for (; !IsDone && At + Room - 6 < Size; At += !IsDone) {
    size_t Begin = At + 1, End = Begin + Room - 6;
    while (isWithinCharacter(Name, Begin))
      ++Begin;
    while (isWithinCharacter(Name, End))
      --End;
    IsDone =
        Begin < End && Put("..." + Name.substr(Begin, End - Begin) + "...");
  }
}

// Prints waits and stack trace of a slow call, in ftrace's format for stack traces.
void Printer::why(const Line &L) {
  std::optional<SlowReason> R =
      Why.of(*L.Thread, L.Values ? &*L.Values : nullptr, L.Call.Cost);
  if (!R)
    return;
  OS << "      /* " << inComment(R->summary()) << " */\n";
  for (const SlowReason::Wait &W : R->Waits) {
    std::string Begin;
    appendDecimal(Begin, W.BeginNs / 1000, 1000000, 6, 6);
    OS << "      /* " << Begin << " for " << durationText(W.Ns) << ": "
       << (W.IsPreempted ? "preempted"
           : W.For.empty() ? "waited"
                           : inComment(W.For));
    if (!W.At.empty())
      OS << ", at " << inComment(W.At);
    OS << " */\n";
  }
  if (!R->hasAllWaits())
    OS << "      /* and " << R->NrWaits - R->Waits.size() << " shorter waits */\n";
  OS << "<stack trace>\n";
  for (const std::string &Caller : R->Callers)
    OS << " => " << printable(Caller) << '\n';
  if (!R->CallersEnd.empty())
    OS << " => ... (" << printable(R->CallersEnd) << ")\n";
}

// How the call ended; empty for a return.
static StringRef leftBy(const TraceCall &C) {
  if (C.Kind == TraceCall::Unwound)
    return "unwound";
  return C.Kind == TraceCall::Jumped ? "longjmp" : "";
}

static constexpr char NoDuration[] = "                 |";

void Printer::durations() {
  OS << "# tracer: function_duration\n"
        "#\n"
        "#           TASK/PID  |        CALLTIME |     DURATION     |  "
        "FUNCTION CALLS\n"
        "#              | |    |            |    |       |   |      |   |   |  "
        " |\n";
  Lines All(T, /*Ends=*/false);
  while (const Line *Next = All.next()) {
    const Line &L = *Next;
    Text += task(L, 20);
    Text += "  | ";
    appendDecimal(Text, L.Time, 1000000000, 9, 5);
    Text += " | ";
    if (L.Call.hasDuration() && !mark(L))
      duration(L.Call);
    else
      Text += NoDuration;
    Text += "  ";
    called(L);
    result(L);
    if (StringRef Left = leftBy(L.Call); !Left.empty())
      (Text += " /* ").append(Left.data(), Left.size()) += " */";
    if (L.Call.Kind == TraceCall::Unfinished)
      Text += " /* did not return */";
    endLine(L);
    why(L);
  }
}

void Printer::nested(StringRef Tracer) {
  OS << "# tracer: " << printable(Tracer) << "\n"
        "#\n"
        "#     TIME              TASK/PID        DURATION                  "
        "FUNCTION CALLS\n"
        "#      |                  |    |         |   |                     |  "
        " |   |   |\n";
  Lines All(T, /*Ends=*/true);
  while (const Line *Next = All.next()) {
    const Line &L = *Next;
    const TraceCall &C = L.Call;
    const bool IsMark = mark(L).has_value();
    if (IsMark && L.End)
      continue;
    time(L.Time);
    Text += " | ";
    Text += task(L, 18);
    Text += " | ";
    if (C.hasDuration() && (L.End || L.Leaf) && !IsMark)
      duration(C);
    else
      Text += NoDuration;
    Text += "  ";
    Text += indentation(L.Outer);
    if (L.End) {
      Text += "} /* ";
      name(L);
      result(L, /*IsInComment=*/true);
    } else {
      called(L);
      // A demangled name already has parentheses.
      if (Text.back() != ')' && !IsMark)
        Text += "()";
      if (L.Leaf)
        result(L);
      if (!IsMark)
        Text += L.Leaf ? ";" : " {";
    }
    if (StringRef Left = leftBy(C); !Left.empty() && (L.End || L.Leaf)) {
      (Text += L.End ? ", " : " /* ").append(Left.data(), Left.size());
      Text += L.End ? "" : " */";
    }
    if (C.Kind == TraceCall::Unfinished)
      Text += " /* did not return */";
    if (L.End)
      Text += " */";
    endLine(L);
    if (L.End || L.Leaf)
      why(L);
  }
}

static Expected<int> runReplay(ArrayRef<const char *>) {
  if (MaxDepth.given() && !MaxDepth)
    return makeError(Usage, "-D: a depth of 0 shows nothing: give 1 or more");
  Expected<Trace> T = Choice.openEvents(Dir);
  if (!T)
    return T.takeError();
  if (!T->hasCalls())
    return nothingTraced(*T, Dir);
  // All processes of a recording use the same tracer.
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
    P.nested(Tracer);
  outs().flush();
  if (Error E = CallChoice::finish(*T, Dir))
    return E;
  return T->Incomplete ? Failure : Success;
}

const Verb patchbay::ReplayVerb = {Options, Help, runReplay};
