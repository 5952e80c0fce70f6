// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Durations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

std::string patchbay::durationText(uint64_t Ns, bool IsRough) {
  if (IsRough)
    return "~" + durationText(Ns);
  static constexpr std::pair<uint64_t, const char *> Units[] = {
      {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
  for (auto [Factor, Unit] : Units)
    if (Ns >= Factor)
      return formatv("{0}.{1:d3} {2}", Ns / Factor, Ns % Factor * 1000 / Factor,
                     Unit)
          .str();
  return utostr(Ns) + " ns";
}

std::string patchbay::shareText(double Part, double Whole) {
  return formatv("{0:f1}", Whole > 0 ? 100 * Part / Whole : 0).str();
}

uint32_t FunctionTotals::sub(uint32_t Caller, uint32_t Callee) {
  Last &L = LastOf[Callee];
  if (L.Caller == Caller)
    return L.Sub;
  auto [At, New] = SubOf.try_emplace({Caller, Callee}, uint32_t(Subs.size()));
  if (New)
    Subs.push_back({Caller, Callee});
  L = {Caller, At->second};
  return At->second;
}

void FunctionTotals::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  uint32_t Function = Open.back().Function;
  if (Functions.size() <= Function) {
    Functions.resize(T.Functions.size());
    LastOf.resize(T.Functions.size());
  }
  if (Open.size() == 1)
    return;
  uint32_t S = sub(Open[Open.size() - 2].Function, Function);
  ++Subs[S].Open;
  SubsOpen.push_back(S);
}

FunctionDurations &FunctionTotals::sumOf(ArrayRef<TraceCall> Open) {
  uint32_t Function = Open.back().Function;
  if (By == Apart::Nothing)
    return Functions[Function];
  // Distinguish threads by index, since consecutive threads may have the same ID.
  uint64_t Of = By == Apart::Thread ? Current - T.Threads.data()
                                    : Open.back().CalledBy;
  auto [At, New] = ToldApart.try_emplace({Function, Of});
  FunctionDurations &Sum = At->second;
  if (!New)
    return Sum;
  Sum.Function = Function;
  if (By == Apart::Thread)
    Sum.Of = Current->Name + "-" + utostr(Current->Tid);
  else if (Of != UINT32_MAX)
    Sum.Of = T.Functions[Of].Name;
  return Sum;
}

void FunctionTotals::end(ArrayRef<TraceCall> Open, size_t Depth,
                         std::optional<uint64_t>) {
  for (size_t I = Open.size(); I != Depth; --I) {
    const TraceCall &C = Open[I - 1];
    FunctionDurations &F = sumOf(Open.take_front(I));
    ++F.Calls;
    F.Total += C.Recursive ? 0 : C.Net;
    F.Measured += C.Recursive ? 0 : C.measured();
    F.Self += C.netSelf();
    if (C.Kind == TraceCall::Unfinished)
      ++(C.Open ? F.Open : F.CutOff);
    if (C.hasDuration()) {
      ++F.Timed;
      F.Sum += C.Net;
      if (C.Duration >= F.Longest) {
        F.Longest = C.Duration;
        F.LongestCost = C.Cost;
      }
      addToBuckets(F.Buckets, UnitsPerNs, C.Duration);
      if (WithSpread)
        F.Durations.add(C.Duration);
    }
    if (I == 1)
      continue;
    Sub &S = Subs[SubsOpen.back()];
    SubsOpen.pop_back();
    ++S.Calls;
    if (!--S.Open) {
      S.Total += C.Net;
      S.Measured += C.measured();
    }
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

// Total counts only the outermost of recursive calls. If a filter has removed the outermost
// call, Total may be less than Longest; Longest is then kept.
void FunctionDurations::limitLongest() {
  if (Measured >= Longest)
    Longest = std::min(Longest, Total);
  Longest = std::max(Longest, average());
}

void FunctionDurations::setError(double OfCost) {
  Error = uint64_t(double(Measured - std::min(Measured, Total)) * OfCost);
}

std::vector<FunctionDurations> FunctionTotals::finish() {
  const double CostError = T.costError();
  if (By != Apart::Nothing) {
    std::vector<FunctionDurations> Sums;
    for (auto &[Key, Sum] : ToldApart) {
      Sum.limitLongest();
      Sum.setError(CostError);
      Sums.push_back(std::move(Sum));
    }
    return Sums;
  }
  Functions.resize(T.Functions.size());
  for (uint32_t I = 0; I != Functions.size(); ++I) {
    Functions[I].Function = I;
    Functions[I].limitLongest();
    Functions[I].setError(CostError);
  }
  for (const TraceCount &C : T.Counts)
    addCount(Functions[C.Function], C);
  for (const TraceSample &S : T.Samples)
    Functions[S.Function].Made = SaturatingAdd(Functions[S.Function].Made, S.Calls);
  llvm::sort(Subs, [](const Sub &A, const Sub &B) {
    return std::tie(A.Caller, A.Callee) < std::tie(B.Caller, B.Callee);
  });
  for (Sub &S : Subs) {
    FunctionDurations &F = Functions[S.Caller];
    if (!F.SubName.empty() && S.Total <= F.SubTotal)
      continue;
    F.SubName = T.Functions[S.Callee].Name;
    F.SubCalls = S.Calls;
    F.SubTotal = S.Total;
    F.SubMeasured = S.Measured;
  }
  return std::move(Functions);
}

void patchbay::addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs,
                            uint64_t Ns) {
  uint64_t Units = uint64_t(std::min(double(Ns) * UnitsPerNs, 9e18));
  size_t I = Units ? Log2_64(Units) : 0;
  if (Buckets.size() <= I)
    Buckets.resize(I + 1);
  ++Buckets[I];
}

uint64_t patchbay::bucketStart(double Unit, size_t I) {
  return I ? uint64_t(std::min(std::ldexp(Unit, int(I)) + 0.5, 9e18)) : 0;
}

// The row and column of a duration. The first row has a bucket for each number below Columns.
// Row R begins at Columns * 2^(R - 1).
std::pair<size_t, size_t> Spread::place(uint64_t Ns) {
  if (Ns < Columns)
    return {0, Ns};
  unsigned Row = Log2_64(Ns) - ColumnBits + 1;
  return {Row, (Ns >> (Row - 1)) - Columns};
}

uint64_t Spread::middle(size_t Row, size_t Column) {
  if (!Row)
    return Column;
  uint64_t Width = uint64_t(1) << (Row - 1);
  return ((Columns + Column) << (Row - 1)) + (Width - 1) / 2;
}

void Spread::forEach(function_ref<void(uint64_t, uint64_t)> Show) const {
  for (size_t R = 0; R != Rows.size(); ++R)
    for (size_t C = 0; C != Rows[R].size(); ++C)
      if (Rows[R][C])
        Show(middle(R, C), Rows[R][C]);
}

void Spread::add(const Spread &Other) {
  if (Rows.size() < Other.Rows.size())
    Rows.resize(Other.Rows.size());
  for (size_t R = 0; R != Other.Rows.size(); ++R) {
    if (Other.Rows[R].empty())
      continue;
    Rows[R].resize(Columns);
    for (size_t C = 0; C != Columns; ++C)
      Rows[R][C] += Other.Rows[R][C];
  }
  Calls += Other.Calls;
  Shortest = std::min(Shortest, Other.Shortest);
  Longest = std::max(Longest, Other.Longest);
}

uint64_t Spread::quantile(double Part) const {
  uint64_t Wanted = std::max<uint64_t>(std::ceil(Part * double(Calls)), 1);
  uint64_t Below = 0, Found = 0;
  forEach([&](uint64_t Ns, uint64_t N) {
    if (Below < Wanted)
      Found = Ns;
    Below += N;
  });
  return std::min(std::max(Found, Calls ? Shortest : 0), Longest);
}

// With fewer calls, the sum of ranks is not normally distributed.
static constexpr uint64_t LeastCalls = 8;

std::optional<double> patchbay::likelihood(const Spread &A, const Spread &B) {
  if (std::min(A.calls(), B.calls()) < LeastCalls)
    return std::nullopt;
  std::map<uint64_t, std::pair<double, double>> Both;
  A.forEach([&](uint64_t Ns, uint64_t N) { Both[Ns].first = N; });
  B.forEach([&](uint64_t Ns, uint64_t N) { Both[Ns].second = N; });
  double NA = A.calls(), NB = B.calls(), N = NA + NB;
  double Below = 0, RanksOfA = 0, Same = 0;
  for (const auto &[Ns, Counts] : Both) {
    double Here = Counts.first + Counts.second;
    RanksOfA += Counts.first * (Below + (Here + 1) / 2);
    Same += Here * Here * Here - Here;
    Below += Here;
  }
  double U = RanksOfA - NA * (NA + 1) / 2;
  double Variance = NA * NB / 12 * (N + 1 - Same / (N * (N - 1)));
  if (Variance <= 0)
    return 1;
  double Distance = std::max(std::abs(U - NA * NB / 2) - 0.5, 0.0);
  return std::erfc(Distance / std::sqrt(Variance) / std::sqrt(2.0));
}
