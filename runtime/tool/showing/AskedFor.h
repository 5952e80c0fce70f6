// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that PATCHBAY asked for, and those that no process had.
#ifndef PATCHBAY_TOOL_ASKEDFOR_H
#define PATCHBAY_TOOL_ASKEDFOR_H

#include "reading/Trace.h"

namespace patchbay {

/// "filter='x*'"
std::string askedText(const DataAsked &A);

/// "filter='x*', start-at='y'": names without a function in any process; empty
/// if there are none.
std::string matchedNothing(const Trace &T);

/// The same for one process.
std::string matchedNothing(const DataFile &Data);

} // namespace patchbay

#endif
