/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arch/sequences.h"

#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/module.h"

#include <errno.h>

/*
 * Mapped memory for sequences. A place is in reach of a site if the place's first and last byte
 * are in reach. Then the sequence's branch back to the site is in reach, too.
 * @used:  the number of bytes given to sequences, which are never reused
 * @users: the number of modules that have sequences in the place
 */
struct pb_place {
	struct pb_place *next;
	uintptr_t code;
	size_t used, users;
};

/* All places, guarded by the locks of the registry (lock.h). */
static struct pb_place *places;

/* A place in which a module has sequences. */
struct use {
	struct use *next;
	struct pb_place *place;
};

/* @sequences: the address of each function's sequence, by record; 0: never armed */
struct pb_sequences {
	const struct pb_module *module;
	struct use *uses;
	uintptr_t sequences[];
};

/* Only allocates the object: pb_arch_prepare() maps code when a site needs it. */
void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	struct pb_sequences *reach;

	/* The pages for functions that are never armed stay untouched, and cost no memory. */
	reach = pb_calloc(1, sizeof(*reach) +
				  module->nr * sizeof(*reach->sequences));
	*error = reach ? 0 : -ENOMEM;
	if (reach)
		reach->module = module;
	return reach;
}

static void unmap_place(struct pb_place *place)
{
	struct pb_place **link = &places;

	while (*link != place)
		link = &(*link)->next;
	pb_engine_lock();
	*link = place->next;
	pb_engine_unlock();
	pb_os_unmap((void *)place->code, PB_PLACE_SIZE);
	pb_free(place);
}

void pb_arch_unmap_reach(void *reach_of_module)
{
	struct pb_sequences *reach = reach_of_module;
	struct use *use = reach ? reach->uses : NULL;

	while (use) {
		struct use *next = use->next;

		if (!--use->place->users)
			unmap_place(use->place);
		pb_free(use);
		use = next;
	}
	pb_free(reach);
}

static uintptr_t *sequence_of(const struct pb_site *site)
{
	struct pb_sequences *reach = (void *)site->reach;

	return &reach->sequences[site->record - reach->module->records];
}

static uintptr_t at_least_0(uintptr_t addr, uintptr_t minus)
{
	return addr > minus ? addr - minus : 0;
}

/* Map a place for @site, if possible in reach of the module's whole text. */
static struct pb_place *map_place(const struct pb_module *module,
				  uintptr_t site, int *error)
{
	const uintptr_t reach = pb_arch_sequence_reach;
	struct pb_place *place = pb_malloc(sizeof(*place));
	uint32_t *code = pb_calloc(1, PB_PLACE_SIZE);

	*error = -ENOMEM;
	if (!place || !code)
		goto out;
	pb_arch_place(code);
	place->used = PB_SEQUENCE_SIZE;
	place->code = (uintptr_t)pb_os_map_code(
		at_least_0(module->high, reach), module->low + reach, code,
		PB_PLACE_SIZE, error);
	if (!place->code && *error == -ENOMEM)
		place->code = (uintptr_t)pb_os_map_code(
			at_least_0(site, reach), site + reach, code,
			PB_PLACE_SIZE, error);
	if (place->code)
		*error = 0;
	else if (*error == -ENOMEM && site - module->low > reach &&
		 module->high - site > reach)
		*error = -ERANGE; /* only text is in reach */
out:
	pb_free(code);
	if (*error) {
		pb_free(place);
		return NULL;
	}
	return place;
}

/* Has @place space for a sequence, and is it in reach of @site? */
static bool has_space(const struct pb_place *place, uintptr_t site)
{
	const uintptr_t reach = pb_arch_sequence_reach;

	return place->used + PB_SEQUENCE_SIZE <= PB_PLACE_SIZE &&
	       place->code >= at_least_0(site, reach) &&
	       place->code + PB_PLACE_SIZE <= site + reach;
}

