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
 *	DECLARE_STATIC_CALL(name, func)       in a header; func is a function, or
 *	                                      a function type
 *	DEFINE_STATIC_CALL(name, func)        once, in a C or C++ file; func is
 *	                                      the first target
 *	DEFINE_STATIC_CALL_NULL(name, func)   func has the type, the first target
 *	                                      is NULL
 *	DEFINE_STATIC_CALL_RET0(name, func)   the first target returns 0
 *
 *	DEFINE_EXPORTED_STATIC_CALL(name, func)         the same, for all shared
 *	DEFINE_EXPORTED_STATIC_CALL_NULL(name, func)    objects and executables
 *	DEFINE_EXPORTED_STATIC_CALL_RET0(name, func)    of the process
 *
 *	static_call(name)(args...)            call it
 *	static_call_cond(name)(args...)       call it, without a result
 *	static_call_update(name, func)        from now on it goes to func
 *	static_call_query(name)               where it goes
 *
 *	static_call_patch_sites(enable)       whether callers are patched, too
 *
 * The names and the meaning are the Linux kernel's (include/linux/static_call.h)
 * where it has them.
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
 * without it a link ends with an undefined __SCT__checksum. Programs that do
 * more than call need -lpatchbay, too. All DECLARE_ and DEFINE_ macros stand at
 * file scope, without `static`. Names are global, and in C++ those of no
 * namespace. For C99 or C++11 and later, with the GNU extensions of clang or GCC.
 *
 * NULL and RET0
 * -------------
 * A static call whose target is NULL does nothing, unlike a function pointer:
 * the tramp returns at once. What it returns, if that is not void, is
 * undefined, so use static_call_cond(), which drops it. One whose target is
 * STATIC_CALL_RET0(name) returns 0; use it where that is an integer or pointer.
 *
 *	DEFINE_STATIC_CALL_NULL(trace_event, trace_event_full);
 *
 *	static_call_cond(trace_event)(event);
 *	static_call_update(trace_event, trace_event_full);
 *	static_call_update(trace_event, NULL);
 *
 * In the key NULL is the address of __static_call_nop(), so that nothing ever
 * jumps to 0; static_call_query() says NULL.
 *
 * Executables and shared objects
 * ------------------------------
 * Each link unit, executable or shared object, has tramps of its own for the
 * static calls that it makes, so a call never leaves it on the way to its tramp.
 * An update changes the tramps of all of them.
 *
 * A key that DEFINE_STATIC_CALL() defines is hidden: the static call is called
 * and updated in the link unit that defines it, and others may use the name for
 * another. One that DEFINE_EXPORTED_STATIC_CALL() defines has protected
 * visibility. Other units DECLARE_STATIC_CALL() it and then call, query and
 * update it as if it were theirs. Compile those with -fPIC or -fPIE (-fno-pic
 * would copy the key, which the linker refuses), and link an executable whose
 * key is used by what it loads with -rdynamic, or name the key with
 * -Wl,--export-dynamic-symbol=__SCK__name.
 *
 * Shared objects may come and go while updates run. One that is loaded finds
 * the target in the key that it imports, whatever it is by then, and jumps
 * there directly from the next update on. Before unloading one, update the
 * static calls that go to its functions.
 *
 * Types
 * -----
 * The type of a target is that of the first one, and the compiler checks it in
 * static_call_update() like any assignment to a function pointer. If the file
 * that defines the key is compiled with -fsanitize=kcfi, so does the update
 * itself: it refuses a function whose kCFI hash is another, or that has none,
 * where a call through a pointer would have trapped. So functions of libraries
 * that are built without kCFI need one that calls them. The call itself checks
 * nothing, because it is a direct one.
 *
 * Where a processor tracks indirect branches (IBT on x86-64, BTI on AArch64) a
 * target begins with a landing pad, as that of any pointer to a function: it may be
 * jumped to through the key. So on x86-64 it is no function with
 * __attribute__((nocf_check)).
 *
 * Calling conventions
 * -------------------
 * Tramps keep what the C convention keeps and all registers that arguments are in.
 * On x86-64 they keep those of preserve_none and preserve_most, too, but for one
 * case: a key of another link unit, DEFINE_EXPORTED_STATIC_CALL(), takes r11 on the
 * way through the key, in which preserve_none has the 11th argument in a
 * general-purpose register. So declare no such function with more than ten there.
 *
 * Updates
 * -------
 * static_call_update() may be called at any time from any thread, but not from
 * a signal handler, a callback of dl_iterate_phdr(), or an ifunc resolver. A
 * call that begins after it has returned goes to the new target; one that began
 * before may be in the former one, or on its way there. One that begins
 * meanwhile goes to either. It returns 0 or a negative errno, and then calls go
 * where they went before:
 *
 *	-EINVAL   the target's kCFI hash is not that of the static call
 *	-EXDEV    ppc64le: a tramp that was linked for targets of its own link
 *	          unit only cannot call this one (nor may it one that is
 *	          compiled to have no TOC pointer, which is not noticed)
 *	-EILSEQ   the code of a tramp, or of a call site that was patched, is not
 *	          such as the linker or this library wrote; or a tool like
 *	          llvm-bolt moved the tramp (lld-patch/README.md: how it does not)
 *	-ENOENT   no link unit has a tramp for this key: it was not linked by
 *	          Patchbay's linker
 *	-EPROTONOSUPPORT  the key is in a loaded module whose static calls are of
 *	          another version. Such a module is left alone otherwise: its calls
 *	          for keys of other modules load the target from the key
 *	-ENOEXEC  a loaded module's tables of static calls are damaged
 *	others    of /proc/thread-self/mem or membarrier(2)
 *
 * Emulation of a single program (qemu-user 7.2) goes on to execute what it has
 * translated before: an update succeeds there, but calls do not follow.
 *
 * A target out of reach of a tramp's direct branch is jumped to through the
 * pointer in the key. x86-64 reaches 2 GB, AArch64 128 MB, ppc64le 32 MB.
 *
 * Call sites
 * ----------
 * Callers reach the target by two direct branches, the call and the tramp's. An
 * update can also make the call itself lead to the target, where that is in
 * reach and neither NULL nor RET0; else it leads to the tramp.
 *
 *	AArch64   done by default. Branches are changed one aligned word at a
 *	          time, as the architecture allows.
 *	x86-64    done after static_call_patch_sites(1), where a call's
 *	          displacement lies within an aligned word of 8 bytes. It is
 *	          changed while threads execute the call: AMD allows that (APM vol.
 *	          2, 7.6.1), Intel asks for synchronization that a library cannot
 *	          enforce (SDM vol. 3A, 9.1.3); and a kernel may copy the 4 bytes
 *	          one by one where the processor has FSRM. So it is for those who
 *	          know their machines, and for processes of one thread.
 *	ppc64le   never, because it is not safe: the tramp saves the TOC pointer
 *	          that the instruction behind the call restores, so two
 *	          instructions would have to change at once.
 *
 * static_call_patch_sites() enables or disables this for the process. At once
 * it leads all call sites of the loaded link units to where their static calls
 * go (1), or back to the tramps (0). Those that are loaded later begin with
 * their tramps, and follow with the next update of each static call, or when
 * static_call_patch_sites(1) is called again. It may be called where
 * static_call_update() may, and returns 0 or a negative errno: -EOPNOTSUPP
 * (enabling it on ppc64le), or those above, where some call sites stay as they
 * were, which is no less right.
 *
 * ppc64le
 * -------
 * A target with another TOC than the tramp's link unit, within 32 MB, is
 * branched to directly, too, with its TOC pointer set up before (near form). A
 * tramp can do so for the first such TOC that it meets; the targets of further
 * ones are jumped to through the key.
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
 * The tramp is hidden, because every link unit has its own; so the call is
 * direct also with -fno-plt. On ppc64le the linker makes it so, because clang
 * leaves room for restoring the TOC pointer only behind calls of functions that
 * could be elsewhere.
 */
