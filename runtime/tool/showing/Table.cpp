// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"
#include "names/NamesApart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

// A C++ name can be hundreds of characters long. Such a cell pushes the rest of
// its own line, instead of every line, to the right.
static constexpr size_t MaxWidth = 100;
// On a terminal no column of text becomes narrower than this.
static constexpr size_t MinWidth = 16;

void Table::addColumn(StringRef Title, Alignment Align) {
  Columns.push_back({Align});
  Rows.front().push_back(Title.str());
}

void Table::addRow(std::vector<std::string> Cells) {
  Rows.push_back(std::move(Cells));
}

// Names have no such character: printable().
static constexpr char Edge = '\0';

std::string Table::nameCell(StringRef Before, StringRef Name, StringRef Behind) {
  return (Before + Twine(Edge) + Name + Twine(Edge) + Behind).str();
}

static std::string withoutEdges(StringRef Cell) {
  std::string Text = Cell.str();
  llvm::erase(Text, Edge);
  return Text;
}

std::vector<size_t> Table::widths(const Cells &Of) const {
  std::vector<size_t> Widths(Columns.size());
  for (const auto &Row : Of)
    for (size_t I = 0; I != Widths.size(); ++I)
      Widths[I] = std::max(Widths[I], Row[I].size() - StringRef(Row[I]).count(Edge));
  return Widths;
}

static size_t lengthOf(ArrayRef<size_t> Widths) {
  size_t Length = 2 * (Widths.size() - 1);
  for (size_t W : Widths)
    Length += W;
  return Length;
}

// The widest column of text gives first, until lines fit or all are narrow.
std::vector<size_t> Table::limits(const Cells &Of, unsigned Width) const {
  std::vector<size_t> Limits = widths(Of);
  for (size_t Length = lengthOf(Limits); Width && Length > Width; --Length) {
    size_t *Widest = nullptr;
    for (size_t I = 0; I != Limits.size(); ++I)
      if ((Columns[I].Align == Left || Columns[I].Align == Names) &&
          (!Widest || Limits[I] > *Widest))
        Widest = &Limits[I];
    if (!Widest || *Widest <= MinWidth)
      break;
    --*Widest;
  }
  return Limits;
}

void Table::changeNames(
    Cells &Of, size_t Column, size_t Limit,
    function_ref<std::vector<std::string>(ArrayRef<std::string>, size_t)> F) const {
  std::vector<std::string> Names; // each once, since rows may be of one function
  StringMap<size_t> Known;
  std::vector<size_t> OfRow;
  std::vector<std::pair<std::string, std::string>> Around;
  size_t Most = 0;
  for (const auto &Row : ArrayRef(Of).drop_front()) {
    StringRef Before, Name = Row[Column], Behind;
    if (Name.contains(Edge)) {
      std::tie(Before, Name) = Name.split(Edge);
      std::tie(Name, Behind) = Name.split(Edge);
    }
    auto [At, IsNew] = Known.try_emplace(Name, Names.size());
    if (IsNew)
      Names.push_back(Name.str());
    OfRow.push_back(At->second);
    Around.emplace_back(Before, Behind);
    Most = std::max(Most, Before.size() + Behind.size());
  }
  std::vector<std::string> Changed = F(Names, Most);
  for (size_t I = 0; I != OfRow.size(); ++I) {
    auto &[Before, Behind] = Around[I];
    if (Before.size() + Names[OfRow[I]].size() + Behind.size() > Limit)
      Of[I + 1][Column] = nameCell(Before, Changed[OfRow[I]], Behind);
  }
}

// What tells two functions apart is never left out.
void Table::fitNames(Cells &Of, unsigned Width) const {
  auto Fits = [&] { return !Width || lengthOf(widths(Of)) <= Width; };
  auto IsName = [&](size_t I) { return Columns[I].Align == Names; };
  for (NameForm Form : ShorterForms) {
    if (Fits())
      return;
    Of = Rows;
    for (size_t I = 0; I != Columns.size(); ++I)
      if (IsName(I))
        changeNames(Of, I, /*Limit=*/0, [&](ArrayRef<std::string> Whole, size_t) {
          return inForm(Whole, Form);
        });
  }
  if (Fits())
    return;
  std::vector<size_t> Limits = limits(Of, Width);
  for (size_t I = 0; I != Columns.size(); ++I)
    if (IsName(I))
      changeNames(Of, I, Limits[I], [&](ArrayRef<std::string> Plain, size_t Around) {
        return cutTo(Plain, Limits[I] > Around + MinWidth ? Limits[I] - Around : MinWidth);
      });
}

// What is more than before is seldom what one wants.
static std::string styledCell(const std::string &Cell, bool IsTitle) {
  StringRef Text = Cell;
  if (IsTitle)
    return styled(Text, Style::Bold);
  if (Text.starts_with("+"))
    return styled(Text, Style::Red);
  bool IsLess = Text.consume_front("-") && !Text.empty() && isDigit(Text.front());
  return IsLess ? styled(Cell, Style::Green) : Cell;
}

void Table::print(raw_ostream &OS, unsigned Width) const {
  Cells Shown = Rows;
  fitNames(Shown, Width);
  std::vector<size_t> Limits = limits(Shown, Width);
  std::vector<Column> Sized = Columns;
  for (auto &Row : Shown)
    for (size_t I = 0; I != Sized.size(); ++I) {
      Row[I] = withoutEdges(Row[I]);
      if (Sized[I].Align != Names)
        Row[I] = shortened(Row[I], Limits[I]);
      if (Row[I].size() <= MaxWidth)
        Sized[I].Width = std::max(Sized[I].Width, Row[I].size());
    }

  bool HasColor = &OS == &outs() && outputHasColor();
  for (const auto &Row : Shown) {
    for (size_t I = 0; I != Sized.size(); ++I) {
      size_t Pad = Sized[I].Width - std::min(Row[I].size(), Sized[I].Width);
      bool Last = I + 1 == Sized.size();
      if (Sized[I].Align == Right)
        OS.indent(Pad);
      if (HasColor && (&Row == &Shown.front() || Sized[I].Align == Right))
        OS << styledCell(Row[I], &Row == &Shown.front());
      else
        OS << Row[I];
      if (Sized[I].Align != Right && !Last)
        OS.indent(Pad);
      OS << (Last ? "\n" : "  ");
    }
  }
}

std::string patchbay::listed(ArrayRef<std::string> Parts, size_t Most, size_t Room) {
  std::string Text;
  for (size_t N = std::min(Parts.size(), Most); N; --N) {
    Text = join(Parts.take_front(N), ", ");
    if (N != Parts.size())
      Text += " and " + utostr(Parts.size() - N) + " more";
    if (!Room || Text.size() <= Room)
      break;
  }
  return Text;
}

std::string patchbay::indentation(size_t Depth) {
  constexpr size_t Most = 50; // FTRACE_RETFUNC_DEPTH of Linux
  std::string Spaces(2 * std::min(Depth, Most), ' ');
  return Depth <= Most ? Spaces : Spaces + "[" + utostr(Depth) + "] ";
}
