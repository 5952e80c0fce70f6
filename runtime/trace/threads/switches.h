/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records when a thread leaves a processor and comes back. The kernel writes these switches
 * to a mapped ring of perf_event_open(2), newest first. Recording costs time only at
 * switches, and reading the ring needs no system call.
 *
 * All users may see the switches of their own threads. Users with CAP_PERFMON, or with
 * perf_event_paranoid at most 1, also see kernel stacks.
 */
#ifndef PB_TRACE_SWITCHES_H
#define PB_TRACE_SWITCHES_H

#include "format/format.h"

#include <stdint.h>

/* fork() fills this with zeros, because a child does not inherit the ring. */
struct pb_switches {
	char *page; /* NULL: no ring */
	uint64_t size;
	uint64_t since_ns; /* when the kernel began to write to the ring */
	/* Only for a ring that pb_switches_begin_early() made: */
	uint32_t tid;
	uint32_t have; /* the available PBD_WHY_* */
	int error;
	uint64_t cpu_ns, ns; /* CPU time of the thread, and CLOCK_MONOTONIC, at the last
			        reading; 0: when the thread began */
};

/* Unmap the ring. */
void pb_switches_end(struct pb_switches *of);

/*
 * At the start of a recording, make rings for the existing threads, because a thread's
 * first event may be a slow call. Stops at the first thread for which the kernel refuses a
 * ring. Handlers must not call this.
 */
void pb_switches_begin_early(void);
/* Returns the early ring of thread @tid, or NULL. */
struct pb_switches *pb_switches_early(uint32_t tid);
/* The recording is over: drop the early rings. */
void pb_switches_forget_early(void);

/* Fill in the waits and the off-CPU time of the slow call @slow. */
void pb_switches_read(struct pb_switches *of, struct pbd_slow *slow);

/*
 * Make a ring for the thread with this id. Does nothing without why=. The caller holds the
 * session's lock.
 */
void pb_switches_begin_thread(struct pb_switches *of, uint32_t tid);

#endif /* PB_TRACE_SWITCHES_H */