#ifdef __powerpc64__
#define PATCHBAY_TRAMP_VISIBILITY
#else
#define PATCHBAY_TRAMP_VISIBILITY PATCHBAY_HIDDEN
#endif

/*
 * The tramp is declared with the target's type, so a call of it is checked and
 * compiled like one of the target. The key may be imported.
 */
#define DECLARE_STATIC_CALL(name, func)                                        \
	PATCHBAY_EXTERN_C struct static_call_key STATIC_CALL_KEY(name);        \
	PATCHBAY_EXTERN_C __typeof__(func) STATIC_CALL_TRAMP(name)             \
		PATCHBAY_TRAMP_VISIBILITY

/*
 * With -fsanitize=kcfi clang emits the hash of each function that is declared
 * and whose address is taken, as the tramp's is here, as the value of an
 * absolute symbol. It is weak, so it is 0 without.
 */
#define PATCHBAY_TYPE_SYMBOL(name) "__kcfi_typeid___SCT__" #name
#define PATCHBAY_TYPE(name) __static_call_type_##name

#define PATCHBAY_DEFINE_STATIC_CALL(name, func, target, vis)                   \
	DECLARE_STATIC_CALL(name, func);                                       \
	PATCHBAY_EXTERN_C const char PATCHBAY_TYPE(name)[]                     \
		__asm__(PATCHBAY_TYPE_SYMBOL(name))                            \
		__attribute__((weak)) PATCHBAY_HIDDEN;                         \
	PATCHBAY_EXTERN_C struct static_call_key STATIC_CALL_KEY(name)         \
		__attribute__((visibility(vis)));                              \
	struct static_call_key STATIC_CALL_KEY(name) = {                       \
		(void *)(target),                                              \
		(void *)&STATIC_CALL_TRAMP(name),                              \
		(uint64_t)(uintptr_t)PATCHBAY_TYPE(name),                      \
	}

