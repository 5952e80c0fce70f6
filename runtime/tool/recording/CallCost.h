// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a traced call costs on this machine, with the tracer and the options of a
// recording that is to begin. --max-overhead reckons with it (trace/budget.h), and readers
// take it out of durations (reading/CallStream.h).
#ifndef PATCHBAY_TOOL_CALLCOST_H
#define PATCHBAY_TOOL_CALLCOST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

/// In picoseconds of CPU time.
struct CallCost {
  uint64_t All = 0;    // at least 1
  uint64_t Inside = 0; // of All, what is in the call's own duration; 0: not known
  uint64_t Pages = 0;  // of All, for new pages of the file, which few calls pay for
  uint64_t Error = 0;  // how far All may be off

  /// As in PATCHBAY; empty if Inside is not known.
  std::string option() const;
};

/// Runs CostProbe.c with the tracer, which takes some 10 ms. Options: for PATCHBAY, without
/// functions and output.
llvm::Expected<CallCost> measureCallCost(llvm::StringRef Tracer,
                                         llvm::StringRef Options);

} // namespace patchbay

#endif
