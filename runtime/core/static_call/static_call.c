/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Updating static calls.
 *
 * Every link unit that calls a static call has its own tramp (trampoline) for this call. An
 * update changes all these tramps. Units are not registered: the loader knows them, and a note
 * in each unit points to its tramps and call sites (abi.h).
 *
 * An update is a sequence of steps. Each step walks over all units by dl_iterate_phdr(), which
 * keeps them from being unloaded. Units may come and go between steps. In a new unit, tramps
 * for the keys of other units have the indirect form, so the unit may miss the first steps.
 * Each step reads the code again. Steps allocate nothing, because the loader's lock is held.
 *
 * static_call.h has the interface by which the architecture changes tramps and sites.
 */
#include "static_call/static_call.h"

#include "system/elf_note.h"
#include "system/linux.h"
#include "system/lock.h"
#include "system/text.h"

#include <patchbay/static_call.h>

#include <errno.h>

void __static_call_nop(void)
{
}

long __static_call_return0(void)
{
	return 0;
}

/* A link unit that has static calls. */
struct unit {
	uintptr_t low, high;
	const struct patchbay_static_calls *calls;
	const struct static_call_tramp_key *tramps;
	const struct static_call_site *sites;
	uintptr_t toc;
};

/* An update of @key, or an operation on all keys if @key is NULL. */
struct update {
	struct static_call_key *key;
	struct pb_target target, former;
	int text;
	size_t found;
	bool prepared;
};

/* One step of an update, for one tramp. The walk continues if the step returns 0. */
typedef int step(struct update *update, const struct unit *unit,
		 const struct pb_tramp *tramp);

/* Do updates also patch call sites? UNSET: the architecture's default. */
static enum { UNSET, OFF, ON } patch_sites;
static bool sites_patched;

static uintptr_t offset_from(const void *field, int32_t offset)
{
	return (uintptr_t)field + (uintptr_t)(intptr_t)offset;
}

/* The key that a table entry names, or the pointer to an imported key. Drops the flags. */
static uintptr_t key_of(const int32_t *field)
{
	return offset_from(field, *field) & ~(uintptr_t)PATCHBAY_STATIC_CALL_FLAGS;
}

static bool holds(const struct unit *unit, const void *table, size_t nr,
		  size_t entry_size)
{
	uintptr_t start = (uintptr_t)table;

	return !nr || (start >= unit->low && start <= unit->high &&
		       nr <= (unit->high - start) / entry_size);
}

/* Returns 1 if the unit has static calls, 0 if not; -EPROTONOSUPPORT for another version. */
static int get_unit(const struct dl_phdr_info *info, struct unit *unit)
{
	const struct patchbay_static_calls *calls = NULL;
	size_t size = 0;

	*unit = (struct unit){ .low = 0 };
	for (int i = 0; i < info->dlpi_phnum && !calls; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			calls = pb_elf_note(info, &info->dlpi_phdr[i],
					    PATCHBAY_NOTE_NAME,
					    PATCHBAY_NOTE_STATIC_CALLS, &size);
	pb_elf_range(info, 0, &unit->low, &unit->high);
	if (!calls)
		return 0;
	if (size < sizeof(*calls) ||
	    calls->abi_version != PATCHBAY_ABI_VERSION)
		return -EPROTONOSUPPORT;
	unit->calls = calls;
	unit->tramps = (const void *)offset_from(&calls->tramps, calls->tramps);
	unit->sites = (const void *)offset_from(&calls->sites, calls->sites);
	unit->toc = offset_from(&calls->toc, calls->toc);
	if (!holds(unit, unit->tramps, calls->nr_tramps,
		   sizeof(*unit->tramps)) ||
	    !holds(unit, unit->sites, calls->nr_sites, sizeof(*unit->sites)))
		return -ENOEXEC;
	return 1;
}

/*
 * The key of @tramp. The pointer to an imported key is NULL until the loader has relocated
 * the unit.
 */
static struct static_call_key *tramp_key(const struct pb_tramp *tramp)
{
	if (tramp->flags & PATCHBAY_STATIC_CALL_IMPORTED)
		return *(struct static_call_key *const *)tramp->key;
	return (struct static_call_key *)tramp->key;
}

struct walk {
	struct update *update;
	step *step;
	int error;
};

static int walk_unit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct walk *walk = arg;
	const uintptr_t key = (uintptr_t)walk->update->key;
	struct unit unit;

	(void)size;
	walk->error = get_unit(info, &unit);
	/*
	 * The library cannot find the tramps of a unit of another version. But tramps for keys
	 * of other units load the target from the key, and so need no update.
	 */
	if (walk->error == -EPROTONOSUPPORT && (key < unit.low || key >= unit.high))
		walk->error = 0;
	if (walk->error <= 0)
		return walk->error;
	walk->error = 0;
	for (uint32_t i = 0; i < unit.calls->nr_tramps && !walk->error; i++) {
		const struct static_call_tramp_key *entry = &unit.tramps[i];
		struct pb_tramp tramp = {
			.addr = offset_from(&entry->tramp, entry->tramp),
			.key = key_of(&entry->key),
			.flags = offset_from(&entry->key, entry->key) &
				 PATCHBAY_STATIC_CALL_FLAGS,
			.low = unit.low,
			.high = unit.high,
			.toc = unit.toc,
		};
		struct static_call_key *key = tramp_key(&tramp);

		if (walk->update->key ? key == walk->update->key : !!key)
			walk->error = walk->step(walk->update, &unit, &tramp);
	}
	return walk->error;
}

