// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which part of a file's blocks is of which thread, and of what time it is.
// Of the events themselves nothing is kept: see EventWindows.h.
#ifndef PATCHBAY_TOOL_DATABLOCKS_H
#define PATCHBAY_TOOL_DATABLOCKS_H

#include "DataFile.h"
#include "llvm/ADT/bit.h"

namespace patchbay {

/// Adds to the threads of Out what its blocks say of them; with OnlyThreads just
/// their names and numbers. Sorts the blocks. Functions of Out are complete.
void addBlocks(DataFile &Out, bool OnlyThreads);

/// Adds to the threads of Out how many events they have, roughly if these are many: so
/// that it does not take long. Sorts the blocks.
void countEvents(DataFile &Out);

} // namespace patchbay

#endif
