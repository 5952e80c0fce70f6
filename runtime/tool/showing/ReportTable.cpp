// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportTable.h"
#include "Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

static std::vector<Field> fieldsOfRecordedCalls(const Trace &T, Apart By) {
  Field Of = By == Apart::Thread ? Field::Thread : Field::Caller;
  // A recording of entries has no times.
  if (!T.hasDurations())
    return By == Apart::Nothing
               ? std::vector<Field>{Field::Calls, Field::Name, Field::Module, Field::Share}
               : std::vector<Field>{Field::Calls, Field::Name, Of, Field::Share};
  if (By != Apart::Nothing)
    return {Field::Calls, Field::Total,   Field::Average, Field::Self,
            Field::Share, Field::Longest, Field::Name,    Of};
  if (T.hasEvents())
    return {Field::Calls, Field::Total,   Field::Average, Field::Self,
            Field::Share, Field::Longest, Field::Name};
  return {Field::Calls,   Field::Total, Field::Average,
          Field::Longest, Field::Name,  Field::Share};
}

std::vector<Field> patchbay::defaultFields(const Trace &T, Apart By) {
  std::vector<Field> Fields = fieldsOfRecordedCalls(T, By);
  if (By == Apart::Nothing && T.isSampled())
    Fields.insert(Fields.begin(), Field::Made);
  return Fields;
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
  return T.hasEvents() ? Field::Self : Field::Total;
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

// Is the field a number of calls, rather than a time?
static bool isNumber(Field F) {
  return F == Field::Made || F == Field::Calls || F == Field::Unfinished;
}

namespace {
struct FieldRow {
  StringLiteral Title;
  uint64_t (*Number)(const FunctionDurations &F); // nullptr: the field is no number
};
} // namespace

static const FieldRow Rows[] = {
    // in the order of Field
    {"made", [](auto &F) { return F.Made; }},
    {"calls", [](auto &F) { return F.Calls; }},
    {"unfinished", [](auto &F) { return F.unfinished(); }},
    {"total", [](auto &F) { return F.Total; }},
    {"error", [](auto &F) { return F.Error; }},
    {"average", [](auto &F) { return F.average(); }},
    {"self", [](auto &F) { return F.Self; }},
    {"longest", [](auto &F) { return F.Longest; }},
    {"p50", [](auto &F) { return F.quantile(0.5); }},
    {"p95", [](auto &F) { return F.quantile(0.95); }},
    {"p99", [](auto &F) { return F.quantile(0.99); }},
    {"%", nullptr},
    {"function", nullptr},
    {"thread", nullptr},
    {"called by", nullptr},
    {"callee with largest total", nullptr},
    {"module", nullptr},
    {"source", nullptr}};
static_assert(std::size(Rows) == size_t(Field::Source) + 1);

static uint64_t number(const FunctionDurations &F, Field Of) {
  auto *Number = Rows[size_t(Of)].Number;
  return Number ? Number(F) : 0;
}

StringRef patchbay::fieldTitle(Field F) { return Rows[size_t(F)].Title; }

static Field shareOf(const Trace &T) {
  return T.hasDurations() && T.hasEvents() ? Field::Self : Field::Calls;
}

std::vector<size_t>
patchbay::sortFunctions(const Trace &T, ArrayRef<FunctionDurations> Functions,
                        Field By) {
  if (By == Field::Share)
    By = shareOf(T);
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
    // All values may be equal, since the tracer "function" records no times.
    if (By != Field::Name && DA.Calls != DB.Calls)
      return DA.Calls > DB.Calls;
    return std::tie(FA.Name, FA.Module, FA.Entry, DA.Of) <
           std::tie(FB.Name, FB.Module, FB.Entry, DB.Of);
  });
  return Order;
}

// Is the time mostly the cost of tracing?
static bool isRough(const FunctionDurations &F, Field Of) {
  if (Of == Field::Error)
    return false;
  if (isQuantile(Of))
    return F.isMostlyCost(number(F, Of));
  return Of == Field::Longest ? F.isLongestMostlyCost() : F.isMostlyCost();
}

static std::string subFigures(const FunctionDurations &F) {
  return formatv(" ({0} calls, {1})", F.SubCalls,
                 durationText(F.SubTotal, isMostlyCost(F.SubMeasured, F.SubTotal)))
      .str();
}

// The callee with the most time, and its share. A table shortens only the name.
static std::string subCell(const FunctionDurations &F, bool HasSelf) {
  return F.SubName.empty() || !HasSelf
             ? "-"
             : Table::nameCell("", printable(F.SubName), subFigures(F));
}

// HasSelf: are all calls of callees known?
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
    return HasSelf && (F.Timed || F.unfinished()) ? durationText(F.Self, F.isMostlyCost()) : "-";
  case Field::Total:
    return F.Timed || F.unfinished() ? durationText(F.Total, F.isMostlyCost()) : "-";
  case Field::Error:
    return F.Timed || F.unfinished() ? "+-" + durationText(F.Error) : "-";
  case Field::Average:
    return F.Timed ? durationText(F.average(), F.isMostlyCost()) : "-";
  case Field::Longest:
    return F.Timed ? durationText(F.Longest, isRough(F, Of)) : "-";
  case Field::P50:
  case Field::P95:
  case Field::P99:
    return F.Durations.calls() ? durationText(number(F, Of), isRough(F, Of)) : "-";
  case Field::Share: // only printReport() knows shares and sources
  case Field::Source:
    return "";
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

