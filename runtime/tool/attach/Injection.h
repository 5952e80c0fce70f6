// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library into a running process that was not prepared for it.
//
// This command borrows one thread of the process for one pthread_create(), at a
// point where that call is provably safe (SafePoint.h). The new thread calls
// dlopen(). While the program continues, the new thread may wait for the
// loader's lock, for the allocator's, or for constructors of libraries. So none
// of the program's own threads does anything that takes long or may never end.
// The borrowed thread is stopped for less than a millisecond (Stub.h); no other
// thread is.
#pragma once

#include "live/ProcessMemory.h"
#include <chrono>

namespace patchbay {

struct Injection {
  /// dlopen() opens them in this order.
  std::vector<std::string> Paths;
  /// The process cannot open these paths, but this command can: the process gets the
  /// contents in files without a name. If false, the process opens the paths itself.
  bool ByContents = false;
  /// The name of the last library's int Entry(const char *Options, char *Why,
  /// size_t Size), and its first argument.
  std::string Entry = {}, Options = {};
};

struct InjectionResult {
  int Returned;    // what the entry returned
  std::string Why; // what the entry wrote to Why
  /// The longest time that any thread was stopped (usually the borrowed one), and the
  /// number of threads that were stopped to be examined.
  std::chrono::nanoseconds StoodStill{0};
  unsigned Looks = 0;
};

/// On failure the process is unchanged, and the error is one line.
llvm::Expected<InjectionResult> inject(ProcessMemory &Memory,
                                       const Injection &What);

} // namespace patchbay
