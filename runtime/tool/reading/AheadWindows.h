// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's windows, in the order in which its calls began, for merging
// several threads. Workers make the next windows in advance.
#pragma once

#include "CallStream.h"
#include "Parallel.h"
#include <array>

namespace patchbay {

class AheadWindows : public WindowSource {
public:
  /// All: workers that all threads share. Threads: number of threads. The
  /// object must outlive the workers' jobs.
  AheadWindows(const Trace &T, const TraceThread &Thread, Workers &All,
               size_t Threads)
      : File(T.Processes[Thread.Process].Data),
        Windows(File, *Thread.Data, firstTick(T, Thread)), All(All),
        Ahead(Threads <= MostThreads ? Most - 1 : 0) {}

  const EventWindow *next() override {
    while (Asked <= Ahead && plan(Entries[(First + 1 + Asked) % Most]))
      ++Asked;
    if (!Asked)
      return nullptr;
    First = (First + 1) % Most;
    --Asked;
    All.finish(Entries[First].Job);
    return &Entries[First].Window;
  }

private:
  // Limits memory, at about 200 KB per window. With more threads, no windows
  // are made in advance.
  static constexpr size_t MostThreads = 32, Most = 4;
  struct Entry {
    EventWindows::Plan Plan;
    EventWindow Window;
    Workers::Job Job;
  };
  bool plan(Entry &E) {
    if (!Windows.plan(E.Plan))
      return false;
    E.Job.Do = [this, &E] { EventWindows::make(File, E.Plan, E.Window); };
    All.ask(E.Job);
    return true;
  }

  const DataFile &File;
  EventWindows Windows;
  Workers &All;
  size_t Ahead;
  std::array<Entry, Most> Entries; // a ring: the window in use, then Asked
                                   // requested ones
  size_t First = 0, Asked = 0;
};

} // namespace patchbay
