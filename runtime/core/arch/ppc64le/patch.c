/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of ppc64le, and the sequences that they branch to; see abi.h and insn.h
 * for their forms.
 *
 * Why other threads may run through them while they are changed:
 *
 * - Slot: not executed. It is written while the site is disarmed, and the sync
 *   between publishing and arming orders it before the first call.
 * - Sequence: written before anything leads to it, and never again; the same
 *   sync orders it, with the kernel's icbi, before the first fetch. It stays
 *   this function's while the module is loaded: a thread may rest in it for any
 *   time, on its way in or out, and nobody could tell.
 * - Site: one aligned word, a NOP or a B before and after. They are of the
 *   patch class, so that a thread that executes it meanwhile executes the one or
 *   the other (Power ISA 3.1, Book II, "Concurrent Modification and Execution of
 *   Instructions"), and the new one once it has synchronized its context. The
 *   kernel stores the word at once (memcpy() copies 4 bytes by a register) and
 *   flushes the block.
 *
 * Sequences are not the compiler's: every function would pay for what only armed
 * ones need. They are in places of PLACE_SIZE bytes near the module, each of
 * which begins with a veneer. Where no place is in reach of all text, sites are
 * given one that is in reach of them. Modules share places: many small ones that
 * lie together would leave no room in reach if each had one of its own.
 */
#include "arch.h"

#include "arch/ppc64le/entry.h"
#include "arch/ppc64le/insn.h"
#include "module.h"
#include "os/linux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PB_PPC64_SEQUENCE_BODY ==
	       PB_PPC64_SEQUENCE_RETURN + PB_RETURN_BODY, "exit.S");
_Static_assert(PB_PPC64_SEQUENCE_ENTRY ==
	       PB_PPC64_SEQUENCE_RETURN + PB_RETURN_ENTRY, "entry.S");

const size_t pb_arch_site_size = PATCHBAY_PPC64LE_SITE_SIZE;
/* Of instructions that are not of the patch class the ISA promises nothing. */
const int pb_arch_rewrite = 0;

/* A page of most kernels. The first sequence's room is the veneer's. */
#define PLACE_SIZE 0x10000ul

/* A place is in reach if all of it is: then branches lead back, too. */
#define REACH 0x2000000ul

/*
 * @used:  bytes that were given away; none is given twice, see above
 * @users: modules that have sequences there
 */
struct pb_ppc64_place {
	struct pb_ppc64_place *next;
	uintptr_t code;
	size_t used, users;
};

/* All of them; under the engine lock. */
static struct pb_ppc64_place *places;

/* A place where a module has sequences. */
struct use {
	struct use *next;
	struct pb_ppc64_place *place;
};

/* @sequences: by record; 0 for functions that were never armed */
struct pb_ppc64_reach {
	const struct pb_module *module;
	struct use *uses;
	uintptr_t sequences[];
};

void pb_arch_init(void)
{
}

/* Nothing is mapped yet: pb_arch_prepare() does so. */
void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	struct pb_ppc64_reach *reach;

	/* Memory that is never touched for functions that are never armed. */
	reach = calloc(1, sizeof(*reach) +
				  module->nr * sizeof(*reach->sequences));
	*error = reach ? 0 : -ENOMEM;
	if (reach)
		reach->module = module;
	return reach;
}

static void unmap_place(struct pb_ppc64_place *place)
{
	struct pb_ppc64_place **link = &places;

	while (*link != place)
		link = &(*link)->next;
	*link = place->next;
	pb_os_unmap_code((void *)place->code, PLACE_SIZE);
	free(place);
}

void pb_arch_unmap_reach(void *reach_of_module)
{
	struct pb_ppc64_reach *reach = reach_of_module;
	struct use *use = reach ? reach->uses : NULL;

	while (use) {
		struct use *next = use->next;

		if (!--use->place->users)
			unmap_place(use->place);
		free(use);
		use = next;
	}
	free(reach);
}

/* The site's own part of it is found by its record. */
const void *pb_arch_reach(const void *reach,
			  const struct patchbay_record *record)
{
	(void)record;
	return reach;
}

static uintptr_t *sequence_of(const struct pb_site *site)
{
	struct pb_ppc64_reach *reach = (void *)site->reach;

	return &reach->sequences[site->record - reach->module->records];
}

/* The armed site's branch. False if there is no sequence for it yet. */
static bool armed_word(const struct pb_site *site, uint32_t *word)
{
	return site->reach && *sequence_of(site) &&
	       pb_ppc64_b(word, site->site, *sequence_of(site));
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint32_t *entry = (const uint32_t *)site->entry;
	uint32_t word, armed;

	if (site->entry % PATCHBAY_SLOT_SIZE || !pb_ppc64_has_slot(entry))
		return -ENOEXEC;
	word = pb_ppc64_site(entry, (int64_t)(site->site - site->entry));
	if (word == PB_PPC64_NOP)
		return PB_SITE_DISARMED;
	/* A branch to anywhere else is somebody else's. */
	return armed_word(site, &armed) && word == armed ? PB_SITE_ARMED :
							   -EILSEQ;
}

uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + PATCHBAY_SLOT_OFFSET);
}

static uintptr_t at_least_0(uintptr_t addr, uintptr_t minus)
{
	return addr > minus ? addr - minus : 0;
}

