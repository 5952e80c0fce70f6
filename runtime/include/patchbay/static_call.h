/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Static calls: calls through a pointer that rarely changes, at the cost of
 * direct calls.
 *
 * Overview
 * --------
 * A static call replaces a global function pointer. Callers execute a direct
 * call to a small piece of code, the tramp, which jumps directly to the
 * pointer's target. Changing the pointer patches the tramp. There is no indirect
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
 *	static_call_update(name, func)        change its target to func
 *	static_call_query(name)               its current target
 *
 *	static_call_patch_sites(enable)       also patch callers, or not
 *
 * Names and semantics are the Linux kernel's (include/linux/static_call.h), where the
 * kernel has them.
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
 * Link with -Wl,--static-calls and Patchbay's ld.lld, which makes the tramps.
 * Without it a link fails with an undefined __SCT__checksum. Programs that do more
 * than call also need -lpatchbay. All DECLARE_ and DEFINE_ macros are used at file
 * scope, without `static`. Names are global, and in C++ they are in no namespace.
 * For C99 or C++11 and later, with the GNU extensions of clang or GCC.
 *
 * NULL and RET0
 * -------------
 * A static call whose target is NULL does nothing, unlike a function pointer:
 * the tramp returns at once. A result, if it is not void, is undefined, so use
 * static_call_cond(), which drops it. If the target is STATIC_CALL_RET0(name),
 * the call returns 0; use it for integers and pointers.
 *
 *	DEFINE_STATIC_CALL_NULL(trace_event, trace_event_full);
 *
 *	static_call_cond(trace_event)(event);
 *	static_call_update(trace_event, trace_event_full);
 *	static_call_update(trace_event, NULL);
 *
 * In the key NULL is the address of __static_call_nop(), so that nothing ever
 * jumps to 0; static_call_query() returns NULL.
 *
 * Executables and shared objects
 * ------------------------------
 * Each link unit, executable or shared object, has its own tramps for the static
 * calls that it makes, so the branch to a tramp never leaves the unit. An update
 * changes the tramps of all link units.
 *
 * A key that DEFINE_STATIC_CALL() defines is hidden: only the link unit that defines it
 * calls and updates the static call, and other units may use the name for another static
 * call. A key that DEFINE_EXPORTED_STATIC_CALL() defines has protected visibility. Other
 * units DECLARE_STATIC_CALL() it and then call, query and update it like their own. Compile
 * these units with -fPIC or -fPIE (-fno-pic would copy the key, which the linker refuses).
 * If loaded objects use a key of an executable, link the executable with -rdynamic, or
 * name the key with -Wl,--export-dynamic-symbol=__SCK__name.
 *
 * Shared objects may be loaded and unloaded while updates run. A newly loaded object reads
 * the current target from the key that it imports, and jumps to the target directly from
 * the next update on. Before you unload an object, update the static calls that go to its
 * functions.
 *
 * Types
 * -----
 * Targets have the type of the first target. The compiler checks the type in
 * static_call_update() like any assignment to a function pointer. If the file that
 * defines the key is compiled with -fsanitize=kcfi, the update also checks the type at
 * run time: it refuses a function with another kCFI hash, or without one, where a call
 * through a pointer would have trapped. So functions of libraries that are built
 * without kCFI need a wrapper. The call itself is direct, and checks nothing.
 *
 * If a CPU tracks indirect branches (IBT on x86-64, BTI on AArch64), a target must
 * begin with a landing pad, like any function whose address is taken: the tramp may
 * jump to the target through the key. So on x86-64 a target must not have
 * __attribute__((nocf_check)).
 *
 * Calling conventions
 * -------------------
 * Tramps keep the registers that the C convention keeps, and all argument registers.
 * On x86-64 they also keep those of preserve_none and preserve_most, with one
 * exception: with a key of another link unit, DEFINE_EXPORTED_STATIC_CALL(), the jump
 * through the key uses r11, where preserve_none passes the 11th argument in a
 * general-purpose register. So declare no preserve_none function with 11 such arguments.
 *
 * Updates
 * -------
 * static_call_update() may be called at any time from any thread, but not from a
 * signal handler, a callback of dl_iterate_phdr(), or an ifunc resolver. In a forked
 * child the update waits for ever, as dl_iterate_phdr() does, if another thread was in
 * dl_iterate_phdr(), or changed the loader's list, at the fork.
 *
 * A call that begins after the update goes to the new target. A call that began before the
 * update may be in the old target, or on its way there. A call that begins during the
 * update goes to either target. static_call_update() returns 0 or a negative errno; on
 * error calls go to the old target:
 *
 *	-EINVAL   the target's kCFI hash is not that of the static call
 *	-EXDEV    ppc64le: a tramp that was linked for targets of its own link
 *	          unit only cannot call this target (nor a target that is compiled
 *	          to have no TOC pointer, which is not detected)
 *	-EILSEQ   the code of a tramp, or of a patched call site, is not
 *	          that of the linker or this library; or a tool like
 *	          llvm-bolt moved the tramp (lld-patch/README.md: how to avoid it)
 *	-ENOENT   no link unit has a tramp for this key: another linker than
 *	          Patchbay's linked it
 *	-EPROTONOSUPPORT  the key is in a loaded module whose static calls have
 *	          another version. Otherwise such a module keeps working: its calls
 *	          for keys of other modules load the target from the key
 *	-ENOEXEC  a loaded module's tables of static calls are damaged
 *	others    from /proc/thread-self/mem or membarrier(2)
 *
 * Emulation of a single program (qemu-user 7.2) continues to execute code that it has
 * already translated: an update succeeds there, but calls do not follow.
 *
 * If a target is out of reach of a tramp's direct branch, the tramp jumps through the
 * pointer in the key. x86-64 reaches 2 GB, AArch64 128 MB, ppc64le 32 MB.
 *
 * Call sites
 * ----------
 * Callers reach the target by two direct branches, the call and the tramp's. An
 * update can also redirect the call itself to the target, if that is in reach
 * and neither NULL nor RET0. Otherwise the call goes to the tramp.
 *
 *	AArch64   enabled by default. Branches are changed one aligned word at a
 *	          time, as the architecture allows.
 *	x86-64    enabled by static_call_patch_sites(1), if a call's
 *	          displacement is within an aligned word of 8 bytes. Updates change
 *	          the displacement while threads execute the call. AMD allows that
 *	          (APM vol. 2, 7.6.1). Intel requires synchronization that a library
 *	          cannot enforce (SDM vol. 3A, 9.1.3). And a kernel may copy the 4
 *	          bytes one by one if the CPU has FSRM. So enable this only if you
 *	          know your machines, or in processes of one thread.
 *	ppc64le   never, because it is not safe: the tramp saves the TOC pointer
 *	          that the instruction after the call restores, so two
 *	          instructions would have to change at once.
 *
 * static_call_patch_sites() enables or disables this for the process. It immediately
 * redirects all call sites of the loaded link units to the targets of their static calls
 * (1), or back to the tramps (0). Call sites of link units that are loaded later call
 * their tramps at first. The next update of a static call, or the next
 * static_call_patch_sites(1), redirects these, too. static_call_patch_sites() may be called
 * where static_call_update() may. It returns 0, -EOPNOTSUPP (enabled on ppc64le), or an
 * error above. On error some call sites stay unchanged, which is equally correct.
 *
 * ppc64le
 * -------
 * A tramp can also branch directly to a target with another TOC than its link unit's,
 * within 32 MB: it sets up the target's TOC pointer first (near form). A tramp can do so
 * for the first such TOC. It jumps to targets with further TOCs through the key.
 */
