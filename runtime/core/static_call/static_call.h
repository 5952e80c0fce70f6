/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer static_call/: static calls of <patchbay/static_call.h>. A program with static
 * calls alone needs this layer, arch/ and system/. An update walks the notes of all loaded
 * units within the loader's lock, then writes under the engine lock.
 *
 * The interface to an architecture: arch/<name>/static_call.c implements it, with encoders
 * and decoders in arch/<name>/tramp.h.
 *
 * The caller of each function holds the engine lock, and keeps the tramp's module from being
 * unloaded. @text is a handle of pb_os_text_open(). Errors are those of text.h and those that
 * are named below. On error nothing has changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * struct pb_tramp - a tramp, as the table of its link unit describes it
 * @addr:      the address of the code
 * @key:       the key, or the pointer to an imported key
 * @flags:     PATCHBAY_STATIC_CALL_*
 * @low, @high: the address range of the link unit
 * @toc:       ppc64le: the TOC pointer of the link unit
 */
struct pb_tramp {
	uintptr_t addr;
	uintptr_t key;
	unsigned int flags;
	uintptr_t low, high;
	uintptr_t toc;
};

enum pb_target_kind {
	PB_TARGET_FUNC,
	PB_TARGET_RETURN,  /* the tramp's own code that returns */
	PB_TARGET_RETURN0, /* the tramp's own code that returns 0 */
};

/*
 * struct pb_target - the target of a static call
 * @func:  the function pointer in the key
 * @entry: the address for a direct branch, 0 if only an indirect branch can be used
 * @toc:   ppc64le: the TOC pointer that @entry expects, 0 if it expects none
 */
struct pb_target {
	enum pb_target_kind kind;
	uintptr_t func;
	uintptr_t entry;
	uintptr_t toc;
};

/* Set @target->entry and @target->toc for @target->func. */
void pb_arch_target(int text, struct pb_target *target);

/*
 * Check that a tramp for this key is at @tramp->addr, and that it may call @target. Returns
 * -EILSEQ if the bytes are not such a tramp, and -EXDEV if @target is in a link unit that the
 * tramp cannot call.
 */
int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target);

/*
 * Change the tramp to the indirect form, which loads the target from the key. Other threads may
 * be executing the tramp, some of them in the direct form until pb_sync_core().
 */
int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp);

/*
 * Change the tramp to the direct form for @target, in two steps. Call pb_sync_core() before
 * the first step: every thread must execute the indirect form. pb_arch_tramp_prepare()
 * writes code that the indirect form does not execute. If it returns 1, call pb_sync_core()
 * before pb_arch_tramp_direct(). Both return -ERANGE if @target cannot be reached directly.
 */
int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target);
int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target);

/* Are branches to tramps patched as well: never, on demand, or by default? */
enum pb_call_sites {
	PB_CALL_SITES_NEVER,
	PB_CALL_SITES_ON_DEMAND,
	PB_CALL_SITES_BY_DEFAULT,
};
extern const enum pb_call_sites pb_arch_call_sites;

/* Store the target of the branch at @site. Returns -EILSEQ if @site is not a branch. */
int pb_arch_call_site(uintptr_t site, uintptr_t *to);

/*
 * Make the branch at @site jump to @to, while other threads execute it. Returns -ERANGE if
 * @to is too far, or if the architecture has no safe way for this address.
 */
int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to);

/*
 * Does @before, the pb_arch_hash_size bytes before a function, contain the kCFI hash @type?
 */
extern const size_t pb_arch_hash_size;
bool pb_arch_hash_is(const uint8_t *before, uint32_t type);
