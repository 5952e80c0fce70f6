// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a process has recorded so far, while the process may continue to write.
// Reads only the heads of the data file's chunks and some bytes of each; counters are
// read completely.
#pragma once

#include "trace/format/format.h"
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

} // namespace patchbay
