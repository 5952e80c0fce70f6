/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash of a function's name, in lists and in tables of symbols. */
#ifndef PB_CORE_NAME_HASH_H
#define PB_CORE_NAME_HASH_H

#include <stdint.h>

static inline uint32_t pb_name_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

#endif /* PB_CORE_NAME_HASH_H */
