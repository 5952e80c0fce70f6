/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules that were loaded before this library: a program was started without the library
 * and has loaded it by dlopen(). The constructors of these modules have run, and have found
 * no library to register with. The library finds each module by its note.
 *
 * dlclose() of such a module runs its destructor, whose weak reference to the library is
 * NULL. So the library offers itself to every unregistered module: it stores the addresses
 * of two functions into the module's struct patchbay_links. The destructor calls these
 * functions. A constructor that was relocated before, but has not run yet, calls these
 * functions, too. The links are read-only after relocation, so the library writes them as it
 * writes text. If the process cannot write text, such modules stay unknown.
 *
 * Only libpatchbay.so does this. A copy of libpatchbay.a in a shared object may be meant for
 * the functions of that object only.
 *
 * This code runs in a constructor, and so under the loader's lock: no other thread loads
 * or unloads a module at that time. But the constructors of modules that the program
 * starts with run without that lock. Such a constructor may have created the present thread,
 * and may still be running. The constructor stores that it has run, then looks for an offer.
 * The library stores an offer, then checks whether the constructor has run. At least one sees
 * the other's store (is_for_us()). If both see the other's store, take_module() refuses the
 * second registration.
 */
#include "modules/other_modules.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/text.h"
#include "types/module.h"

#include <errno.h>
#include <link.h>
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

		if (desc && !pb_grow(&descs->desc, &descs->room, descs->nr + 1,
				     sizeof(*descs->desc)))
			descs->desc[descs->nr++] = desc;
	}
	return 0;
}

/* Store this library's addresses into the module's links, unless these are in use. */
static int offer(const struct patchbay_module *desc, int text)
{
	const struct patchbay_links *links = pb_module_links(desc), ours = {
		.module_register = (uintptr_t)pb_module_register,
		.module_unregister = (uintptr_t)pb_module_unregister,
	};
	static const struct patchbay_links none;
	int error;

	if (!memcmp(links, &ours, sizeof(ours)))
		return 0;
	pb_engine_lock();
	error = pb_text_write(text, (uintptr_t)links, &none, &ours,
			      sizeof(ours));
	pb_engine_unlock();
	return error;
}

/*
 * Must this library register the module? Returns 0 if another copy of the library has the
 * module, or if the module's constructor has not run yet. Returns 1 for another ABI version.
 */
static int is_for_us(const struct patchbay_module *desc, int text)
{
	struct patchbay_state *state;

	if (desc->abi_version != PATCHBAY_ABI_VERSION)
		return 1; /* pb_module_register() records the mismatch */
	state = pb_desc_place(&desc->state);
	if (__atomic_load_n(&state->owner, __ATOMIC_ACQUIRE) || offer(desc, text))
		return 0;
	__atomic_store_n(&state->offered, 1, __ATOMIC_RELEASE);
	/*
	 * Pairs with the constructor's barrier, which the pass emits (ModuleData.cpp). Each of
	 * two threads stores, passes a full barrier, and loads what the other one stores. At
	 * least one sees the other's store. This is the test "SB" in Alglave, Maranget and
	 * Tautschnig, "Herding Cats", 2014.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&state->constructed, __ATOMIC_ACQUIRE);
}

__attribute__((constructor)) static void take_modules(void)
{
	struct descs descs = { 0 };
	size_t ours = 0;
	int text;

	dl_iterate_phdr(find_desc, &descs);
	pb_modules_lock();
	text = descs.nr ? pb_text_open() : -ENOENT;
	for (size_t i = 0; i < descs.nr && text >= 0; i++)
		if (is_for_us(descs.desc[i], text))
			descs.desc[ours++] = descs.desc[i];
	if (text >= 0)
		pb_text_close(text);
	pb_modules_unlock();
	for (size_t i = 0; i < ours; i++)
		pb_module_register(descs.desc[i]);
	pb_free(descs.desc);
}
