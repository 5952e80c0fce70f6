/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arena.h"

#include "data_file.h"
#include "options/options.h"
#include "system/sys.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

/*
 * Is @fd the arena of this recording? In another PID namespace, or after the recorder has
 * ended, the path may name another file, even the arena of another command.
 */
static int is_arena(int fd, struct pba_arena *head)
{
	const int seals = (int)pb_sys(SYS_fcntl, fd, F_GET_SEALS, 0);

	/* These seals prevent truncation, after which accesses would raise SIGBUS. */
	return seals > 0 && seals & F_SEAL_SHRINK && seals & F_SEAL_GROW &&
	       pb_sys(SYS_pread64, fd, head, offsetof(struct pba_arena, chunk), 0) ==
		       offsetof(struct pba_arena, chunk) &&
	       *(const uint64_t *)head->magic == *(const uint64_t *)PBA_MAGIC &&
	       head->id == pb_options.arena_id &&
	       head->nr && head->nr <= PBA_CHUNKS_MAX && head->nr_pages <= PBA_PAGES_MAX;
}

struct pba_arena *pb_arena_map(int is_whole, uint32_t *nr, uint32_t *nr_pages)
{
	/* The whole structure is too large for the stack. */
	_Alignas(struct pba_arena) char start[offsetof(struct pba_arena, chunk)];
	const struct pba_arena *head = (void *)start;
	uint64_t size;
	long mapped;
	int fd;

	fd = (int)pb_sys(SYS_openat, AT_FDCWD, pb_options.arena,
			 O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	if (is_arena(fd, (void *)start)) {
		size = is_whole ? PBA_SIZE(head->nr, head->nr_pages) : pb_page_size;
		mapped = pb_sys(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				0ul);
	} else {
		mapped = -EINVAL;
	}
	pb_sys(SYS_close, fd);
	if (mapped < 0 && mapped > -4096)
		return NULL;
	if (!is_whole && pb_data_unlocks)
		pb_sys(SYS_munlock, mapped, size);
	/* Keep the arena out of core dumps. */
	pb_sys(SYS_madvise, mapped, size, MADV_DONTDUMP);
	*nr = head->nr;
	*nr_pages = head->nr_pages;
	return (struct pba_arena *)mapped;
}
