// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's command-line options (clang: -mllvm -patchbay-...). What selects
// functions by name or size belongs here too.
#ifndef PATCHBAY_LLVM_PASS_OPTIONS_H
#define PATCHBAY_LLVM_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace patchbay {

extern llvm::cl::opt<bool> Disable;

} // namespace patchbay

#endif
