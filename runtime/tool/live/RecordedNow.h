// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a process has recorded by now: the heads of its data file's chunks,
// which it goes on writing, are looked at, and no more than some bytes of each,
// but for counts.
#ifndef PATCHBAY_TOOL_LIVE_RECORDEDNOW_H
#define PATCHBAY_TOOL_LIVE_RECORDEDNOW_H

#include "format.h"
#include <cstdint>

namespace patchbay {

struct RecordedNow {
  uint64_t Bytes = 0;  // of the file
  uint64_t Calls =
      0; // that were counted (function_profile, with histograms, too)
  uint64_t Events = 0; // about: of a block that is used again it is known roughly
  uint64_t Lost = 0, Missed = 0; // pbd_losses
  uint32_t Error = 0;  // pbd_header
};

/// File comes from the process, so nothing is expected of it: what makes no sense ends
/// the look.
RecordedNow recordedNow(int File);

} // namespace patchbay

#endif
