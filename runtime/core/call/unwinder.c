/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call/unwinder.h"

#include "system/elf_note.h"
#include "types/call.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "entry.h" /* of the architecture */

struct pb_unwinder pb_unwinder;
int pb_has_exits;

#define NR_FUNCTIONS (sizeof(struct pb_unwinder) / sizeof(uintptr_t))

/* The functions that the linker has bound, maybe from several modules. */
static const struct pb_unwinder linked = {
	.backtrace = _Unwind_Backtrace,
	.get_cfa = _Unwind_GetCFA,
	.get_gr = _Unwind_GetGR,
	.get_ip = _Unwind_GetIP,
	.get_data = _Unwind_GetLanguageSpecificData,
	.set_gr = _Unwind_SetGR,
	.set_ip = _Unwind_SetIP,
	.resume = _Unwind_Resume,
};

static const char *const names[NR_FUNCTIONS] = {
	"_Unwind_Backtrace",
	"_Unwind_GetCFA",
	"_Unwind_GetGR",
	"_Unwind_GetIP",
	"_Unwind_GetLanguageSpecificData",
	"_Unwind_SetGR",
	"_Unwind_SetIP",
	"_Unwind_Resume",
};

/* @low, @high: the range of the module that @address is in. */
struct range {
	uintptr_t address, low, high;
};
static struct range ours;

static int is_in(const struct range *range, uintptr_t address)
{
	return range->low <= address && address < range->high;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE

/*
 * In a forked child, the lock of dl_iterate_phdr() may stay locked for ever: glibc does not
 * reset the lock, and the thread that held it is in the parent. The child may create tracers,
 * too. So use _dl_find_object(), which never waits (since glibc 2.35; other_modules.c).
 */
static int find_range(struct range *range)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)range->address, &found))
		return 0;
	range->low = (uintptr_t)found.dlfo_map_start;
	range->high = (uintptr_t)found.dlfo_map_end;
	return 1;
}

#else

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *range = arg;

	(void)size;
	pb_elf_range(info, 0, &range->low, &range->high);
	return is_in(range, range->address);
}

static int find_range(struct range *range)
{
	return dl_iterate_phdr(look_at, range);
}

#endif

static int are_of_one_module(const struct pb_unwinder *functions,
			     struct range *range)
{
	uintptr_t address[NR_FUNCTIONS];

	memcpy(address, functions, sizeof(address));
	range->address = address[0];
	if (!address[0] || !find_range(range))
		return 0;
	for (size_t i = 1; i < NR_FUNCTIONS; i++)
		if (!is_in(range, address[i]))
			return 0;
	return 1;
}

void pb_unwinder_find(void)
{
	struct pb_unwinder found = linked;
	void *address[NR_FUNCTIONS];
	struct range range;

	if (__atomic_load_n(&ours.high, __ATOMIC_ACQUIRE))
		return;
	if (!are_of_one_module(&found, &range) &&
	    !(pb_libgcc_look_up && pb_libgcc_look_up(names, address, NR_FUNCTIONS) &&
	      are_of_one_module(memcpy(&found, address, sizeof(found)), &range)))
		return;
	pb_unwinder = found;
	ours.low = range.low;
	__atomic_store_n(&ours.high, range.high, __ATOMIC_RELEASE);
}

int pb_unwinder_has(uintptr_t address)
{
	return is_in(&ours, address);
}

/* Read the data of a frame (lsda.h). Returns 0 if the frame does not call a body. */
static int read_data(struct _Unwind_Context *context, int32_t data[3])
{
	const char *at = pb_unwinder.get_data(context);

	if (!at)
		return 0;
	/* Other frames' data have other formats, and any alignment. */
	memcpy(data, at, sizeof(data[0]));
	if ((uintptr_t)at + (uintptr_t)(intptr_t)data[0] != pb_unwinder.get_ip(context))
		return 0;
	memcpy(data, at, 3 * sizeof(data[0]));
	return 1;
}

struct patchbay_call *pb_unwinder_call_of(struct _Unwind_Context *context)
{
	struct patchbay_call *call;
	int32_t data[3];

	if (!read_data(context, data))
		return NULL;
	call = (struct patchbay_call *)(pb_unwinder.get_gr(context, CALL_REGISTER) +
					CALL);
	/* The assembly fills in these fields only before it calls C (direct.h, exit.S). */
	if (data[2])
		call->told = UINT64_MAX;
	if (data[2] > 0) {
		const struct patchbay_regs *regs = (const void *)(call + 1);

		call->ip = *(const uintptr_t *)(regs + 1) - (uintptr_t)data[2];
	}
	return call;
}
