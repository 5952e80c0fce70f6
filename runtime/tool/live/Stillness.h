// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a process that does not answer stand still? A process that is stopped and
// continued many times a second, as by cpulimit(1), does not.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay {

/// Why none of its threads runs (stopped or frozen), and how to let it go on.
/// Empty if neither applies.
std::string whyStill(unsigned Pid);

/// Call why() repeatedly, about a second apart.
class Stillness {
public:
  explicit Stillness(int Pid) : Pid(Pid), Ran(ran()) {}

  /// Why it does not run now, if it has not run since the last call; or "".
  std::string why();

private:
  uint64_t ran() const;

  int Pid;
  uint64_t Ran; // CPU time in nanoseconds
  bool IsHeld = false;
};

} // namespace patchbay
