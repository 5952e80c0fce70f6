// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a recording that is still being written, and counts what it contains. To count,
// reads only the heads of the data file's chunks and some bytes of each; counters are read
// completely.
#pragma once

#include "trace/format/format.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

struct RecordedNow {
  uint64_t Bytes = 0;  // size of the file
  uint64_t Calls =
      0; // calls counted by function_profile, with or without histograms
  uint64_t Events = 0; // approximate if a block is reused
  uint64_t Lost = 0, Missed = 0; // from pbd_losses
  uint32_t Error = 0;  // from pbd_header
};

/// File comes from the process, so it is not trusted. Stops at invalid data.
RecordedNow recordedNow(int File);

/// Copies the present contents of the data file From to the new file To, which
/// only its user can read. From comes from the recording process, so it is not
/// trusted. Copies no more than its header says, and leaves holes where nothing
/// was written. On error, To does not exist.
llvm::Error copyData(int From, llvm::StringRef To);

} // namespace patchbay
