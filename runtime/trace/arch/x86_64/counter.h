/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processor's counter, and the thread-local atomic operations of trace/threads/ring.h.
 */
#ifndef PB_TRACE_ARCH_COUNTER_H
#define PB_TRACE_ARCH_COUNTER_H

#include "format/format.h"

#include <cpuid.h>
#include <stdint.h>

#define PB_COUNTER PBD_COUNTER_TSC

/*
 * Reading the counter in seccomp's strict mode raises SIGSEGV (Linux,
 * seccomp_set_mode_strict(): disable_TSC()).
 */
#define PB_COUNTER_NOT_IN_STRICT_MODE 1

/* Documented in AMD's APM vol. 3, CPUID 8000_0007 edx bit 8, and in Intel's SDM. */
static inline int pb_counter_is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/*
 * If *@word is *@old, set it to @new and return 1; otherwise set *@old to *@word. Without
 * `lock`, the instruction is atomic with respect to its own processor only.
 */
static inline int pb_local_cmpxchg(uint64_t *word, uint64_t *old, uint64_t new)
{
	int done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*word), "+a"(*old)
			 : "r"(new)
			 : "memory");
	return done;
}

/* Adds @value, atomically on this processor only, like pb_local_cmpxchg(). */
static inline void pb_local_add(uint64_t *word, uint64_t value)
{
	__asm__("addq %1, %0" : "+m"(*word) : "er"(value) : "cc");
}

/*
 * Loads *@limit (relaxed) and compares in one instruction, which compilers do not generate
 * for an atomic load.
 */
static inline int pb_is_below(uint64_t value, const uint64_t *limit)
{
	int below;

	__asm__ volatile("cmpq %2, %1" : "=@ccb"(below) : "r"(value), "m"(*limit));
	return below;
}

static inline int pb_is_zero(const uint64_t *word)
{
	int zero;

	__asm__ volatile("cmpq $0, %1" : "=@ccz"(zero) : "m"(*word));
	return zero;
}

#endif /* PB_TRACE_ARCH_COUNTER_H */
