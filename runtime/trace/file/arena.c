/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arena.h"

#include "data_file.h"
#include "options/options.h"
#include "system/sys.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

/* Not in memory that fork() fills with zeros: a child uses the same mapping. */
static struct pba_arena *arena;
static uint32_t nr_chunks;
static int was_opened;
/* A bit for each chunk. */
static uint64_t unmapped; /* pb_arena_leave(): the program may use these addresses */
static int has_left;
/* Blocks of the process with this file. A forked child has none. */
static struct {
	uint64_t start_ns;
	uint64_t populated; /* mapped pages */
	uint64_t taken;     /* until its thread passes it on to the recorder */
} own;

_Static_assert(PBA_CHUNKS_MAX <= 64, "a bit for each chunk");
_Static_assert(sizeof(struct pba_arena) <= PBA_DATA_AT, "chunks follow the head");

static char *memory(uint32_t nr)
{
	return (char *)arena + PBA_DATA_AT + nr * PBA_CHUNK_SIZE;
}

/*
 * After the recorder has ended, or in another PID namespace, another file may have this
 * path, even the arena of another command.
 */
static int is_arena(int fd, struct pba_arena *head)
{
	const int seals = (int)pb_sys(SYS_fcntl, fd, F_GET_SEALS, 0);

	/* Without these seals, the recorder could end the process by SIGBUS. */
	return seals > 0 && seals & F_SEAL_SHRINK && seals & F_SEAL_GROW &&
	       pb_sys(SYS_pread64, fd, head, offsetof(struct pba_arena, chunk), 0) ==
		       offsetof(struct pba_arena, chunk) &&
	       *(const uint64_t *)head->magic == *(const uint64_t *)PBA_MAGIC &&
	       head->id == pb_options.arena_id &&
	       head->nr && head->nr <= PBA_CHUNKS_MAX;
}

/* A memory limit would also count the mapping. */
static int is_memory_limited(void)
{
	struct rlimit limit;

	return pb_data_unlocks || pb_sys(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) ||
	       limit.rlim_cur != RLIM_INFINITY;
}

void pb_arena_open(void)
{
	static struct pba_arena head; /* static: stacks may be small */
	long mapped;
	int fd;

	if (was_opened || !pb_options.arena || pb_options.overwrite || is_memory_limited())
		return;
	was_opened = 1;
	fd = (int)pb_sys(SYS_openat, AT_FDCWD, pb_options.arena,
			 O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	mapped = is_arena(fd, &head) ? pb_sys(SYS_mmap, NULL, PBA_SIZE(head.nr),
					      PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0ul) :
				       -EINVAL;
	pb_sys(SYS_close, fd);
	if (mapped < 0 && mapped > -4096)
		return;
	/* A core dump has the program's memory only. */
	pb_sys(SYS_madvise, mapped, PBA_SIZE(head.nr), MADV_DONTDUMP);
	arena = (struct pba_arena *)mapped;
	nr_chunks = head.nr;
}

/* The rest of @to is filled with zeros. */
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
	if (own.start_ns != start_ns)
		own.populated = own.taken = 0;
	own.start_ns = start_ns;
}

/* One system call instead of a page fault for each page. Older kernels cannot. */
static void populate(uint32_t nr)
{
	if (own.populated >> nr & 1)
		return;
	own.populated |= UINT64_C(1) << nr;
	pb_sys(SYS_madvise, memory(nr), PBA_CHUNK_SIZE, MADV_POPULATE_WRITE);
}

/*
 * Add blocks that readers skip until the recorder writes to them. Several at once, since
 * allocating space waits while the recorder writes. At most an eighth of the file is
 * unused in the end.
 */
static int add_unused_blocks(struct pb_data_file *file)
{
	const uint64_t at = file->header->committed, before = at & (pb_page_size - 1);
	uint64_t nr = at / 8 / PBA_CHUNK_SIZE;
	char *mapped;
	int error;

	nr = nr < 1 ? 1 : nr > 16 ? 16 : nr;
	mapped = pb_data_reserve(file, PBD_SPARE, nr * PBA_CHUNK_SIZE, &error);
	if (!mapped)
		return error;
	/* Otherwise the kernel would make pages around each head. */
	pb_sys(SYS_madvise, mapped - before, before + nr * PBA_CHUNK_SIZE, MADV_RANDOM);
	for (uint64_t i = 0; i < nr; i++) {
		struct pbd_chunk *chunk = (void *)(mapped + i * PBA_CHUNK_SIZE);

		chunk->kind = PBD_SPARE;
		chunk->size = PBA_CHUNK_SIZE;
		pb_data_commit(file, chunk);
	}
	pb_sys(SYS_munmap, mapped - before, before + nr * PBA_CHUNK_SIZE);
	file->unused_at = at;
	file->nr_unused = nr;
	return 0;
}

