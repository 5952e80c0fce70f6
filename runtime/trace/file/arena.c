/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arena.h"

#include "data_file.h"
#include "options/options.h"
#include "system/moment.h"
#include "system/sys.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* In memory that fork() copies, because a child uses the same mapping. */
static struct pba_arena *arena;
static struct pba_arena *arena_head; /* equals @arena, or only the first page is mapped */
static uint32_t nr_chunks, nr_pages;
static int was_opened;
/*
 * A bit for each page that this process or an ancestor has ever taken, and may still use.
 */
static uint64_t own_pages[PBA_PAGES_MAX / 64];
/*
 * A bit for each chunk that pb_arena_leave() has unmapped. The program may reuse its
 * addresses.
 */
static uint64_t unmapped;
static int has_left;
/* Blocks of this process's file, one bit each. A forked child starts without blocks. */
static struct {
	uint64_t start_ns;
	uint64_t populated; /* chunks whose pages are mapped */
	uint64_t taken;     /* owned by threads: not passed to the recorder yet */
	uint64_t first_ns;  /* start time of the first file of a rotation */
	uint64_t left;	    /* taken for earlier files of a rotation; threads may still use them */
} own;

/*
 * How long to wait for the recorder: long enough on busy processors, but shorter than a
 * client waits.
 */
#define WAIT_NS UINT64_C(5000000000)

_Static_assert(PBA_CHUNKS_MAX <= 64, "a bit for each chunk");
_Static_assert(sizeof(struct pba_arena) <= PBA_DATA_AT, "chunks follow the head");

static char *memory(uint32_t nr)
{
	return (char *)arena + PBA_DATA_AT + nr * PBA_CHUNK_SIZE;
}

static char *page(uint32_t nr)
{
	return (char *)arena + PBA_PAGES_AT(nr_chunks) + nr * PBA_PAGE_SIZE;
}

/* A limit on address space or locked memory would also count the arena's mapping. */
static int is_memory_limited(void)
{
	struct rlimit limit;

	return pb_data_unlocks || pb_sys(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) ||
	       limit.rlim_cur != RLIM_INFINITY;
}

void pb_arena_open(void)
{
	int is_whole;

	if (was_opened || !pb_options.arena)
		return;
	is_whole = !pb_options.overwrite && !is_memory_limited();
	if (!is_whole && !pb_options.max_size)
		return;
	was_opened = 1;
	arena_head = pb_arena_map(is_whole, &nr_chunks, &nr_pages);
	arena = is_whole ? arena_head : NULL;
}

struct pba_arena *pb_arena_head(void)
{
	return arena_head;
}

/* Fills the rest of @to with zeros, for is_same(). */
static void copy_name(char to[PBA_NAME_MAX], const char *from)
{
	for (size_t i = 0; i < PBA_NAME_MAX; i++)
		to[i] = i < PBA_NAME_MAX - 1 && *from ? *from++ : '\0';
}

static int is_same(const char left[PBA_NAME_MAX], const char right[PBA_NAME_MAX])
{
	size_t i = 0;

	while (i < PBA_NAME_MAX && left[i] == right[i])
		i++;
	return i == PBA_NAME_MAX;
}

static void use_as(uint64_t start_ns)
{
	if (own.start_ns != start_ns) {
		own.populated = own.taken = own.left = 0;
		own.first_ns = start_ns;
	}
	own.start_ns = start_ns;
}

/* One system call instead of a page fault per page. Has no effect before Linux 5.14. */
static void populate(uint32_t nr)
{
	if (own.populated >> nr & 1)
		return;
	own.populated |= UINT64_C(1) << nr;
	pb_sys(SYS_madvise, memory(nr), PBA_CHUNK_SIZE, MADV_POPULATE_WRITE);
}

void pb_arena_next_file(const struct pb_data_file *from, const struct pb_data_file *to)
{
	use_as(from->header->start_ns);
	own.left |= own.taken;
	own.taken = 0;
	own.start_ns = to->header->start_ns;
}

void pb_arena_finish_files(void)
{
	own.left = 0;
}

