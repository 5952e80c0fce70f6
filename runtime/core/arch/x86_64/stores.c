/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stores.h"

#include "lock.h"
#include "mode.h"
#include "text.h"

#include <raw_syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Calls of sanitizers are to functions of the program. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
	__has_feature(memory_sanitizer) || __has_feature(coverage_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Of C libraries that say so. A thread made by clone(2) itself they do not know of. */
extern char __libc_single_threaded __attribute__((weak));

static int has_threads(void)
{
	return &__libc_single_threaded && !__libc_single_threaded;
}

static inline long call(long number, long a, long b, long c, long d, long e)
{
	return pb_raw_syscall(number, (const long[6]){ a, b, c, d, e, 0 });
}

static long protect(uintptr_t start, size_t size, int protection)
{
	return call(SYS_mprotect, (long)start, (long)size, protection, 0, 0);
}

/*
 * To a thread that shares its memory with nobody unshare(CLONE_VM) does nothing and
 * is no error; else it is one (unshare(2)). The kernel looks for threads, and for
 * processes with the same memory, as vfork(2) and clone(2) make them.
 */
static int is_alone(void)
{
	return !has_threads() && !call(SYS_unshare, CLONE_VM, 0, 0, 0, 0);
}

/*
 * A filter of system calls may end the process because of one that it does not know.
 * Asking prctl(2) whether there is one may be such a call.
 */
static int is_filtered(void)
{
	FILE *status = fopen("/proc/thread-self/status", "re");
	char line[128];
	int filtered = 0;

	if (!status)
		return 1;
	while (!filtered && fgets(line, sizeof(line), status))
		if (sscanf(line, "Seccomp: %d", &filtered) == 1)
			break;
	fclose(status);
	return filtered;
}

/* What a mapping is of: the number of a file's inode, and from where on. */
struct piece {
	unsigned long node, offset;
};

/* The mapping of the module's text, if it is one of a file. */
static int find_mapping(struct pb_stores *stores, struct piece *piece)
{
	const struct pb_module *module = stores->module;
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	unsigned long start, end;
	char permissions[5];
	int found = 0, c;

	if (!maps)
		return 0;
	while (!found && fscanf(maps, "%lx-%lx %4s %lx %*s %lu", &start, &end,
				permissions, &piece->offset, &piece->node) == 5) {
		found = module->low >= start && module->high <= end &&
			piece->node && !strcmp(permissions, "r-xp");
		while ((c = getc(maps)) != '\n' && c != EOF)
			;
	}
	fclose(maps);
	stores->start = start;
	stores->size = found ? end - start : 0;
	return found;
}

static int is_here(const struct pb_stores *stores)
{
	return (uintptr_t)pb_stores_begin - stores->start < stores->size;
}

/*
 * If the file has not been replaced since. The device is not compared: of some file
 * systems (btrfs, overlayfs) stat(2) says another one than the list of mappings.
 */
static uint8_t *map_again(const struct pb_stores *stores, const struct piece *piece)
{
	/* Whatever the path leads to by now, do not wait for it. */
	int fd = open(stores->module->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat file;
	void *memory;

	if (fd < 0)
		return NULL;
	memory = MAP_FAILED;
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_ino == piece->node &&
	    (uint64_t)file.st_size + PAGE > piece->offset + stores->size)
		memory = mmap(NULL, stores->size, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_NORESERVE, fd,
			      (off_t)piece->offset);
	close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/*
 * What PR_SET_MDWE, SELinux (execmod) and others refuse is the step back, and some of
 * them only if a page was written to.
 */
static int rehearse(const struct pb_stores *stores)
{
	volatile uint8_t *page = stores->stand_in;

	if (mprotect(stores->stand_in, stores->size, PROT_READ | PROT_WRITE))
		return -errno;
	*page = *page;
	if (mprotect(stores->stand_in, stores->size, PROT_READ | PROT_EXEC))
		return -errno;
	return 0;
}

int pb_stores_prepare(struct pb_stores *stores, struct pb_module *module)
{
	struct piece piece;
	int error;

	pb_may_allocate();
	if (IS_SANITIZED || !(pb_modes & PATCHBAY_MODE_STORES))
		return -EOPNOTSUPP;
	if (has_threads() || is_filtered() || !is_alone())
		return -EBUSY;
	stores->module = module;
	if (!find_mapping(stores, &piece) || is_here(stores)) {
		stores->size = 0;
		return -EOPNOTSUPP;
	}
	stores->stand_in = map_again(stores, &piece);
	error = stores->stand_in ? rehearse(stores) : -ENOEXEC;
	if (error)
		pb_stores_free(stores);
	return error;
}

void pb_stores_free(struct pb_stores *stores)
{
	pb_may_allocate();
	if (stores->stand_in)
		munmap(stores->stand_in, stores->size);
	*stores = (struct pb_stores){ 0 };
}

/*
 * Where there are functions in most pages, all are copied by one system call, not each
 * by a fault. Which were is remembered, as that call takes time where nothing is to be
 * copied, too. If it is not true any more, as after a fork(2), there are faults.
 */
static void populate(struct pb_module *module, uintptr_t from, uintptr_t to, size_t nr)
{
	from &= -(uintptr_t)PAGE;
	to = (to + PAGE) & -(uintptr_t)PAGE;
	if (from >= to || nr < (to - from) / PAGE ||
	    (from >= module->copied_from && to <= module->copied_to))
		return;
	if (!call(SYS_madvise, (long)from, (long)(to - from), MADV_POPULATE_WRITE, 0,
		  0)) {
		module->copied_from = from;
		module->copied_to = to;
	}
}

/* Does this page of the stand-in say what text does? As numbers: no call of memcmp(). */
static int is_equal(const uint8_t *a, const uint8_t *b)
{
	uint64_t differ = 0;

	for (size_t i = 0; i < PAGE; i += sizeof(differ)) {
		uint64_t left, right;

		memcpy(&left, a + i, sizeof(left));
		memcpy(&right, b + i, sizeof(right));
		differ |= left ^ right;
	}
	return !differ;
}

/*
 * The stand-in becomes what text is by now, through @handle, and takes its place.
 * That asks for no right to make anything executable: it is.
 */
static long replace(struct pb_stores *stores, int handle)
{
	const uint8_t *text = (const uint8_t *)stores->start;
	long result;

	for (size_t at = 0; at < stores->size; at += PAGE) {
		if (is_equal(stores->stand_in + at, text + at))
			continue;
		result = call(SYS_pwrite64, handle, (long)(text + at), PAGE,
			      (long)(stores->stand_in + at), 0);
		if (result != PAGE)
			return result < 0 ? result : -EIO;
	}
	result = call(SYS_mremap, (long)stores->stand_in, (long)stores->size,
		      (long)stores->size, MREMAP_MAYMOVE | MREMAP_FIXED,
		      (long)stores->start);
	if (result < 0 && result > -4096)
		return result;
	/* Without another one this is not tried again. */
	stores->stand_in = NULL;
	stores->size = 0;
	return 0;
}

/* Each time with all of the mapping: parts of it that differ are made one again. */
static int make_executable(struct pb_stores *stores, int handle)
{
	const int executable = PROT_READ | PROT_EXEC;
	long error = protect(stores->start, stores->size, executable);

	if (error && replace(stores, handle))
		error = protect(stores->start, stores->size, executable);
	else
		error = 0;
	return (int)error;
}

static void unblock(const struct pb_stores *stores)
{
	call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&stores->signals, 0,
	     sizeof(stores->signals), 0);
}

int pb_stores_begin(struct pb_stores *stores, uintptr_t from, uintptr_t to,
		    size_t nr, int handle)
{
	const uint64_t all = UINT64_MAX;
	int error = -EBUSY;

	if (!stores->size)
		return -EOPNOTSUPP;
	call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&stores->signals,
	     sizeof(all), 0);
	if (is_alone()) {
		error = (int)protect(stores->start, stores->size,
				     PROT_READ | PROT_WRITE);
		if (!error) {
			populate(stores->module, from, to, nr);
			return 0;
		}
		/*
		 * An error of mprotect(2) does not say that it changed nothing: a
		 * mapping of several parts is changed part by part, up to the one
		 * that cannot be.
		 */
		make_executable(stores, handle);
	}
	unblock(stores);
	return error;
}

int pb_stores_end(struct pb_stores *stores, int handle)
{
	const int error = make_executable(stores, handle);

	unblock(stores);
	return error;
}