static int is_recorder_dead(void)
{
	return (__atomic_load_n(&arena->recorder, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED) != 0;
}

int pb_arena_is_open(void)
{
	return arena && !has_left && !__atomic_load_n(&arena->closed, __ATOMIC_SEQ_CST) &&
	       !is_recorder_dead();
}

/* Take the first free chunk, so that few chunks are in use and stay in the cache. */
static int take_free(void)
{
	for (uint32_t i = 0; i < nr_chunks; i++) {
		uint32_t is_free = PBA_FREE;

		if (pb_arena_is_open() &&
		    __atomic_compare_exchange_n(&arena->chunk[i].state, &is_free, PBA_TAKEN,
						0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return (int)i;
	}
	return -EAGAIN;
}

static void set_state(struct pba_chunk *chunk, enum pba_state state)
{
	__atomic_store_n(&chunk->state, state, __ATOMIC_RELEASE);
}

/*
 * If a process is killed after it has taken a chunk, the chunk stays taken. Takes a chunk
 * without a system call.
 */
void *pb_arena_take(struct pb_data_file *file)
{
	struct pba_chunk *chunk;
	int nr;

	if (!pb_arena_is_open() || (!file->nr_unused && add_unused_blocks(file)))
		return NULL;
	nr = take_free();
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
	 * The arena was closed meanwhile: the recorder may have ended, or waits until all
	 * chunks are free.
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

/* The chunk's number; at least @nr_chunks if @address is in no chunk. */
static uint64_t chunk_of(const void *address)
{
	return ((uintptr_t)address - (uintptr_t)memory(0)) / PBA_CHUNK_SIZE;
}

int pb_arena_has(const void *address)
{
	const uint64_t nr = arena ? chunk_of(address) : 0;

	return arena && nr < nr_chunks && !(unmapped >> nr & 1);
}

int pb_arena_pass_on(const void *chunk, enum pba_state state)
{
	uint64_t nr;

	if (!pb_arena_has(chunk))
		return 0;
	nr = chunk_of(chunk);
	own.taken &= ~(UINT64_C(1) << nr);
	set_state(&arena->chunk[nr], state);
	return 1;
}

/* Other processes can write to chunk @nr. Its thread may not have begun the block. */
static int is_block_of(uint32_t nr, uint64_t at, const struct pb_data_file *file,
		       const char name[PBA_NAME_MAX])
{
	const struct pba_chunk *chunk = &arena->chunk[nr];
	const struct pbd_block *block = (void *)memory(nr);

	return !(unmapped >> nr & 1) &&
	       __atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE) >= PBA_OWNED &&
	       block->thread && block->chunk.size == PBA_CHUNK_SIZE &&
	       chunk->start_ns == file->header->start_ns && is_same(chunk->file, name) &&
	       at >= sizeof(struct pbd_header) && at <= file->end &&
	       file->end - at >= PBA_CHUNK_SIZE &&
	       !pb_data_exceeds_limit(at + PBA_CHUNK_SIZE);
}

void pb_arena_write_rest(const struct pb_data_file *file)
{
	char name[PBA_NAME_MAX];
	int fd;

	if (!arena || !is_recorder_dead())
		return;
	fd = pb_data_reopen(file);
	copy_name(name, pb_data_name(file));
	for (uint32_t i = 0; fd >= 0 && i < nr_chunks; i++) {
		const uint64_t at = __atomic_load_n(&arena->chunk[i].at, __ATOMIC_RELAXED);

		if (is_block_of(i, at, file, name))
			pb_sys(SYS_pwrite64, fd, memory(i), PBA_CHUNK_SIZE, at);
	}
	if (fd >= 0)
		pb_sys(SYS_close, fd);
}

void pb_arena_wait(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint32_t wanted;

	if (!pb_arena_is_open())
		return;
	wanted = __atomic_add_fetch(&arena->asked, 1, __ATOMIC_SEQ_CST);
	for (int ms = 0; ms < 1000 && !is_recorder_dead(); ms++) {
		if ((int32_t)(__atomic_load_n(&arena->answered, __ATOMIC_ACQUIRE) -
			      wanted) >= 0)
			return;
		pb_sys(SYS_nanosleep, &pause, NULL);
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
	pb_sys(SYS_munmap, arena, PBA_DATA_AT);
	arena = NULL;
	own.start_ns = unmapped = 0;
	has_left = 0;
}

void pb_arena_leave(const struct pb_data_file *file)
{
	uint64_t in_use = 0;

	if (!arena)
		return;
	has_left = 1;
	if (file->header) {
		use_as(file->header->start_ns);
		in_use = own.taken;
	}
	/* A signal handler may have filled a block whose thread still completes a record. */
	for (uint32_t i = 0; file->header && i < nr_chunks; i++)
		if (__atomic_load_n(&arena->chunk[i].state, __ATOMIC_ACQUIRE) == PBA_FULL &&
		    arena->chunk[i].start_ns == own.start_ns)
			in_use |= UINT64_C(1) << i;
	unmap_chunks(~in_use);
}
