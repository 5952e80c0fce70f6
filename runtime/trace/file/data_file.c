/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"
#include "arena.h"
#include "new_file.h"
#include "quota.h"
#include "spare_files.h"
#include "options/options.h"
#include "system/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define MACHINE EM_PPC64
#elif defined(__riscv)
#define MACHINE EM_RISCV
#endif

uint64_t pb_page_size;
int pb_data_unlocks;

int pb_data_exceeds_limit(uint64_t end)
{
	struct rlimit limit;

	return !pb_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) &&
	       end > limit.rlim_cur;
}

/* Reimplements posix_fallocate(3): writes bytes if the file system lacks fallocate(2). */
static int reserve_blocks(int fd, uint64_t start, uint64_t size)
{
	long error;

	if (pb_data_exceeds_limit(start + size))
		return -EFBIG;
	do {
		error = pb_sys(SYS_fallocate, fd, 0, start, size);
	} while (error == -EINTR);
	if (error != -EOPNOTSUPP)
		return (int)error;
	for (uint64_t at = start; at < start + size; at += 512) {
		error = pb_sys(SYS_pwrite64, fd, "", 1, at);
		if (error < 0)
			return (int)error;
	}
	error = pb_sys(SYS_pwrite64, fd, "", 1, start + size - 1);
	return error < 0 ? (int)error : 0;
}

/*
 * File systems also need blocks for metadata. ext4 needs one block per 340 extents, and
 * each allocation may add an extent.
 */
#define EXTENTS 256

/* Allocates disk space. The quota counts whole pages after the present end of the file. */
static int allocate(struct pb_data_file *file, int fd, uint64_t start,
		    uint64_t size)
{
	uint64_t end = (start + size + 4095) & ~(uint64_t)4095;
	uint64_t more = end > file->end ? end - file->end : 0;
	int error;

	if (more && file->extents++ % EXTENTS == 0)
		more += 4096;
	error = pb_quota_take(more);
	if (error)
		return error;
	error = reserve_blocks(fd, start, size);
	if (error) {
		pb_quota_give(more);
		return error;
	}
	file->allocated += more;
	file->end = end > file->end ? end : file->end;
	return 0;
}

