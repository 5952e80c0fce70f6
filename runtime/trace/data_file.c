/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"
#include "sys.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
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
#endif

/*
 * Behind what programs usually have open, below what they may (RLIMIT_NOFILE). Where they
 * may have fewer, at least not where somebody takes it for his standard output.
 */
#define KEPT_AT 1000
#define KEPT_LEAST 16

uint64_t pb_page_size;

/* A path that is put together; behind its end, nothing is added. */
struct path {
	char *at, *end;
};

static void add_text(struct path *path, const char *text)
{
	while (*text && path->at < path->end)
		*path->at++ = *text++;
}

static void add_number(struct path *path, unsigned int number)
{
	char digits[12], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	add_text(path, first);
}

/* "OUTPUT/PID.NrSUFFIX", without a number if @nr is 0. */
static int put_name(char name[PATH_MAX], const char *output, unsigned int nr,
		    const char *suffix)
{
	struct path path = { name, name + PATH_MAX - 1 };

	add_text(&path, output);
	add_text(&path, "/");
	add_number(&path, (unsigned int)pb_sys(SYS_getpid));
	if (nr) {
		add_text(&path, ".");
		add_number(&path, nr);
	}
	add_text(&path, suffix);
	if (path.at == path.end)
		return -ENAMETOOLONG;
	*path.at = '\0';
	return 0;
}

/* A file without a name: it is gone if the process is before it has one. */
static int give_name(int fd, const char *name)
{
	char self[64];
	struct path path = { self, self + sizeof(self) - 1 };

	/* Not /proc/self: a thread that listens has descriptors of its own. */
	add_text(&path, "/proc/thread-self/fd/");
	add_number(&path, (unsigned int)fd);
	*path.at = '\0';
	return (int)pb_sys(SYS_linkat, AT_FDCWD, self, AT_FDCWD, name,
			   AT_SYMLINK_FOLLOW);
}

/*
 * Some file systems cannot rename without replacing, such as NFS; others have no
 * links, such as vfat.
 */
