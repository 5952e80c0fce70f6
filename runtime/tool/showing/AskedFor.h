// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PATCHBAY asked for, and which of it was in no process.
#ifndef PATCHBAY_TOOL_ASKEDFOR_H
#define PATCHBAY_TOOL_ASKEDFOR_H

#include "reading/Trace.h"

namespace patchbay {

/// "filter='x*'"
std::string askedText(const DataAsked &A);

/// "filter='x*', start-at='y'": what matches no function in any process; empty
/// if there is no such thing.
std::string matchedNothing(const Trace &T);

/// The same of one process.
std::string matchedNothing(const DataFile &Data);

} // namespace patchbay

#endif
