// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HtmlReport.h"
#include "HowRecorded.h"
#include "Losses.h"
#include "PageData.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

// Limits the data that grows with the recording. The rest of the page has about 60 KB.
static constexpr size_t MaxData = 4'500'000;

PageSide::PageSide(Trace &T, StringRef Dir) : T(T), Dir(Dir), Times(T), Notes(T) {
  FunctionTotals Totals(T, /*WithSpread=*/true);
  TreeBuilder Builder(T);
  readCalls(T, {&Totals, &Builder, &Times, &Notes});
  Notes.finish();
  Functions = Totals.finish();
  Tree = Builder.finish();
}

static std::string escaped(StringRef Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printHTMLEscaped(json::fixUTF8(Text), OS);
  return Result;
}

//===----------------------------------------------------------------------===//
// Page content
//===----------------------------------------------------------------------===//

static StringRef whyNoCalls(const Trace &T) {
  if (!T.hasEvents())
    return "Only counts were recorded: record calls with -t graph";
  if (!T.hasDurations())
    return "Only the start of calls was recorded: record durations with -t graph";
  return "";
}

static StringRef whyNoDurations(const Trace &T) {
  if (!T.hasDurations())
    return "No durations were recorded: record them with -t graph, or with -t count "
           "--histogram";
  return "";
}

static void addSources(PageContent &C) {
  SourceLines Sources;
  for (size_t I = 0; I != C.PlaceOf.size(); ++I)
    if (C.PlaceOf[I] != UINT32_MAX)
      C.Functions[C.PlaceOf[I]].Source = Sources.of(*C.T, C.T->Functions[I]);
}

static PageContent contentOf(PageSide &Side, Field By) {
  const Trace &T = Side.T;
  PageContent C = {&T, nullptr, {}, {}, {}, Side.Dir, &Side.Times, &Side.Notes,
                   whyNoCalls(T).str(), whyNoDurations(T).str()};
  C.PlaceOf.resize(Side.Functions.size(), UINT32_MAX);
  for (size_t I : sortFunctions(T, Side.Functions, By)) {
    if (!Side.Functions[I].Calls)
      continue;
    C.PlaceOf[I] = C.Functions.size();
    C.Functions.push_back({T.Functions[I].Name,
                           sys::path::filename(T.Functions[I].Module).str(),
                           &Side.Functions[I], nullptr});
  }
  PageTree Tree;
  Tree.add(Side.Tree, C.PlaceOf);
  C.Tree = Tree.finish();
  addSources(C);
  return C;
}

static PageContent contentOf(PageSide &After, PageSide &Before,
                             const Comparison &Both, Field By) {
  PageContent C = {&After.T, &Before.T, {}, {}, {}, After.Dir, &After.Times, &After.Notes,
                   whyNoCalls(After.T).str(), whyNoDurations(After.T).str()};
  if (C.NoCalls.empty())
    C.NoCalls = whyNoCalls(Before.T).str();
  if (C.NoDurations.empty())
    C.NoDurations = whyNoDurations(Before.T).str();
  std::vector<uint32_t> PlaceOf(Both.Functions.size(), UINT32_MAX);
  for (size_t I : sortCompared(Both.Functions, By)) {
    PlaceOf[I] = C.Functions.size();
    const Compared &F = Both.Functions[I];
    C.Functions.push_back({F.Name, "", &F.After, &F.Before});
  }
  for (uint32_t I : Both.OfAfter)
    C.PlaceOf.push_back(PlaceOf[I]);
  PageTree Tree;
  Tree.add(After.Tree, C.PlaceOf);
  std::vector<uint32_t> PlaceOfBefore;
  for (uint32_t I : Both.OfBefore)
    PlaceOfBefore.push_back(PlaceOf[I]);
  Tree.add(Before.Tree, PlaceOfBefore, /*IsBefore=*/true);
  C.Tree = Tree.finish();
  addSources(C);
  return C;
}

//===----------------------------------------------------------------------===//
// Page head
//===----------------------------------------------------------------------===//

