// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out why a process does not answer: is it stopped or frozen? A process
// that is stopped and continued many times a second, as by cpulimit(1), counts
// as running.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay {

/// Why none of the process's threads runs (stopped or frozen), and how to
/// continue it. Empty if neither applies.
std::string whyStill(unsigned Pid);

/// Call why() repeatedly, about once a second.
class Stillness {
public:
  explicit Stillness(int Pid) : Pid(Pid), Ran(ran()) {}

  /// Why the process does not run now, if it has not run since the last call;
  /// otherwise "".
  std::string why();

private:
  uint64_t ran() const;

  int Pid;
  uint64_t Ran; // CPU time in nanoseconds
  bool IsHeld = false;
};

} // namespace patchbay
