// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For who waits at a terminal for more than a second: how far it is.
#ifndef PATCHBAY_TOOL_PROGRESS_H
#define PATCHBAY_TOOL_PROGRESS_H

#include <chrono>
#include <cstdint>

namespace patchbay {

/// A line on stderr, if that is a terminal, which is gone in the end.
class Progress {
public:
  /// Of how many events; 0: nobody knows.
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

#endif
