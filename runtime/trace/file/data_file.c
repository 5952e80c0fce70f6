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

/* Like posix_fallocate(3). Writes bytes if the file system does not support fallocate(2). */
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
 * File systems need blocks of their own to locate the blocks of a file. ext4
 * needs one for 340 extents, and each allocation may add an extent.
 */
#define EXTENTS 256

/* Counts whole pages. Allocating inside of the current length counts nothing. */
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
	 * The program may have closed the descriptor and opened another file
	 * under its number.
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
 * its parent's.
 */
static struct {
	struct pb_identity identity;
	int fd; /* the descriptor plus 1; 0: none */
} kept;

/* Does not close another file that the program has opened under this number. */
void pb_data_forget(void)
{
	if (kept.fd && pb_is_of(kept.fd - 1, &kept.identity))
		pb_sys(SYS_close, kept.fd - 1);
	kept.fd = 0;
}

/* Returns 0. On error returns -errno and has closed @fd. */
static int keep(struct pb_data_file *file, int fd)
{
	/* The kept file may belong to the process that forked this one. */
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
 * The program has no free descriptor, so use the kept one itself. Its number could lead
 * to another file only if the program closes it and opens that file at this moment. If
 * the limit was lowered below the number, even that is impossible.
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
 * @at need not be a multiple of the page size. @flags: MAP_POPULATE unless part of the
 * mapping may never be used. The kernel then adds its pages when they are touched.
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
 * Map one page only to keep the open file description, and thereby its lock. The page is
 * never accessed, because the header is in the arena.
 */
static int hold(struct pb_data_file *file, int fd)
{
	long mapped = pb_sys(SYS_mmap, NULL, pb_page_size, PROT_NONE, MAP_SHARED, fd, 0ul);

	if (mapped < 0 && mapped > -4096)
		return (int)mapped;
	file->held = (void *)mapped;
	return 0;
}

/* Make the header in the arena, or map it. */
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
 * Make the header and the @size bytes after it. If the disk has no space for
 * them, make the header only. It then records why the rest is missing.
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
 * Fill in the header, the magic last: a spare file already has a name that readers find,
 * and they accept no file without the magic.
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
 * Take a spare file if this process may not write to the directory, or if the directory
 * does not exist in its root (chroot(2)). Take none if the process has run out of
 * descriptors: the event is lost, and the next one tries again.
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
	 * The lock belongs to the open file description, which the mappings
	 * below keep. So it lasts as long as this process or a forked child
	 * records here, whichever descriptors are closed. `patchbay record`
	 * checks the lock before it moves or deletes a file. If locking fails,
	 * the process records all the same. LOCK_NB: the program must not wait
	 * for another process that holds the lock.
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
	/* The recorder recognizes the file by its header. */
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
	 * This process may not be able to open a spare file again. If the
	 * descriptor cannot be kept, the mappings still work.
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

	/* The recorder does not find the file before it has its name. */
	pb_quota_begin();
	error = open_file(file, output, size);
	pb_quota_end();
	return error;
}

/*
 * The next chunk begins at @at. If that is within an area that was made ahead, end the
 * area there.
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

/* Call before a new area begins at @at: each byte of the file must be in at most one area. */
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
 * On error returns NULL and sets *@error. The file may have become longer, but readers
 * stop at @committed.
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

/* The bytes of @ahead after the committed part of the file. */
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

/* Returns the next @size bytes of the file if @ahead has them, or NULL. */
static void *take_ahead(const struct pb_data_file *file,
			const struct pb_data_ahead *ahead, uint64_t size)
{
	uint64_t left = left_of(file, ahead);

	return size <= left ? ahead->mapped + (ahead->size - left) : NULL;
}

/*
 * A program that keeps loading and unloading modules adds small chunks for as
 * long as it runs. A process may have about 65,000 mappings (sysctl
 * vm.max_map_count), which is too few for one mapping per chunk. So chunks
 * share mappings, whose size grows with that of the file.
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

/* Blocks and per-thread counters are unmapped when their thread ends. All other chunks last. */
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

	/* Keep chunks in the first mapping, because other chunks share their pages. */
	if ((uintptr_t)chunk - (uintptr_t)ahead->mapped < ahead->size ||
	    pb_arena_pass_on(chunk, PBA_ENDED) || pb_arena_has_pages(chunk))
		return;
	pb_sys(SYS_munmap, start, end - start);
}

void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk)
{
	if (pb_arena_has(chunk))
		return;
	/*
	 * Pairs with the acquire load of a reader that reads the file while it
	 * is written.
	 */
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
