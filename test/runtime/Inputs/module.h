/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests that make their own module descriptor. */
#ifndef MODULE_H
#define MODULE_H

#include <patchbay/abi.h>

/* The descriptor that the compiler has made for this program. */
extern const struct patchbay_module __patchbay_module
	__attribute__((visibility("hidden")));

/* Copies the relative link @from to @to, so that both point to the same target. */
static void lead_alike(int64_t *to, const int64_t *from)
{
	*to = *from + ((intptr_t)from - (intptr_t)to);
}

/*
 * Copies this program's descriptor without its records. The copy shares links and
 * stubs, and has its own state.
 */
static void make_module_like_ours(struct patchbay_module *module,
				  struct patchbay_state *state)
{
	module->abi_version = PATCHBAY_ABI_VERSION;
	module->size = sizeof(*module);
	module->state = (intptr_t)state - (intptr_t)&module->state;
	module->trampolines = __patchbay_module.trampolines;
	lead_alike(&module->links, &__patchbay_module.links);
	if (__patchbay_module.stubs)
		lead_alike(&module->stubs, &__patchbay_module.stubs);
}

#endif
