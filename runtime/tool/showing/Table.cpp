// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"
#include "names/ShortNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

// Limits column widths, since a C++ name can be hundreds of characters long. A longer cell
// shifts only the rest of its own line.
static constexpr size_t MaxWidth = 100;
// Minimum width of columns of text.
static constexpr size_t MinWidth = 16;

void Table::addColumn(StringRef Title, Alignment Align) {
  Columns.push_back({Align});
  Rows.front().push_back(Title.str());
}

void Table::addRow(std::vector<std::string> Cells) {
  Rows.push_back(std::move(Cells));
}

// Separates the parts of a name cell. printable() removes this character from names.
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

// Limits the widest columns of text first, until lines fit or all columns are narrow.
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

namespace {
/// A column of function names. Equal names are stored once, and cells refer to them.
struct NameColumn {
  size_t Index;
  struct Cell {
    std::string Before;
    size_t Name;
    std::string After;
  };
  std::vector<Cell> Cells; // indexed by row
  ShortNames Names;
};
} // namespace

static NameColumn readNames(ArrayRef<std::vector<std::string>> Rows, size_t Index) {
  NameColumn Result = {Index, {}, {}};
  std::vector<std::string> Names;
  StringMap<size_t> Known;
  for (const auto &Row : Rows) {
    StringRef Before, Name = Row[Index], After;
    if (Name.contains(Edge)) {
      std::tie(Before, Name) = Name.split(Edge);
      std::tie(Name, After) = Name.split(Edge);
    }
    auto [At, IsNew] = Known.try_emplace(Name, Names.size());
    if (IsNew)
      Names.push_back(Name.str());
    Result.Cells.push_back({Before.str(), At->second, After.str()});
  }
  Result.Names.set(std::move(Names));
  return Result;
}

// Uses the longest form of names with which lines fit, and the same form for all names. If
// lines do not fit even with the shortest form, shortens each name separately.
void Table::fitNames(Cells &Of, unsigned Width) const {
  auto Fits = [&] { return !Width || lengthOf(widths(Of)) <= Width; };
  if (Fits())
    return;
  std::vector<NameColumn> Texts;
  for (size_t I = 0; I != Columns.size(); ++I)
    if (Columns[I].Align == Names)
      Texts.push_back(readNames(ArrayRef(Rows).drop_front(), I));
  auto Write = [&](auto TextOf) {
    for (NameColumn &C : Texts)
      for (size_t Row = 0; Row != C.Cells.size(); ++Row) {
        const NameColumn::Cell &Cell = C.Cells[Row];
        Of[Row + 1][C.Index] = nameCell(Cell.Before, TextOf(C, Cell), Cell.After);
      }
  };
  for (ShortNames::Form F : {ShortNames::WithoutParameters, ShortNames::Plain}) {
    Write([&](NameColumn &C, const NameColumn::Cell &Cell) { return C.Names.in(Cell.Name, F); });
    if (Fits())
      return;
  }
  const std::vector<size_t> Limits = limits(Of, Width);
  // Columns of kind Whole may make lines too long.
  const bool KeepsOwn = llvm::any_of(Columns, [](const Column &C) { return C.Align == Whole; });
  Write([&](NameColumn &C, const NameColumn::Cell &Cell) {
    const size_t Around = Cell.Before.size() + Cell.After.size(), Limit = Limits[C.Index];
    const size_t Least = KeepsOwn ? C.Names.own(Cell.Name).size() + strlen("...") : 0;
    const size_t Room = std::max({Limit - std::min(Limit, Around), MinWidth, Least});
    return C.Names.fit(Cell.Name, Room, ShortNames::Plain);
  });
}

// Colours an increase red, since an increase is usually bad.
static std::string styledCell(const std::string &Cell, bool IsTitle) {
  StringRef Text = Cell;
  if (IsTitle)
    return styled(Text, TextStyle::Bold);
  if (Text.starts_with("+"))
    return styled(Text, TextStyle::Red);
  bool IsLess = Text.consume_front("-") && !Text.empty() && isDigit(Text.front());
  return IsLess ? styled(Cell, TextStyle::Green) : Cell;
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
  constexpr size_t Most = 50; // the limit of ftrace (FTRACE_RETFUNC_DEPTH in Linux)
  std::string Spaces(2 * std::min(Depth, Most), ' ');
  return Depth <= Most ? Spaces : Spaces + "[" + utostr(Depth) + "] ";
}
