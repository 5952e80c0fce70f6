/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The x86-64 tramp, as the linker made it (abi.h):
 *
 *	      direct                      indirect
 *	 +0   e9 rel32  jmp target        a9 imm32  test $imm,%eax
 *	 +5   3e ff 25 rel32  notrack jmp *key->func(%rip)
 *	+12   0f b9 cc cc     never executed
 *
 * Other threads execute it all the time. Only its first byte is ever changed
 * under them, and a store of one byte is seen whole or not at all. The
 * displacement is changed while the first byte makes it the immediate of a test
 * instruction, whose result is dead: whatever part of it a thread sees, it
 * falls through to the jump.
 */
#include "static_call.h"

#include "text.h"

#include <patchbay/abi.h>

#include <errno.h>
#include <string.h>

#define DISP_OFFSET 1
#define INDIRECT_OFFSET PATCHBAY_X86_64_TRAMP_JMP_OFFSET
#define INDIRECT_DISP_OFFSET (PATCHBAY_X86_64_TRAMP_SIGNATURE_OFFSET - 4)
#define SIGNATURE_OFFSET PATCHBAY_X86_64_TRAMP_SIGNATURE_OFFSET

static int is_tramp_of(const uint8_t *tramp, const struct static_call_key *key)
{
	static const uint8_t indirect[] = { 0x3e, 0xff, 0x25 };
	static const uint8_t signature[] = { 0x0f, 0xb9, 0xcc, 0xcc };
	int32_t disp;

	if (tramp[0] != PATCHBAY_X86_64_TRAMP_DIRECT &&
	    tramp[0] != PATCHBAY_X86_64_TRAMP_INDIRECT)
		return 0;
	if (memcmp(tramp + INDIRECT_OFFSET, indirect, sizeof(indirect)) ||
	    memcmp(tramp + SIGNATURE_OFFSET, signature, sizeof(signature)))
		return 0;
	memcpy(&disp, tramp + INDIRECT_DISP_OFFSET, sizeof(disp));
	return (uintptr_t)tramp + SIGNATURE_OFFSET + (uintptr_t)(intptr_t)disp ==
	       (uintptr_t)&key->func;
}

/* One byte: done, or failed with nothing done. */
static int set_form(uintptr_t tramp, uint8_t old, uint8_t new)
{
	return pb_text_write(tramp, &old, &new, 1);
}

/* Of a tramp that is indirect. */
static int set_displacement(uintptr_t tramp, int32_t disp)
{
	int32_t old;
	int error;

	memcpy(&old, (const void *)(tramp + DISP_OFFSET), sizeof(old));
	if (old == disp)
		return 0;
	error = pb_text_write(tramp + DISP_OFFSET, &old, &disp, sizeof(disp));
	/*
	 * A thread that has fetched the former displacement must fetch it anew
	 * before the first byte makes a branch of it.
	 */
	return error ? error : pb_sync_core();
}

int pb_arch_static_call_update(struct static_call_key *key, uintptr_t tramp,
			       void *func)
{
	const uint8_t form = *(const uint8_t *)tramp;
	intptr_t disp = (intptr_t)((uintptr_t)func - tramp -
				   PATCHBAY_X86_64_TRAMP_JMP_OFFSET);
	void *former = key->func;
	int error;

	if (!is_tramp_of((const uint8_t *)tramp, key))
		return -EILSEQ;

	/* Read by the indirect form: release what @func's caller prepared. */
	__atomic_store_n(&key->func, func, __ATOMIC_RELEASE);
	if (form == PATCHBAY_X86_64_TRAMP_DIRECT) {
		error = set_form(tramp, PATCHBAY_X86_64_TRAMP_DIRECT,
				 PATCHBAY_X86_64_TRAMP_INDIRECT);
		if (error) {
			__atomic_store_n(&key->func, former, __ATOMIC_RELEASE);
			return error;
		}
	}
	/*
	 * Until here a thread may have fetched the direct form, or loaded the
	 * former target from the field; after it no thread goes there.
	 */
	error = pb_sync_core();
	if (error)
		return error;

	/*
	 * Every call goes to @func now. Going there directly is only faster, so
	 * it is no error if that fails; the next update tries again. Nor need
	 * anyone wait for it: both forms lead to @func.
	 */
	if (func && disp == (int32_t)disp &&
	    !set_displacement(tramp, (int32_t)disp))
		set_form(tramp, PATCHBAY_X86_64_TRAMP_INDIRECT,
			 PATCHBAY_X86_64_TRAMP_DIRECT);
	return 0;
}
