// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

using namespace llvm;

static cl::OptionCategory Category("Patchbay options");

cl::opt<bool> patchbay::Disable(
    "patchbay-disable",
    cl::desc("Leave every function alone, as if the plugin were not loaded"),
    cl::cat(Category));
