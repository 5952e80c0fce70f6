// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buckets.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace patchbay;

void patchbay::addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs,
                            uint64_t Ns) {
  uint64_t Units = uint64_t(std::min(double(Ns) * UnitsPerNs, 9e18));
  size_t I = Units ? Log2_64(Units) : 0;
  if (Buckets.size() <= I)
    Buckets.resize(I + 1);
  ++Buckets[I];
}

uint64_t patchbay::bucketStart(double Unit, size_t I) {
  return I ? uint64_t(std::min(std::ldexp(Unit, int(I)) + 0.5, 9e18)) : 0;
}
