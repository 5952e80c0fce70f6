// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many calls took how long, in buckets that are each twice as wide as the
// one before: bucket I begins at 2^I units, the first at 0.
#ifndef PATCHBAY_TOOL_HISTOGRAM_H
#define PATCHBAY_TOOL_HISTOGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace patchbay {

/// Counts a call. It is told the inverse of the unit, since there are millions of calls,
/// and a division takes longer than all else here.
void addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs, uint64_t Ns);
/// Where bucket I begins, in ns.
uint64_t bucketStart(double Unit, size_t I);
/// A line for each bucket from the first to the last with calls, in the form
/// that bpftrace prints.
void printHistogram(llvm::StringRef Title, double Unit,
                    llvm::ArrayRef<uint64_t> Buckets, llvm::raw_ostream &OS);

} // namespace patchbay

#endif
