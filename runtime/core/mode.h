/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_CORE_MODE_H
#define PB_CORE_MODE_H

#include <patchbay/patchbay.h>

/* PATCHBAY_MODE_* that are on; see lock.h. */
extern unsigned int pb_modes;

#endif /* PB_CORE_MODE_H */
