// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"

using namespace llvm;
using namespace patchbay;

static void addTo(FunctionDurations &Sum, const FunctionDurations &F) {
  Sum.Calls += F.Calls;
  Sum.Total += F.Total;
  Sum.Timed += F.Timed;
  Sum.Open += F.Open;
  Sum.CutOff += F.CutOff;
  Sum.Sum += F.Sum;
  Sum.Self += F.Self;
  Sum.Measured += F.Measured;
  if (F.Longest >= Sum.Longest) {
    Sum.Longest = F.Longest;
    Sum.LongestCost = F.LongestCost;
  }
  if (Sum.Buckets.size() < F.Buckets.size())
    Sum.Buckets.resize(F.Buckets.size());
  for (size_t I = 0; I != F.Buckets.size(); ++I)
    Sum.Buckets[I] += F.Buckets[I];
  Sum.Durations.add(F.Durations);
}

static std::set<StringRef> namesIn(const Trace &T) {
  std::set<StringRef> Names;
  for (const TraceFunction &F : T.Functions)
    Names.insert(F.Name);
  return Names;
}

Comparison::Comparison(const ReportSide &Before, const ReportSide &After) {
  std::set<StringRef> InBefore = namesIn(Before.T), InAfter = namesIn(After.T);
  auto Key = [&](const TraceFunction &F) {
    return InBefore.count(F.Name) && InAfter.count(F.Name) ? F.Name
                                                           : F.CommonName;
  };
  std::map<std::string, uint32_t> Places;
  for (const Trace *T : {&Before.T, &After.T})
    for (const TraceFunction &F : T->Functions)
      Places[Key(F)];
  for (auto &[Name, Place] : Places) {
    Place = Functions.size();
    Functions.push_back({Name, {}, {}});
  }
  auto Place = [&](const Trace &T, uint32_t I) {
    return Places.at(Key(T.Functions[I]));
  };
  for (uint32_t I = 0; I != Before.Functions.size(); ++I) {
    OfBefore.push_back(Place(Before.T, I));
    addTo(Functions[OfBefore[I]].Before, Before.Functions[I]);
  }
  for (uint32_t I = 0; I != After.Functions.size(); ++I) {
    OfAfter.push_back(Place(After.T, I));
    addTo(Functions[OfAfter[I]].After, After.Functions[I]);
  }
}
