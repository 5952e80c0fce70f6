// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a recording of gigabytes quick to open: writes the times of its parts
// to the file once, after its process has ended. See pbd_index.
#pragma once

#include "DataFile.h"

namespace patchbay {

/// Adds an index to a large data file without one. Summary is the result of
/// readDataSummary(). No process may be recording to the file. Ignores errors,
/// since the file can be read without an index.
void addIndex(llvm::StringRef Path, const DataFile &Summary);

} // namespace patchbay
