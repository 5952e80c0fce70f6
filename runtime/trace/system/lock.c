/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

__thread int pb_untraced __attribute__((tls_model("initial-exec")));
__thread int pb_locked __attribute__((tls_model("initial-exec")));
