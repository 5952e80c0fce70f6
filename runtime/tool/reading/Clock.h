// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts ticks of a traced machine's counter to nanoseconds.
#pragma once

#include "DataFile.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

/// Converts ticks of one process to nanoseconds of CLOCK_MONOTONIC.
class Clock {
public:
  explicit Clock(const DataSession &S) : First(S.First) {
    uint64_t Ticks = S.Last.Ticks - S.First.Ticks;
    uint64_t Ns = S.Last.MonotonicNs - S.First.MonotonicNs;
    // Both clocks increase, except in a damaged file.
    if (S.Last.Ticks > S.First.Ticks &&
        S.Last.MonotonicNs > S.First.MonotonicNs)
      NsPerTick = double(Ns) / double(Ticks);
  }
  bool calibrated() const { return NsPerTick != 0; }
  double nsPerTick() const { return calibrated() ? NsPerTick : 1; }
  uint64_t duration(uint64_t Ticks) const {
    double Ns = double(Ticks) * nsPerTick();
    return Ns < 9e18 ? uint64_t(Ns + 0.5) : uint64_t(9e18);
  }
  uint64_t time(uint64_t Ticks) const {
    if (Ticks >= First.Ticks)
      return llvm::SaturatingAdd(First.MonotonicNs,
                                 duration(Ticks - First.Ticks));
    uint64_t Before = duration(First.Ticks - Ticks);
    return First.MonotonicNs - std::min(Before, First.MonotonicNs);
  }

private:
  DataMoment First;
  double NsPerTick = 0;
};

/// Converts a thread's own time to ticks of the counter.
class OwnClock {
public:
  /// Found is sorted by time. In a damaged file the ticks may decrease.
  explicit OwnClock(llvm::ArrayRef<DataSleep> Found) : Sleeps(Found) {
    for (size_t I = 1; I < Sleeps.size(); ++I)
      Sleeps[I].Ticks = std::max(Sleeps[I].Ticks, Sleeps[I - 1].Ticks);
  }
  uint64_t asleep(uint64_t Time) const {
    if (Sleeps.empty())
      return 0;
    auto After = llvm::upper_bound(
        Sleeps, Time,
        [](uint64_t T, const DataSleep &S) { return T < S.Time; });
    return (After == Sleeps.begin() ? After : std::prev(After))->Ticks;
  }
  uint64_t counter(uint64_t Time) const {
    return llvm::SaturatingAdd(Time, asleep(Time));
  }

private:
  std::vector<DataSleep> Sleeps;
};

} // namespace patchbay
