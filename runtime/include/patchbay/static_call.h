/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Static calls: calls through a pointer that rarely changes, at the price of
 * direct calls.
 *
 * Overview
 * --------
 * A static call replaces a global function pointer. Callers execute a direct
 * call to a small piece of code, the tramp, which jumps directly to where the
 * pointer points; changing the pointer patches the tramp. There is no indirect
 * branch to predict, to protect with a retpoline or to check for its type.
 *
 *	DECLARE_STATIC_CALL(name, func)     in a header; func is a function, or
 *	                                    a function type
 *	DEFINE_STATIC_CALL(name, func)      once, in a C or C++ file; func is the
 *	                                    first target
 *	static_call(name)(args...)          call it
 *	static_call_update(name, func)      from now on it goes to func
 *	static_call_query(name)             where it goes
 *
 * The names and the meaning are the Linux kernel's (include/linux/static_call.h).
 *
 * Usage example
 * -------------
 *	int checksum_generic(const void *data, size_t size);
 *	int checksum_avx2(const void *data, size_t size);
 *
 *	DEFINE_STATIC_CALL(checksum, checksum_generic);
 *
 *	void init(void)
 *	{
 *		if (__builtin_cpu_supports("avx2"))
 *			static_call_update(checksum, checksum_avx2);
 *	}
 *
 *	int verify(const void *data, size_t size)
 *	{
 *		return static_call(checksum)(data, size) == 0;
 *	}
 *
 * Link with -Wl,--static-calls by Patchbay's ld.lld, which makes the tramps:
 * without it a link ends with an undefined __SCT__checksum. Programs that use
 * static_call_update() need -lpatchbay, too. Both macros stand at file scope,
 * without `static`.
 *
 * What to know
 * ------------
 * The type of a target is that of the first one; the compiler checks it in
 * static_call_update() like any assignment to a function pointer. kCFI checks
 * nothing at a static call, because it is a direct one.
 *
 * static_call_update() may be called at any time from any thread but a signal
 * handler. When it returns, no thread enters the former target through the
 * tramp any more; a thread that did so before may still be in there. Until it
 * returns a call goes to either. It returns 0 or a negative errno:
 *
 *	-EILSEQ   the tramp's bytes are not such as the linker or this library
 *	          wrote; nothing is changed
 *	others    of /proc/self/mem or membarrier(2); the call goes to one of
 *	          the two targets, as static_call_query() says
 *
 * A target that the tramp's jump does not reach (x86-64: 2 GB, so a target in
 * another module as a rule) is jumped to through the pointer in the key.
 *
 * A NULL target is like a NULL function pointer: not to be called.
 *
 * A key is hidden: a static call is called and updated in the executable or
 * shared object that defines it. To offer it to others export a function.
 */
#ifndef PATCHBAY_STATIC_CALL_H
#define PATCHBAY_STATIC_CALL_H

#include <patchbay/abi.h>

/* The names that abi.h has as strings, for the linker. */
#define STATIC_CALL_KEY(name) __SCK__##name
#define STATIC_CALL_TRAMP(name) __SCT__##name

#ifdef __cplusplus
#define PATCHBAY_EXTERN_C extern "C"
#else
#define PATCHBAY_EXTERN_C extern
#endif
#define PATCHBAY_HIDDEN __attribute__((visibility("hidden")))

/*
 * The tramp is declared with the target's type, so a call of it is checked and
 * compiled like one of the target. It is hidden, because every executable or
 * shared object has tramps of its own.
 */
#define DECLARE_STATIC_CALL(name, func)                                        \
	PATCHBAY_EXTERN_C struct static_call_key STATIC_CALL_KEY(name)         \
		PATCHBAY_HIDDEN;                                               \
	PATCHBAY_EXTERN_C __typeof__(func) STATIC_CALL_TRAMP(name)             \
		PATCHBAY_HIDDEN

#define DEFINE_STATIC_CALL(name, func)                                         \
	DECLARE_STATIC_CALL(name, func);                                       \
	struct static_call_key STATIC_CALL_KEY(name) = {                       \
		(void *)(func),                                                \
		(void *)&STATIC_CALL_TRAMP(name),                              \
	}

#define static_call(name) STATIC_CALL_TRAMP(name)

#define static_call_update(name, func)                                         \
	__extension__({                                                        \
		__typeof__(&STATIC_CALL_TRAMP(name)) __new_func = (func);      \
		__static_call_update(&STATIC_CALL_KEY(name),                   \
				     (void *)&STATIC_CALL_TRAMP(name),         \
				     (void *)__new_func);                      \
	})

#define static_call_query(name)                                                \
	((__typeof__(&STATIC_CALL_TRAMP(name)))__atomic_load_n(                \
		&STATIC_CALL_KEY(name).func, __ATOMIC_ACQUIRE))

/* What static_call_update() calls; it does not know the type of @func. */
PATCHBAY_EXTERN_C int __static_call_update(struct static_call_key *key,
					   void *tramp, void *func);

#endif /* PATCHBAY_STATIC_CALL_H */