// 1234567 as "1,234,567", for readability.
static std::string grouped(uint64_t N) {
  std::string Text = utostr(N);
  for (size_t I = Text.size(); I > 3; I -= 3)
    Text.insert(I - 3, ",");
  return Text;
}

static void printFacts(const PageSide &Side, raw_ostream &OS) {
  RecordedAs How = howRecorded(Side.T);
  uint64_t Calls = 0;
  size_t Functions = 0;
  for (const FunctionDurations &F : Side.Functions) {
    Calls = SaturatingAdd(Calls, F.Calls);
    Functions += F.Calls != 0;
  }
  auto Fact = [&](StringRef Name, const Twine &Text) {
    std::string Value = Text.str();
    if (!Value.empty())
      OS << "<div><dt>" << Name << "</dt><dd>" << escaped(Value) << "</dd></div>\n";
  };
  OS << "<dl class=\"facts\">\n";
  Fact("Recording", Side.Dir);
  Fact("Command", How.Command);
  Fact(Side.T.Processes.size() == 1 ? "Process" : "Processes", How.Processes);
  Fact("Began", How.Began);
  Fact("Host", How.Host);
  Fact("Tracer", How.Tracer);
  Fact("Calls", grouped(Calls) + " of " + counted(Functions, "function") +
                    (Side.T.Threads.empty()
                         ? ""
                         : ", " + counted(Side.T.Threads.size(), "thread")));
  if (Side.T.Chosen.isActive())
    Fact("Chosen", "only calls that the command's options select");
  OS << "</dl>\n";
}

// Messages about missing data, for the beginning of the page.
static std::vector<std::string> missing(const PageSide &Side) {
  std::vector<std::string> Lines;
  for (const LossText &Loss : lossTexts(lossesOf(Side.T), Side.Dir))
    Lines.push_back((Loss.Where.empty() ? "" : Loss.Where + ": ") + Loss.Text);
  return Lines;
}

static void printMissing(const PageSide &After, const PageSide *Before,
                         raw_ostream &OS) {
  std::vector<std::string> Lines = missing(After);
  if (Before) {
    for (std::string &Line : Lines)
      Line = After.Dir + ": " + Line;
    for (const std::string &Line : missing(*Before))
      Lines.push_back(Before->Dir + ": " + Line);
    if (std::string How = recordedDifferently(Before->T, After.T); !How.empty())
      Lines.push_back("the two were recorded with different options, which change calls and "
                      "times: " +
                      How);
  }
  if (Lines.empty())
    return;
  OS << "<section id=\"losses\" aria-label=\"Notes\">";
  const bool Several = Lines.size() > 1;
  if (Several)
    OS << "<details><summary>" << Lines.size() << " notes: " << escaped(Lines[0])
       << "</summary>";
  OS << "<ul>\n";
  for (const std::string &Line : Lines)
    OS << "<li>" << escaped(Line) << "</li>\n";
  OS << "</ul>" << (Several ? "</details>" : "") << "</section>\n";
}

void patchbay::printPage(PageSide &After, PageSide *Before, Field By,
                         raw_ostream &OS) {
  std::optional<Comparison> Both;
  if (Before)
    Both.emplace(ReportSide{Before->T, Before->Functions},
                 ReportSide{After.T, After.Functions});
  PageContent Content = Before ? contentOf(After, *Before, *Both, By)
                               : contentOf(After, By);
  std::string Title = "patchbay report: " + After.Dir +
                      (Before ? " compared with " + Before->Dir : "");
  StringRef Rest = HtmlTemplate;
  while (!Rest.empty()) {
    auto [Text, Marked] = Rest.split("<!--");
    auto [Name, Behind] = Marked.split("-->");
    OS << Text;
    if (Name == "title") {
      OS << escaped(Title);
    } else if (Name == "facts") {
      printFacts(After, OS);
      if (Before)
        printFacts(*Before, OS);
    } else if (Name == "missing") {
      printMissing(After, Before, OS);
    } else if (Name == "data") {
      OS << pageData(Content, MaxData);
    }
    Rest = Behind;
  }
}
