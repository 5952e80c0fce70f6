// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a recording that is still being written, and counts its events. Counting reads only
// the heads of the data file's chunks and some bytes of each chunk, but counters completely.
#pragma once

#include "trace/format/format.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

struct RecordedNow {
  uint64_t Bytes = 0;  // size of the file
  uint64_t Calls =
      0; // calls counted by function_profile, with or without histograms
  uint64_t Events = 0; // approximate if blocks are reused
  uint64_t Lost = 0, Missed = 0; // from pbd_losses
  uint32_t Error = 0;  // from pbd_header
};

/// Counts the contents of a data file. Stops at invalid data, since an untrusted process
/// supplies the file.
RecordedNow recordedNow(int File);

/// Copies the current contents of the data file From to the new file To, which only its owner
/// can read. Copies no more bytes than From's header says, and keeps holes. From is untrusted,
/// since the recorded process supplies it. On error, To does not exist.
llvm::Error copyData(int From, llvm::StringRef To);

} // namespace patchbay
