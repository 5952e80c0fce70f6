// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function called which: calls that were reached in the same way, summed.
#ifndef PATCHBAY_TOOL_CALLTREE_H
#define PATCHBAY_TOOL_CALLTREE_H

#include "Trace.h"

namespace patchbay {

struct CallNode {
  uint64_t Calls = 0, Total = 0, Self = 0;
  std::map<uint32_t, CallNode> Subs; // by function
};

/// Of all threads, below a node of no function. With a Root, what that function
/// called, wherever it was called.
CallNode callTree(const Trace &T, llvm::StringRef Root = "");

} // namespace patchbay

#endif
