/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * There are no static calls on riscv64: the linker refuses --static-calls for this
 * target, so no module has tramps. A module that claims to have some is refused.
 */
#include "static_call/static_call.h"

#include <patchbay/abi.h>

#include <errno.h>
#include <string.h>

const size_t pb_arch_hash_size = PATCHBAY_HASH_SIZE;
const enum pb_call_sites pb_arch_call_sites = PB_CALL_SITES_NEVER;

void pb_arch_target(int text, struct pb_target *target)
{
	(void)text;
	target->entry = 0;
}

bool pb_arch_hash_is(const uint8_t *before, uint32_t type)
{
	return !memcmp(before, &type, sizeof(type));
}

int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target)
{
	(void)tramp;
	(void)target;
	return -EILSEQ;
}

int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp)
{
	(void)text;
	(void)tramp;
	return -EILSEQ;
}

int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target)
{
	(void)text;
	(void)tramp;
	(void)target;
	return -ERANGE;
}

int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target)
{
	(void)text;
	(void)tramp;
	(void)target;
	return -ERANGE;
}

int pb_arch_call_site(uintptr_t site, uintptr_t *to)
{
	(void)site;
	(void)to;
	return -EILSEQ;
}

int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to)
{
	(void)text;
	(void)site;
	(void)to;
	return -ERANGE;
}
