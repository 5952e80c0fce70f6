/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardened.h"

#include "enter.h"
#include "hash.h"
#include "os/linux.h"
#include "tracer.h"

#include <errno.h>
#include <string.h>

int pb_hardened;

/* The hash of a function that has one. */
static uint32_t hash_of(uintptr_t func)
{
	uint32_t hash;

	memcpy(&hash, (const void *)(func + (uintptr_t)PATCHBAY_HASH_OFFSET),
	       sizeof(hash));
	return hash;
}

int pb_hardened_is_handler(patchbay_handler func)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)func;

	return pb_arch_hash_is(code - pb_arch_hash_size,
			       hash_of((uintptr_t)pb_enter_nothing));
}

/* There may be nothing before @func, or nothing at it. */
static int check(int text, uintptr_t func, uintptr_t typed)
{
	uint8_t before[8];

	if (pb_os_text_read(text, func - pb_arch_hash_size, before,
			    pb_arch_hash_size) ||
	    !pb_arch_hash_is(before, hash_of(typed)))
		return -EACCES;
	return 0;
}

int pb_hardened_check(const struct patchbay_ops_attr *attr)
{
	int text = pb_os_text_open(), error = 0;

	if (text < 0)
		return text;
	if (attr->handler)
		error = check(text, (uintptr_t)attr->handler,
			      (uintptr_t)pb_enter_nothing);
	if (!error && attr->exit)
		error = check(text, (uintptr_t)attr->exit,
			      (uintptr_t)pb_enter_nothing);
	if (!error && attr->attach)
		error = check(text, (uintptr_t)attr->attach,
			      (uintptr_t)pb_typed_attach);
	if (!error && attr->check)
		error = check(text, (uintptr_t)attr->check,
			      (uintptr_t)pb_typed_check);
	pb_os_text_close(text);
	return error;
}

int pb_hardened_init(void)
{
	int error = pb_typed ? 0 : -EOPNOTSUPP;

	for (const struct patchbay_ops *ops = pb_tracers; ops && !error;
	     ops = ops->next)
		error = pb_hardened_check(&ops->attr);
	if (!error)
		pb_hardened = 1;
	return error;
}
