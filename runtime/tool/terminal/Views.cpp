// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Views.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

View::~View() = default;

// The limits for colours are the same as in `perf report`.
static Style styleOf(double Part) {
  return Part >= 0.05 ? Style::Hot : Part >= 0.005 ? Style::Warm : Style::Plain;
}

static std::string right(StringRef Text, size_t Width) {
  size_t Used = columnsOf(Text);
  return std::string(Width > Used ? Width - Used : 0, ' ') + Text.str();
}

// Minimum widths of a column of names, and of a name.
static constexpr size_t LeastColumn = 24, LeastName = 8;

static size_t roomBehind(StringRef Text, size_t Width) {
  return std::max(Width - std::min(columnsOf(Text), Width), LeastName);
}

static constexpr size_t ColumnWidth = 10;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TableView::TableView(const Figures &F) : F(F) {
  const Trace &T = *F.T;
  if (F.Seconds)
    Columns = {Rate, Busy};
  std::vector<Field> Fields = {Field::Calls};
  if (T.isSampled())
    Fields.insert(Fields.begin(), Field::Made);
  if (T.hasDurations()) {
    Fields.push_back(Field::Total);
    if (T.hasEvents())
      Fields.push_back(Field::Self);
    if (!F.Seconds)
      Fields.push_back(Field::Share);
    Fields.push_back(Field::Average);
    if (T.hasEvents())
      Fields.insert(Fields.end(), {Field::P50, Field::P95, Field::P99});
    Fields.push_back(Field::Longest);
  }
  for (Field Of : Fields)
    if (!F.Seconds || Of != Field::Total)
      Columns.push_back(ofField(Of));
  Columns.push_back(ofField(Field::Name));
  SortColumn = llvm::find(Columns, F.Seconds ? (T.hasDurations() ? Busy : Rate)
                                             : ofField(defaultSort(T))) -
               Columns.begin();
  update();
}

std::string TableView::title(size_t) const {
  std::string Text = counted(Order.size(), "function") + ", sorted by " +
                     titleOf(Columns[SortColumn]) + (Inverted ? ", least first" : "");
  return Filter.empty() ? Text : Text + ", with '" + Filter + "'";
}

std::string TableView::titleOf(unsigned Column) const {
  if (Column == Rate)
    return "calls/s";
  if (Column == Busy)
    return "busy";
  return fieldTitle(Field(Column - FirstOfField)).str();
}

std::string TableView::text(unsigned Column, uint32_t Function) const {
  const FunctionDurations &D = F.Functions[Function];
  if (Column == Rate)
    return formatv("{0:f0}", double(D.Calls) / F.Seconds).str();
  if (Column == Busy)
    return D.Timed || D.unfinished()
               ? formatv("{0:f2}%", double(D.Total) / F.Seconds / 1e7).str()
               : "-";
  if (F.Seconds && Column == ofField(Field::Calls))
    return utostr(F.AllCalls[Function]);
  if (Column == ofField(Field::Share))
    return Shares->text(D);
  return fieldText(F.T->Functions[Function], D, Field(Column - FirstOfField),
                   F.T->hasEvents());
}

// Drops columns from the right, so that the name has space. Keeps the column for sorting.
std::vector<unsigned> TableView::fitting(size_t Width) const {
  std::vector<unsigned> Shown = Columns;
  auto Mandatory = [&](unsigned C) {
    return C == Columns[SortColumn] || C == Columns.front() || C == Columns.back();
  };
  while ((Shown.size() - 1) * (ColumnWidth + 2) + LeastColumn > Width) {
    size_t I = Shown.size() - 1;
    while (I && Mandatory(Shown[I - 1]))
      --I;
    if (!I)
      break;
    Shown.erase(Shown.begin() + (I - 1));
  }
  return Shown;
}

std::string TableView::head(size_t Width) {
  std::string Text;
  for (unsigned C : fitting(Width)) {
    std::string Title = (C == Columns[SortColumn] ? (Inverted ? "^ " : "v ") : "") + titleOf(C);
    Text += C == Columns.back() ? Title : right(Title, ColumnWidth) + "  ";
  }
  return Text;
}

