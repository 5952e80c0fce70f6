// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library into a running process that was not prepared for it.
//
// This command borrows one thread of the process for one pthread_create(),
// where the thread provably may call it (SafePoint.h). The new thread calls
// dlopen(). It may wait for the loader's lock, the allocator's, or constructors
// of libraries, while the program goes on. So no thread of the program does
// anything that takes long or may never end. All threads but one run on, and
// that one stands still for less than a millisecond (Stub.h).
#pragma once

#include "live/ProcessMemory.h"
#include <chrono>

namespace patchbay {

struct Injection {
  /// dlopen() opens them in this order.
  std::vector<std::string> Paths;
  /// The process cannot find these paths, but this command can. So the process gets the
  /// contents, in files without a name. Otherwise the process finds the paths itself.
  bool ByContents = false;
  /// The last library's int Entry(const char *Options, char *Why, size_t Size).
  std::string Entry = {}, Options = {};
};

struct InjectionResult {
  int Returned;    // result of the entry
  std::string Why; // text that the entry wrote
  /// The longest time that a thread stood still, usually the borrowed one, and the number
  /// of threads that were stopped to be examined.
  std::chrono::nanoseconds StoodStill{0};
  unsigned Looks = 0;
};

/// Fails with one line. The process is then unchanged.
llvm::Expected<InjectionResult> inject(ProcessMemory &Memory,
                                       const Injection &What);

} // namespace patchbay
