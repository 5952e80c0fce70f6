// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a recording of gigabytes quick to open: of which time each part of it is,
// written down once when its process has ended; see pbd_index.
#ifndef PATCHBAY_TOOL_DATAINDEX_H
#define PATCHBAY_TOOL_DATAINDEX_H

#include "DataFile.h"

namespace patchbay {

/// Of a data file that is large and has none yet; Summary is what readDataSummary() said
/// of it. Nobody may be recording to it. Without an index the file can be read as well, so
/// whatever is in the way is no error.
void addIndex(llvm::StringRef Path, const DataFile &Summary);

} // namespace patchbay

#endif
