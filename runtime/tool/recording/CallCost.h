// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a traced call costs on this machine, with the tracer and the options of a
// recording that is to begin: --max-overhead reckons with it (trace/budget.h).
#ifndef PATCHBAY_TOOL_CALLCOST_H
#define PATCHBAY_TOOL_CALLCOST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

/// In picoseconds of processor time, at least 1. Runs CostProbe.c without and with the
/// tracer, which takes some 20 ms. Options: for PATCHBAY, without functions and output.
llvm::Expected<uint64_t> measureCallCost(llvm::StringRef Tracer,
                                         llvm::StringRef Options);

} // namespace patchbay

#endif
