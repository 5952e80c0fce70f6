// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Durations.h"
#include "Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::durationText(uint64_t Ns) {
  static constexpr std::pair<uint64_t, const char *> Units[] = {
      {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
  for (auto [Factor, Unit] : Units)
    if (Ns >= Factor)
      return formatv("{0}.{1:d3} {2}", Ns / Factor, Ns % Factor * 1000 / Factor,
                     Unit)
          .str();
  return utostr(Ns) + " ns";
}

namespace {
struct Sub {
  uint64_t Calls = 0, Total = 0;
};
} // namespace

std::vector<FunctionDurations> patchbay::functionDurations(const Trace &T) {
  std::vector<FunctionDurations> Result(T.Functions.size());
  std::map<std::pair<uint32_t, uint32_t>, Sub> Subs; // caller, callee
  for (const TraceThread &Thread : T.Threads) {
    std::vector<uint64_t> Self = T.selfTimes(Thread);
    for (size_t I = 0; I != Self.size(); ++I) {
      const TraceCall &C = Thread.Calls[I];
      FunctionDurations &F = Result[C.Function];
      ++F.Calls;
      if (C.hasDuration()) {
        ++F.Timed;
        F.Sum += C.Duration;
        F.Total += C.Recursive ? 0 : C.Duration;
        F.Self += Self[I];
        F.Longest = std::max(F.Longest, C.Duration);
      }
      if (C.Parent == TraceCall::NoParent)
        continue;
      Sub &S = Subs[{Thread.Calls[C.Parent].Function, C.Function}];
      ++S.Calls;
      S.Total += C.Duration;
    }
  }
  for (const auto &[Pair, S] : Subs) {
    FunctionDurations &F = Result[Pair.first];
    if (!F.SubName.empty() && S.Total <= F.SubTotal)
      continue;
    F.SubName = T.Functions[Pair.second].Name;
    F.SubCalls = S.Calls;
    F.SubTotal = S.Total;
  }
  return Result;
}

static uint64_t sortValue(const FunctionDurations &F, DurationKey Key) {
  switch (Key) {
  case DurationKey::Calls:
    return F.Calls;
  case DurationKey::Total:
    return F.Total;
  case DurationKey::Average:
    return F.average();
  case DurationKey::Self:
    return F.Self;
  case DurationKey::Longest:
    return F.Longest;
  case DurationKey::Name:
    return 0;
  }
  llvm_unreachable("all keys are above");
}

// Indices of the functions that were called.
static std::vector<size_t>
sorted(const Trace &T, ArrayRef<FunctionDurations> Functions, DurationKey Key) {
  std::vector<size_t> Order;
  for (size_t I = 0; I != Functions.size(); ++I)
    if (Functions[I].Calls)
      Order.push_back(I);
  llvm::sort(Order, [&](size_t A, size_t B) {
    uint64_t ValueA = sortValue(Functions[A], Key);
    uint64_t ValueB = sortValue(Functions[B], Key);
    if (ValueA != ValueB)
      return ValueA > ValueB;
    // The tracer function records no times: all are the same.
    if (Key != DurationKey::Name && Functions[A].Calls != Functions[B].Calls)
      return Functions[A].Calls > Functions[B].Calls;
    const TraceFunction &FA = T.Functions[A], &FB = T.Functions[B];
    return std::tie(FA.Name, FA.Module, FA.Entry) <
           std::tie(FB.Name, FB.Module, FB.Entry);
  });
  return Order;
}

void patchbay::printDurations(const Trace &T, DurationKey Sort,
                              raw_ostream &OS) {
  std::vector<FunctionDurations> Functions = functionDurations(T);
  Table Out;
  for (StringRef Title : {"calls", "total", "average", "self", "longest"})
    Out.addColumn(Title, Table::Right);
  Out.addColumn("function", Table::Left);
  Out.addColumn("sub-routine that took most", Table::Left);
  for (size_t I : sorted(T, Functions, Sort)) {
    const FunctionDurations &F = Functions[I];
    auto Time = [&](uint64_t Ns) { return F.Timed ? durationText(Ns) : "-"; };
    std::string Most = "-";
    if (!F.SubName.empty())
      Most = formatv("{0} ({1} calls, {2})", F.SubName, F.SubCalls,
                     durationText(F.SubTotal))
                 .str();
    Out.addRow({utostr(F.Calls), Time(F.Total), Time(F.average()), Time(F.Self),
                Time(F.Longest), printable(T.Functions[I].Name),
                printable(Most)});
  }
  Out.print(OS);
}

void patchbay::printDurationsJson(const Trace &T, DurationKey Sort,
                                  raw_ostream &OS) {
  std::vector<FunctionDurations> Functions = functionDurations(T);
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("lost", T.lost());
    J.attributeArray("functions", [&] {
      for (size_t I : sorted(T, Functions, Sort))
        J.object([&] {
          const FunctionDurations &F = Functions[I];
          const TraceFunction &Of = T.Functions[I];
          J.attribute("name", json::fixUTF8(Of.Name));
          J.attribute("calls", F.Calls);
          J.attribute("total_ns", F.Total);
          J.attribute("average_ns", F.average());
          J.attribute("self_ns", F.Self);
          J.attribute("longest_ns", F.Longest);
          if (!F.SubName.empty())
            J.attributeObject("sub", [&] {
              J.attribute("name", json::fixUTF8(F.SubName));
              J.attribute("calls", F.SubCalls);
              J.attribute("total_ns", F.SubTotal);
            });
          J.attribute("module", json::fixUTF8(Of.Module));
          J.attribute("build_id", toHex(Of.BuildId, /*LowerCase=*/true));
        });
    });
  });
  OS << '\n';
}

