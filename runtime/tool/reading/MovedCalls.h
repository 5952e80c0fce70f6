// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that began in one thread and ended in another, as those of fibers do that go on
// elsewhere: where both are recorded, the entry is in the one thread's events, and the
// exit, which says all there is to know, in the other's.
#ifndef PATCHBAY_TOOL_MOVEDCALLS_H
#define PATCHBAY_TOOL_MOVEDCALLS_H

#include "Trace.h"

namespace patchbay {

/// Lets each process's DataFile::Moved be the entries of such calls, which are no calls
/// of their own then. Looks at all events of processes that may have any.
void findMovedCalls(Trace &T);

} // namespace patchbay

#endif
