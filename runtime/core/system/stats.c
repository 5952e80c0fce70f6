/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/stats.h"

struct pb_stats pb_stats;