std::pair<std::string, Style> TableView::line(size_t I, size_t Width) {
  uint32_t Function = Order[I];
  std::string Text;
  for (unsigned C : fitting(Width))
    Text += C == Columns.back()
                ? F.nameIn(Function, roomBehind(Text, Width))
                : right(text(C, Function), ColumnWidth) + "  ";
  double All = F.Seconds ? F.Seconds * 1e9
               : F.Tree.empty() ? 0
                                : double(F.Tree[0].Total);
  return {Text, All ? styleOf(double(F.Functions[Function].Self ? F.Functions[Function].Self
                                                                : F.Functions[Function].Total) /
                              All)
                    : Style::Plain};
}

void TableView::remember() {
  // Remember no function if the first line is selected, so that the first line stays selected.
  if (Selected && Selected < Order.size())
    Was = F.key(Order[Selected]);
}

void TableView::update() {
  if (!Was)
    remember();
  Shares.emplace(*F.T, F.Functions);
  unsigned Column = Columns[SortColumn];
  Field By = Column == Rate   ? Field::Calls
             : Column == Busy ? Field::Total
                              : Field(Column - FirstOfField);
  Order.clear();
  for (size_t I : sortFunctions(*F.T, F.Functions, By))
    if (F.Functions[I].Calls || (F.Seconds && F.AllCalls[I]))
      if (StringRef(F.T->Functions[I].Name).contains_insensitive(Filter))
        Order.push_back(I);
  if (Inverted)
    std::reverse(Order.begin(), Order.end());
  for (size_t I = 0; I != Order.size(); ++I)
    if (Was && F.key(Order[I]) == *Was)
      Selected = I;
  Was.reset();
  Selected = std::min(Selected, Order.empty() ? 0 : Order.size() - 1);
}

void TableView::setFilter(StringRef Text) {
  Filter = Text.str();
  update();
}

void TableView::sortBy(int Step) {
  SortColumn = (SortColumn + Columns.size() + Step) % Columns.size();
  Selected = 0;
  Order.clear();
  update();
}

bool TableView::key(int Key) {
  switch (Key) {
  case '>':
  case '.':
  case keys::F1 + 5:
    sortBy(1);
    return true;
  case '<':
  case ',':
    sortBy(-1);
    return true;
  case 'I':
    Inverted = !Inverted;
    update();
    return true;
  }
  return false;
}

