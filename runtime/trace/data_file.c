/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"
#include "file_name.h"
#include "quota.h"
#include "spare_files.h"
#include "sys.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
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

/* A file without a name: it is gone if the process is before it has one. */
static int give_name(int fd, const char *name)
{
	char self[PB_FD_NAME_MAX];

	pb_fd_name(self, fd);
	return (int)pb_sys(SYS_linkat, AT_FDCWD, self, AT_FDCWD, name,
			   AT_SYMLINK_FOLLOW);
}

/*
 * Some file systems cannot rename without replacing, such as NFS; others have no
 * links, such as vfat.
 */
int pb_data_rename(const char *from, const char *to)
{
	long error = pb_sys(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to,
			    RENAME_NOREPLACE);

	if (error != -EINVAL && error != -ENOSYS)
		return (int)error;
	error = pb_sys(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
	if (!error)
		pb_sys(SYS_unlinkat, AT_FDCWD, from, 0);
	return (int)error;
}

/*
 * One file for each image that a process id runs: the first free name. It gets
 * the name when its header is written, so that no reader finds it half made. @now:
 * what it is called now, empty if it has no name.
 */
static int name_file(int fd, const char *now, const char *output,
		     char name[PATH_MAX])
{
	for (unsigned int n = 0; n < 10000; n++) {
		int error = pb_file_name(name, output, n, PBD_SUFFIX);

		if (!error)
			error = *now ? pb_data_rename(now, name) :
				       give_name(fd, name);
		if (error != -EEXIST)
			return error;
	}
	return -EEXIST;
}

/*
 * A new file: without a name, and where the file system knows no such thing
 * (O_TMPFILE), with one that readers do not look at. What has such a name is of
 * processes that were killed at this moment, or of others with this number.
 */
static int make_file(const char *output, char now[PATH_MAX])
{
	int fd = (int)pb_sys(SYS_openat, AT_FDCWD, output,
			     O_TMPFILE | O_RDWR | O_CLOEXEC, PB_DATA_MODE);

	*now = '\0';
	/* -EISDIR: of a kernel that takes it for O_DIRECTORY. */
	if (fd != -EOPNOTSUPP && fd != -EISDIR)
		return fd;
	for (unsigned int n = 0; n < 10000; n++) {
		int error = pb_file_name(now, output, n, PBD_NEW_SUFFIX);

		if (error)
			return error;
		fd = (int)pb_sys(SYS_openat, AT_FDCWD, now,
				 O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
				 PB_DATA_MODE);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

/* Past this limit the kernel sends a signal that kills the program. */
static int exceeds_limit(uint64_t end)
{
	struct rlimit limit;

	return !pb_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) &&
	       end > limit.rlim_cur;
}

int pb_data_allocate(int fd, uint64_t start, uint64_t size)
{
	long error;

	if (exceeds_limit(start + size))
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
 * File systems have blocks of their own to find a file's: ext4 has one for 340 extents,
 * of which each allocation may be one.
 */
#define EXTENTS 256

/* What is counted are pages: of files that are as long as they were it is nothing. */
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
	error = pb_data_allocate(fd, start, size);
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

	/* The program may have closed it, and have another file there by now. */
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

/* What is kept, in memory that fork() copies. */
static struct {
	struct pb_identity identity;
	int fd; /* and 1; 0: none */
} kept;

/* Not if the program has closed it, and has another file there by now. */
void pb_data_forget(void)
{
	if (kept.fd && pb_is_of(kept.fd - 1, &kept.identity))
		pb_sys(SYS_close, kept.fd - 1);
	kept.fd = 0;
}

/* Returns 0, or -errno and @fd is closed. */
static int keep(struct pb_data_file *file, int fd)
{
	/* It may be that of the process which forked this one. */
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

	/* The program may have closed it since. */
	if (file->kept && pb_is_of(file->kept - 1, &file->identity))
		return 0;
	fd = pb_data_reopen(file);
	return fd < 0 ? fd : keep(file, fd);
}

/*
 * The program has no descriptor left. It would have to close the one that is kept and
 * open another file just now for the number to be another file's; if its limit has
 * become lower than the number, it cannot even do that.
 */
static int without_copy(const struct pb_data_file *file)
{
	int number = file->kept - 1;

	return file->kept && pb_is_of(number, &file->identity) ? number :
								 -EMFILE;
}

/* For a moment, to be given to end_use(). */
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
 * @at need not be a multiple of the page size. What is more than a block is for
 * later, and may never be needed: its pages come when they are touched.
 */
static void *map(int fd, uint64_t at, uint64_t size, int *error)
{
	uint64_t page = at & ~(pb_page_size - 1);
	int flags = size > 1u << 20 ? MAP_SHARED : MAP_SHARED | MAP_POPULATE;
	long mapped = pb_sys(SYS_mmap, NULL, at - page + size,
			     PROT_READ | PROT_WRITE, flags, fd, page);

	*error = mapped < 0 && mapped > -4096 ? (int)mapped : 0;
	return *error ? NULL : (char *)mapped + (at - page);
}

/*
 * The header and @size bytes behind it. Without space for these the header alone,
 * which then says why the rest is missing.
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
	header = map(fd, 0, least + size, error);
	if (header)
		file->ahead = (struct pb_data_ahead){
			(char *)header + least, least, size };
	return header;
}

/*
 * Everything but the name. What the file is known by comes last: one that has a name
 * already, since it was set aside, is nobody's file until then.
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
	__atomic_thread_fence(__ATOMIC_RELEASE);
	pb_copy(header->magic, PBD_MAGIC, sizeof(header->magic));
}

/*
 * Where the user may not write, or where there is no such directory for it (chroot(2)).
 * Not where descriptors have run out: what comes without one is lost.
 */
static int take_spare(struct pb_data_file *file, int error)
{
	int fd;

	if (pb_data_is_passing(error))
		return error;
	fd = pb_spare_files_take(file->path);
	return fd < 0 ? error : fd;
}

static int open_file(struct pb_data_file *file, const char *output, size_t size)
{
	int fd = make_file(output, file->before), is_spare = fd < 0, error;
	struct pbd_header *header;

	file->allocated = file->end = file->extents = 0;
	if (is_spare)
		fd = take_spare(file, fd);
	if (fd < 0)
		return fd;
	/*
	 * Of the open file, which the mappings below keep: so the lock lasts as
	 * long as somebody records here, whatever descriptors are closed, and in
	 * forked children, too. `patchbay record` looks for it before it moves or
	 * deletes a file. One that cannot be locked is recorded all the same: nor
	 * does the program wait for somebody else who has locked it.
	 */
	pb_sys(SYS_flock, fd, LOCK_SH | LOCK_NB);
	error = pb_identify(fd, &file->identity);
	if (error)
		goto out;
	header = begin(file, fd, size, &error);
	if (error)
		goto out;
	fill_in(header);
	if (!is_spare)
		error = name_file(fd, file->before, output, file->path);
	if (error) {
		pb_sys(SYS_munmap, header, sizeof(*header) + file->ahead.size);
		file->ahead.size = 0;
		pb_quota_give(file->allocated);
	} else {
		file->header = header;
	}
out:
	if (error && !is_spare && *file->before)
		pb_sys(SYS_unlinkat, AT_FDCWD, file->before, 0);
	/* Nobody here may open it again; if it cannot be kept, there is what is mapped. */
	if (!error && is_spare)
		keep(file, fd);
	else
		pb_sys(SYS_close, fd);
	return error;
}

int pb_data_open(struct pb_data_file *file, const char *output, size_t size)
{
	/* Until it has its name nobody finds it. */
	int place = pb_quota_begin();
	int error = open_file(file, output, size);

	pb_quota_end(place);
	return error;
}

/* NULL and *@error: the file is as before, or longer by what nobody reads. */
static void *append(struct pb_data_file *file, uint64_t size, int *error)
{
	uint64_t start = file->header->committed;
	void *mapped = NULL;
	int fd = begin_use(file), place;

	if (fd < 0) {
		*error = fd;
		return NULL;
	}
	place = pb_quota_begin();
	*error = allocate(file, fd, start, size);
	pb_quota_end(place);
	if (!*error)
		mapped = map(fd, start, size, error);
	end_use(file, fd);
	return mapped;
}

static void map_ahead(struct pb_data_file *file, struct pb_data_ahead *ahead,
		      uint64_t size)
{
	int error;

	ahead->mapped = append(file, size, &error);
	ahead->start = file->header->committed;
	ahead->size = ahead->mapped ? size : 0;
}

/* How much of it is behind what is in the file. */
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

/* What comes next in the file, if it is mapped already. */
static void *take_ahead(const struct pb_data_file *file,
			const struct pb_data_ahead *ahead, uint64_t size)
{
	uint64_t left = left_of(file, ahead);

	return size <= left ? ahead->mapped + (ahead->size - left) : NULL;
}

/*
 * Programs load and unload modules for as long as they run, and each time some
 * small chunks are added. A process may have some 65,000 mappings (sysctl
 * vm.max_map_count), so these chunks cannot have one each: the larger the file
 * is, the more of it is mapped at once.
 */
static void *take_lasting(struct pb_data_file *file, uint64_t size)
{
	const uint64_t most = 1 << 20;
	uint64_t more = file->header->committed / 4 & ~(pb_page_size - 1);
	void *chunk = take_ahead(file, &file->lasting, size);

	if (chunk || size > most || more < 4 * size)
		return chunk;
	map_ahead(file, &file->lasting, more < most ? more : most);
	return take_ahead(file, &file->lasting, size);
}

/* Blocks, and what threads count in, are unmapped when these end. */
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
	if (!chunk)
		chunk = append(file, size, error);
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

	/* Its pages are others', too. */
	if ((uintptr_t)chunk - (uintptr_t)ahead->mapped < ahead->size)
		return;
	pb_sys(SYS_munmap, start, end - start);
}

void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk)
{
	/* Pairs with the reader of a file that is still being written. */
	__atomic_store_n(&file->header->committed,
			 file->header->committed + chunk->size,
			 __ATOMIC_RELEASE);
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