static Table::Alignment alignmentOf(Field F) {
  if (F == Field::Name || F == Field::Caller || F == Field::Sub)
    return Table::Names;
  return isText(F) ? Table::Left : Table::Right;
}

FunctionShares::FunctionShares(const Trace &T, ArrayRef<FunctionDurations> Functions)
    : Part(shareOf(T) == Field::Self ? &FunctionDurations::Self : &FunctionDurations::Calls) {
  for (const FunctionDurations &F : Functions)
    Whole += F.*Part;
}

void patchbay::printReport(const Trace &T,
                           ArrayRef<FunctionDurations> Functions,
                           ArrayRef<size_t> Order, ArrayRef<Field> Fields,
                           unsigned Width, raw_ostream &OS) {
  const bool HasSelf = T.hasEvents();
  const FunctionShares Shares(T, Functions);
  SourceLines Sources;
  auto SourceOf = [&](const FunctionDurations &Of) {
    std::string Source = printable(Sources.of(T, T.Functions[Of.Function]));
    return Source.empty() ? "-" : Source;
  };
  Table Out;
  for (Field F : Fields)
    Out.addColumn(fieldTitle(F), alignmentOf(F));
  for (size_t I : Order) {
    const FunctionDurations &Of = Functions[I];
    std::vector<std::string> Row;
    for (Field F : Fields)
      Row.push_back(F == Field::Sub      ? subCell(Of, HasSelf)
                    : F == Field::Share  ? Shares.text(Of)
                    : F == Field::Source ? SourceOf(Of)
                                         : fieldText(T.Functions[Of.Function], Of, F, HasSelf));
    Out.addRow(std::move(Row));
  }
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

// A likelihood: "0.031", or "-" if unknown.
static std::string likelihoodText(const Compared &C) {
  std::optional<double> P = C.likelihood();
  if (!P)
    return "-";
  return *P < 0.001 ? "<0.001" : formatv("{0:f3}", *P).str();
}

// A change: "+1.234 us", "-20 ns", or "0".
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
  bool WithLikelihood =
      AreDefault && Both && Before.hasDurations() && After.hasDurations();
  Table Out;
  for (Field F : Fields) {
    if (F == Field::Name && WithLikelihood)
      Out.addColumn("p", Table::Right);
    Out.addColumn(fieldTitle(F), alignmentOf(F));
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
      else if (F == Field::Self && !Both)
        Row.insert(Row.end(), {"-", "-"});
      else
        Row.insert(Row.end(), {durationText(Is, isRough(C->After, F)),
                               changeText(Was, Is)});
    }
    Out.addRow(std::move(Row));
  }
  Out.print(OS, Width);
}

static constexpr unsigned BarWidth = 40;

void patchbay::printHistogram(StringRef Title, double Unit,
                              ArrayRef<uint64_t> Buckets, raw_ostream &OS) {
  uint64_t Most = 0;
  size_t First = Buckets.size(), Last = 0;
  for (size_t I = 0; I != Buckets.size(); ++I) {
    if (!Buckets[I])
      continue;
    First = std::min(First, I);
    Last = I;
    Most = std::max(Most, Buckets[I]);
  }
  OS << printable(Title) << '\n';
  Table T;
  for (StringRef Column : {"at least", "less than", "calls"})
    T.addColumn(Column, Table::Right);
  T.addColumn("", Table::Left);
  for (size_t I = First; Most && I <= Last; ++I) {
    // Show at least a short bar for a bucket with calls.
    unsigned Bar = unsigned(double(Buckets[I]) / double(Most) * BarWidth);
    if (Buckets[I] && !Bar)
      Bar = 1;
    T.addRow(
        {durationText(bucketStart(Unit, I)),
         durationText(bucketStart(Unit, I + 1)), utostr(Buckets[I]),
         "|" + std::string(Bar, '@') + std::string(BarWidth - Bar, ' ') + "|"});
  }
  T.print(OS);
}

std::string SourceLines::of(const Trace &T, const TraceFunction &Function) {
  auto [At, IsNew] = Files.try_emplace({Function.Module, Function.BuildId});
  File &Of = At->second;
  if (IsNew) {
    const std::string &Symfs = T.Names.Sources.Symfs;
    auto Image = openTraced(Function.Module, Function.BuildId, Symfs);
    if (Image) {
      Of.Image = std::move(*Image);
      auto Found = DwarfFunctions::open(*Of.Image, Symfs);
      if (Found)
        Of.Functions = std::move(*Found);
      else
        consumeError(Found.takeError());
    } else {
      consumeError(Image.takeError());
    }
  }
  return Of.Functions ? Of.Functions->sourceOf(Function.Entry) : "";
}