std::string TableView::empty() const {
  return Filter.empty() ? "no function was called" : "no function has '" + Filter + "' in its name";
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

TreeView::TreeView(const Figures &F, CallTree Tree, std::string Title,
                   std::optional<uint32_t> Of, size_t Unfolded)
    : F(F), Tree(std::move(Tree)), Title(std::move(Title)), Of(Of) {
  Order = inOrder(this->Tree, [](const CallNode &A, const CallNode &B) {
    return std::make_tuple(B.Total, B.Calls, A.Function) <
           std::make_tuple(A.Total, A.Calls, B.Function);
  });
  PlaceOf.resize(this->Tree.size());
  for (size_t I = 0; I != Order.size(); ++I)
    PlaceOf[Order[I]] = I;
  for (size_t I = 0; I != Order.size(); ++I)
    if (hasSubs(I) && this->Tree[Order[I]].Depth + 1 >= Unfolded)
      Folded.insert(Order[I]);
  update();
}

std::string TreeView::title(size_t Width) const {
  return Of ? Title + F.nameIn(*Of, roomBehind(Title, Width)) : Title;
}

bool TreeView::hasSubs(size_t Place) const {
  return Place + 1 < Order.size() && Tree[Order[Place + 1]].Parent == Order[Place];
}

void TreeView::update() {
  uint32_t Was = Selected < Shown.size() ? Shown[Selected] : 0;
  Shown.clear();
  std::optional<uint32_t> Hidden; // depth of a folded node: deeper nodes are hidden
  for (uint32_t I : Order) {
    if (Hidden && Tree[I].Depth > *Hidden)
      continue;
    Hidden.reset();
    if (I == Was)
      Selected = Shown.size();
    Shown.push_back(I);
    if (Folded.count(I))
      Hidden = Tree[I].Depth;
  }
  Selected = std::min(Selected, Shown.empty() ? 0 : Shown.size() - 1);
}

void TreeView::fold(bool Fold, bool All) {
  if (Shown.empty())
    return;
  for (size_t I = 0; I != Order.size(); ++I)
    if (hasSubs(I) && (All || Order[I] == Shown[Selected])) {
      if (Fold)
        Folded.insert(Order[I]);
      else
        Folded.erase(Order[I]);
    }
  if (All)
    while (Fold && Tree[Shown[Selected]].Parent) {
      uint32_t P = Tree[Shown[Selected]].Parent;
      Selected = llvm::find(Shown, P) - Shown.begin();
    }
  update();
}

bool TreeView::key(int Key) {
  bool Is = Selected < Shown.size() && Folded.count(Shown[Selected]);
  switch (Key) {
  case '+':
  case 'e':
  case ' ':
    fold(!Is, /*All=*/false);
    return true;
  case '-':
    fold(true, /*All=*/false);
    return true;
  case 'E':
    fold(false, /*All=*/true);
    return true;
  case 'C':
    fold(true, /*All=*/true);
    return true;
  case keys::Right:
    if (Is)
      fold(false, /*All=*/false);
    else if (Selected + 1 < Shown.size())
      ++Selected;
    return true;
  case keys::Left:
    if (Selected >= Shown.size())
      return true;
    if (!Is && hasSubs(PlaceOf[Shown[Selected]]))
      fold(true, /*All=*/false);
    else if (uint32_t P = Tree[Shown[Selected]].Parent)
      Selected = llvm::find(Shown, P) - Shown.begin();
    return true;
  }
  return false;
}

// Drops columns from the right, so that the name has space. Keeps the first two columns.
static std::string columnsBefore(ArrayRef<std::string> Cells, size_t Width) {
  constexpr size_t PartWidth = 6, CellWidth = 13;
  std::string Text = right(Cells.front(), PartWidth);
  for (auto [I, Cell] : enumerate(Cells.drop_front()))
    if (!I || Text.size() + CellWidth + 2 + LeastColumn <= Width)
      Text += right(Cell, CellWidth);
  return Text + "  ";
}

std::string TreeView::head(size_t Width) {
  return columnsBefore({"%", "total", "self", "calls"}, Width) + "function";
}

std::pair<std::string, Style> TreeView::line(size_t I, size_t Width) {
  const CallNode &N = Tree[Shown[I]];
  double Part = Tree[0].Total ? double(N.Total) / double(Tree[0].Total) : 0;
  std::string Text =
      columnsBefore({shareText(N.Total, Tree[0].Total), durationText(N.Total, N.isMostlyCost()),
                     durationText(N.Self, N.isMostlyCost()),
                     utostr(N.Calls)},
                    Width) +
      indentation(N.Depth);
  Text += !hasSubs(PlaceOf[Shown[I]]) ? "  " : Folded.count(Shown[I]) ? "+ " : "- ";
  std::string Behind;
  if (N.Open)
    Behind += " (" + utostr(N.Open) + " open)";
  if (N.CutOff)
    Behind += " (" + utostr(N.CutOff) + " cut off)";
  Text += F.nameIn(N.Function, roomBehind(Text + Behind, Width));
  return {Text + Behind, styleOf(Part)};
}

std::string TreeView::empty() const {
  if (!F.T->hasEvents())
    return "only counts were recorded: 'patchbay record -t graph' records calls";
  return F.Seconds ? "no call at this moment" : "no call was recorded";
}

//===----------------------------------------------------------------------===//
// Histograms and texts
//===----------------------------------------------------------------------===//

OutliersView::OutliersView(const Figures &F, uint32_t Function) : F(F), Function(Function) {
  auto IsRoot = [=](uint32_t Of) { return Of == Function; };
  RootDurations All(IsRoot);
  readCalls(*F.T, {&All});
  const uint64_t From = leastOfSlow(All.Durations);
  OutlierTrees Trees(IsRoot, From, /*Show=*/0);
  readCalls(*F.T, {&Trees});
  const uint64_t NumSlow = Trees.SlowDurations.calls(), Others = Trees.OtherDurations.calls();
  if (!NumSlow || !Others)
    return;
  Lines = Trees.lines();
  Slow = std::move(Trees.Slow);
  erase_if(Lines, [](const OutlierLine &L) { return !L.MakesDifference; });
  Title = ": " + counted(NumSlow, "slow call") + " of " + durationText(From) + " or more, " +
          counted(Others, "other");
}

std::string OutliersView::title(size_t Width) const {
  return F.nameIn(Function, roomBehind(Title, Width)) + Title;
}

std::string OutliersView::head(size_t Width) {
  return columnsBefore({"calls", "more", "itself", "slow", "others"}, Width) + "function";
}

std::pair<std::string, Style> OutliersView::line(size_t I, size_t Width) {
  const OutlierLine &L = Lines[I];
  auto Difference = [](double Ns) {
    return (Ns < 0 ? "-" : "+") + durationText(uint64_t(std::abs(Ns)));
  };
  std::string Text = columnsBefore({formatv("{0:f1}", L.SlowCalls).str(), Difference(L.more()),
                                    Difference(L.itself()),
                                    durationText(uint64_t(L.SlowTotal), L.IsSlowRough),
                                    durationText(uint64_t(L.OtherTotal), L.IsOtherRough)},
                                   Width) +
                     indentation(Slow[L.Node].Depth);
  const double All = Lines.front().more();
  return {Text + F.nameIn(Slow[L.Node].Function, roomBehind(Text, Width)),
          All > 0 ? styleOf(L.itself() / All) : Style::Plain};
}

static std::vector<std::string> linesOf(StringRef Text) {
  std::vector<std::string> Lines;
  for (StringRef Line : split(Text.rtrim('\n'), '\n'))
    Lines.push_back(Line.str());
  return Lines;
}

HistogramView::HistogramView(const Figures &F, uint32_t Function)
    : F(F), Function(Function) {
  const FunctionDurations &D = F.Functions[Function];
  if (D.Buckets.empty())
    return;
  std::string Text;
  raw_string_ostream OS(Text);
  printHistogram(F.T->Functions[Function].Name, F.T->BucketUnit, D.Buckets, OS);
  for (Field Of : {Field::Calls, Field::Average, Field::P50, Field::P95, Field::P99,
                   Field::Longest}) {
    std::string Value = fieldText(F.T->Functions[Function], D, Of, F.T->hasEvents());
    if (Value != "-")
      OS << '\n' << left_justify(fieldTitle(Of), 9) << Value;
  }
  if (std::string Source = F.sourceOf(Function); !Source.empty())
    OS << '\n' << left_justify(fieldTitle(Field::Source), 9) << printable(Source);
  Lines = linesOf(Text);
}

std::string HistogramView::title(size_t Width) const {
  constexpr StringLiteral Title = "durations of ";
  return Title.str() + F.nameIn(Function, roomBehind(Title, Width));
}

std::string HistogramView::empty() const {
  return F.T->hasDurations() ? "none of its calls has a duration"
                             : "no durations were recorded";
}

std::vector<std::string> patchbay::wrapped(std::string Line, size_t Width,
                                           size_t Indent) {
  std::vector<std::string> Lines;
  while (columnsOf(Line) > Width) {
    size_t At = Line.rfind(' ', cutToColumns(Line, Width + 1).size() - 1);
    if (At == std::string::npos || At <= Indent)
      break;
    Lines.push_back(Line.substr(0, At));
    Line.replace(0, At + 1, Indent, ' ');
  }
  Lines.push_back(std::move(Line));
  return Lines;
}

HelpView::HelpView(StringRef Text) : Whole(linesOf(Text)), Lines(Whole) {}

void HelpView::fit(size_t Width) {
  Lines.clear();
  for (const std::string &Line : Whole) {
    // Descriptions of keys are aligned after the widest key.
    StringRef Text = Line;
    size_t Gap = Text.starts_with("  ") ? Text.find("  ", 2) : 0;
    size_t Indent = Gap == StringRef::npos ? 2
                    : Gap                  ? Text.find_first_not_of(' ', Gap)
                                           : 0;
    if (Indent + 16 > Width)
      Indent = 2;
    append_range(Lines, wrapped(Line, Width, Indent));
  }
}
