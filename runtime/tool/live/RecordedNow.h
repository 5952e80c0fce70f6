// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a process has recorded so far. The process may go on writing. Reads only the
// heads of the data file's chunks, and some bytes of each; counts are read completely.
#pragma once

#include "trace/format/format.h"
#include <cstdint>

namespace patchbay {

struct RecordedNow {
  uint64_t Bytes = 0;  // of the file
  uint64_t Calls =
      0; // counted by function_profile, with or without histograms
  uint64_t Events = 0; // approximate if a block is used again
  uint64_t Lost = 0, Missed = 0; // pbd_losses
  uint32_t Error = 0;  // pbd_header
};

/// File comes from the process, so it is not trusted. Stops at invalid data.
RecordedNow recordedNow(int File);

} // namespace patchbay