static int use_place(struct pb_sequences *reach, struct pb_place *place)
{
	struct use *use = reach->uses;

	while (use && use->place != place)
		use = use->next;
	if (use)
		return 0;
	use = pb_malloc(sizeof(*use));
	if (!use)
		return -ENOMEM;
	*use = (struct use){ reach->uses, place };
	pb_engine_lock();
	reach->uses = use;
	place->users++;
	pb_engine_unlock();
	return 0;
}

static int take_sequence(const struct pb_site *site)
{
	struct pb_sequences *reach = (void *)site->reach;
	struct pb_place *place = places;
	int error;

	while (place && !has_space(place, site->site))
		place = place->next;
	if (!place) {
		place = map_place(reach->module, site->site, &error);
		if (!place)
			return error;
		place->users = 0;
		place->next = places;
		pb_engine_lock();
		places = place;
		pb_engine_unlock();
	}
	error = use_place(reach, place);
	if (error) {
		if (!place->users)
			unmap_place(place);
		return error;
	}
	pb_engine_lock();
	*sequence_of(site) = place->code + place->used;
	place->used += PB_SEQUENCE_SIZE;
	pb_engine_unlock();
	return 0;
}

static uintptr_t place_of(const struct pb_site *site)
{
	const struct pb_sequences *reach = site->reach;
	const struct use *use = reach->uses;

	while (*sequence_of(site) - use->place->code >= PB_PLACE_SIZE)
		use = use->next;
	return use->place->code;
}

static bool make_sequence(const struct pb_site *site,
			  uint32_t code[PB_SEQUENCE_WORDS])
{
	return pb_arch_sequence(site, *sequence_of(site), place_of(site),
				pb_arch_trampolines + PB_TRAMPOLINE_SIZE *
					pb_record_trampoline(site->record), code);
}

int pb_arch_prepare(const struct pb_site *site)
{
	uint32_t code[PB_SEQUENCE_WORDS];
	int error = *sequence_of(site) ? 0 : take_sequence(site);

	if (error)
		return error;
	return make_sequence(site, code) ? 0 : -ERANGE;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	static const uint8_t never[PB_PATCH_MAX];
	uint32_t code[PB_SEQUENCE_WORDS];
	int nr = 0;

	_Static_assert(PB_PUBLISH_MAX > PB_SEQUENCE_SIZE / PB_PATCH_MAX, "max");
	make_sequence(site, code); /* cannot fail: pb_arch_prepare() has done the same */
	for (size_t i = 0; i < sizeof(code); i += PB_PATCH_MAX)
		nr += pb_patch_fill(&patch[nr], *sequence_of(site) + i, never,
				    (const char *)code + i, PB_PATCH_MAX);
	return nr + pb_arch_publish_slot(site, &cell, &patch[nr]);
}

/* The branch of the armed site. Returns false if the site has no sequence yet. */
static bool armed_word(const struct pb_site *site, uint32_t *word)
{
	return site->reach && *sequence_of(site) &&
	       pb_arch_branch(site, *sequence_of(site), word);
}

int pb_arch_site_state(const struct pb_site *site)
{
	uint32_t word, armed;

	if (site->entry % PATCHBAY_SLOT_SIZE ||
	    !pb_words_have_slot((const uint32_t *)site->entry, pb_arch_ret))
		return -ENOEXEC;
	word = pb_arch_word(site);
	if (word == pb_arch_nop)
		return PB_SITE_DISARMED;
	/* A branch to another target was written by another patcher. */
	return armed_word(site, &armed) && word == armed ? PB_SITE_ARMED : -EILSEQ;
}

void pb_arch_flip(const struct pb_site *site, int arm, struct pb_patch *patch)
{
	uint32_t armed = 0;

	/* The site has a sequence: pb_arch_prepare() or pb_arch_site_state() has succeeded. */
	armed_word(site, &armed);
	pb_patch_fill(patch, site->site + pb_arch_site_size - sizeof(armed),
		      arm ? &pb_arch_nop : &armed, arm ? &armed : &pb_arch_nop,
		      sizeof(armed));
}
