// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library into a running process that was started without it.
//
// This command borrows one thread of the process for one pthread_create(), at a point where
// that call is provably safe (SafePoint.h). The new thread calls dlopen(). The new thread
// may wait for the loader's lock, for the allocator's lock, or for constructors of
// libraries, while the program's own threads continue. Only the borrowed thread is stopped
// for the injection, for less than a millisecond (Stub.h).
#pragma once

#include "live/ProcessMemory.h"
#include <chrono>

namespace patchbay {

struct Injection {
  /// Libraries in the order in which dlopen() opens them.
  std::vector<std::string> Paths;
  /// True if only this command can open the paths: the process then gets the contents in
  /// files without a name. False: the process opens the paths itself.
  bool ByContents = false;
  /// The name of the last library's int Entry(const char *Options, char *Why,
  /// size_t Size), and its first argument.
  std::string Entry = {}, Options = {};
};

struct InjectionResult {
  int Returned;    // what the entry returned
  std::string Why; // what the entry wrote to Why
  /// StoodStill: the longest time that any thread was stopped, usually the borrowed thread.
  /// Looks: the number of stops for examining a thread.
  std::chrono::nanoseconds StoodStill{0};
  unsigned Looks = 0;
};

/// Loads the libraries and calls the entry. After an error of one line, the process is
/// unchanged.
llvm::Expected<InjectionResult> inject(ProcessMemory &Memory,
                                       const Injection &What);

} // namespace patchbay
