/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The key of Patchbay's static call. The linker makes the tramp. */
#include "hot_form.h"

DEFINE_STATIC_CALL(hot, hot_callee);