/*
 * Add unused blocks to the file. Readers skip a block until the recorder writes to it. An
 * allocation waits while the recorder writes to the file, so several blocks are added at
 * once, up to an eighth of the file. With a size limit only one block is added, because
 * unused blocks count, too.
 */
static int add_unused_blocks(struct pb_data_file *file)
{
	const uint64_t at = file->header->committed;
	uint64_t nr = at / 8 / PBA_CHUNK_SIZE;
	int error;

	nr = nr < 1 || pb_options.max_size || pb_options.rotate_size ? 1 : nr > 16 ? 16 : nr;
	error = pb_data_add_spare(file, nr, PBA_CHUNK_SIZE);
	if (error)
		return error;
	file->unused_at = at;
	file->nr_unused = nr;
	return 0;
}

static int is_recorder_dead(void)
{
	return (__atomic_load_n(&arena->recorder, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED) != 0;
}

int pb_arena_is_left(void)
{
	return arena && is_recorder_dead();
}

int pb_arena_is_open(void)
{
	return arena && !has_left && !__atomic_load_n(&arena->closed, __ATOMIC_SEQ_CST) &&
	       !is_recorder_dead();
}

static int claim(struct pba_chunk *of)
{
	uint32_t is_free = PBA_FREE;

	return __atomic_load_n(&of->state, __ATOMIC_RELAXED) == PBA_FREE &&
	       __atomic_compare_exchange_n(&of->state, &is_free, PBA_TAKEN, 0,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Take the first free chunk: reusing few chunks keeps them in the processor's cache. */
static int take_free(void)
{
	for (uint32_t i = 0; i < nr_chunks && pb_arena_is_open(); i++)
		if (claim(&arena->chunk[i]))
			return (int)i;
	return -EAGAIN;
}

static void set_state(struct pba_chunk *chunk, enum pba_state state)
{
	__atomic_store_n(&chunk->state, state, __ATOMIC_RELEASE);
}

static int is_of(const struct pba_chunk *head, const struct pb_data_file *file,
		 const char name[PBA_NAME_MAX])
{
	return __atomic_load_n(&head->state, __ATOMIC_ACQUIRE) >= PBA_OWNED &&
	       head->start_ns == file->header->start_ns && is_same(head->file, name);
}

/*
 * Does chunk @nr contain a block for offset @at of @file? Checks all fields, because other
 * processes can write to the arena. @thread is 0 until the thread has begun the block.
 */
static int is_block_of(uint32_t nr, uint64_t at, const struct pb_data_file *file,
		       const char name[PBA_NAME_MAX])
{
	const struct pbd_block *block = (void *)memory(nr);

	return !(unmapped >> nr & 1) && is_of(&arena->chunk[nr], file, name) &&
	       block->thread && block->chunk.size == PBA_CHUNK_SIZE &&
	       at >= sizeof(struct pbd_header) && at <= file->end &&
	       file->end - at >= PBA_CHUNK_SIZE &&
	       !pb_data_exceeds_limit(at + PBA_CHUNK_SIZE);
}

/* Is each record of the block committed, so that no thread writes to the block any more? */
static int is_complete(const struct pbd_block *block)
{
	const uint64_t nr = (PBA_CHUNK_SIZE - sizeof(*block)) / sizeof(block->record[0]) - 1;
	uint64_t i = 0;

	while (i < nr && __atomic_load_n(&block->record[i].last, __ATOMIC_ACQUIRE))
		i++;
	return i == nr;
}

static int write_full(const struct pb_data_file *file, uint32_t nr, uint64_t at)
{
	const int fd = pb_data_reopen(file);
	long written;

	if (fd < 0)
		return fd;
	written = pb_sys(SYS_pwrite64, fd, memory(nr), PBA_CHUNK_SIZE, at);
	pb_sys(SYS_close, fd);
	return written == PBA_CHUNK_SIZE ? 0 : -EIO;
}

/*
 * Used when the recorder cannot keep up: write a full chunk of this process to the file,
 * and reuse the chunk. If the process is killed during the write, the recorder repeats the
 * write.
 */
static int take_full(const struct pb_data_file *file)
{
	char name[PBA_NAME_MAX];

	copy_name(name, pb_data_name(file));
	for (uint32_t i = 0; i < nr_chunks; i++) {
		const uint64_t at = __atomic_load_n(&arena->chunk[i].at, __ATOMIC_RELAXED);
		uint32_t full = PBA_FULL;

		if (__atomic_load_n(&arena->chunk[i].state, __ATOMIC_RELAXED) != PBA_FULL ||
		    !is_block_of(i, at, file, name) || !is_complete((void *)memory(i)) ||
		    !__atomic_compare_exchange_n(&arena->chunk[i].state, &full, PBA_WRITTEN,
						 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		if (__atomic_load_n(&arena->chunk[i].is_read, __ATOMIC_SEQ_CST) ||
		    write_full(file, i, at)) {
			set_state(&arena->chunk[i], PBA_FULL);
			continue;
		}
		set_state(&arena->chunk[i], PBA_TAKEN);
		for (uint64_t *word = (void *)memory(i); word != (void *)memory(i + 1); word++)
			*word = 0;
		return (int)i;
	}
	return -EAGAIN;
}

/* If the process is killed before it stores PBA_OWNED, the chunk stays PBA_TAKEN. */
void *pb_arena_take(struct pb_data_file *file)
{
	struct pba_chunk *chunk;
	int nr;

	if (!pb_arena_is_open() || (!file->nr_unused && add_unused_blocks(file)))
		return NULL;
	nr = take_free();
	if (nr < 0)
		nr = take_full(file);
	if (nr < 0)
		return NULL;
	chunk = &arena->chunk[nr];
	chunk->at = file->unused_at;
	chunk->start_ns = file->header->start_ns;
	copy_name(chunk->file, pb_data_name(file));
	file->unused_at += PBA_CHUNK_SIZE;
	file->nr_unused--;
	__atomic_store_n(&chunk->state, PBA_OWNED, __ATOMIC_SEQ_CST);
	/*
	 * The arena was closed after the first check: the recorder has ended, or waits
	 * until all chunks are free.
	 */
	if (!pb_arena_is_open()) {
		set_state(chunk, PBA_FREE);
		return NULL;
	}
	use_as(file->header->start_ns);
	populate((uint32_t)nr);
	own.taken |= UINT64_C(1) << nr;
	return memory((uint32_t)nr);
}

/* Returns the number of the chunk with @address; at least @nr_chunks if there is none. */
static uint64_t chunk_of(const void *address)
{
	return ((uintptr_t)address - (uintptr_t)memory(0)) / PBA_CHUNK_SIZE;
}

int pb_arena_has(const void *address)
{
	const uint64_t nr = arena ? chunk_of(address) : 0;

	return arena && nr < nr_chunks && !(unmapped >> nr & 1);
}

/* Returns the number of the page with @address; at least @nr_pages if there is none. */
static uint64_t page_of(const void *address)
{
	return ((uintptr_t)address - (uintptr_t)page(0)) / PBA_PAGE_SIZE;
}

int pb_arena_has_pages(const void *address)
{
	return arena && page_of(address) < nr_pages;
}

uint64_t pb_arena_size(const struct pbd_chunk *chunk, uint64_t least)
{
	uint64_t size = __atomic_load_n(&chunk->size, __ATOMIC_RELAXED), room;

	if (!pb_arena_has_pages(chunk))
		return size;
	room = (uintptr_t)page(nr_pages) - (uintptr_t)chunk;
	if (size > room)
		size = room;
	return size < least ? least : size;
}

/*
 * Takes the first @nr consecutive free pages. Returns the number of the first, or
 * @nr_pages.
 */
static uint32_t claim_pages(uint32_t nr)
{
	for (uint32_t first = 0, n; nr <= nr_pages - first; first += n + 1) {
		for (n = 0; n < nr && claim(&arena->page[first + n]); n++)
			;
		if (n == nr)
			return first;
		for (uint32_t i = 0; i < n; i++)
			set_state(&arena->page[first + i], PBA_FREE);
	}
	return nr_pages;
}

static void note_used(uint32_t end)
{
	uint32_t used = __atomic_load_n(&arena->nr_used, __ATOMIC_RELAXED);

	while (used < end && !__atomic_compare_exchange_n(&arena->nr_used, &used, end, 0,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void *pb_arena_take_pages(uint64_t size)
{
	uint32_t nr, first;

	if (!pb_arena_is_open() || size > nr_pages * PBA_PAGE_SIZE)
		return NULL;
	nr = (uint32_t)((size + PBA_PAGE_SIZE - 1) / PBA_PAGE_SIZE);
	first = claim_pages(nr);
	if (first == nr_pages)
		return NULL;
	for (uint32_t i = first; i < first + nr; i++)
		__atomic_fetch_or(&own_pages[i / 64], UINT64_C(1) << i % 64, __ATOMIC_RELAXED);
	arena->page[first].pages = nr;
	arena->page[first].size = (uint32_t)size;
	note_used(first + nr);
	return page(first);
}

void pb_arena_drop(void *area, uint64_t size)
{
	struct pba_chunk *head = &arena->page[page_of(area)];
	const uint64_t nr = (size + PBA_PAGE_SIZE - 1) / PBA_PAGE_SIZE;

	for (uint64_t i = 0; i < size / 8; i++)
		((uint64_t *)area)[i] = 0;
	for (uint64_t i = 0; i < nr; i++)
		set_state(&head[i], PBA_FREE);
}

void pb_arena_populate(void *area, uint64_t size)
{
	pb_sys(SYS_madvise, area, size, MADV_POPULATE_WRITE);
}

void pb_arena_bind(const struct pb_data_file *file, const void *area, uint64_t at)
{
	struct pba_chunk *head = &arena->page[page_of(area)];

	head->at = at;
	head->start_ns = file->header->start_ns;
	copy_name(head->file, pb_data_name(file));
	set_state(head, PBA_OWNED);
}

void pb_arena_cut(const void *area, uint64_t size)
{
	__atomic_store_n(&arena->page[page_of(area)].size, (uint32_t)size, __ATOMIC_RELEASE);
}

int pb_arena_pass_on(const void *chunk, enum pba_state state)
{
	uint64_t nr;

	if (pb_arena_has(chunk)) {
		nr = chunk_of(chunk);
		own.taken &= ~(UINT64_C(1) << nr);
		set_state(&arena->chunk[nr], state);
		return 1;
	}
	/* An area is passed on as a whole, by its first chunk. */
	nr = pb_arena_has_pages(chunk) ? page_of(chunk) : 0;
	if (!pb_arena_has_pages(chunk) || chunk != page((uint32_t)nr) ||
	    __atomic_load_n(&arena->page[nr].state, __ATOMIC_RELAXED) != PBA_OWNED)
		return 0;
	set_state(&arena->page[nr], state);
	return 1;
}

static void write_blocks(const struct pb_data_file *file, int fd,
			 const char name[PBA_NAME_MAX])
{
	for (uint32_t i = 0; i < nr_chunks; i++) {
		const uint64_t at = __atomic_load_n(&arena->chunk[i].at, __ATOMIC_RELAXED);

		if (is_block_of(i, at, file, name))
			pb_sys(SYS_pwrite64, fd, memory(i), PBA_CHUNK_SIZE, at);
	}
}

/* Writes in descending order: the header, in the first page, must come last. */
static void write_areas(const struct pb_data_file *file, int fd,
			const char name[PBA_NAME_MAX])
{
	for (uint32_t i = nr_pages; i--;) {
		const struct pba_chunk *head = &arena->page[i];
		const uint64_t at = __atomic_load_n(&head->at, __ATOMIC_RELAXED);
		const uint64_t room = (nr_pages - i) * PBA_PAGE_SIZE;
		uint64_t size = __atomic_load_n(&head->size, __ATOMIC_RELAXED);

		if (!(own_pages[i / 64] >> i % 64 & 1) || !is_of(head, file, name) ||
		    at >= file->end)
			continue;
		if (size > room)
			size = room;
		if (size > file->end - at)
			size = file->end - at;
		if (!pb_data_exceeds_limit(at + size))
			pb_sys(SYS_pwrite64, fd, page(i), size, at);
	}
}

static int write_rest(const struct pb_data_file *file, int has_blocks)
{
	char name[PBA_NAME_MAX];
	int fd;

	if (!arena || !is_recorder_dead())
		return 0;
	if (!file->header)
		return 1;
	fd = pb_data_reopen(file);
	if (fd < 0)
		return fd;
	copy_name(name, pb_data_name(file));
	if (has_blocks)
		write_blocks(file, fd, name);
	write_areas(file, fd, name);
	pb_sys(SYS_close, fd);
	return 1;
}

int pb_arena_write_rest(const struct pb_data_file *file)
{
	return write_rest(file, 1);
}

void pb_arena_write_areas(const struct pb_data_file *file)
{
	write_rest(file, 0);
}

int pb_arena_wait(void)
{
	const uint64_t end = pb_now_ns(CLOCK_MONOTONIC) + WAIT_NS;
	uint32_t wanted;

	if (!arena)
		return 1;
	wanted = __atomic_add_fetch(&arena->asked, 1, __ATOMIC_SEQ_CST);
	while (!is_recorder_dead() && pb_now_ns(CLOCK_MONOTONIC) < end) {
		if ((int32_t)(__atomic_load_n(&arena->answered, __ATOMIC_ACQUIRE) -
			      wanted) >= 0)
			return 1;
		pb_pause_ns(1000000);
	}
	return !is_recorder_dead();
}

/* Unmap all pages that this process has taken (@is_own is 1), or all other pages (0). */
static void unmap_pages(uint64_t is_own)
{
	for (uint32_t i = 0, end; i < nr_pages; i = end + 1) {
		for (end = i;
		     end < nr_pages && (own_pages[end / 64] >> end % 64 & 1) == is_own; end++)
			;
		/* The kernel's pages may be larger than PBA_PAGE_SIZE. */
		const uintptr_t from = ((uintptr_t)page(i) + pb_page_size - 1) & -pb_page_size;
		const uintptr_t to = (uintptr_t)page(end) & -pb_page_size;

		if (from < to)
			pb_sys(SYS_munmap, from, to - from);
	}
}

static void unmap_chunks(uint64_t chunks)
{
	for (uint32_t i = 0; i < nr_chunks; i++)
		if (chunks >> i & ~(unmapped >> i) & 1)
			pb_sys(SYS_munmap, memory(i), PBA_CHUNK_SIZE);
	unmapped |= chunks;
}

void pb_arena_close(const struct pb_data_file *file)
{
	char name[PBA_NAME_MAX];

	was_opened = 0;
	if (!arena && arena_head)
		pb_sys(SYS_munmap, arena_head, pb_page_size);
	arena_head = NULL;
	if (!arena)
		return;
	copy_name(name, pb_data_name(file));
	for (uint32_t i = 0; file->header && i < nr_chunks; i++) {
		struct pba_chunk *chunk = &arena->chunk[i];

		if (__atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE) == PBA_OWNED &&
		    chunk->start_ns == file->header->start_ns && is_same(chunk->file, name))
			set_state(chunk, PBA_ENDED);
	}
	unmap_chunks(~UINT64_C(0));
	if (!has_left)
		unmap_pages(0);
	unmap_pages(1);
	pb_sys(SYS_munmap, arena, PBA_DATA_AT);
	for (size_t i = 0; i < sizeof(own_pages) / sizeof(own_pages[0]); i++)
		own_pages[i] = 0;
	arena = NULL;
	own.start_ns = unmapped = 0;
	has_left = 0;
}

void pb_arena_leave(const struct pb_data_file *file)
{
	uint64_t in_use = 0;

	if (!arena)
		return;
	if (!has_left)
		unmap_pages(0);
	has_left = 1;
	if (file->header) {
		use_as(file->header->start_ns);
		in_use = own.taken | own.left;
	}
	/*
	 * Keep full blocks, too: a signal handler may have filled a block in which the
	 * interrupted thread still has to complete a record.
	 */
	for (uint32_t i = 0; file->header && i < nr_chunks; i++)
		if (__atomic_load_n(&arena->chunk[i].state, __ATOMIC_ACQUIRE) == PBA_FULL &&
		    arena->chunk[i].start_ns >= own.first_ns &&
		    arena->chunk[i].start_ns <= own.start_ns)
			in_use |= UINT64_C(1) << i;
	unmap_chunks(~in_use);
}
