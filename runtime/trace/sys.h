/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * System calls for code that a traced function may have called: in any context,
 * signal handlers included, and with arguments of that function still in vector
 * registers. So it is compiled for general registers only, and of the C library
 * it uses syscall(3), which touches no others, and errno, which callers keep.
 */
#ifndef PB_TRACE_SYS_H
#define PB_TRACE_SYS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The result, or -errno. */
static inline long pb_sys_result(long result)
{
	return result == -1 ? -errno : result;
}

#define pb_sys(...) pb_sys_result(syscall(__VA_ARGS__))

/* The kernel's own set of signals, of 64 on all our architectures. */
typedef uint64_t pb_sigset;

static inline void pb_sigmask(pb_sigset set, pb_sigset *old)
{
	pb_sys(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &set, old, sizeof(set));
}

static inline void pb_copy(void *to, const void *from, size_t size)
{
	char *t = to;

	for (const char *f = from; size; size--)
		*t++ = *f++;
}

#endif /* PB_TRACE_SYS_H */
