// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injection for architectures without a Stub.S: always fails.
#include "Injection.h"

using namespace llvm;
using namespace patchbay;

Expected<InjectionResult> patchbay::inject(ProcessMemory &Memory,
                                           const Injection &) {
  return Memory.error("nothing can be loaded into a running process on this "
                      "architecture yet: start it with 'patchbay record'");
}
