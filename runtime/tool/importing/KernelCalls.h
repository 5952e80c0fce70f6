// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes calls of the lines of a thread: matches exits with entries.
#ifndef PATCHBAY_TOOL_KERNELCALLS_H
#define PATCHBAY_TOOL_KERNELCALLS_H

#include "KernelTrace.h"

namespace patchbay {

/// Resolution of the kernel's printed times.
constexpr uint64_t PrintedNs = 1000;

/// The lines of one thread, in order. Each line adds an event. finish() adds
/// missing entries.
class KernelCalls {
public:
  void enter(uint32_t Function, uint32_t Depth, uint64_t Time);
  /// Function: nothing if the line does not name it. Returns false, and adds
  /// nothing, if no entry tells the function, either.
  bool leave(std::optional<uint32_t> Function, uint32_t Depth, uint64_t Time,
             uint64_t Shortest, uint64_t Longest);
  /// All events, with their partners.
  std::vector<KernelEvent> finish() const;

private:
  std::vector<KernelEvent> Lines;
  std::vector<uint32_t> Open; // entries without an exit so far, by increasing
                              // depth
};

} // namespace patchbay

#endif
