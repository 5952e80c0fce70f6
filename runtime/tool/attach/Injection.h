// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library into a running process, which nobody has prepared for it.
//
// One thread of the process is borrowed for the time of one pthread_create(), where
// it is proven that it may call that (SafePoint.h). It is the new thread that calls
// dlopen(), and waits for the loader's lock, the allocator's, or constructors of
// libraries, while the program goes on. So nothing that takes long, or never comes to
// an end, is done by a thread of the program's: all threads but one run on, and that
// one stands still for less than a millisecond (Stub.h).
#ifndef PATCHBAY_TOOL_ATTACH_INJECTION_H
#define PATCHBAY_TOOL_ATTACH_INJECTION_H

#include "live/ProcessMemory.h"
#include <chrono>

namespace patchbay {

struct Injection {
  /// Opened by dlopen(), in this order.
  std::vector<std::string> Paths;
  /// Paths are as this command finds them, and the process does not: it gets their
  /// bytes, in files that are in no folder. Else they are as the process finds them.
  bool ByContents = false;
  /// int Entry(const char *Options, char *Why, size_t Size) of the last one.
  std::string Entry = {}, Options = {};
};

struct InjectionResult {
  int Returned;    // by the entry
  std::string Why; // what the entry wrote
  /// How long the thread that stood still the longest did nothing of its own,
  /// which is most often the one that was borrowed; and how many were stopped
  /// for a look.
  std::chrono::nanoseconds StoodStill{0};
  unsigned Looks = 0;
};

/// Fails with one line; the process is then as it was.
llvm::Expected<InjectionResult> inject(ProcessMemory &Memory,
                                       const Injection &What);

} // namespace patchbay

#endif
