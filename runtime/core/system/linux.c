/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/linux.h"
#include "system/maps_text.h"
#include "system/memory.h"
#include "system/private.h"
#include "system/raw_syscall.h"
#include "system/stats.h"
#include "system/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int pb_os_restricted;
struct pb_stats pb_stats;

/*
 * A write to /proc/thread-self/mem ignores the protection of a mapping (FOLL_FORCE) and
 * breaks copy-on-write, like a debugger's poke. So text is never writable. This also works
 * under prctl(PR_SET_MDWE), which forbids mprotect() of text. On processors with incoherent
 * caches the kernel makes such a write visible to instruction fetch (copy_to_user_page()).
 *
 * /proc/self would mean the main thread, which has no memory after it has ended.
 *
 * The file is opened for each batch, because a descriptor that a forked child inherited would
 * write to its parent. If the kernel lets only debuggers write, traced_mem.c helps.
 */
static int open_mem(void)
{
	int fd = open("/proc/thread-self/mem", O_RDWR | O_CLOEXEC);

	/* No /proc, as in a chroot. -ENOENT would mean that no function was found. */
	if (fd < 0 && errno == ENOENT)
		return -ENODEV;
	return fd < 0 ? -errno : fd;
}

/* @fd: the descriptor plus 1, or 0. @pid: its process. A child of clone(2) copies both. */
static __thread struct {
	int fd;
	pid_t pid;
} kept __attribute__((tls_model("initial-exec")));

int pb_private_keep_text(void)
{
	/* Above the descriptors that programs use for standard streams. */
	const int above = 16;
	int fd = open_mem(), high;

	if (fd < 0)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, above);
	close(fd);
	if (high < 0)
		return -errno;
	kept.pid = getpid();
	kept.fd = high + 1;
	return 0;
}

void pb_os_text_forget(void)
{
	if (kept.fd)
		close(kept.fd - 1);
	kept.fd = 0;
	pb_traced_mem_forget();
}

/*
 * Returns a handle that can write text: @handle, or another handle for the same memory. On
 * failure returns @handle, and writes fail.
 */
static int make_writable(int handle)
{
	enum { UNKNOWN, YES, NO };
	static int is_forced;
	int forced = __atomic_load_n(&is_forced, __ATOMIC_RELAXED), traced;

	if (forced == UNKNOWN) {
		forced = pb_mem_is_forced(handle) ? YES : NO;
		__atomic_store_n(&is_forced, forced, __ATOMIC_RELAXED);
	}
	if (forced == YES)
		return handle;
	traced = pb_traced_mem_begin();
	if (traced < 0)
		return handle;
	close(handle);
	return traced;
}

int pb_os_text_open(void)
{
	int handle = open_mem(), again;

	if (handle >= 0)
		return make_writable(handle);
	if (!kept.fd || kept.pid != getpid())
		return handle;
	again = fcntl(kept.fd - 1, F_DUPFD_CLOEXEC, 0);
	return again < 0 ? handle : again;
}

/*
 * Returns how many of @len bytes at @addr to write by one system call. The kernel writes pieces
 * of the length of a page, and looks up each page of a piece (mem_rw() in fs/proc/base.c). So
 * a long write first goes to the end of a page: otherwise each piece would be in two pages.
 */
static size_t write_length(uintptr_t addr, size_t len)
{
	const size_t page = 4096, within = page - addr % page;

	return len > page && within < page ? within : len;
}

int pb_os_text_write(int handle, uintptr_t addr, const void *bytes, size_t len)
{
	const char *from = bytes;

	while (len) {
		ssize_t done = pwrite(handle, from, write_length(addr, len),
				      (off_t)addr);

		pb_count(&pb_stats.text_writes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		from += done;
		addr += (size_t)done;
		len -= (size_t)done;
	}
	return 0;
}

int pb_os_text_read(int handle, uintptr_t addr, void *bytes, size_t len)
{
	ssize_t done;

	do
		done = pread(handle, bytes, len, (off_t)addr);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return -errno;
	return (size_t)done == len ? 0 : -EIO;
}

void pb_os_text_close(int handle)
{
	close(handle);
	pb_traced_mem_end();
}

static int membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) < 0 ? -errno : 0;
}

