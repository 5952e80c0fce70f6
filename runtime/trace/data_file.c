/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define MACHINE EM_PPC64
#endif

/* One file for each image that a process id runs: the first free name. */
static int create(const char *output)
{
	char path[PATH_MAX];
	int fd = -1;

	for (int n = 0; fd < 0 && n < 10000; n++) {
		int length;

		if (n)
			length = snprintf(path, sizeof(path), "%s/%d.%d%s",
					  output, getpid(), n, PBD_SUFFIX);
		else
			length = snprintf(path, sizeof(path), "%s/%d%s",
					  output, getpid(), PBD_SUFFIX);
		if (length >= (int)sizeof(path))
			return -ENAMETOOLONG;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	return fd < 0 ? -EEXIST : fd;
}

static int allocate(int fd, uint64_t start, uint64_t size)
{
	int error;

	do {
		error = posix_fallocate(fd, (off_t)start, (off_t)size);
	} while (error == EINTR);
	return -error;
}

int pb_data_open(struct pb_data_file *file, const char *output)
{
	struct pbd_header *header;
	struct timespec now;
	int error;

	file->fd = create(output);
	if (file->fd < 0)
		return file->fd;
	error = allocate(file->fd, 0, sizeof(*header));
	if (error) {
		close(file->fd);
		return error;
	}
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED,
		      file->fd, 0);
	if (header == MAP_FAILED) {
		error = -errno;
		close(file->fd);
		return error;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	header->byte_order = PBD_BYTE_ORDER;
	header->version = PBD_VERSION;
	header->header_size = sizeof(*header);
	header->machine = MACHINE;
	header->pid = (uint32_t)getpid();
	header->start_ns = (uint64_t)now.tv_sec * 1000000000 +
			   (uint64_t)now.tv_nsec;
	header->committed = sizeof(*header);
	memcpy(header->magic, PBD_MAGIC, sizeof(header->magic));
	file->header = header;
	return 0;
}

void pb_data_leave(struct pb_data_file *file)
{
	munmap(file->header, sizeof(*file->header));
	close(file->fd);
}

void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error)
{
	uint64_t start = file->header->committed;
	uint64_t page = start & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	struct pbd_chunk *chunk;
	unsigned char *mapped;

	size = (size + 7) & ~(size_t)7;
	*error = allocate(file->fd, start, size);
	if (*error)
		return NULL;
	mapped = mmap(NULL, start - page + size, PROT_READ | PROT_WRITE,
		      MAP_SHARED, file->fd, (off_t)page);
	if (mapped == MAP_FAILED) {
		*error = -errno;
		return NULL;
	}
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
