/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "left_out.h"

#include "modules.h"
#include "session/maps.h"
#include "session/parent.h"
#include "session/recording.h"
#include "session/session.h"

#include <core/system/memory.h>

#include <patchbay/exit.h>

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>

/*
 * Sorted by address, without duplicates: several filters may report the same function. The
 * session's lock guards the list.
 */
static struct left_out {
	uint64_t address;
	uint32_t flags;
	uint32_t written;
} *left_out;
static size_t nr_left_out, room, nr_written;
static size_t nr_placed; /* @nr_left_out at the last call of know_modules() */

/* Returns the index of the first element with the address, or where to insert it. */
static size_t find_left_out(uint64_t address)
{
	size_t at = 0, end = nr_left_out;

	while (at < end) {
		size_t middle = at + (end - at) / 2;

		if (left_out[middle].address < address)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

/* If out of memory, the list becomes incomplete. */
static void add_left_out(uint64_t address, uint32_t flags)
{
	size_t at = find_left_out(address);

	for (; at < nr_left_out && left_out[at].address == address; at++)
		if (left_out[at].flags == flags)
			return;
	if (nr_left_out == room) {
		size_t more = room ? 2 * room : 64;
		void *list = pb_realloc(left_out, more * sizeof(*left_out));

		if (!list)
			return;
		left_out = list;
		room = more;
	}
	memmove(&left_out[at + 1], &left_out[at],
		(nr_left_out - at) * sizeof(*left_out));
	left_out[at] = (struct left_out){ .address = address, .flags = flags };
	nr_left_out++;
}

int pb_left_out_check(void *arg, const struct patchbay_target *target)
{
	(void)arg;
	if (!(target->record->flags & PATCHBAY_RECORD_NO_EXIT))
		return 0;
	pb_guard(&pb_session->lock);
	add_left_out(target->entry, target->record->flags);
	return -EOPNOTSUPP;
}

void pb_left_out_add(uint64_t address, uint32_t flags)
{
	pb_guard(&pb_session->lock);
	add_left_out(address, flags);
}

void pb_left_out_write_locked(void)
{
	size_t nr = nr_left_out - nr_written;
	struct pb_left_out_map *map;
	struct pbd_left_out *chunk;
	int error;

	if (!nr || !pb_session->file.header)
		return;
	map = pb_calloc(1, sizeof(*map));
	if (!map) {
		pb_data_note(&pb_session->file, -ENOMEM);
		return;
	}
	chunk = pb_data_reserve(&pb_session->file, PBD_LEFT_OUT,
				sizeof(*chunk) + nr * sizeof(chunk->function[0]),
				&error);
	if (!chunk) {
		pb_data_note(&pb_session->file, error);
		pb_free(map);
		return;
	}
	for (size_t i = 0; i < nr_left_out; i++) {
		if (left_out[i].written)
			continue;
		chunk->function[chunk->nr].address = left_out[i].address;
		chunk->function[chunk->nr++].flags = left_out[i].flags;
		left_out[i].written = 1;
	}
	pb_session->file.header->left_out += nr;
	nr_written = nr_left_out;
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_parent_is_self();
	map->chunk = chunk;
	map->next = pb_left_out_maps;
	/* Release: a child that is forked at any time reads a complete list. */
	__atomic_store_n(&pb_left_out_maps, map, __ATOMIC_RELEASE);
}

void pb_left_out_forget(void)
{
	struct pb_left_out_map *map;

	while ((map = pb_left_out_maps)) {
		pb_left_out_maps = map->next;
		pb_free(map);
	}
	pb_free(left_out);
	left_out = NULL;
	nr_left_out = room = nr_written = nr_placed = 0;
}

static int is_left_out_of(const struct dl_phdr_info *info)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr;
		size_t at = find_left_out(begin);

		if (segment->p_type == PT_LOAD && at < nr_left_out &&
		    left_out[at].address - begin < segment->p_memsz)
			return 1;
	}
	return 0;
}

/*
 * Returns the contents of the linker's build-id note, or sets *@size to 0 if there is no
 * such note.
 */
static const uint8_t *build_id(const struct dl_phdr_info *info, size_t *size)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at = (char *)(info->dlpi_addr + segment->p_vaddr);
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE &&
		       end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);

			at = name + ((note->n_namesz + 3) & ~3u);
			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
				*size = note->n_descsz;
				return (const uint8_t *)at;
			}
			at += (note->n_descsz + 3) & ~3u;
		}
	}
	*size = 0;
	return NULL;
}

static int know_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct patchbay_module_info module = {
		.path = info->dlpi_name,
		.base = info->dlpi_addr,
	};
	char exe[PATH_MAX] = "";

	(void)size;
	(void)arg;
	/* The loader's name for the program is "". */
	if (!*module.path) {
		pb_sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", exe,
		       sizeof(exe) - 1);
		module.path = exe;
	}
	module.build_id = build_id(info, &module.build_id_size);
	pb_guard(&pb_session->lock);
	if (is_left_out_of(info))
		pb_data_note(&pb_session->file, pb_session_know(&module));
	return 0;
}

/*
 * Write the modules of left-out functions, which readers need to resolve addresses. Arming
 * a function also writes its module, but all functions of a module may be left out. Gets
 * the modules from the loader, because libpatchbay has forgotten them at the end of the
 * process.
 */
static void know_modules(void)
{
	pb_sigset signals;
	size_t nr;

	/* With counting tracers the file only contains armed functions. */
	if (!pb_tracer_needs_blocks || !pb_session->may_ask_loader)
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	nr = pb_session->file.header ? nr_left_out : 0;
	pb_signal_unlock(&pb_session->lock, signals);
	if (nr == nr_placed)
		return;
	dl_iterate_phdr(know_module, NULL);
	nr_placed = nr;
}

void pb_left_out_write(void)
{
	know_modules();
	pb_guard(&pb_session->lock);
	pb_left_out_write_locked();
}