int pb_sync_core(void)
{
	int error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);

	pb_count(&pb_stats.membarriers);
	/* Before its first use of this membarrier, a process must register. */
	if (error == -EPERM) {
		error = membarrier(
			MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
		if (!error)
			error = membarrier(
				MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
	}
	return error;
}

/*
 * FUTEX_CMP_REQUEUE first compares the word. With counts of 0 it wakes no waiter and moves
 * none. Nearly every program needs futex(2), so seccomp filters allow it.
 */
int pb_os_differs(const uint32_t *at, uint32_t value)
{
	static uint32_t other;
	const int saved = errno;
	int differs;

	differs = syscall(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, &other,
			  value) < 0 &&
		  (errno == EAGAIN || errno == EFAULT);
	errno = saved;
	return differs;
}

#define call(number, ...) pb_raw_syscall(number, (const long[6]){ __VA_ARGS__ })

/* Opens the file even if system calls are restricted, as pb_os_text_open() does. */
int pb_os_peek(const void *at, void *to, size_t size)
{
	const long file = call(SYS_openat, AT_FDCWD, (long)"/proc/self/mem",
			       O_RDONLY | O_CLOEXEC);
	long length;

	if (file < 0)
		return 0;
	length = call(SYS_pread64, file, (long)to, (long)size, (long)at);
	call(SYS_close, file);
	return length == (long)size;
}

void pb_os_thread(int *process, int *number)
{
	*process = (int)call(SYS_getpid, 0);
	*number = (int)call(SYS_gettid, 0);
}

int pb_os_has_ended(int process, int number)
{
	return call(SYS_tgkill, process, number, 0) == -ESRCH;
}

int pb_os_sleep(const uint32_t *word, uint32_t value, unsigned int milliseconds)
{
	const struct timespec time = { milliseconds / 1000,
				       milliseconds % 1000 * 1000000l };

	return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time) < 0 &&
	       errno == ETIMEDOUT;
}

void pb_os_wake(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

static struct pb_maps_text *open_maps(int *error)
{
	struct pb_maps_text *maps = pb_malloc(sizeof(*maps));

	*error = maps ? pb_maps_open(maps) : -ENOMEM;
	if (!*error)
		return maps;
	pb_free(maps);
	return NULL;
}

static void close_maps(struct pb_maps_text *maps)
{
	pb_maps_close(maps);
	pb_free(maps);
}

/* Ignores the device number, because stat(2) of some file systems reports another number. */
uint64_t pb_os_file_at(uintptr_t addr, char path[PATH_MAX])
{
	uint64_t found = 0;
	int error;
	struct pb_maps_text *maps = open_maps(&error);

	path[0] = '\0';
	while (maps && !found && pb_maps_next(maps)) {
		const struct pb_maps_line line = pb_maps_parts(maps);

		if (addr < line.start || addr >= line.end)
			continue;
		for (const char *at = line.inode; *at >= '0' && *at <= '9'; at++)
			found = found * 10 + (uint64_t)(*at - '0');
		if (!found || line.path_size >= PATH_MAX)
			break;
		memcpy(path, line.path, line.path_size);
		path[line.path_size] = '\0';
	}
	if (maps)
		close_maps(maps);
	return found;
}

/*
 * Map @size bytes of code in the lowest gap between @low and @high. If another thread takes a
 * gap while this thread reads the list, mmap() fails and the search continues.
 */
static void *map_in_gap(uintptr_t low, uintptr_t high, size_t size, int *error)
{
	const uintptr_t align = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct pb_maps_text *maps = open_maps(error);
	uintptr_t gap = align;
	void *code = NULL;

	size = (size + align - 1) & -align;
	if (!maps) {
		*error = *error == -ENOENT ? -ENODEV : *error;
		return NULL;
	}
	*error = -ENOMEM;
	while (!code && pb_maps_next(maps)) {
		const struct pb_maps_line line = pb_maps_parts(maps);
		uintptr_t from = gap > low ? gap : (low + align - 1) & -align;
		uintptr_t to = line.start < high ? line.start : high & -align;

		/* Use the upper end of the gap: a heap may grow from its lower end. */
		if (to > from && to - from >= size) {
			code = mmap((void *)(to - size), size,
				    PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS |
					    MAP_FIXED_NOREPLACE,
				    -1, 0);
			if (code == MAP_FAILED) {
				*error = -errno;
				code = NULL;
			}
		}
		gap = line.end;
	}
	close_maps(maps);
	return code;
}

void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error)
{
	void *copy = map_in_gap(low, high, size, error);
	int handle;

	if (!copy)
		return NULL;
	handle = pb_os_text_open();
	*error = handle;
	if (handle >= 0) {
		*error = pb_os_text_write(handle, (uintptr_t)copy, code, size);
		pb_os_text_close(handle);
	}
	if (*error < 0) {
		munmap(copy, size);
		return NULL;
	}
	return copy;
}

void *pb_os_map_zeroes(size_t size, size_t multiple)
{
	const long memory = call(SYS_mmap, 0, (long)(size + multiple),
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long before;

	if (memory < 0 && memory >= -4095)
		return NULL;
	/* Unmap what is below the multiple, and what is above @size. */
	before = -memory & (long)(multiple - 1);
	if (before)
		call(SYS_munmap, memory, before);
	call(SYS_munmap, memory + before + (long)size, (long)multiple - before);
	return (void *)(memory + before);
}

void pb_os_unmap(void *memory, size_t size)
{
	call(SYS_munmap, (long)memory, (long)size);
}

/* Static executables do not have these functions, and need not stay loaded. */
#pragma weak dladdr
#pragma weak dlopen

int pb_os_preloaded;

void pb_os_stay_loaded(void)
{
	static int done;
	Dl_info here, program;

	if (pb_os_preloaded || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	if (!dladdr || !dlopen || !dladdr((void *)pb_os_stay_loaded, &here) ||
	    !dladdr((void *)getauxval(AT_PHDR), &program) ||
	    here.dli_fbase == program.dli_fbase)
		return;
	dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
