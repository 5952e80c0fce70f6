// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HtmlReport.h"
#include "HowRecorded.h"
#include "Losses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace patchbay;

// A browser draws so many of a thread at once. The longest calls are what can be
// seen, and of a recursion the outermost.
static constexpr size_t MaxTimeline = 5000, MaxTimelineDepth = 100;

namespace {

class Page {
public:
  Page(const Trace &T, HtmlData &D, Field By, json::OStream &J)
      : T(T), D(D), By(By), J(J) {}
  void write();

private:
  void functions();
  void tree();
  void threads();

  const Trace &T;
  HtmlData &D;
  Field By;
  json::OStream &J;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool hasTime(const TraceCall &C) { return C.Kind != TraceCall::Entry; }

void Timeline::beginThread(const TraceThread &) {
  Threads.emplace_back();
  Number = 0;
  Numbers.clear();
}

void Timeline::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  Begin = std::min(Begin, Open.back().Start);
  Numbers.resize(Open.size() - 1);
  Numbers.push_back(Number++);
}

// Of the same length those stay that began first.
static bool isBetter(const TimelineCall &A, const TimelineCall &B) {
  return A.Call.Duration != B.Call.Duration
             ? A.Call.Duration > B.Call.Duration
             : A.Number < B.Number;
}

void Timeline::end(ArrayRef<TraceCall> Open, size_t Depth,
                   std::optional<uint64_t>) {
  TimelineThread &To = Threads.back();
  for (size_t I = Open.size(); I != Depth; --I) {
    const TraceCall &C = Open[I - 1];
    End = std::max(End, C.end());
    if (!hasTime(C))
      continue;
    ++To.Calls;
    if (C.Depth >= MaxTimelineDepth)
      continue;
    // A heap with the first to go on top.
    if (To.Longest.size() == MaxTimeline) {
      if (!isBetter({C, Numbers[I - 1]}, To.Longest.front()))
        continue;
      std::pop_heap(To.Longest.begin(), To.Longest.end(), isBetter);
      To.Longest.pop_back();
    }
    To.Longest.push_back({C, Numbers[I - 1]});
    std::push_heap(To.Longest.begin(), To.Longest.end(), isBetter);
  }
}

void Timeline::endThread(const TraceThread &) {
  llvm::sort(Threads.back().Longest,
             [](const TimelineCall &A, const TimelineCall &B) {
               return A.Number < B.Number;
             });
}

HtmlReport::HtmlReport(Trace &T) : T(T) {
  FunctionTotals Totals(T);
  TreeBuilder Tree(T);
  readCalls(T, {&Totals, &Tree, &Data.Times});
  Data.Functions = Totals.finish();
  Data.Tree = Tree.finish();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void Page::tree() {
  const CallTree &Tree = D.Tree;
  auto Add = [&](int64_t Function, uint32_t Depth, const CallNode &N) {
    J.array([&] {
      J.value(Function);
      J.value(N.Calls);
      J.value(N.Total);
      J.value(N.Self);
      J.value(Depth);
      J.value(N.Open);
      J.value(N.CutOff);
    });
  };
  J.attributeArray("tree", [&] {
    Add(-1, 0, Tree[0]);
    for (uint32_t I : inOrder(Tree, [](const CallNode &A, const CallNode &B) {
           return A.Function < B.Function;
         }))
      Add(Tree[I].Function, Tree[I].Depth + 1, Tree[I]);
  });
}

void Page::threads() {
  uint64_t Begin = D.Times.Begin, End = D.Times.End;
  J.attribute("length", End > Begin ? End - Begin : 1);
  J.attributeArray("threads", [&] {
    for (size_t I = 0; I != T.Threads.size(); ++I)
      J.array([&] {
        const TraceThread &Thread = T.Threads[I];
        J.value(json::fixUTF8(Thread.Name + "-" + utostr(Thread.Tid)));
        J.value(D.Times.Threads[I].Calls);
        J.array([&] {
          for (const auto &[C, Number] : D.Times.Threads[I].Longest)
            J.array([&, &C = C] {
              J.value(C.Start - Begin);
              J.value(C.elapsed());
              J.value(C.Depth);
              J.value(C.Function);
              J.value(C.hasDuration() ? 0 : C.Open ? 1 : 2);
            });
        });
      });
  });
}

void Page::functions() {
  ArrayRef<FunctionDurations> Functions = D.Functions;
  J.attributeArray("functions", [&] {
    for (size_t I = 0; I != Functions.size(); ++I)
      J.array([&] {
        J.value(json::fixUTF8(T.Functions[I].Name));
        J.value(Functions[I].Calls);
        J.value(Functions[I].Total);
        J.value(Functions[I].Self);
        J.value(Functions[I].Longest);
      });
  });
  J.attributeArray("order", [&] {
    for (size_t I : sortFunctions(T, Functions, By))
      if (Functions[I].Calls)
        J.value(I);
  });
  J.attribute("unit", T.BucketUnit);
  J.attributeArray("histogram", [&] {
    for (const FunctionDurations &F : Functions)
      J.array([&] {
        for (uint64_t N : F.Buckets)
          J.value(N);
      });
  });
}

static StringRef whyNoCalls(const Trace &T) {
  if (!T.hasEvents())
    return "Calls were counted, not recorded: for this, record them with -t "
           "function_graph";
  if (!T.hasDurations())
    return "When calls ended was not recorded: for this, record them with -t "
           "function_graph";
  return "";
}

static StringRef whyNoDurations(const Trace &T) {
  if (!T.hasDurations())
    return "How long calls took was not recorded: for this, record them with "
           "-t function_graph, or count them with -t function_profile "
           "--histogram";
  return "";
}

void Page::write() {
  J.object([&] {
    functions();
    tree();
    threads();
    J.attribute("noCalls", whyNoCalls(T));
    J.attribute("noDurations", whyNoDurations(T));
  });
}

static std::string escaped(StringRef Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printHTMLEscaped(json::fixUTF8(Text), OS);
  return Result;
}

// What cannot be seen on the page, on top of it: whoever looks at the rest has to
// know.
static void printLosses(Trace &T, const HtmlData &D, StringRef Dir,
                        raw_ostream &OS) {
  std::vector<std::string> Lines;
  for (const LossText &Loss : lossTexts(lossesOf(T), Dir))
    Lines.push_back((Loss.Where.empty() ? "" : Loss.Where + ": ") + Loss.Text);
  size_t Calls = 0, Shown = 0;
  for (const TimelineThread &Thread : D.Times.Threads) {
    Calls += Thread.Calls;
    Shown += Thread.Longest.size();
  }
  if (Shown != Calls)
    Lines.push_back(("the timeline shows " + Twine(Shown) + " of " +
                     Twine(Calls) + " calls: of each thread the " +
                     Twine(MaxTimeline) + " longest, and none that is within " +
                     Twine(MaxTimelineDepth) +
                     " others or more; the rest of the page counts them all")
                        .str());
  if (Lines.empty())
    return;
  OS << "<section id=\"losses\"><h2>What is missing</h2>\n<ul>\n";
  for (const std::string &Line : Lines)
    OS << "<li>" << escaped(Line) << "</li>\n";
  OS << "</ul></section>\n";
}

void HtmlReport::print(StringRef Dir, Field By, raw_ostream &OS) {
  std::string Title = "patchbay report: " + Dir.str();
  std::string Json;
  raw_string_ostream JsonOS(Json);
  json::OStream J(JsonOS);
  Page(T, Data, By, J).write();
  OS << HtmlHead << "<title>" << escaped(Title) << "</title>\n<h1>"
     << escaped(Title) << "</h1>\n<p>" << escaped(whatWasRecorded(T))
     << "</p>\n";
  printLosses(T, Data, Dir, OS);
  OS << "<script id=\"trace\" type=\"application/json\">";
  // A name like </script> must not end it; JSON has another way to write <.
  for (char C : Json)
    if (C == '<')
      OS << "\\u003c";
    else
      OS << C;
  OS << "</script>" << HtmlScript;
}
