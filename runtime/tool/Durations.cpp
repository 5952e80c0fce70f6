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
  uint64_t Open = 0; // calls that the one that is looked at is within
};

/// The calls of sub-routines by function. One that is within another such call
/// is not in the total, as with a function that calls itself.
class SubCalls {
public:
  void addThread(const TraceThread &Thread);
  void nameLongest(const Trace &T, std::vector<FunctionDurations> &Of) const;

private:
  std::map<std::pair<uint32_t, uint32_t>, Sub> Subs; // caller, callee
};
} // namespace

void SubCalls::addThread(const TraceThread &Thread) {
  std::vector<std::pair<size_t, Sub *>> Open; // each call and what it is of
  Sub Outermost;                              // of calls that nobody made
  auto Close = [&] {
    --Open.back().second->Open;
    Open.pop_back();
  };
  for (size_t I = 0; I != Thread.Calls.size(); ++I) {
    const TraceCall &C = Thread.Calls[I];
    while (!Open.empty() && Open.back().first != C.Parent)
      Close();
    Sub &S = Open.empty() ? Outermost
                          : Subs[{Thread.Calls[C.Parent].Function, C.Function}];
    ++S.Calls;
    if (!S.Open++)
      S.Total += C.Duration;
    Open.push_back({I, &S});
  }
  while (!Open.empty())
    Close();
}

void SubCalls::nameLongest(const Trace &T,
                           std::vector<FunctionDurations> &Of) const {
  for (const auto &[Pair, S] : Subs) {
    FunctionDurations &F = Of[Pair.first];
    if (!F.SubName.empty() && S.Total <= F.SubTotal)
      continue;
    F.SubName = T.Functions[Pair.second].Name;
    F.SubCalls = S.Calls;
    F.SubTotal = S.Total;
  }
}

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
  SubCalls Subs;
  for (const TraceThread &Thread : T.Threads) {
    Subs.addThread(Thread);
    std::vector<uint64_t> Self = T.selfTimes(Thread);
    for (size_t I = 0; I != Self.size(); ++I) {
      const TraceCall &C = Thread.Calls[I];
      FunctionDurations &F = Result[C.Function];
      ++F.Calls;
      F.Total += C.Recursive ? 0 : C.Duration;
      F.Self += Self[I];
      if (C.Kind == TraceCall::Unfinished)
        ++(C.Open ? F.Open : F.CutOff);
      if (C.hasDuration()) {
        ++F.Timed;
        F.Sum += C.Duration;
        F.Longest = std::max(F.Longest, C.Duration);
        addToBuckets(F.Buckets, T.BucketUnit, C.Duration);
      }
    }
  }
  for (const TraceCount &C : T.Counts)
    addCount(Result[C.Function], C);
  Subs.nameLongest(T, Result);
  return Result;
}
