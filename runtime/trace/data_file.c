/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define MACHINE EM_PPC64
#endif

/*
 * One file for each image that a process id runs: the first free name. It gets
 * the name when its header is written, so that no reader finds it half made.
 */
static int name_file(int fd, const char *output, char path[PATH_MAX])
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	for (int n = 0; n < 10000; n++) {
		int length;

		if (n)
			length = snprintf(path, PATH_MAX, "%s/%d.%d%s",
					  output, getpid(), n, PBD_SUFFIX);
		else
			length = snprintf(path, PATH_MAX, "%s/%d%s",
					  output, getpid(), PBD_SUFFIX);
		if (length >= PATH_MAX)
			return -ENAMETOOLONG;
		if (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Past this limit the kernel sends a signal that kills the program. */
static int exceeds_limit(uint64_t end)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && end > limit.rlim_cur;
}

static int allocate(int fd, uint64_t start, uint64_t size)
{
	int error;

	if (exceeds_limit(start + size))
		return -EFBIG;
	do {
		error = posix_fallocate(fd, (off_t)start, (off_t)size);
	} while (error == EINTR);
	return -error;
}

/* Open the file anew, if it is still there and the one we made. */
static int reopen(const struct pb_data_file *file)
{
	int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_dev != file->device ||
	    st.st_ino != file->inode) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

int pb_data_open(struct pb_data_file *file, const char *output)
{
	struct pbd_header header = {
		.byte_order = PBD_BYTE_ORDER,
		.version = PBD_VERSION,
		.header_size = sizeof(header),
		.machine = MACHINE,
		.pid = (uint32_t)getpid(),
		.committed = sizeof(header),
	};
	struct timespec now;
	struct stat st;
	int fd, error;

	clock_gettime(CLOCK_REALTIME, &now);
	header.start_ns = (uint64_t)now.tv_sec * 1000000000 +
			  (uint64_t)now.tv_nsec;
	memcpy(header.magic, PBD_MAGIC, sizeof(header.magic));

	fd = open(output, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	error = fstat(fd, &st) ? -errno : allocate(fd, 0, sizeof(header));
	if (error)
		goto out;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->header = mmap(NULL, sizeof(header), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (file->header == MAP_FAILED) {
		error = -errno;
		goto out;
	}
	*file->header = header;
	error = name_file(fd, output, file->path);
	if (error)
		munmap(file->header, sizeof(header));
out:
	close(fd);
	return error;
}

void pb_data_leave(struct pb_data_file *file)
{
	munmap(file->header, sizeof(*file->header));
}

void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error)
{
	uint64_t start = file->header->committed;
	uint64_t page = start & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	struct pbd_chunk *chunk;
	unsigned char *mapped;
	int fd = reopen(file);

	if (fd < 0) {
		*error = fd;
		return NULL;
	}
	size = (size + 7) & ~(size_t)7;
	*error = allocate(fd, start, size);
	mapped = *error ? MAP_FAILED :
			  mmap(NULL, start - page + size,
			       PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			       (off_t)page);
	if (!*error && mapped == MAP_FAILED)
		*error = -errno;
	close(fd);
	if (*error)
		return NULL;
	chunk = (struct pbd_chunk *)(mapped + (start - page));
	/* Left over from a chunk that was not committed. */
	memset(chunk, 0, size);
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
