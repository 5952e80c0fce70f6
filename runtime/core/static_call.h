/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What static calls need from an architecture: arch/<name>/static_call.c.
 */
#ifndef PB_CORE_STATIC_CALL_H
#define PB_CORE_STATIC_CALL_H

#include <stdint.h>

struct static_call_key;

/*
 * Make @key's func and the tramp at @tramp go to @func, while other threads
 * execute the tramp. When it returns 0, no thread enters the former target
 * through the tramp any more.
 *
 * -EILSEQ: what is at @tramp is not a tramp of @key; nothing is changed.
 * Otherwise the error of text.h's functions; the tramp and the field then agree
 * on a target.
 *
 * The caller holds the engine lock.
 */
int pb_arch_static_call_update(struct static_call_key *key, uintptr_t tramp,
			       void *func);

#endif /* PB_CORE_STATIC_CALL_H */
