/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When a thread left a processor and came back. The kernel writes these switches to a mapped
 * ring of perf_event_open(2), newest first. That costs time only at switches, and reading the
 * ring needs no system call.
 *
 * All users may see the switches of their own threads. Users with CAP_PERFMON, or with
 * perf_event_paranoid at most 1, also see kernel stacks.
 */
#ifndef PB_TRACE_SWITCHES_H
#define PB_TRACE_SWITCHES_H

#include "format/format.h"

#include <stdint.h>

/* In memory that fork() fills with zeros, because a child does not have the ring. */
struct pb_switches {
	char *page; /* NULL: no ring */
	uint64_t size;
	uint64_t since_ns; /* when the kernel began to write there */
	/* For a ring that was made early: */
	uint32_t tid;
	uint32_t have; /* the available PBD_WHY_* */
	int error;
	uint64_t cpu_ns, ns; /* CPU time of the thread, and CLOCK_MONOTONIC,
			        at the last reading; 0: the thread's begin */
};

/* Unmap the ring. */
void pb_switches_end(struct pb_switches *of);

/*
 * Make rings for existing threads, as many as possible, at the start of a recording: a thread's
 * first event may be a slow call. Handlers must not call this.
 */
void pb_switches_begin_early(void);
/* Take the early ring of the calling thread, whose id is @tid, or NULL. */
struct pb_switches *pb_switches_early(uint32_t tid);
/* The recording is over: drop the early rings. */
void pb_switches_forget_early(void);

/* Fill in what is known about the time from @slow->begin_ns on, @slow->ns long. */
void pb_switches_read(struct pb_switches *of, struct pbd_slow *slow);

/*
 * Make a ring for the thread with this id. Does nothing without why=. The caller holds the
 * session's lock.
 */
void pb_switches_begin_thread(struct pb_switches *of, uint32_t tid);

#endif /* PB_TRACE_SWITCHES_H */