/* Carry out @step for every tramp of the key, or of all keys. */
static int for_each_tramp(struct update *update, step *step)
{
	struct walk walk = { .update = update, .step = step };

	dl_iterate_phdr(walk_unit, &walk);
	return walk.error;
}

/* The first call site of @tramp. The sites of a tramp are adjacent in the unit's table. */
static const struct static_call_site *first_site(const struct unit *unit,
						 const struct pb_tramp *tramp)
{
	const struct static_call_site *sites = unit->sites;
	size_t nr = unit->calls->nr_sites;

	while (nr) {
		size_t half = nr / 2;

		if (key_of(&sites[half].key) < tramp->key) {
			sites += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return sites;
}

static bool is_site_of(const struct unit *unit, const struct pb_tramp *tramp,
		       const struct static_call_site *site)
{
	return site != unit->sites + unit->calls->nr_sites &&
	       key_of(&site->key) == tramp->key;
}

#define for_each_site(site, unit, tramp)                                       \
	for (site = first_site(unit, tramp); is_site_of(unit, tramp, site);    \
	     site++)

static uintptr_t site_addr(const struct static_call_site *site)
{
	return offset_from(&site->addr, site->addr);
}

static struct pb_target target_of(int text, void *func)
{
	struct pb_target target = { .func = (uintptr_t)func };

	if (func == (void *)__static_call_nop)
		target.kind = PB_TARGET_RETURN;
	else if (func == (void *)__static_call_return0)
		target.kind = PB_TARGET_RETURN0;
	else
		pb_arch_target(text, &target);
	return target;
}

/*
 * Was the tramp moved by a tool that rewrites programs (llvm-bolt on AArch64)? Such a tool
 * updates the callers and the key, but does not know the tables: an update would change code
 * that is no longer executed. The key shows the move, because key->tramp is the tramp of its
 * own unit. On ppc64le, with one TOC for all units, key->tramp is the tramp's second
 * instruction.
 */
static bool was_moved(const struct pb_tramp *tramp)
{
	const struct static_call_key *key = tramp_key(tramp);

	return !(tramp->flags & PATCHBAY_STATIC_CALL_IMPORTED) &&
	       (uintptr_t)key->tramp - tramp->addr >
		       PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET;
}

/* The first step: check all tramps and sites before anything is changed. */
static int check_tramp(struct update *update, const struct unit *unit,
		       const struct pb_tramp *tramp)
{
	const struct static_call_site *site;
	uintptr_t to;

	update->found++;
	if (was_moved(tramp))
		return -EILSEQ;
	if (sites_patched)
		for_each_site(site, unit, tramp)
			if (pb_arch_call_site(site_addr(site), &to))
				return -EILSEQ;
	return pb_arch_tramp_check(tramp, &update->target);
}

/*
 * Redirect the sites that branch to @from: they branch to @to afterwards. Skip other sites:
 * they reach the tramp by a thunk of the linker, or were not patched.
 */
static int redirect_sites(int text, const struct unit *unit,
			  const struct pb_tramp *tramp, uintptr_t from,
			  uintptr_t to)
{
	const struct static_call_site *site;
	uintptr_t now;
	int error;

	for_each_site(site, unit, tramp) {
		if (pb_arch_call_site(site_addr(site), &now))
			return -EILSEQ;
		if (now != from)
			continue;
		error = pb_arch_call_site_write(text, site_addr(site), to);
		if (error && error != -ERANGE)
			return error;
	}
	return 0;
}

static int to_indirect(struct update *update, const struct unit *unit,
		       const struct pb_tramp *tramp)
{
	int error = 0;

	if (sites_patched && update->former.entry)
		error = redirect_sites(update->text, unit, tramp,
				       update->former.entry, tramp->addr);
	return error ? error : pb_arch_tramp_indirect(update->text, tramp);
}

static int prepare(struct update *update, const struct unit *unit,
		   const struct pb_tramp *tramp)
{
	(void)unit;
	if (pb_arch_tramp_prepare(update->text, tramp, &update->target) > 0)
		update->prepared = true;
	return 0;
}

static int to_direct(struct update *update, const struct unit *unit,
		     const struct pb_tramp *tramp)
{
	pb_arch_tramp_direct(update->text, tramp, &update->target);
	if (patch_sites == ON && update->target.entry) {
		sites_patched = true;
		redirect_sites(update->text, unit, tramp, tramp->addr,
			       update->target.entry);
	}
	return 0;
}

static void set_func(struct static_call_key *key, uintptr_t func)
{
	/* Indirect tramps read key->func. Release: the target's data must be visible first. */
	__atomic_store_n(&key->func, (void *)func, __ATOMIC_RELEASE);
}

static int check_type(const struct update *update)
{
	const uint64_t type = update->key->type;
	uint8_t before[8];

	if (!type || update->target.kind != PB_TARGET_FUNC)
		return 0;
	/* Read the hash by a system call: if the function has none, the bytes may be unmapped. */
	if (pb_os_text_read(update->text,
			    update->target.func - pb_arch_hash_size, before,
			    pb_arch_hash_size))
		return -EINVAL;
	return pb_arch_hash_is(before, (uint32_t)type) ? 0 : -EINVAL;
}

/*
 * Change all tramps to the direct form. Every call goes to the new target already, and the
 * direct form is only faster. So a failure is no error, and the next update tries again. No
 * thread needs to wait, because both forms lead to the same target.
 */
static void go_directly(struct update *update)
{
	for_each_tramp(update, prepare);
	if (!update->prepared || !pb_sync_core())
		for_each_tramp(update, to_direct);
}

static int update_key(struct update *update)
{
	int error = check_type(update);

	if (!error)
		error = for_each_tramp(update, check_tramp);
	if (error)
		return error;
	if (!update->found)
		return -ENOENT;

	set_func(update->key, update->target.func);
	error = for_each_tramp(update, to_indirect);
	/*
	 * Before this sync, threads may have fetched direct branches. After the sync, every new
	 * call loads the target from the key.
	 */
	if (!error)
		error = pb_sync_core();
	if (error)
		/* Direct forms still call the former target. Make the other tramps do so, too. */
		set_func(update->key, update->former.func);
	else
		go_directly(update);
	return error;
}

/* Make the call sites of a tramp branch to the key's target, or to the tramp again. */
static int set_sites(struct update *update, const struct unit *unit,
		     const struct pb_tramp *tramp)
{
	void *func = tramp_key(tramp)->func;
	struct pb_target target = { 0 };

	if (func)
		target = target_of(update->text, func);
	if (!target.entry)
		return 0;
	if (patch_sites != ON)
		return redirect_sites(update->text, unit, tramp, target.entry,
				      tramp->addr);
	sites_patched = true;
	return redirect_sites(update->text, unit, tramp, tramp->addr,
			      target.entry);
}

struct in_loader {
	struct update *update;
	int (*func)(struct update *update);
	int error;
};

static int with_modules_lock(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct in_loader *call = arg;

	(void)info;
	(void)size;
	pb_modules_lock();
	call->update->text = pb_text_open();
	call->error = call->update->text < 0 ? call->update->text :
					       call->func(call->update);
	if (call->update->text >= 0)
		pb_text_close(call->update->text);
	pb_modules_unlock();
	return 1;
}

/*
 * Call @func under the modules lock, with the text open, within a walk over the units (there is
 * always one). @func makes walks that take the loader's lock. The loader's lock comes before the
 * modules lock, so this outer walk takes the loader's lock first. That lock is recursive.
 */
static int call_locked(struct update *update, int (*func)(struct update *))
{
	struct in_loader call = { update, func, 0 };

	dl_iterate_phdr(with_modules_lock, &call);
	return call.error;
}

static int set_target(struct update *update)
{
	void *former = update->key->func;
	int error;

	if (patch_sites == UNSET)
		patch_sites = pb_arch_call_sites == PB_CALL_SITES_BY_DEFAULT ?
				      ON :
				      OFF;
	/* If the target is NULL (a weak function that does not exist), the tramp returns. */
	if (!former)
		former = (void *)__static_call_nop;
	update->target = target_of(update->text, (void *)update->target.func);
	update->former = target_of(update->text, former);
	update->found = 0;
	pb_engine_lock();
	error = update_key(update);
	pb_engine_unlock();
	return error;
}

int __static_call_update(struct static_call_key *key, void *func)
{
	struct update update = { .key = key };

	if (!func)
		func = (void *)__static_call_nop;
	update.target.func = (uintptr_t)func;
	return call_locked(&update, set_target);
}

static int set_all_sites(struct update *update)
{
	int error;

	pb_engine_lock();
	error = for_each_tramp(update, set_sites);
	pb_engine_unlock();
	return error;
}

/* On error all sites call tramps again, unless the process can no longer write text. */
static int enable_sites(struct update *update)
{
	const bool were_patched = sites_patched;
	int former = patch_sites, error;

	patch_sites = ON;
	error = set_all_sites(update);
	if (error && former != ON) {
		patch_sites = OFF;
		if (!set_all_sites(update))
			sites_patched = were_patched;
		patch_sites = former;
	}
	return error;
}

/* Sites that cannot be restored stay as they are. Later updates may change them. */
static int disable_sites(struct update *update)
{
	patch_sites = OFF;
	return set_all_sites(update);
}

int static_call_patch_sites(int enable)
{
	struct update update = { .key = NULL };

	if (pb_arch_call_sites == PB_CALL_SITES_NEVER)
		return enable ? -EOPNOTSUPP : 0;
	return call_locked(&update, enable ? enable_sites : disable_sites);
}
