/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When a thread left a processor and came back: the kernel writes it down by itself, into
 * a ring of perf_event_open(2) that is mapped and of which the newest comes first. To
 * have it costs nothing but at switches, and to read it takes no system call.
 *
 * All users may know when their threads switch. Where in the kernel they were then is for
 * those whom perf_event_paranoid(1) or CAP_PERFMON lets look at it.
 */
#ifndef PB_TRACE_SWITCHES_H
#define PB_TRACE_SWITCHES_H

#include "format.h"

#include <stdint.h>

/* In memory that fork() fills with zeros, since a child does not have the ring. */
struct pb_switches {
	char *page; /* NULL: there is none */
	uint64_t size;
	uint64_t since_ns; /* the kernel writes there */
	/* Of one that was begun early: */
	uint32_t tid;
	uint32_t have; /* as pb_switches_begin() has returned */
	int error;
	uint64_t cpu_ns, ns; /* of the thread, and CLOCK_MONOTONIC, when it was
				asked for last; 0: when the thread began */
};

/*
 * For this thread. Returns PBD_WHY_*, what there is, and *@error, why there is no more:
 * -errno, or 0.
 */
uint32_t pb_switches_begin(struct pb_switches *of, int *error);
void pb_switches_end(struct pb_switches *of);

/*
 * When a recording begins: for the threads that are there, or as many of them as may be,
 * since the first thing that is seen of a thread may be a call that was slow. Not called by
 * handlers.
 */
void pb_switches_begin_early(void);
/* Of the calling thread, whose number is @tid, from then on; NULL: there is none. */
struct pb_switches *pb_switches_early(uint32_t tid);
/* The recording is over. */
void pb_switches_forget_early(void);

/* Fill in what is known of the time from @slow->begin_ns on, @slow->ns long. */
void pb_switches_read(struct pb_switches *of, struct pbd_slow *slow);

#endif /* PB_TRACE_SWITCHES_H */
