// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the cost of a traced call on this machine, with the tracer and options of the
// next recording. --max-overhead uses the cost (trace/budget/budget.h), and readers of the
// recording subtract the cost from durations (reading/CallStream.h).
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

/// In picoseconds of CPU time per call.
struct CallCost {
  uint64_t All = 0;    // for an empty function, the most expensive case; at least 1
  uint64_t Inside = 0; // the part of All that the call's own duration includes; 0:
                       // unknown
  uint64_t Pages = 0;  // the part of All for new pages of the file; few calls need a page
  uint64_t Error = 0;  // the possible error of the costs in option()

  /// The cost of a typical call as an option in PATCHBAY; empty if Inside is unknown.
  std::string option() const;
};

/// Runs CostProbe.c with the tracer, for some 10 ms. Options: the PATCHBAY options,
/// without functions and output. HasArena: a Recorder writes the events.
llvm::Expected<CallCost> measureCallCost(llvm::StringRef Tracer, llvm::StringRef Options,
                                         bool HasArena);

} // namespace patchbay
