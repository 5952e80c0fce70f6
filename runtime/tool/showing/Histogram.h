// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of calls by duration. Each bucket is twice as wide as the one before:
// bucket I begins at 2^I units, the first at 0.
#ifndef PATCHBAY_TOOL_HISTOGRAM_H
#define PATCHBAY_TOOL_HISTOGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace patchbay {

/// Counts a call. Takes the inverse of the unit, since it runs for millions of
/// calls, and a division would take most of the time.
void addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs, uint64_t Ns);
/// The beginning of bucket I, in ns.
uint64_t bucketStart(double Unit, size_t I);
/// Prints a line for each bucket from the first to the last one with calls, in
/// bpftrace's format.
void printHistogram(llvm::StringRef Title, double Unit,
                    llvm::ArrayRef<uint64_t> Buckets, llvm::raw_ostream &OS);

} // namespace patchbay

#endif
