/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"
#include "sys.h"

#include <elf.h>
#include <fcntl.h>
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

/*
 * One file for each image that a process id runs: the first free name. It gets
 * the name when its header is written, so that no reader finds it half made.
 */
static int name_file(int fd, const char *output, char name[PATH_MAX])
{
	char self[64];
	struct path path = { self, self + sizeof(self) - 1 };

	/* Not /proc/self: a thread that listens has descriptors of its own. */
	add_text(&path, "/proc/thread-self/fd/");
	add_number(&path, (unsigned int)fd);
	*path.at = '\0';
	for (unsigned int n = 0; n < 10000; n++) {
		long error;

		path = (struct path){ name, name + PATH_MAX - 1 };
		add_text(&path, output);
		add_text(&path, "/");
		add_number(&path, (unsigned int)pb_sys(SYS_getpid));
		if (n) {
			add_text(&path, ".");
			add_number(&path, n);
		}
		add_text(&path, PBD_SUFFIX);
		if (path.at == path.end)
			return -ENAMETOOLONG;
		*path.at = '\0';
		error = pb_sys(SYS_linkat, AT_FDCWD, self, AT_FDCWD, name,
			       AT_SYMLINK_FOLLOW);
		if (error != -EEXIST)
			return (int)error;
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

int pb_data_reopen(const struct pb_data_file *file)
{
	int fd = (int)pb_sys(SYS_openat, AT_FDCWD, file->path,
			     O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	uint64_t device, inode;

	if (fd < 0)
		return fd;
	if (identify(fd, &device, &inode) || device != file->device ||
	    inode != file->inode) {
		pb_sys(SYS_close, fd);
		return -ESTALE;
	}
	return fd;
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

int pb_data_open(struct pb_data_file *file, const char *output)
{
	struct pbd_header *header;
	struct timespec now;
	int fd, error;

	fd = (int)pb_sys(SYS_openat, AT_FDCWD, output,
			 O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
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
	if (!error)
		error = allocate(fd, 0, sizeof(*header));
	if (error)
		goto out;
	header = map(fd, 0, sizeof(*header), &error);
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
	error = name_file(fd, output, file->path);
	if (error)
		pb_sys(SYS_munmap, header, sizeof(*header));
	else
		file->header = header;
out:
	pb_sys(SYS_close, fd);
	return error;
}

void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error)
{
	uint64_t start = file->header->committed;
	struct pbd_chunk *chunk = NULL;
	int fd = pb_data_reopen(file);

	if (fd < 0) {
		*error = fd;
		return NULL;
	}
	size = (size + 7) & ~(size_t)7;
	*error = allocate(fd, start, size);
	if (!*error)
		chunk = map(fd, start, size, error);
	pb_sys(SYS_close, fd);
	if (!chunk)
		return NULL;
	chunk->kind = kind;
	chunk->size = size;
	return chunk;
}

void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk)
{
	/* Pairs with the reader of a file that is still being written. */
	__atomic_store_n(&file->header->committed,
			 file->header->committed + chunk->size,
			 __ATOMIC_RELEASE);
}

void pb_data_note(struct pb_data_file *file, int error)
{
	if (error && !file->header->error)
		file->header->error = (uint32_t)-error;
}
