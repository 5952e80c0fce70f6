/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room static_call/: static calls of <patchbay/static_call.h>. A program with static
 * calls alone needs this room, arch/ and system/. An update walks the notes of all loaded
 * units within the loader's lock, then writes under the engine lock.
 *
 * What static calls need from an architecture: arch/<name>/static_call.c, with
 * encoders and decoders in arch/<name>/tramp.h.
 *
 * The caller of all functions holds the engine lock and keeps the tramp's module
 * from being unloaded. @text is a handle of pb_os_text_open(). Errors are those of
 * text.h where no others are named; what failed is not done.
 */
#ifndef PB_CORE_STATIC_CALL_H
#define PB_CORE_STATIC_CALL_H

#include "system/hash.h"

/*
 * struct pb_tramp - a tramp, as the table of its link unit describes it
 * @addr:      its code
 * @key:       the key or, if it is imported, the pointer to it
 * @flags:     PATCHBAY_STATIC_CALL_*
 * @low, @high: where the link unit is
 * @toc:       ppc64le: its TOC pointer
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
	PB_TARGET_RETURN,  /* the tramp's own RETURN and RETURN0 */
	PB_TARGET_RETURN0,
};

/*
 * struct pb_target - where static calls go
 * @func:  what the key says
 * @entry: where a direct branch to it goes, 0 if only an indirect one can
 * @toc:   ppc64le: the TOC pointer that @entry expects, 0 if it does not
 */
struct pb_target {
	enum pb_target_kind kind;
	uintptr_t func;
	uintptr_t entry;
	uintptr_t toc;
};

/* Set @target's entry and toc, from its func. */
void pb_arch_target(int text, struct pb_target *target);

/*
 * Whether what is at @tramp->addr is a tramp of this key, and may be made go to
 * @target. -EILSEQ: the bytes are others. -EXDEV: @target is in a link unit
 * that this tramp cannot call.
 */
int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target);

/*
 * To the indirect form, which loads the target from the key. Other threads
 * execute the tramp; some go on with the direct form until pb_sync_core().
 */
int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp);

/*
 * To the direct form for @target, in two steps. Before the first, every thread
 * must have seen the indirect form (pb_sync_core()). It writes what is not
 * executed in that; if it returns 1, that must be seen before the second one,
 * too. -ERANGE: @target cannot be reached directly.
 */
int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target);
int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target);

/* Whether branches to tramps are patched, too, and from the beginning. */
enum pb_call_sites {
	PB_CALL_SITES_NEVER,
	PB_CALL_SITES_ON_DEMAND,
	PB_CALL_SITES_BY_DEFAULT,
};
extern const enum pb_call_sites pb_arch_call_sites;

/* Where the branch at @site leads. -EILSEQ: there is none. */
int pb_arch_call_site(uintptr_t site, uintptr_t *to);

/*
 * Let the branch at @site lead to @to, while other threads execute it. -ERANGE:
 * that is too far, or the architecture lacks a safe way for this place.
 */
int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to);

#endif /* PB_CORE_STATIC_CALL_H */