#define DEFINE_STATIC_CALL(name, func)                                         \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, func, "hidden")
#define DEFINE_STATIC_CALL_NULL(name, func)                                    \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, &__static_call_nop, "hidden")
#define DEFINE_STATIC_CALL_RET0(name, func)                                    \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, &__static_call_return0,        \
				    "hidden")

#define DEFINE_EXPORTED_STATIC_CALL(name, func)                                \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, func, "protected")
#define DEFINE_EXPORTED_STATIC_CALL_NULL(name, func)                           \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, &__static_call_nop, "protected")
#define DEFINE_EXPORTED_STATIC_CALL_RET0(name, func)                           \
	PATCHBAY_DEFINE_STATIC_CALL(name, func, &__static_call_return0,        \
				    "protected")

#define static_call(name) STATIC_CALL_TRAMP(name)
#define static_call_cond(name) (void)STATIC_CALL_TRAMP(name)

#define static_call_update(name, func)                                         \
	__extension__({                                                        \
		__typeof__(&STATIC_CALL_TRAMP(name)) __new_func = (func);      \
		__static_call_update(&STATIC_CALL_KEY(name),                   \
				     (void *)__new_func);                      \
	})

#define static_call_query(name)                                                \
	((__typeof__(&STATIC_CALL_TRAMP(name)))__static_call_query(            \
		&STATIC_CALL_KEY(name)))

/* A target that returns 0. */
#define STATIC_CALL_RET0(name)                                                 \
	((__typeof__(&STATIC_CALL_TRAMP(name)))(void *)&__static_call_return0)

PATCHBAY_EXTERN_C int static_call_patch_sites(int enable);

/* What a key's func is instead of NULL, and to return 0. */
PATCHBAY_EXTERN_C void __static_call_nop(void);
PATCHBAY_EXTERN_C long __static_call_return0(void);

/* What static_call_update() calls; it does not know the type of @func. */
PATCHBAY_EXTERN_C int __static_call_update(struct static_call_key *key,
					   void *func);

static inline void *__static_call_query(const struct static_call_key *key)
{
	void *func = __atomic_load_n(&key->func, __ATOMIC_ACQUIRE);

	return func == (void *)&__static_call_nop ? NULL : func;
}

#endif /* PATCHBAY_STATIC_CALL_H */
