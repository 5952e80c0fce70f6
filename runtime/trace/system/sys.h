/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * System calls for handlers. Handlers run in any context, including signal handlers, while
 * the traced function's arguments may be in vector registers. So this code uses general
 * registers only, and never calls the C library. The code avoids even syscall(3), because
 * RealtimeSanitizer intercepts syscall(3) and ends the program if a real-time function
 * calls it.
 */
#ifndef PB_TRACE_SYS_H
#define PB_TRACE_SYS_H

#include <errno.h>
#include <core/system/raw_syscall.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * pb_sys(NUMBER, up to 6 arguments of integer or pointer type) returns the
 * result or -errno. Leaves errno unchanged.
 */
#define pb_sys(...) PB_SYS_7(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define PB_SYS_7(number, a, b, c, d, e, f, ...)                                \
	pb_raw_syscall(number, (const long[6]){ (long)(a), (long)(b),          \
						(long)(c), (long)(d),          \
						(long)(e), (long)(f) })

/* The kernel's signal set: 64 signals on all our architectures. */
typedef uint64_t pb_sigset;

static inline void pb_sigmask(pb_sigset set, pb_sigset *old)
{
	pb_sys(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &set, old, sizeof(set));
}

static inline void pb_pause_ns(long ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	pb_sys(SYS_nanosleep, &pause, NULL);
}

typedef uint64_t pb_word __attribute__((may_alias));

static inline void pb_copy(void *to, const void *from, size_t size)
{
	const char *f = from;
	char *t = to;

	/* Copies by words if both pointers are aligned, as for chunks of the file. */
	if (!(((uintptr_t)t | (uintptr_t)f) % sizeof(pb_word)))
		for (; size >= sizeof(pb_word); size -= sizeof(pb_word)) {
			*(pb_word *)t = *(const pb_word *)f;
			t += sizeof(pb_word);
			f += sizeof(pb_word);
		}
	for (; size; size--)
		*t++ = *f++;
}

/* Like strlen(3). */
static inline size_t pb_length(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

#endif /* PB_TRACE_SYS_H */
