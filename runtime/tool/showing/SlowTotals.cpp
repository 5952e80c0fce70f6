// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlowTotals.h"
#include "Durations.h"
#include "Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

// So many of what it waited for, and of who called it.
static constexpr size_t Shown = 3;

void SlowTotals::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  std::optional<SlowReason> R = Why.of(*Thread, V);
  if (!R)
    return;
  Sum &S = Of[Open.back().Function];
  ++S.Calls;
  S.Ns = SaturatingAdd(S.Ns, R->Ns);
  S.OffNs = SaturatingAdd(S.OffNs, R->OffNs);
  S.PreemptedNs = SaturatingAdd(S.PreemptedNs, R->PreemptedNs);
  S.IsWhole &= R->IsWhole;
  for (const SlowReason::Wait &W : R->Waits) {
    StringRef What = W.IsPreempted ? StringRef("preempted")
                     : W.For.empty() ? StringRef(W.At)
                                     : StringRef(W.For);
    uint64_t &Ns = S.For[(What.empty() ? "not known" : What).str()];
    Ns = SaturatingAdd(Ns, W.Ns);
  }
  if (!R->Callers.empty())
    ++S.Callers[R->Callers.front()];
}

static std::vector<std::pair<uint64_t, std::string>>
mostFirst(const std::map<std::string, uint64_t> &Of) {
  std::vector<std::pair<uint64_t, std::string>> Sorted;
  for (const auto &[Name, N] : Of)
    Sorted.push_back({N, Name});
  llvm::sort(Sorted, std::greater<>());
  return Sorted;
}

void SlowTotals::print(raw_ostream &OS, unsigned Width) const {
  std::vector<std::pair<uint32_t, const Sum *>> Sorted;
  for (const auto &[Function, S] : Of)
    Sorted.push_back({Function, &S});
  llvm::sort(Sorted, [](const auto &A, const auto &B) {
    return std::make_pair(B.second->Ns, A.first) < std::make_pair(A.second->Ns, B.first);
  });
  OS << "\nwhy calls were slow:\n\n";
  Table Out;
  for (const char *Title : {"calls", "total", "off processor"})
    Out.addColumn(Title, Table::Right);
  Out.addColumn("function", Table::Left);
  Out.addColumn("waited for", Table::Left);
  Out.addColumn("called from", Table::Left);
  for (const auto &[Function, S] : Sorted) {
    std::vector<std::string> For;
    for (const auto &[Ns, Name] : mostFirst(S->For))
      if (For.size() != Shown)
        For.push_back(Name + " " + durationText(Ns));
    std::vector<std::string> Callers;
    for (const auto &[N, Name] : mostFirst(S->Callers))
      if (Callers.size() != Shown)
        Callers.push_back(Name);
    Out.addRow({utostr(S->Calls), durationText(S->Ns),
                (S->IsWhole ? "" : ">= ") +
                    formatv("{0:f1}%", S->Ns ? 100.0 * S->OffNs / S->Ns : 0).str(),
                printable(T.Functions[Function].Name), printable(join(For, ", ")),
                printable(join(Callers, ", "))});
  }
  Out.print(OS, Width);
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
