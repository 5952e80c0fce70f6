// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints numbers of calls by duration (Buckets.h).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

/// Prints a line for each bucket from the first to the last one with calls, in
/// bpftrace's format.
void printHistogram(llvm::StringRef Title, double Unit,
                    llvm::ArrayRef<uint64_t> Buckets, llvm::raw_ostream &OS);

} // namespace patchbay