static int change_name(const char *from, const char *to)
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
		int error = put_name(name, output, n, PBD_SUFFIX);

		if (!error)
			error = *now ? change_name(now, name) :
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
			     O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	*now = '\0';
	/* -EISDIR: of a kernel that takes it for O_DIRECTORY. */
	if (fd != -EOPNOTSUPP && fd != -EISDIR)
		return fd;
	for (unsigned int n = 0; n < 10000; n++) {
		int error = put_name(now, output, n, PBD_NEW_SUFFIX);

		if (error)
			return error;
		fd = (int)pb_sys(SYS_openat, AT_FDCWD, now,
				 O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
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

/* As posix_fallocate(3): where the file system cannot, bytes are written. */
static int allocate(int fd, uint64_t start, uint64_t size)
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

static int identify(int fd, uint64_t *device, uint64_t *inode)
{
	struct statx st;
	long error = pb_sys(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &st);

	if (error)
		return (int)error;
	*device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor;
	*inode = st.stx_ino;
	return 0;
}

static int is_of(int fd, uint64_t device, uint64_t inode)
{
	uint64_t its_device, its_inode;

	return !identify(fd, &its_device, &its_inode) && its_device == device &&
	       its_inode == inode;
}

/* @fd if it is of this file; else it is closed. @fd may be -errno. */
static int checked(const struct pb_data_file *file, int fd)
{
	if (fd < 0)
		return fd;
	if (!is_of(fd, file->device, file->inode)) {
		pb_sys(SYS_close, fd);
		return -ESTALE;
	}
	return fd;
}

/* For a thread with descriptors of its own: what the main thread has. */
static int from_main_thread(int number)
{
	int process = (int)pb_sys(SYS_pidfd_open, pb_sys(SYS_getpid), 0), fd;

	if (process < 0)
		return process;
	fd = (int)pb_sys(SYS_pidfd_getfd, process, number, 0);
	pb_sys(SYS_close, process);
	return fd;
}

/* The program may have closed it, and have another file there by now. */
static int from_kept(const struct pb_data_file *file)
{
	int number = file->kept - 1, fd;

	if (number < 0)
		return number;
	fd = checked(file, (int)pb_sys(SYS_fcntl, number, F_DUPFD_CLOEXEC, 0));
	return fd < 0 ? checked(file, from_main_thread(number)) : fd;
}

int pb_data_reopen(const struct pb_data_file *file)
{
	int fd = from_kept(file);

	if (fd >= 0)
		return fd;
	return checked(file, (int)pb_sys(SYS_openat, AT_FDCWD, file->path,
					 O_RDWR | O_CLOEXEC | O_NOFOLLOW));
}

int pb_data_is_passing(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

/* What pb_data_keep() has, in memory that fork() copies. */
static struct {
	uint64_t device, inode;
	int fd; /* and 1; 0: none */
} kept;

/* Not if the program has closed it, and has another file there by now. */
void pb_data_forget(void)
{
	if (kept.fd && is_of(kept.fd - 1, kept.device, kept.inode))
		pb_sys(SYS_close, kept.fd - 1);
	kept.fd = 0;
}

static int move_high(int fd)
{
	int high = (int)pb_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_AT);

	/* -EINVAL: beyond the limit. */
	if (high < 0)
		high = (int)pb_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_LEAST);
	pb_sys(SYS_close, fd);
	return high == -EINVAL ? -EMFILE : high;
}

int pb_data_keep(struct pb_data_file *file)
{
	int fd;

	/* The program may have closed it since. */
	if (file->kept && is_of(file->kept - 1, file->device, file->inode))
		return 0;
	/* It may be that of the process which forked this one. */
	pb_data_forget();
	fd = pb_data_reopen(file);
	if (fd >= 0)
		fd = move_high(fd);
	if (fd < 0)
		return fd;
	file->kept = fd + 1;
	kept.device = file->device;
	kept.inode = file->inode;
	kept.fd = file->kept;
	return 0;
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

	*error = allocate(fd, 0, least + size);
	if (*error && size) {
		size = 0;
		*error = allocate(fd, 0, least);
	}
	if (*error)
		return NULL;
	header = map(fd, 0, least + size, error);
	if (header)
		file->ahead = (struct pb_data_ahead){
			(char *)header + least, least, size };
	return header;
}

int pb_data_open(struct pb_data_file *file, const char *output, size_t size)
{
	struct pbd_header *header;
	struct timespec now;
	int fd, error;

	fd = make_file(output, file->before);
	if (fd < 0)
		return fd;
	/*
	 * Of the open file, which the mappings below keep: so the lock lasts as
	 * long as somebody records here, whatever descriptors are closed, and in
	 * forked children, too. `patchbay record` looks for it before it moves or
	 * deletes a file. One that cannot be locked is recorded all the same.
	 */
	pb_sys(SYS_flock, fd, LOCK_SH);
	error = identify(fd, &file->device, &file->inode);
	if (error)
		goto out;
	header = begin(file, fd, size, &error);
	if (error)
		goto out;
	pb_sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
	pb_copy(header->magic, PBD_MAGIC, sizeof(header->magic));
	header->byte_order = PBD_BYTE_ORDER;
	header->version = PBD_VERSION;
	header->header_size = sizeof(*header);
	header->machine = MACHINE;
	header->pid = (uint32_t)pb_sys(SYS_getpid);
	header->start_ns = (uint64_t)now.tv_sec * 1000000000 +
			   (uint64_t)now.tv_nsec;
	header->committed = sizeof(*header);
	error = name_file(fd, file->before, output, file->path);
	if (error) {
		pb_sys(SYS_munmap, header, sizeof(*header) + file->ahead.size);
		file->ahead.size = 0;
	} else {
		file->header = header;
	}
out:
	if (error && *file->before)
		pb_sys(SYS_unlinkat, AT_FDCWD, file->before, 0);
	pb_sys(SYS_close, fd);
	return error;
}

/* NULL and *@error: the file is as before, or longer by what nobody reads. */
static void *append(struct pb_data_file *file, uint64_t size, int *error)
{
	uint64_t start = file->header->committed;
	void *mapped = NULL;
	int fd = pb_data_reopen(file);

	if (fd < 0) {
		*error = fd;
		return NULL;
	}
	*error = allocate(fd, start, size);
	if (!*error)
		mapped = map(fd, start, size, error);
	pb_sys(SYS_close, fd);
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

/* Blocks and histograms are unmapped when their threads end. */
static int is_lasting(enum pbd_kind kind)
{
	return kind != PBD_BLOCK && kind != PBD_HISTOGRAMS;
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
	if (error && !file->header->error)
		file->header->error = (uint32_t)-error;
}