int pb_data_reopen(const struct pb_data_file *file)
{
	int fd = -EBADF;

	/*
	 * The program may have closed the descriptor and reused its number for another
	 * file.
	 */
	if (file->kept)
		fd = pb_copy_kept(file->kept - 1, &file->identity);
	if (fd >= 0)
		return fd;
	fd = (int)pb_sys(SYS_openat, AT_FDCWD, file->path,
			 O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return pb_check_descriptor(fd, &file->identity);
}

int pb_data_is_passing(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

/*
 * The descriptor of pb_data_keep(). In memory that fork() copies, so that a child can close
 * the inherited descriptor.
 */
static struct {
	struct pb_identity identity;
	int fd; /* the descriptor plus 1; 0: none */
} kept;

/* Closes the descriptor only if the program has not reused its number for another file. */
void pb_data_forget(void)
{
	if (kept.fd && pb_is_of(kept.fd - 1, &kept.identity))
		pb_sys(SYS_close, kept.fd - 1);
	kept.fd = 0;
}

/* Returns 0 or -errno. Closes @fd on error. */
static int keep(struct pb_data_file *file, int fd)
{
	/* @kept may be the file of the parent process. */
	pb_data_forget();
	fd = pb_keep_descriptor(fd);
	if (fd < 0)
		return fd;
	file->kept = fd + 1;
	kept.identity = file->identity;
	kept.fd = file->kept;
	return 0;
}

int pb_data_keep(struct pb_data_file *file)
{
	int fd;

	/* The program may have closed the descriptor since. */
	if (file->kept && pb_is_of(file->kept - 1, &file->identity))
		return 0;
	fd = pb_data_reopen(file);
	return fd < 0 ? fd : keep(file, fd);
}

/*
 * The program has no free descriptor, so use the kept descriptor itself. Such a use races
 * with a program that closes the descriptor and reuses its number at this moment, but not
 * if the limit was lowered below that number.
 */
static int without_copy(const struct pb_data_file *file)
{
	int number = file->kept - 1;

	return file->kept && pb_is_of(number, &file->identity) ? number :
								 -EMFILE;
}

/* Returns a descriptor for end_use(), or -errno. */
static int begin_use(const struct pb_data_file *file)
{
	int fd = pb_data_reopen(file);

	return fd == -EMFILE ? without_copy(file) : fd;
}

static void end_use(const struct pb_data_file *file, int fd)
{
	if (fd != file->kept - 1)
		pb_sys(SYS_close, fd);
}

/*
 * Map @size bytes from offset @at, which may be unaligned. @flags: MAP_POPULATE, unless the
 * mapping may stay partly unused.
 */
static void *map(int fd, uint64_t at, uint64_t size, int flags, int *error)
{
	uint64_t page = at & ~(pb_page_size - 1);
	long mapped = pb_sys(SYS_mmap, NULL, at - page + size,
			     PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, page);

	*error = mapped < 0 && mapped > -4096 ? (int)mapped : 0;
	if (!*error && pb_data_unlocks)
		pb_sys(SYS_munlock, mapped, at - page + size);
	return *error ? NULL : (char *)mapped + (at - page);
}

/*
 * Map one page to keep the open file description, and thereby the lock. The page is never
 * accessed, because the header is in the arena.
 */
static int hold(struct pb_data_file *file, int fd)
{
	long mapped = pb_sys(SYS_mmap, NULL, pb_page_size, PROT_NONE, MAP_SHARED, fd, 0ul);

	if (mapped < 0 && mapped > -4096)
		return (int)mapped;
	file->held = (void *)mapped;
	return 0;
}

/* Make the header in the arena or, without an arena, in a mapping of the file. */
static struct pbd_header *make_header(struct pb_data_file *file, int fd, uint64_t size,
				      int *error)
{
	struct pbd_header *header;

	*error = 0;
	header = pb_arena_take_pages(size);
	file->is_in_arena = header != NULL;
	if (header) {
		pb_arena_populate(header, size);
		*error = hold(file, fd);
	} else {
		file->held = header = map(fd, 0, size, MAP_POPULATE, error);
	}
	return header;
}

/*
 * Make the header and the following @size bytes. If the disk is full, make only the header,
 * so that it can store the error.
 */
static struct pbd_header *begin(struct pb_data_file *file, int fd, uint64_t size,
				int *error)
{
	const uint64_t least = sizeof(struct pbd_header);
	struct pbd_header *header;

	*error = allocate(file, fd, 0, least + size);
	if (*error && size) {
		size = 0;
		*error = allocate(file, fd, 0, least);
	}
	if (*error)
		return NULL;
	header = make_header(file, fd, least + size, error);
	if (header)
		file->ahead = (struct pb_data_ahead){
			(char *)header + least, least, size };
	return header;
}

/*
 * Fill in the header, the magic last: readers can already find a spare file, and reject a
 * file without the magic.
 */
static void fill_in(struct pbd_header *header)
{
	struct timespec now;

	pb_sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
	header->byte_order = PBD_BYTE_ORDER;
	header->version = PBD_VERSION;
	header->header_size = sizeof(*header);
	header->machine = MACHINE;
	header->pid = (uint32_t)pb_sys(SYS_getpid);
	header->start_ns = (uint64_t)now.tv_sec * 1000000000 +
			   (uint64_t)now.tv_nsec;
	header->committed = sizeof(*header);
	header->recording = pb_options.recording;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	pb_copy(header->magic, PBD_MAGIC, sizeof(header->magic));
}

/*
 * Take a spare file if this process lacks permission to write to the directory, or if the
 * directory does not exist in its root (chroot(2)). If the process has run out of
 * descriptors, the event is lost instead, and the next event tries again.
 */
static int take_spare(struct pb_data_file *file, int error)
{
	int fd;

	if (pb_data_is_passing(error))
		return error;
	fd = pb_spare_files_take(file->path);
	return fd < 0 ? error : fd;
}

void pb_data_unhold(const struct pb_data_file *file)
{
	if (file->held)
		pb_sys(SYS_munmap, file->held,
		       file->is_in_arena ? pb_page_size :
					   sizeof(struct pbd_header) + file->ahead.size);
}

/* Undo begin(). */
static void drop(struct pb_data_file *file, struct pbd_header *header)
{
	pb_data_unhold(file);
	if (file->is_in_arena)
		pb_arena_drop(header, sizeof(*header) + file->ahead.size);
	file->held = NULL;
	file->ahead.size = 0;
	pb_quota_give(file->allocated);
}

static int open_file(struct pb_data_file *file, const char *output, size_t size)
{
	int fd = pb_new_file(output, file->before), is_spare = fd < 0, error;
	struct pbd_header *header;

	file->allocated = file->end = file->extents = file->nr_unused = 0;
	file->held = NULL;
	file->lasting = (struct pb_data_ahead){ 0 };
	if (is_spare)
		fd = take_spare(file, fd);
	if (fd < 0)
		return fd;
	/*
	 * The lock belongs to the open file description, which the mappings below keep. So
	 * the lock lasts until this process and its forked children stop recording, even if
	 * the descriptors are closed. `patchbay record` checks the lock before it moves or
	 * deletes a file. Errors of flock(2) are ignored. LOCK_NB: the program must not
	 * wait for another lock holder.
	 */
	pb_sys(SYS_flock, fd, LOCK_SH | LOCK_NB);
	error = pb_identify(fd, &file->identity);
	if (error)
		goto out;
	header = begin(file, fd, size, &error);
	if (!header)
		goto out;
	if (!error)
		fill_in(header);
	/* The recorder reads the header in the file to identify the file. */
	if (!error && file->is_in_arena && pb_sys(SYS_pwrite64, fd, header,
						  sizeof(*header), 0) != sizeof(*header))
		error = -EIO;
	if (!error && !is_spare)
		error = pb_name_new_file(fd, file->before, output, file->path);
	if (error) {
		drop(file, header);
		goto out;
	}
	file->header = header;
	if (file->is_in_arena)
		pb_arena_bind(file, header, 0);
out:
	if (error && !is_spare && *file->before)
		pb_sys(SYS_unlinkat, AT_FDCWD, file->before, 0);
	/*
	 * Keep the descriptor of a spare file, because this process may lack permission to
	 * open the file again. If that fails, the mappings still work.
	 */
	file->stays = is_spare;
	if (!error && is_spare)
		keep(file, fd);
	else
		pb_sys(SYS_close, fd);
	return error;
}

int pb_data_open(struct pb_data_file *file, const char *output, size_t size)
{
	int error;

	/* The recorder finds the file only after pb_name_new_file(). */
	pb_quota_begin();
	error = open_file(file, output, size);
	pb_quota_end();
	return error;
}

/*
 * The next chunk begins at offset @at. If @ahead contains that offset, end the area there.
 */
static void end_ahead(struct pb_data_ahead *ahead, uint64_t at)
{
	const uint64_t before = (uintptr_t)ahead->mapped % PBA_PAGE_SIZE;

	if (!ahead->size || ahead->start + ahead->size <= at ||
	    !pb_arena_has_pages(ahead->mapped))
		return;
	ahead->size = at - ahead->start;
	pb_arena_cut(ahead->mapped, before + ahead->size);
}

/*
 * Call this before a new area begins at @at: at most one area may contain a byte of the
 * file.
 */
static void end_areas(struct pb_data_file *file, uint64_t at)
{
	if (!file->is_in_arena)
		return;
	end_ahead(&file->ahead, at);
	end_ahead(&file->lasting, at);
}

static void *make_area(struct pb_data_file *file, uint64_t at, uint64_t size, int flags)
{
	void *area = file->is_in_arena ? pb_arena_take_pages(size) : NULL;

	end_areas(file, at);
	if (!area)
		return NULL;
	if (flags & MAP_POPULATE)
		pb_arena_populate(area, size);
	pb_arena_bind(file, area, at);
	return area;
}

/*
 * Append @size bytes. On error returns NULL and sets *@error. The file may be longer then,
 * but readers stop at @committed.
 */
static void *append(struct pb_data_file *file, uint64_t size, int flags, int *error)
{
	uint64_t start = file->header->committed;
	void *mapped = NULL;
	int fd = begin_use(file);

	if (fd < 0) {
		*error = fd;
		return NULL;
	}
	pb_quota_begin();
	*error = allocate(file, fd, start, size);
	pb_quota_end();
	if (!*error)
		mapped = make_area(file, start, size, flags);
	if (!*error && !mapped)
		mapped = map(fd, start, size, flags, error);
	end_use(file, fd);
	return mapped;
}

int pb_data_add_spare(struct pb_data_file *file, uint64_t nr, uint64_t size)
{
	const struct pbd_chunk head = { .kind = PBD_SPARE, .size = size };
	const uint64_t start = file->header->committed;
	int fd = begin_use(file), error;

	if (fd < 0)
		return fd;
	pb_quota_begin();
	error = allocate(file, fd, start, nr * size);
	pb_quota_end();
	for (uint64_t i = 0; i < nr && !error; i++)
		if (pb_sys(SYS_pwrite64, fd, &head, sizeof(head), start + i * size) !=
		    sizeof(head))
			error = -EIO;
	end_use(file, fd);
	if (error)
		return error;
	end_areas(file, start);
	__atomic_store_n(&file->header->committed, start + nr * size, __ATOMIC_RELEASE);
	return 0;
}

static void map_ahead(struct pb_data_file *file, struct pb_data_ahead *ahead,
		      uint64_t size)
{
	int error;

	ahead->mapped = append(file, size, file->is_in_arena ? 0 : MAP_POPULATE, &error);
	ahead->start = file->header->committed;
	ahead->size = ahead->mapped ? size : 0;
}

/* The number of unused bytes in @ahead. */
static uint64_t left_of(const struct pb_data_file *file,
			const struct pb_data_ahead *ahead)
{
	uint64_t used = file->header->committed - ahead->start;

	return used < ahead->size ? ahead->size - used : 0;
}

size_t pb_data_ahead(const struct pb_data_file *file)
{
	return left_of(file, &file->ahead);
}

/* Returns @size unused bytes of @ahead, or NULL if fewer are left. */
static void *take_ahead(const struct pb_data_file *file,
			const struct pb_data_ahead *ahead, uint64_t size)
{
	uint64_t left = left_of(file, ahead);

	return size <= left ? ahead->mapped + (ahead->size - left) : NULL;
}

/*
 * A program that keeps loading and unloading modules adds small chunks without end. One
 * mapping per chunk would exceed the limit of about 65,000 mappings per process (sysctl
 * vm.max_map_count). So chunks share mappings, which grow with the file.
 */
static void *take_lasting(struct pb_data_file *file, uint64_t size)
{
	const uint64_t most = file->is_in_arena ? 1 << 16 : 1 << 20;
	uint64_t more = file->header->committed / 4 & ~(pb_page_size - 1);
	void *chunk = take_ahead(file, &file->lasting, size);

	if (chunk || size > most || more < 4 * size)
		return chunk;
	map_ahead(file, &file->lasting, more < most ? more : most);
	return take_ahead(file, &file->lasting, size);
}

/*
 * Blocks and per-thread counters are unmapped when their thread ends, all other chunks at
 * the end of the recording.
 */
static int is_lasting(enum pbd_kind kind)
{
	return kind != PBD_BLOCK && kind != PBD_HISTOGRAMS &&
	       kind != PBD_SAMPLES;
}

void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error)
{
	struct pbd_chunk *chunk;

	size = (size + 7) & ~(size_t)7;
	chunk = take_ahead(file, &file->ahead, size);
	if (!chunk && is_lasting(kind))
		chunk = take_lasting(file, size);
	if (!chunk && kind == PBD_BLOCK && size == PBA_CHUNK_SIZE)
		chunk = pb_arena_take(file);
	if (!chunk)
		chunk = append(file, size, kind == PBD_SPARE ? 0 : MAP_POPULATE, error);
	if (!chunk)
		return NULL;
	*error = 0;
	chunk->kind = kind;
	chunk->size = size;
	return chunk;
}

void pb_data_unmap(const struct pb_data_file *file,
		   const struct pbd_chunk *chunk)
{
	const struct pb_data_ahead *ahead = &file->ahead;
	uintptr_t start = (uintptr_t)chunk & ~(pb_page_size - 1);
	uintptr_t end = (uintptr_t)chunk + chunk->size;

	/*
	 * Chunks in the first mapping share pages with other chunks, so they stay mapped.
	 */
	if ((uintptr_t)chunk - (uintptr_t)ahead->mapped < ahead->size ||
	    pb_arena_pass_on(chunk, PBA_ENDED) || pb_arena_has_pages(chunk))
		return;
	pb_sys(SYS_munmap, start, end - start);
}

void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk)
{
	if (pb_arena_has(chunk))
		return;
	/* Release: readers may read the file during the recording. */
	__atomic_store_n(&file->header->committed,
			 file->header->committed + chunk->size,
			 __ATOMIC_RELEASE);
	if (file->is_in_arena && pb_arena_is_left())
		pb_arena_write_areas(file);
}

const char *pb_data_name(const struct pb_data_file *file)
{
	const char *name = file->path;

	for (const char *at = file->path; *at; at++)
		if (*at == '/')
			name = at + 1;
	return name;
}

void pb_data_note(struct pb_data_file *file, int error)
{
	if (error && error != -PB_OVER_SIZE && error != -PB_OVER_MEMORY &&
	    !file->header->error)
		file->header->error = (uint32_t)-error;
}
