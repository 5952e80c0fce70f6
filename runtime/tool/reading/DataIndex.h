// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a recording of gigabytes quick to open: writes the times of its parts
// to the file, once, when its process has ended; see pbd_index.
#pragma once

#include "DataFile.h"

namespace patchbay {

/// Adds an index to a large data file without one. Summary is the result of
/// readDataSummary(). No process may record to the file. The file can also be
/// read without an index, so nothing here is an error.
void addIndex(llvm::StringRef Path, const DataFile &Summary);

} // namespace patchbay
