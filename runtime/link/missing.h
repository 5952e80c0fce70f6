/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the item of a list filter that has no function. */
#pragma once

#include <patchbay/patchbay.h>

/*
 * Returns the index of the first name or address in @filter's list that belongs to no function
 * with a site. Returns @filter->cnt if there is none, or on error.
 */
size_t pb_find_missing(const struct patchbay_filter *filter);
