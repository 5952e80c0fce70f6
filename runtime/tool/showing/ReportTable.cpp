// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportTable.h"
#include "Table.h"
#include "names/NamesApart.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

std::vector<Field> patchbay::defaultFields(const Trace &T, Apart By) {
  // What a function did between calls of others is not known, nor which calls were
  // within it, where some of them were not recorded.
  if (By == Apart::Nothing && T.isSampled())
    return {Field::Made,    Field::Calls,   Field::Total,
            Field::Average, Field::Longest, Field::Name};
  Field Of = By == Apart::Thread ? Field::Thread : Field::Caller;
  // Of entries alone nothing is known but how many there are.
  if (!T.hasDurations())
    return By == Apart::Nothing
               ? std::vector<Field>{Field::Calls, Field::Name, Field::Module}
               : std::vector<Field>{Field::Calls, Field::Name, Of};
  if (By != Apart::Nothing && T.isSampled())
    return {Field::Calls, Field::Total, Field::Average, Field::Longest, Field::Name, Of};
  if (By != Apart::Nothing)
    return {Field::Calls,   Field::Total, Field::Average, Field::Self,
            Field::Longest, Field::Name,  Of};
  if (T.hasEvents())
    return {Field::Calls,   Field::Total, Field::Average, Field::Self,
            Field::Longest, Field::Name,  Field::Sub};
  return {Field::Calls, Field::Total, Field::Average, Field::Longest, Field::Name};
}

std::vector<Field> patchbay::defaultDiffFields(const Trace &T) {
  if (!T.hasDurations())
    return {Field::Calls, Field::Name};
  Field By = defaultDiffSort(T);
  return {Field::Calls, By, By == Field::Self ? Field::Total : Field::Average,
          Field::Name};
}

Field patchbay::defaultSort(const Trace &T) {
  return T.hasDurations() ? Field::Total : Field::Calls;
}

Field patchbay::defaultDiffSort(const Trace &T) {
  if (!T.hasDurations())
    return Field::Calls;
  return T.hasEvents() && !T.isSampled() ? Field::Self : Field::Total;
}

static bool isText(Field F) {
  return F >= Field::Name;
}

std::vector<Field> patchbay::withSorted(std::vector<Field> Fields, Field By) {
  if (!llvm::is_contained(Fields, By))
    Fields.insert(isText(By) ? Fields.end() : llvm::find(Fields, Field::Name), By);
  return Fields;
}

bool patchbay::isQuantile(Field F) {
  return F == Field::P50 || F == Field::P95 || F == Field::P99;
}

// Others are times.
static bool isNumber(Field F) {
  return F == Field::Made || F == Field::Calls || F == Field::Unfinished;
}

static uint64_t number(const FunctionDurations &F, Field Of) {
  switch (Of) {
  case Field::Made:
    return F.Made;
  case Field::Calls:
    return F.Calls;
  case Field::Unfinished:
    return F.unfinished();
  case Field::Total:
    return F.Total;
  case Field::Average:
    return F.average();
  case Field::Self:
    return F.Self;
  case Field::Longest:
    return F.Longest;
  case Field::P50:
    return F.Durations.quantile(0.5);
  case Field::P95:
    return F.Durations.quantile(0.95);
  case Field::P99:
    return F.Durations.quantile(0.99);
  case Field::Name:
  case Field::Thread:
  case Field::Caller:
  case Field::Sub:
  case Field::Module:
    return 0;
  }
  llvm_unreachable("all fields are above");
}

StringRef patchbay::fieldTitle(Field F) {
  switch (F) {
  case Field::Made:
    return "made";
  case Field::Calls:
    return "calls";
  case Field::Unfinished:
    return "unfinished";
  case Field::Total:
    return "total";
  case Field::Average:
    return "average";
  case Field::Self:
    return "self";
  case Field::Longest:
    return "longest";
  case Field::P50:
    return "p50";
  case Field::P95:
    return "p95";
  case Field::P99:
    return "p99";
  case Field::Name:
    return "function";
  case Field::Thread:
    return "thread";
  case Field::Caller:
    return "called by";
  case Field::Sub:
    return "sub-routine that took most";
  case Field::Module:
    return "module";
  }
  llvm_unreachable("all fields are above");
}

std::vector<size_t>
patchbay::sortFunctions(const Trace &T, ArrayRef<FunctionDurations> Functions,
                        Field By) {
  std::vector<size_t> Order;
  for (size_t I = 0; I != Functions.size(); ++I)
    Order.push_back(I);
  llvm::sort(Order, [&](size_t A, size_t B) {
    const FunctionDurations &DA = Functions[A], &DB = Functions[B];
    const TraceFunction &FA = T.Functions[DA.Function],
                        &FB = T.Functions[DB.Function];
    uint64_t NumberA = number(DA, By), NumberB = number(DB, By);
    if (NumberA != NumberB)
      return NumberA > NumberB;
    if (By == Field::Sub && DA.SubName != DB.SubName)
      return DA.SubName < DB.SubName;
    if (By == Field::Module && FA.Module != FB.Module)
      return FA.Module < FB.Module;
    // The tracer function records no times: all are the same.
    if (By != Field::Name && DA.Calls != DB.Calls)
      return DA.Calls > DB.Calls;
    return std::tie(FA.Name, FA.Module, FA.Entry, DA.Of) <
           std::tie(FB.Name, FB.Module, FB.Entry, DB.Of);
  });
  return Order;
}

