/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A lock for a few instructions. No thread waits for itself: a thread runs one program at a
 * time (PATCHBAY_OPS_RECURSION), and other code blocks signals while it holds the lock. But the
 * thread that holds the lock may not be running, so waiting threads give up after a while.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PB_BPF_PATIENCE 10000

/* Take the lock. Returns 0, or -EBUSY after PB_BPF_PATIENCE tries. */
static inline int pb_bpf_lock(uint32_t *lock)
{
	int saved = errno;

	for (int tries = 0; tries < PB_BPF_PATIENCE; tries++) {
		if (!__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
			return 0;
		syscall(SYS_sched_yield);
		errno = saved;
	}
	return -EBUSY;
}

static inline void pb_bpf_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
