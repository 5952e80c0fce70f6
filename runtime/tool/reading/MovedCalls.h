// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds calls that began in one thread and ended in another, such as those of
// fibers that move. If entries and exits are recorded, the entry is among one
// thread's events, and the exit, which has all data, among the other's.
#pragma once

#include "Trace.h"

namespace patchbay {

/// Sets each process's DataFile::Moved to the entries of such calls, so that they are
/// not shown as separate calls. Reads all events of processes that may have such calls.
void findMovedCalls(Trace &T);

} // namespace patchbay
