// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the output of `trace-cmd report` for a trace.dat. It prints calls of
// function_graph as the kernel does, after a prefix that all events have.
#ifndef PATCHBAY_TOOL_TRACECMDREPORT_H
#define PATCHBAY_TOOL_TRACECMDREPORT_H

#include "KernelTrace.h"

namespace patchbay {

bool isTraceCmdReport(llvm::StringRef Text);

/// Fails at the first unknown line. Ignores events other than calls.
llvm::Expected<KernelTrace> readTraceCmdReport(llvm::StringRef Path,
                                               llvm::StringRef Text);

} // namespace patchbay

#endif
