// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the thread and the time of each part of a file's blocks. Keeps no
// events: see EventWindows.h.
#pragma once

#include "DataFile.h"

namespace patchbay {

/// Adds the data in the blocks to the threads of Out; with OnlyThreads just
/// names and numbers. Sorts the blocks. The functions of Out must be complete.
void addBlocks(DataFile &Out, bool OnlyThreads);

/// Adds numbers of events to the threads of Out. They are approximate if there
/// are many, to save time. Sorts the blocks.
void countEvents(DataFile &Out);

} // namespace patchbay
