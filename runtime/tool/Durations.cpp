// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Durations.h"
#include "Histogram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

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

static void addCount(FunctionDurations &F, const TraceCount &C) {
  F.Calls = SaturatingAdd(F.Calls, C.Calls);
  if (C.Buckets.empty())
    return;
  F.Timed = SaturatingAdd(F.Timed, C.Calls);
  F.Total = SaturatingAdd(F.Total, C.Total);
  F.Sum = SaturatingAdd(F.Sum, C.Total);
  F.Longest = std::max(F.Longest, C.Longest);
  if (F.Buckets.size() < C.Buckets.size())
    F.Buckets.resize(C.Buckets.size());
  for (size_t I = 0; I != C.Buckets.size(); ++I)
    F.Buckets[I] = SaturatingAdd(F.Buckets[I], C.Buckets[I]);
}

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
        addToBuckets(F.Buckets, T.BucketUnit, C.Duration);
      }
      if (C.Parent == TraceCall::NoParent)
        continue;
      Sub &S = Subs[{Thread.Calls[C.Parent].Function, C.Function}];
      ++S.Calls;
      S.Total += C.Duration;
    }
  }
  for (const TraceCount &C : T.Counts)
    addCount(Result[C.Function], C);
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
