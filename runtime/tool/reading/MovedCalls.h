// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that began in one thread and ended in another, such as those of fibers
// that move. If both are recorded, the entry is in one thread's events. The
// exit, which has all data, is in the other's.
#pragma once

#include "Trace.h"

namespace patchbay {

/// Sets each process's DataFile::Moved to the entries of such calls, which are not shown
/// as separate calls. Reads all events of processes that may have any.
void findMovedCalls(Trace &T);

} // namespace patchbay
