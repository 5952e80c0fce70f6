// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events in the blocks of a data file, put in order.
#ifndef PATCHBAY_TOOL_DATABLOCKS_H
#define PATCHBAY_TOOL_DATABLOCKS_H

#include "DataFile.h"
#include "llvm/ADT/bit.h"

namespace patchbay {

/// Blocks are written over, so they may be in any order in the file.
struct DataBlock {
  uint32_t Thread;
  uint64_t Seq, Pass;
  llvm::StringRef Records;
};

/// Adds the events of functions that Out knows to its threads; with OnlyThreads no
/// events, but what they say of threads. Sorts the blocks.
void addEvents(std::vector<DataBlock> &Blocks, llvm::endianness Order,
               bool OnlyThreads, DataFile &Out);

} // namespace patchbay

#endif
