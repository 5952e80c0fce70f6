// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlowTotals.h"
#include "Table.h"
#include "analysis/Durations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

// Maximum number of waits and of callers in a row.
static constexpr size_t Shown = 3;

void SlowTotals::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  if (V && V->Slow)
    Slow.push_back({Open.size() - 1, *V});
}

// Adds calls when they have ended, since TraceCall::Cost is known only then.
void SlowTotals::end(ArrayRef<TraceCall> Open, size_t Depth, std::optional<uint64_t>) {
  for (; !Slow.empty() && Slow.back().first >= Depth; Slow.pop_back()) {
    const TraceCall &C = Open[Slow.back().first];
    if (std::optional<SlowReason> R = Why.of(*Thread, &Slow.back().second, C.Cost))
      add(C, *R);
  }
}

void SlowTotals::add(const TraceCall &C, const SlowReason &R) {
  Sum &S = Of[C.Function];
  ++S.Calls;
  S.Ns = SaturatingAdd(S.Ns, R.Ns);
  S.OffNs = SaturatingAdd(S.OffNs, R.OffNs);
  S.PreemptedNs = SaturatingAdd(S.PreemptedNs, R.PreemptedNs);
  S.IsWhole &= R.IsWhole;
  S.HasAllWaits &= R.hasAllWaits();
  for (const SlowReason::Wait &W : R.Waits) {
    StringRef What = W.IsPreempted ? StringRef("preempted")
                     : W.For.empty() ? StringRef(W.At)
                                     : StringRef(W.For);
    uint64_t &Ns = S.For[(What.empty() ? "not known" : What).str()];
    Ns = SaturatingAdd(Ns, W.Ns);
  }
  if (!R.Callers.empty())
    ++S.Callers[R.Callers.front()];
}

static std::vector<std::pair<uint64_t, std::string>>
mostFirst(const std::map<std::string, uint64_t> &Of) {
  std::vector<std::pair<uint64_t, std::string>> Sorted;
  for (const auto &[Name, N] : Of)
    Sorted.push_back({N, Name});
  llvm::sort(Sorted, std::greater<>());
  return Sorted;
}

namespace {
struct SlowRow {
  std::string Calls, Total, OffProcessor, Function;
  std::vector<std::string> For, Callers; // sorted by time, longest first

  static constexpr size_t FunctionColumn = 3, ForColumn = 4;
  std::vector<std::string> cells(std::string Waits, size_t NrCallers) const {
    return {Calls, Total, OffProcessor, Function, std::move(Waits), callers(NrCallers)};
  }
  // A single caller is a name cell, so that Table can shorten the name.
  std::string callers(size_t Nr) const {
    std::string All = listed(Callers, Nr);
    return Nr > 1 || Callers.empty()
               ? All
               : Table::nameCell("", Callers.front(),
                                 StringRef(All).drop_front(Callers.front().size()));
  }
};
} // namespace

static const std::vector<std::string> Titles = {
    "calls", "total", "off-CPU", "function", "waited for", "called from"};

// The space for waits in a line, after the other columns.
static size_t roomForWaits(ArrayRef<SlowRow> Rows, size_t NrCallers, unsigned Width) {
  std::vector<std::vector<std::string>> All = {Titles};
  for (const SlowRow &R : Rows)
    All.push_back(R.cells("", NrCallers));
  size_t Others = 2 * (Titles.size() - 1);
  for (size_t I = 0; I != Titles.size(); ++I) {
    size_t Column = 0;
    for (const auto &Cells : All)
      Column = std::max(Column, Cells[I].size());
    Others += I == SlowRow::ForColumn ? 0 : Column;
  }
  return Width > Others ? Width - Others : 1;
}

// If a line is too long, first drops the shorter waits, then all callers except the first.
// Only then does Table shorten names. Otherwise Table could shorten a list of waits so that
// the name of one wait is followed by the number of another.
static void printRows(ArrayRef<SlowRow> Rows, raw_ostream &OS, unsigned Width) {
  size_t First = 0, NrCallers = Shown, Room = 0;
  for (const SlowRow &R : Rows)
    First = std::max(First, listed(R.For, 1).size());
  if (Width)
    Room = roomForWaits(Rows, NrCallers, Width);
  if (Width && Room < First)
    Room = roomForWaits(Rows, NrCallers = 1, Width);
  Table Out;
  for (size_t I = 0; I != Titles.size(); ++I)
    Out.addColumn(Titles[I], I < SlowRow::FunctionColumn ? Table::Right
                             : I == SlowRow::ForColumn   ? Table::Whole
                                                         : Table::Names);
  for (const SlowRow &R : Rows)
    Out.addRow(R.cells(listed(R.For, Shown, Room), NrCallers));
  Out.print(OS, Width);
}

void SlowTotals::print(raw_ostream &OS, unsigned Width) const {
  std::vector<std::pair<uint32_t, const Sum *>> Sorted;
  for (const auto &[Function, S] : Of)
    Sorted.push_back({Function, &S});
  llvm::sort(Sorted, [](const auto &A, const auto &B) {
    return std::make_pair(B.second->Ns, A.first) < std::make_pair(A.second->Ns, B.first);
  });
  std::vector<SlowRow> Rows;
  for (const auto &[Function, S] : Sorted) {
    SlowRow R;
    R.Calls = utostr(S->Calls);
    R.Total = durationText(S->Ns);
    R.OffProcessor = (S->IsWhole ? "" : ">= ") +
                     formatv("{0:f1}%", S->Ns ? 100.0 * S->OffNs / S->Ns : 0).str();
    R.Function = printable(T.Functions[Function].Name);
    for (const auto &[Ns, Name] : mostFirst(S->For))
      R.For.push_back(printable(Name) + (S->HasAllWaits ? " " : " >= ") + durationText(Ns));
    for (const auto &[N, Name] : mostFirst(S->Callers))
      R.Callers.push_back(printable(Name));
    Rows.push_back(std::move(R));
  }
  OS << "\nwhy calls were slow:\n\n";
  printRows(Rows, OS, Width);
}

void SlowTotals::print(json::OStream &J, uint32_t Function) const {
  auto Found = Of.find(Function);
  if (Found == Of.end())
    return;
  const Sum &S = Found->second;
  J.attributeObject("slow", [&] {
    J.attribute("calls", S.Calls);
    J.attribute("total_ns", S.Ns);
    J.attribute("off_cpu_ns", S.OffNs);
    J.attribute("preempted_ns", S.PreemptedNs);
    J.attribute("off_cpu_is_exact", S.IsWhole);
    J.attribute("waited_for_is_exact", S.HasAllWaits);
    J.attributeObject("waited_for_ns", [&] {
      for (const auto &[Ns, Name] : mostFirst(S.For))
        J.attribute(json::fixUTF8(Name), Ns);
    });
    J.attributeObject("called_from", [&] {
      for (const auto &[N, Name] : mostFirst(S.Callers))
        J.attribute(json::fixUTF8(Name), N);
    });
  });
}
