// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the lines of a thread to its calls: which exit is that of which entry.
#ifndef PATCHBAY_TOOL_KERNELCALLS_H
#define PATCHBAY_TOOL_KERNELCALLS_H

#include "KernelTrace.h"

namespace patchbay {

/// Resolution of the kernel's printed times.
constexpr uint64_t PrintedNs = 1000;

/// Lines of one thread, in their order. What is added is an event for each line; an
/// exit whose entry is not there gets one in finish().
class KernelCalls {
public:
  void enter(uint32_t Function, uint32_t Depth, uint64_t Time);
  /// Function: nothing if the line does not say. Returns false if there is no entry
  /// from which it could be known; nothing is added then.
  bool leave(std::optional<uint32_t> Function, uint32_t Depth, uint64_t Time,
             uint64_t Shortest, uint64_t Longest);
  /// All of them, with their partners.
  std::vector<KernelEvent> finish() const;

private:
  std::vector<KernelEvent> Lines;
  std::vector<uint32_t> Open; // entries without an exit so far, by growing depth
};

} // namespace patchbay

#endif