static std::string subFigures(const FunctionDurations &F) {
  return formatv(" ({0} calls, {1})", F.SubCalls, durationText(F.SubTotal))
      .str();
}

// Of a table: what is behind the name is as long as it is.
static std::string subCell(const FunctionDurations &F, bool HasSelf) {
  return F.SubName.empty() || !HasSelf
             ? "-"
             : Table::nameCell("", printable(F.SubName), subFigures(F));
}

// HasSelf: all calls that were made of other functions are known.
std::string patchbay::fieldText(const TraceFunction &Function,
                                const FunctionDurations &F, Field Of,
                                bool HasSelf) {
  switch (Of) {
  case Field::Made:
    return F.Made ? utostr(F.Made) : "-";
  case Field::Calls:
    return utostr(F.Calls);
  case Field::Unfinished:
    return HasSelf ? utostr(F.unfinished()) : "-";
  case Field::Self:
    return HasSelf && (F.Timed || F.unfinished()) ? durationText(F.Self) : "-";
  case Field::Total:
    return F.Timed || F.unfinished() ? durationText(F.Total) : "-";
  case Field::Average:
  case Field::Longest:
    return F.Timed ? durationText(number(F, Of)) : "-";
  case Field::P50:
  case Field::P95:
  case Field::P99:
    return F.Durations.calls() ? durationText(number(F, Of)) : "-";
  case Field::Name:
    return printable(Function.Name);
  case Field::Thread:
  case Field::Caller:
    return F.Of.empty() ? "-" : printable(F.Of);
  case Field::Sub:
    return F.SubName.empty() || !HasSelf ? "-"
                                         : printable(F.SubName) + subFigures(F);
  case Field::Module:
    return printable(sys::path::filename(Function.Module));
  }
  llvm_unreachable("all fields are above");
}

namespace {
/// The cells of a report, the first row of titles, made to fit a terminal.
class Cells {
public:
  explicit Cells(ArrayRef<Field> Fields) : Fields(Fields.vec()) {
    Rows.emplace_back();
    for (Field F : Fields)
      Rows.front().push_back(fieldTitle(F).str());
  }
  void fit(bool MayDropSub, size_t Width);
  void print(raw_ostream &OS, unsigned Width) const;

  std::vector<std::vector<std::string>> Rows;

private:
  // A column of sub-routines that is narrower says nothing: 16 of a name, and
  // the figures.
  static constexpr size_t LeastSub = 40;

  std::optional<size_t> find(Field F) const {
    auto At = llvm::find(Fields, F);
    return At == Fields.end() ? std::nullopt
                              : std::optional<size_t>(At - Fields.begin());
  }
  size_t widthOf(size_t Column) const {
    size_t Widest = 0;
    for (const auto &Row : Rows)
      Widest = std::max(Widest, Row[Column].size());
    return Widest;
  }
  /// Of all columns but one.
  size_t widthWithout(std::optional<size_t> Column) const {
    size_t Width = 0;
    for (size_t I = 0; I != Fields.size(); ++I)
      Width += I == Column ? 0 : widthOf(I) + 2;
    return Width;
  }
  std::vector<std::string> column(size_t I) const {
    std::vector<std::string> Texts;
    for (const auto &Row : ArrayRef(Rows).drop_front())
      Texts.push_back(Row[I]);
    return Texts;
  }
  void setColumn(size_t I, ArrayRef<std::string> Texts) {
    for (size_t Row = 0; Row != Texts.size(); ++Row)
      Rows[Row + 1][I] = Texts[Row];
  }

  std::vector<Field> Fields;
};
} // namespace

// What a terminal is too narrow for gives way in this order: parameters, template
// arguments, the column of sub-routines unless somebody asked for it, and then what
// names have in common.
void Cells::fit(bool MayDropSub, size_t Width) {
  std::optional<size_t> Name = find(Field::Name), Sub = find(Field::Sub);
  const std::optional<size_t> Caller = find(Field::Caller);
  auto Fits = [&] {
    size_t OfSub = Sub ? std::min(widthOf(*Sub), LeastSub) : 0;
    return widthWithout(Sub) + OfSub <= Width + (Sub ? 0 : 2);
  };
  for (std::optional<size_t> Names : {Caller, Name}) {
    if (!Names)
      continue;
    std::vector<std::string> Whole = column(*Names);
    for (NameForm Form : ShorterForms)
      if (!Fits())
        setColumn(*Names, inForm(Whole, Form));
  }
  if (Sub && MayDropSub && !Fits()) {
    for (auto &Row : Rows)
      Row.erase(Row.begin() + *Sub);
    Fields.erase(Fields.begin() + *Sub);
    Sub.reset();
    Name = find(Field::Name);
  }
  // That column has what the others leave it: Table sees to that.
  if (Name && !Fits()) {
    size_t Others = widthWithout(Name);
    if (Sub)
      Others -= widthOf(*Sub) - std::min(widthOf(*Sub), LeastSub);
    setColumn(*Name,
              cutTo(column(*Name), std::max<size_t>(
                                       Width > Others ? Width - Others : 0, 8)));
  }
}

