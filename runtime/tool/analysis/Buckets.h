// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of calls by duration. Each bucket is twice as wide as the one before:
// bucket I begins at 2^I units, the first at 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay {

/// Counts a call. Takes the inverse of the unit, since it runs for millions of
/// calls, and a division would take most of the time.
void addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs, uint64_t Ns);
/// The beginning of bucket I, in ns.
uint64_t bucketStart(double Unit, size_t I);

} // namespace patchbay
