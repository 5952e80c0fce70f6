/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* kCFI hashes of functions; arch/<name>/static_call.c. */
#ifndef PB_CORE_HASH_H
#define PB_CORE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The kCFI hash of a function is within this many bytes before it: whether it
 * is that of functions of @type.
 */
extern const size_t pb_arch_hash_size;
bool pb_arch_hash_is(const uint8_t *before, uint32_t type);

#endif /* PB_CORE_HASH_H */
