// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a traced call on this machine, with the tracer and options of a recording
// that is about to begin. --max-overhead uses it (trace/budget/budget.h), and readers
// subtract it from durations (reading/CallStream.h).
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

/// In picoseconds of CPU time per call.
struct CallCost {
  uint64_t All = 0;    // for an empty function, where it is highest; at least 1
  uint64_t Inside = 0; // the part of All that the call's own duration includes; 0:
                       // unknown
  uint64_t Pages = 0;  // the part of All for new pages of the file, which few calls need
  uint64_t Error = 0;  // the possible error of the costs in option()

  /// The cost of a typical call as an option in PATCHBAY; empty if Inside is unknown.
  std::string option() const;
};

/// Runs CostProbe.c with the tracer, which takes some 10 ms. Options: the PATCHBAY
/// options, without functions and output. HasArena: a Recorder writes the events.
llvm::Expected<CallCost> measureCallCost(llvm::StringRef Tracer, llvm::StringRef Options,
                                         bool HasArena);

} // namespace patchbay
