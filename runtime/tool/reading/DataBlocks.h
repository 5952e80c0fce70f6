// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the thread and the time of each part of a file's blocks, without
// keeping events: EventWindows.h reads those.
#pragma once

#include "DataFile.h"

namespace patchbay {

/// Adds the data in the blocks to the threads of Out; with OnlyThreads only
/// numbers and names of threads. Sorts the blocks. The functions of Out must be
/// complete.
void addBlocks(DataFile &Out, bool OnlyThreads);

/// Adds the number of events to each thread of Out. With many events, the
/// numbers are approximate to save time. Sorts the blocks.
void countEvents(DataFile &Out);

} // namespace patchbay
