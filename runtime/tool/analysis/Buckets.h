// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of calls by duration. Each bucket is twice as wide as the one before:
// bucket I begins at 2^I units, the first at 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay {

/// Counts a call. The argument is the inverse of the unit, since a division for
/// each of millions of calls would take most of the time.
void addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs, uint64_t Ns);
/// The lower bound of bucket I, in ns.
uint64_t bucketStart(double Unit, size_t I);

} // namespace patchbay
