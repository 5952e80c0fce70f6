// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows progress on a terminal if a command takes longer than a second.
#pragma once

#include <chrono>
#include <cstdint>

namespace patchbay {

/// A line on stderr, if stderr is a terminal. The destructor clears it.
class Progress {
public:
  /// All: the number of all events; 0: unknown.
  explicit Progress(uint64_t All = 0);
  ~Progress();
  void add(uint64_t Events);

private:
  using Clock = std::chrono::steady_clock;
  uint64_t All, Done = 0;
  bool Shown = false, IsTerminal;
  Clock::time_point Next;
};

} // namespace patchbay