void Cells::print(raw_ostream &OS, unsigned Width) const {
  Table Out;
  for (size_t I = 0; I != Fields.size(); ++I)
    Out.addColumn(Rows.front()[I], Fields[I] == Field::Sub ? Table::Names
                                   : isText(Fields[I])     ? Table::Whole
                                                           : Table::Right);
  for (const auto &Row : ArrayRef(Rows).drop_front())
    Out.addRow(Row);
  Out.print(OS, Width);
}

void patchbay::printReport(const Trace &T,
                           ArrayRef<FunctionDurations> Functions,
                           ArrayRef<size_t> Order, ArrayRef<Field> Fields,
                           bool AreDefault, unsigned Width, raw_ostream &OS) {
  const bool HasSelf = T.hasEvents() && !T.isSampled();
  Cells Out(Fields);
  for (size_t I : Order) {
    Out.Rows.emplace_back();
    for (Field F : Fields)
      Out.Rows.back().push_back(
          F == Field::Sub ? subCell(Functions[I], HasSelf)
                          : fieldText(T.Functions[Functions[I].Function],
                                      Functions[I], F, HasSelf));
  }
  if (Width)
    Out.fit(/*MayDropSub=*/AreDefault, Width);
  Out.print(OS, Width);
}

//===----------------------------------------------------------------------===//
// Two recordings
//===----------------------------------------------------------------------===//

static uint64_t change(const Compared &C, Field F) {
  uint64_t Old = number(C.Before, F), New = number(C.After, F);
  return std::max(Old, New) - std::min(Old, New);
}

std::vector<size_t> patchbay::sortCompared(ArrayRef<Compared> Functions,
                                           Field By) {
  std::vector<size_t> Order;
  for (size_t I = 0; I != Functions.size(); ++I)
    if (Functions[I].Before.Calls || Functions[I].After.Calls)
      Order.push_back(I);
  llvm::sort(Order, [&](size_t A, size_t B) {
    uint64_t ChangeA = change(Functions[A], By), ChangeB = change(Functions[B], By);
    return ChangeA != ChangeB ? ChangeA > ChangeB
                              : Functions[A].Name < Functions[B].Name;
  });
  return Order;
}

// "0.031", or "-".
static std::string likelihoodText(const Compared &C) {
  std::optional<double> P = C.likelihood();
  if (!P)
    return "-";
  return *P < 0.001 ? "<0.001" : formatv("{0:f3}", *P).str();
}

// "+1.234 us", "-20 ns", "0".
static std::string changeText(uint64_t Before, uint64_t After) {
  if (Before == After)
    return "0";
  return Before < After ? "+" + durationText(After - Before)
                        : "-" + durationText(Before - After);
}

void patchbay::printReportDiff(const ReportSide &Old, const ReportSide &New,
                               Field By, ArrayRef<Field> Fields, bool AreDefault,
                               unsigned Width, raw_ostream &OS) {
  const Trace &Before = Old.T, &After = New.T;
  const Comparison Sides(Old, New);
  bool Both = Before.hasEvents() && After.hasEvents();
  bool HaveSelf = Both && !Before.isSampled() && !After.isSampled();
  bool WithLikelihood =
      AreDefault && Both && Before.hasDurations() && After.hasDurations();
  Table Out;
  for (Field F : Fields) {
    if (F == Field::Name && WithLikelihood)
      Out.addColumn("p", Table::Right);
    Out.addColumn(fieldTitle(F), F == Field::Name ? Table::Names
                                 : isText(F)      ? Table::Left
                                                  : Table::Right);
    if (!isText(F))
      Out.addColumn(isNumber(F) ? (fieldTitle(F) + " now").str() : "change",
                    Table::Right);
  }
  for (size_t I : sortCompared(Sides.Functions, By)) {
    const Compared *C = &Sides.Functions[I];
    std::vector<std::string> Row;
    for (Field F : Fields) {
      if (F == Field::Name && WithLikelihood)
        Row.push_back(likelihoodText(*C));
      uint64_t Was = number(C->Before, F), Is = number(C->After, F);
      if (isText(F))
        Row.push_back(printable(C->Name));
      else if (isNumber(F))
        Row.insert(Row.end(), {utostr(Was), utostr(Is)});
      else if (F == Field::Self && !HaveSelf)
        Row.insert(Row.end(), {"-", "-"});
      else
        Row.insert(Row.end(), {durationText(Is), changeText(Was, Is)});
    }
    Out.addRow(std::move(Row));
  }
  Out.print(OS, Width);
}