/* A place for @site: in reach of all text if there can be one. */
static struct pb_ppc64_place *map_place(const struct pb_module *module,
					uintptr_t site, int *error)
{
	struct pb_ppc64_place *place = malloc(sizeof(*place));
	uint32_t *code = calloc(1, PLACE_SIZE);

	*error = -ENOMEM;
	if (!place || !code)
		goto out;
	pb_ppc64_veneer(code);
	place->used = PB_PPC64_SEQUENCE_SIZE;
	place->code = (uintptr_t)pb_os_map_code(
		at_least_0(module->high, REACH), module->low + REACH, code,
		PLACE_SIZE, error);
	if (!place->code && *error == -ENOMEM)
		place->code = (uintptr_t)pb_os_map_code(
			at_least_0(site, REACH), site + REACH, code, PLACE_SIZE,
			error);
	if (place->code)
		*error = 0;
	else if (*error == -ENOMEM && site - module->low > REACH &&
		 module->high - site > REACH)
		*error = -ERANGE; /* there is nothing but text in reach */
out:
	free(code);
	if (*error) {
		free(place);
		return NULL;
	}
	return place;
}

static bool in_reach(const struct pb_ppc64_place *place, uintptr_t site)
{
	return place->code >= at_least_0(site, REACH) &&
	       place->code + PLACE_SIZE <= site + REACH;
}

static bool is_full(const struct pb_ppc64_place *place)
{
	return place->used + PB_PPC64_SEQUENCE_SIZE > PLACE_SIZE;
}

static int use_place(struct pb_ppc64_reach *reach, struct pb_ppc64_place *place)
{
	struct use *use = reach->uses;

	while (use && use->place != place)
		use = use->next;
	if (use)
		return 0;
	use = malloc(sizeof(*use));
	if (!use)
		return -ENOMEM;
	*use = (struct use){ reach->uses, place };
	reach->uses = use;
	place->users++;
	return 0;
}

/* Give the function of @site a sequence. */
static int take_sequence(const struct pb_site *site)
{
	struct pb_ppc64_reach *reach = (void *)site->reach;
	struct pb_ppc64_place *place = places;
	int error;

	while (place && (is_full(place) || !in_reach(place, site->site)))
		place = place->next;
	if (!place) {
		place = map_place(reach->module, site->site, &error);
		if (!place)
			return error;
		place->users = 0;
		place->next = places;
		places = place;
	}
	error = use_place(reach, place);
	if (error) {
		if (!place->users)
			unmap_place(place);
		return error;
	}
	*sequence_of(site) = place->code + place->used;
	place->used += PB_PPC64_SEQUENCE_SIZE;
	return 0;
}

static uintptr_t veneer_of(const struct pb_site *site)
{
	const struct pb_ppc64_reach *reach = site->reach;
	const struct use *use = reach->uses;

	while (*sequence_of(site) - use->place->code >= PLACE_SIZE)
		use = use->next;
	return use->place->code;
}

static const char *trampoline(const struct patchbay_record *record)
{
	const uint8_t all = PATCHBAY_RECORD_VARIADIC |
			    PATCHBAY_RECORD_UNKNOWN_ARGS;
	unsigned int which = 0;

	if (record->flags & all || record->gp_args > 4)
		which = 2;
	else if (record->gp_args > 2)
		which = 1;
	return pb_ppc64_trampolines + which * PB_TRAMPOLINE_SIZE;
}

/* Whether there is anything to do to have @new at @addr. */
static int replace(struct pb_patch *patch, uintptr_t addr, const void *old,
		   const void *new, size_t len)
{
	*patch = (struct pb_patch){ .addr = addr, .len = (uint8_t)len };
	memcpy(patch->old, old, len);
	memcpy(patch->new, new, len);
	return memcmp((const void *)addr, new, len) != 0;
}

/* The code of the site's sequence. False if that cannot reach, or be reached. */
static bool make_sequence(const struct pb_site *site,
			  uint32_t code[PB_PPC64_SEQUENCE_WORDS])
{
	uint32_t armed;

	return armed_word(site, &armed) &&
	       pb_ppc64_sequence(code, *sequence_of(site), veneer_of(site),
				 site->site, site->entry,
				 (uintptr_t)trampoline(site->record));
}

int pb_arch_prepare(const struct pb_site *site, int *stale)
{
	uint32_t code[PB_PPC64_SEQUENCE_WORDS];
	int error = *sequence_of(site) ? 0 : take_sequence(site);

	(void)stale;
	if (error)
		return error;
	return make_sequence(site, code) ? 0 : -ERANGE;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	static const uint8_t never[PB_PATCH_MAX];
	const uintptr_t slot = pb_arch_slot(site->entry);
	uint32_t code[PB_PPC64_SEQUENCE_WORDS];
	int nr = 0;

	make_sequence(site, code); /* as pb_arch_prepare() has */
	for (size_t i = 0; i < sizeof(code); i += PB_PATCH_MAX)
		nr += replace(&patch[nr], *sequence_of(site) + i, never,
			      (const char *)code + i, PB_PATCH_MAX);
	return nr + replace(&patch[nr], site->entry + PATCHBAY_SLOT_OFFSET,
			    &slot, &cell, sizeof(cell));
}

static void flip(const struct pb_site *site, struct pb_patch *patch, int arm)
{
	const uint32_t disarmed = PB_PPC64_NOP;
	uint32_t armed = 0;

	/* There is one: it was prepared, or the site's state is read by it. */
	armed_word(site, &armed);
	replace(patch, site->site, arm ? &disarmed : &armed,
		arm ? &armed : &disarmed, sizeof(armed));
}

void pb_arch_arm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 1);
}

void pb_arch_disarm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 0);
}
