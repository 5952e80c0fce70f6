/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quota.h"

#include "data_file.h"
#include "options/options.h"
#include "system/file_name.h"
#include "system/sys.h"
#include "system/wake.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Not in memory that fork() fills with zeros: a child uses the same counters. */
static struct pbd_size *size;
static int refused;

/* Linux's PID_MAX_LIMIT, and numbers that no disk and no directory reaches. */
#define MOST_PID (1u << 22)
#define MOST_BYTES ((uint64_t)1 << 50)
#define MOST_FILES ((uint64_t)1 << 32)

/* Rejects another file of this name, which holds other data than these counters. */
static int is_size(int fd)
{
	static const struct pbd_size none;
	struct pbd_size found;
	long length;
	int is_whole;

	/* An initializer could become a call of memset(3), which uses vector registers. */
	pb_copy(&found, &none, sizeof(found));
	length = pb_sys(SYS_pread64, fd, &found, sizeof(found), 0);
	is_whole = length == sizeof(found);
	/* Another process may be making the file now. Then all of it is 0. */
	if (length < 0 || found.used > (is_whole ? MOST_BYTES : 0) ||
	    found.removed > (is_whole ? MOST_FILES : 0))
		return 0;
	for (int i = 0; i < PBD_SIZE_CHANGING; i++)
		if (found.changing[i] > (is_whole ? MOST_PID : 0))
			return 0;
	return 1;
}

/*
 * If another user owned the file, that user could truncate it, which would kill
 * this process. So it must belong to this user, to root, or to the owner of the
 * directory.
 */
static int check(int fd, const struct stat *folder)
{
	struct stat file;
	long error = pb_sys(SYS_newfstatat, fd, "", &file, AT_EMPTY_PATH);

	if (error)
		return (int)error;
	if ((file.st_mode & S_IFMT) != S_IFREG ||
	    (file.st_uid && file.st_uid != folder->st_uid &&
	     file.st_uid != (uid_t)pb_sys(SYS_geteuid)))
		return -EPERM;
	if (file.st_size > (off_t)sizeof(*size) || !is_size(fd))
		return -EEXIST;
	if (file.st_size == (off_t)sizeof(*size))
		return 0;
	return pb_data_allocate(fd, 0, sizeof(*size));
}

/* A user with write access to the directory may also use the counters. */
static int open_file(const char *output)
{
	static char path[PATH_MAX]; /* static: stacks may be small */
	struct stat folder;
	long error = pb_sys(SYS_newfstatat, AT_FDCWD, output, &folder, 0);
	int fd;

	if (!error)
		error = pb_file_path(path, output, PBD_SIZE_FILE);
	if (error)
		return (int)error;
	fd = (int)pb_sys(SYS_openat, AT_FDCWD, path,
			 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			 folder.st_mode & 0666);
	if (fd < 0)
		return fd;
	error = check(fd, &folder);
	if (error) {
		pb_sys(SYS_close, fd);
		return (int)error;
	}
	return fd;
}

int pb_quota_open(const char *output)
{
	long mapped;
	int fd;

	if (size || (!pb_options.max_size && !pb_options_rotate(&pb_options)))
		return 0;
	fd = open_file(output);
	if (fd < 0)
		return fd;
	mapped = pb_sys(SYS_mmap, NULL, sizeof(*size), PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0ul);
	pb_sys(SYS_close, fd);
	if (mapped < 0 && mapped > -4096)
		return (int)mapped;
	size = (struct pbd_size *)mapped;
	return 0;
}

int pb_quota_take(uint64_t bytes)
{
	if (!size || __atomic_add_fetch(&size->used, bytes, __ATOMIC_RELAXED) <=
			     (pb_options.max_size ? pb_options.max_size :
						    UINT64_MAX))
		return 0;
	pb_quota_give(bytes);
	/* Make the thread that removes files look now. */
	if (!__atomic_exchange_n(&refused, 1, __ATOMIC_RELAXED))
		pb_listen_wake();
	return -PB_OVER_SIZE;
}

int pb_quota_was_refused(void)
{
	return __atomic_exchange_n(&refused, 0, __ATOMIC_RELAXED);
}

/* Another process may have corrected the counter meanwhile. */
void pb_quota_give(uint64_t bytes)
{
	uint64_t used = pb_quota_used();

	if (!size)
		return;
	while (!__atomic_compare_exchange_n(&size->used, &used,
					    used > bytes ? used - bytes : 0, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

uint64_t pb_quota_used(void)
{
	return size ? __atomic_load_n(&size->used, __ATOMIC_RELAXED) : 0;
}

/*
 * -1: nothing is counted, or all elements are in use and other processes do not see this
 * change.
 */
int pb_quota_begin(void)
{
	uint32_t pid = size ? (uint32_t)pb_sys(SYS_getpid) : 0;

	for (int i = 0; size && i < PBD_SIZE_CHANGING; i++) {
		uint32_t none = 0;

		if (__atomic_compare_exchange_n(&size->changing[i], &none,
						pid, 0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return i;
	}
	return -1;
}

void pb_quota_end(int place)
{
	if (size && place >= 0)
		__atomic_store_n(&size->changing[place], 0, __ATOMIC_SEQ_CST);
}

/* Processes that were killed during a change change nothing any more. */
static int is_changing(void)
{
	int nr = 0;

	for (int i = 0; i < PBD_SIZE_CHANGING; i++) {
		uint32_t *place = &size->changing[i];
		uint32_t pid = __atomic_load_n(place, __ATOMIC_SEQ_CST);

		if (!pid)
			continue;
		if (pb_sys(SYS_kill, pid, 0) != -ESRCH)
			nr++;
		else
			__atomic_compare_exchange_n(place, &pid, 0, 0,
						    __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
	}
	return nr != 0;
}

/* Not a valid count. */
#define NO_COUNT UINT64_MAX

uint64_t pb_quota_count(void)
{
	uint64_t used = pb_quota_used();

	return !size || is_changing() ? NO_COUNT : used;
}

void pb_quota_correct(uint64_t count, uint64_t found)
{
	if (count != NO_COUNT && !is_changing())
		__atomic_compare_exchange_n(&size->used, &count, found, 0,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void pb_quota_removed(int files)
{
	if (size)
		__atomic_add_fetch(&size->removed, (uint64_t)(int64_t)files,
				   __ATOMIC_RELAXED);
}

void pb_quota_forget(void)
{
	if (size)
		pb_sys(SYS_munmap, size, sizeof(*size));
	size = NULL;
}
