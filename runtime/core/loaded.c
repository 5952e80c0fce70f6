/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules that are there already when this library comes: it was loaded by
 * dlopen(), into a program that was started without it. Their constructors have
 * run, and have found nobody to register them; a loaded note leads to each.
 *
 * Whoever closes such a module runs its destructor, whose weak reference leads
 * nowhere. So it is told whom to call instead, and so is a constructor that is
 * still to come and was relocated before we came: that is offered to every module
 * that nobody has registered, by two addresses where only the loader writes
 * (struct patchbay_links), which we write as we write text. Without a way to do so
 * nothing could be armed either, and such modules stay unknown.
 *
 * Only libpatchbay.so does that. libpatchbay.a may be a copy that a shared object
 * has for functions of its own, and leaves other modules to others.
 *
 * All this runs in a constructor, and so under the loader's lock: no other thread
 * loads or unloads a module meanwhile. But those that a program starts with have their
 * constructors called without that lock, and one of these may have made the thread
 * that we are in. So a constructor may run just now. It says that it has run and then
 * looks for an offer, we make one and then ask whether it has run: whatever is seen
 * first, one sees the other (is_for_us()), and if both do, one is refused (take()).
 */
#include "arch.h"
#include "lock.h"
#include "module.h"
#include "module_note.h"
#include "text.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct descs {
	const struct patchbay_module **desc;
	size_t nr, room;
};

static int find_desc(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct descs *descs = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const struct patchbay_module *desc =
			pb_module_noted(info, &info->dlpi_phdr[i]);

		if (!desc)
			continue;
		if (descs->nr < descs->room)
			descs->desc[descs->nr] = desc;
		descs->nr++;
	}
	return 0;
}

/* All of them; 0: there are none, or no memory. */
static size_t find_descs(struct descs *descs)
{
	*descs = (struct descs){ 0 };
	dl_iterate_phdr(find_desc, descs);
	descs->room = descs->nr;
	descs->desc = malloc(descs->room * sizeof(*descs->desc));
	if (!descs->desc)
		return 0;
	descs->nr = 0;
	dl_iterate_phdr(find_desc, descs);
	return descs->nr < descs->room ? descs->nr : descs->room;
}

/* Let the module's constructor and destructor know of us, if they know nobody. */
static int offer(const struct patchbay_module *desc, int text)
{
	const struct patchbay_links *links = pb_module_links(desc), ours = {
		.module_register = (uintptr_t)pb_module_register,
		.module_unregister = (uintptr_t)pb_module_unregister,
	};
	static const struct patchbay_links nobody;
	int error;

	if (!memcmp(links, &ours, sizeof(ours)))
		return 0;
	pb_engine_lock();
	error = pb_text_write(text, (uintptr_t)links, &nobody, &ours,
			      sizeof(ours));
	pb_engine_unlock();
	return error;
}

/* Does it want to be registered by us, now? Others are named, or left to others. */
static int is_for_us(const struct patchbay_module *desc, int text)
{
	struct patchbay_state *state;

	if (desc->abi_version != PATCHBAY_ABI_VERSION)
		return 1; /* pb_module_register() notes what it is */
	state = pb_desc_place(&desc->state);
	if (__atomic_load_n(&state->owner, __ATOMIC_ACQUIRE) || offer(desc, text))
		return 0;
	__atomic_store_n(&state->offered, 1, __ATOMIC_RELEASE);
	/*
	 * The constructor's barrier is the pass's (ModuleData.cpp). Of two threads that
	 * store, pass a full barrier and load what the other stores, one sees it: what
	 * "SB" is called in Alglave, Maranget and Tautschnig, "Herding Cats", 2014.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&state->constructed, __ATOMIC_ACQUIRE);
}

__attribute__((constructor)) static void take_modules(void)
{
	struct descs descs;
	const size_t nr = find_descs(&descs);
	size_t ours = 0;
	int text;

	pb_modules_lock();
	text = nr ? pb_text_open() : -ENOENT;
	for (size_t i = 0; i < nr && text >= 0; i++)
		if (is_for_us(descs.desc[i], text))
			descs.desc[ours++] = descs.desc[i];
	if (text >= 0)
		pb_text_close(text);
	pb_modules_unlock();
	for (size_t i = 0; i < ours; i++)
		pb_module_register(descs.desc[i]);
	free(descs.desc);
}
