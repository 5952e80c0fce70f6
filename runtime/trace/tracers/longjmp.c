/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wrappers of longjmp(3), _longjmp(), siglongjmp() and their _FORTIFY_SOURCE variants,
 * which record the calls that a jump leaves, like calls that exceptions leave. Jumps within
 * the C library, or by other code, stay unnoticed.
 */
#include "tracers.h"

#include <jump.h>

#include <patchbay/exit.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* The number by which the C library XORs the stack pointer in a jmp_buf; 1: unknown. */
static uintptr_t key = 1;

static uintptr_t kept(const struct __jmp_buf_tag *env)
{
	uintptr_t word = ((const uintptr_t *)&env->__jmpbuf)[PB_JUMP_SLOT];

	return word >> PB_JUMP_ROTATED | word << (-PB_JUMP_ROTATED & 63);
}

/*
 * Computes the key from the encoded and the plain stack pointer. glibc encodes it by a
 * random number (PTR_MANGLE), whose location differs between versions.
 */
__attribute__((noinline)) static void find_key(void)
{
	jmp_buf env;

	if (_setjmp(env))
		return;
	key = kept(env) ^ pb_jump_sp();
}

typedef void (*jump)(struct __jmp_buf_tag *, int) __attribute__((noreturn));

__attribute__((noreturn)) static void
go(jump *next, const char *name, struct __jmp_buf_tag *env, int value)
{
	/*
	 * *@next is NULL if longjmp() runs before pb_longjmp_start(); such a jump is not
	 * recorded.
	 */
	if (!*next)
		*next = (jump)dlsym(RTLD_NEXT, name);
	if (key != 1)
		patchbay_jump(kept(env) ^ key);
	(*next)(env, value);
}

#define IN_FRONT_OF(name)                                                     \
	__attribute__((visibility("default"), noreturn)) void                 \
	pb_##name(struct __jmp_buf_tag *env, int value) __asm__(#name);       \
	static jump next_##name;                                              \
	void pb_##name(struct __jmp_buf_tag *env, int value)                  \
	{                                                                     \
		go(&next_##name, #name, env, value);                          \
	}

IN_FRONT_OF(longjmp)
IN_FRONT_OF(_longjmp)
IN_FRONT_OF(siglongjmp)
IN_FRONT_OF(__longjmp_chk)

void pb_longjmp_start(void)
{
	/* Look up the functions now, because signal handlers must not call dlsym(). */
	next_longjmp = (jump)dlsym(RTLD_NEXT, "longjmp");
	next__longjmp = (jump)dlsym(RTLD_NEXT, "_longjmp");
	next_siglongjmp = (jump)dlsym(RTLD_NEXT, "siglongjmp");
	next___longjmp_chk = (jump)dlsym(RTLD_NEXT, "__longjmp_chk");
	find_key();
}