namespace {
struct Compared {
  FunctionDurations Before, After;
  uint64_t change() const {
    return Before.Self > After.Self ? Before.Self - After.Self
                                    : After.Self - Before.Self;
  }
};
} // namespace

static void addTo(FunctionDurations &Sum, const FunctionDurations &F) {
  Sum.Calls += F.Calls;
  Sum.Total += F.Total;
  Sum.Self += F.Self;
}

// "+1.234 us", "-20 ns", "0".
static std::string changeText(uint64_t Before, uint64_t After) {
  if (Before == After)
    return "0";
  return Before < After ? "+" + durationText(After - Before)
                        : "-" + durationText(Before - After);
}

void patchbay::printDurationsDiff(const Trace &Before, const Trace &After,
                                  raw_ostream &OS) {
  std::map<std::string, Compared> ByName;
  std::vector<FunctionDurations> Old = functionDurations(Before);
  std::vector<FunctionDurations> New = functionDurations(After);
  for (size_t I = 0; I != Old.size(); ++I)
    addTo(ByName[Before.Functions[I].Name].Before, Old[I]);
  for (size_t I = 0; I != New.size(); ++I)
    addTo(ByName[After.Functions[I].Name].After, New[I]);

  std::vector<std::pair<StringRef, const Compared *>> Order;
  for (const auto &[Name, C] : ByName)
    if (C.Before.Calls || C.After.Calls)
      Order.push_back({Name, &C});
  llvm::sort(Order, [](const auto &A, const auto &B) {
    return A.second->change() != B.second->change()
               ? A.second->change() > B.second->change()
               : A.first < B.first;
  });

  Table Out;
  for (StringRef Title :
       {"calls", "calls now", "self", "change", "total", "change"})
    Out.addColumn(Title, Table::Right);
  Out.addColumn("function", Table::Left);
  for (const auto &[Name, C] : Order)
    Out.addRow({utostr(C->Before.Calls), utostr(C->After.Calls),
                durationText(C->After.Self),
                changeText(C->Before.Self, C->After.Self),
                durationText(C->After.Total),
                changeText(C->Before.Total, C->After.Total), printable(Name)});
  Out.print(OS);
}
