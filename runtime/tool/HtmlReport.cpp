// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HtmlReport.h"
#include "CallTree.h"
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
  Page(const Trace &T, Field By, json::OStream &J) : T(T), By(By), J(J) {}
  void write();

private:
  void functions();
  void tree();
  void threads();

  const Trace &T;
  Field By;
  json::OStream &J;
};

} // namespace

void Page::tree() {
  CallTree Tree = callTree(T);
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

static bool hasTime(const TraceCall &C) { return C.Kind != TraceCall::Entry; }

// Of each thread the longest calls, in order.
static std::vector<const TraceCall *> longest(const TraceThread &Thread) {
  std::vector<const TraceCall *> Calls;
  for (const TraceCall &C : Thread.Calls)
    if (hasTime(C) && C.Depth < MaxTimelineDepth)
      Calls.push_back(&C);
  llvm::sort(Calls, [](const TraceCall *A, const TraceCall *B) {
    return A->Duration != B->Duration ? A->Duration > B->Duration : A < B;
  });
  if (Calls.size() > MaxTimeline)
    Calls.resize(MaxTimeline);
  llvm::sort(Calls);
  return Calls;
}

void Page::threads() {
  uint64_t Begin = UINT64_MAX, End = 0;
  for (const TraceThread &Thread : T.Threads)
    for (const TraceCall &C : Thread.Calls) {
      Begin = std::min(Begin, C.Start);
      End = std::max(End, C.end());
    }
  J.attribute("length", End > Begin ? End - Begin : 1);
  J.attributeArray("threads", [&] {
    for (const TraceThread &Thread : T.Threads)
      J.array([&] {
        J.value(json::fixUTF8(Thread.Name + "-" + utostr(Thread.Tid)));
        J.value(llvm::count_if(Thread.Calls, hasTime));
        J.array([&] {
          for (const TraceCall *C : longest(Thread))
            J.array([&] {
              J.value(C->Start - Begin);
              J.value(C->elapsed());
              J.value(C->Depth);
              J.value(C->Function);
              J.value(C->hasDuration() ? 0 : C->Open ? 1 : 2);
            });
        });
      });
  });
}

void Page::functions() {
  std::vector<FunctionDurations> Functions = functionDurations(T);
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
    return "Calls were counted, not recorded: for this, record them with -p "
           "function_graph";
  if (!T.hasDurations())
    return "When calls ended was not recorded: for this, record them with -p "
           "function_graph";
  return "";
}

static StringRef whyNoDurations(const Trace &T) {
  if (!T.hasDurations())
    return "How long calls took was not recorded: for this, record them with "
           "-p function_graph, or count them with -p function_profile "
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
static void printLosses(Trace &T, StringRef Dir, raw_ostream &OS) {
  std::vector<std::string> Lines;
  for (const LossText &Loss : lossTexts(lossesOf(T), Dir))
    Lines.push_back((Loss.Where.empty() ? "" : Loss.Where + ": ") + Loss.Text);
  size_t Calls = 0, Shown = 0;
  for (const TraceThread &Thread : T.Threads) {
    Calls += llvm::count_if(Thread.Calls, hasTime);
    Shown += longest(Thread).size();
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

void patchbay::printHtml(Trace &T, StringRef Dir, Field By,
                         raw_ostream &OS) {
  std::string Title = "patchbay report: " + Dir.str();
  std::string Data;
  raw_string_ostream DataOS(Data);
  json::OStream J(DataOS);
  Page(T, By, J).write();
  OS << HtmlHead << "<title>" << escaped(Title) << "</title>\n<h1>"
     << escaped(Title) << "</h1>\n<p>" << escaped(whatWasRecorded(T))
     << "</p>\n";
  printLosses(T, Dir, OS);
  OS << "<script id=\"trace\" type=\"application/json\">";
  // A name like </script> must not end it; JSON has another way to write <.
  for (char C : Data)
    if (C == '<')
      OS << "\\u003c";
    else
      OS << C;
  OS << "</script>" << HtmlScript;
}
