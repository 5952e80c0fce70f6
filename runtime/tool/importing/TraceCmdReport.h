// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `trace-cmd report` prints of a trace.dat. It prints the calls of function_graph
// as the kernel does, behind what it has before any event.
#ifndef PATCHBAY_TOOL_TRACECMDREPORT_H
#define PATCHBAY_TOOL_TRACECMDREPORT_H

#include "KernelTrace.h"

namespace patchbay {

bool isTraceCmdReport(llvm::StringRef Text);

/// Fails at the first line that it does not know; events other than calls are left out.
llvm::Expected<KernelTrace> readTraceCmdReport(llvm::StringRef Path,
                                               llvm::StringRef Text);

} // namespace patchbay

#endif
