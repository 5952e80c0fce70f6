/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When a thread left a processor and came back. The kernel writes that to a
 * mapped ring of perf_event_open(2), newest first. It costs time only at
 * switches, and reading it needs no system call.
 *
 * All users may see the switches of their threads. A user sees
 * kernel stacks with CAP_PERFMON, or if perf_event_paranoid is at most 1.
 */
#ifndef PB_TRACE_SWITCHES_H
#define PB_TRACE_SWITCHES_H

#include "format/format.h"

#include <stdint.h>

/* In memory that fork() fills with zeros, since a child does not have the ring. */
struct pb_switches {
	char *page; /* NULL: no ring */
	uint64_t size;
	uint64_t since_ns; /* when the kernel began to write there */
	/* For a ring that was begun early: */
	uint32_t tid;
	uint32_t have; /* the available PBD_WHY_* */
	int error;
	uint64_t cpu_ns, ns; /* CPU time of the thread, and CLOCK_MONOTONIC,
			        at the last reading; 0: the thread's begin */
};

void pb_switches_end(struct pb_switches *of);

/*
 * Call at the start of a recording. It makes rings for existing threads, as
 * many as possible, since a thread's first event may be a slow call. Handlers
 * must not call it.
 */
void pb_switches_begin_early(void);
/* Take the ring of the calling thread; its number is @tid. NULL: none. */
struct pb_switches *pb_switches_early(uint32_t tid);
/* The recording is over. */
void pb_switches_forget_early(void);

/* Fill in the known data about the time from @slow->begin_ns on, @slow->ns long. */
void pb_switches_read(struct pb_switches *of, struct pbd_slow *slow);

/*
 * The thread with this id begins. Does nothing without why=. The caller holds the
 * session's lock.
 */
void pb_switches_begin_thread(struct pb_switches *of, uint32_t tid);

#endif /* PB_TRACE_SWITCHES_H */