#ifndef PATCHBAY_STATIC_CALL_H
#define PATCHBAY_STATIC_CALL_H

#include <patchbay/abi.h>

/* The same names as abi.h's strings for the linker. */
#define STATIC_CALL_KEY(name) __SCK__##name
#define STATIC_CALL_TRAMP(name) __SCT__##name

#ifdef __cplusplus
#define PATCHBAY_EXTERN_C extern "C"
#else
#define PATCHBAY_EXTERN_C extern
#endif
#define PATCHBAY_HIDDEN __attribute__((visibility("hidden")))

/*
 * The tramp is hidden, because every link unit has its own. So the call is direct
 * even with -fno-plt. On ppc64le the linker makes it hidden, since clang leaves
 * space for restoring the TOC pointer only if the callee may be in another unit.
 */
#ifdef __powerpc64__
#define PATCHBAY_TRAMP_VISIBILITY
#else
#define PATCHBAY_TRAMP_VISIBILITY PATCHBAY_HIDDEN
#endif

/*
 * The tramp is declared with the target's type, so a call of it is checked and
 * compiled like a call of the target. The key may be imported.
 */
#define DECLARE_STATIC_CALL(name, func)                                        \
	PATCHBAY_EXTERN_C struct static_call_key STATIC_CALL_KEY(name);        \
	PATCHBAY_EXTERN_C __typeof__(func) STATIC_CALL_TRAMP(name)             \
		PATCHBAY_TRAMP_VISIBILITY

/*
 * With -fsanitize=kcfi clang emits an absolute symbol for each function that is
 * declared and whose address is taken, like the tramp here. Its value is the hash.
 * The symbol is weak, so it is 0 without kCFI.
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

/*
 * A key's func is the address of __static_call_nop() instead of NULL, and the address of
 * __static_call_return0() for RET0.
 */
PATCHBAY_EXTERN_C void __static_call_nop(void);
PATCHBAY_EXTERN_C long __static_call_return0(void);

/* static_call_update() checks the type of @func and calls this. */
PATCHBAY_EXTERN_C int __static_call_update(struct static_call_key *key,
					   void *func);

static inline void *__static_call_query(const struct static_call_key *key)
{
	void *func = __atomic_load_n(&key->func, __ATOMIC_ACQUIRE);

	return func == (void *)&__static_call_nop ? NULL : func;
}

#endif /* PATCHBAY_STATIC_CALL_H */
