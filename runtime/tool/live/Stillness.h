// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a process that does not answer stands still. One that is stopped and
// let go on many times a second, as cpulimit(1) does, comes to answer.
#ifndef PATCHBAY_TOOL_STILLNESS_H
#define PATCHBAY_TOOL_STILLNESS_H

#include <cstdint>
#include <string>

namespace patchbay {

/// Asked again and again, a second or so apart.
class Stillness {
public:
  explicit Stillness(int Pid) : Pid(Pid), Ran(ran()) {}

  /// Why it does not run now, if it has not run since this was asked last; or
  /// "".
  std::string why();

private:
  uint64_t ran() const;

  int Pid;
  uint64_t Ran; // nanoseconds of a processor
  bool IsHeld = false;
};

} // namespace patchbay

#endif
