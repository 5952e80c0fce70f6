/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chunks about data that the file lacks (format.h): untraceable functions and modules, lost
 * events, missed calls, and calls without a return.
 */
#ifndef PATCHBAY_TRACE_MISSING_H
#define PATCHBAY_TRACE_MISSING_H

#include "chunk.h"

/*
 * Selected functions that this tracer cannot trace. @flags are the reason:
 * PATCHBAY_RECORD_* flags of the function's record. The flags below mark functions that
 * were traced for a while:
 *   PBD_LEFT_OUT_HOT:     called more often than max-rate= allows
 *   PBD_LEFT_OUT_COSTLY:  disarmed because tracing cost more than max-overhead= allows
 *   PBD_LEFT_OUT_AGAIN:   a second entry for a function that was rearmed
 *   PBD_LEFT_OUT_CHANGED: other code changed the site; calls were missed until the tracer
 *                         noticed and, if possible, repaired the site
 */
#define PBD_LEFT_OUT_HOT 0x100
#define PBD_LEFT_OUT_COSTLY 0x200
#define PBD_LEFT_OUT_AGAIN 0x400
#define PBD_LEFT_OUT_CHANGED 0x800

struct pbd_left_out {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct {
		uint64_t address; /* run-time address of the entry */
		uint64_t flags;
	} function[];
};

/*
 * A loaded module that cannot be traced.
 * PBD_OTHER_VERSION:   compiled for version @number of the ABI
 * PBD_OTHER_NAMESPACE: in another namespace of the loader (dlmopen(3)), with @number
 *                      functions
 */
enum pbd_other_why {
	PBD_OTHER_VERSION = 1,
	PBD_OTHER_NAMESPACE = 2,
};

struct pbd_other {
	struct pbd_chunk chunk;
	uint32_t why; /* enum pbd_other_why */
	uint32_t number;
	char path[]; /* ended by NUL */
};

/*
 * Reasons for missing events. *Lost*: the tracer's handler ran, but had no space for the
 * event. Except for PBD_LOST_CHILD, blocks and struct pbd_session also count these events
 * (histograms: calls), as @lost. *Missed*: the tracer's handler did not run, so only this
 * chunk counts these calls.
 *
 * PBD_LOST_FULL:    the thread's buffer was full
 * PBD_LOST_SPACE:   the file could not grow; pbd_header.error says why
 * PBD_LOST_SANDBOX: the process had restricted its system calls (seccomp(2)), and
 *                   had used up the blocks set aside for that case
 * PBD_LOST_CHILD:   events of forked children that have no file of their own
 * PBD_MISSED_IN_HANDLER:  calls made while the thread was in a handler of this
 *                   or another tracer, or in a signal handler that interrupted
 *                   such a handler; only of tracers that cannot be called there
 * PBD_MISSED_IN_RECORDER: calls made while the thread was adding to this file, or
 *                   in a signal handler that interrupted the addition
 * PBD_LOST_SIZE:    all files of the recording together had reached max-size=
 * PBD_LOST_MEMORY:  all buffers of the process together had reached max-memory=
 */
enum pbd_loss {
	PBD_LOST_FULL = 0,
	PBD_LOST_SPACE = 1,
	PBD_LOST_SANDBOX = 2,
	PBD_LOST_CHILD = 3,
	PBD_MISSED_IN_HANDLER = 4,
	PBD_MISSED_IN_RECORDER = 5,
	PBD_LOST_SIZE = 6,
	PBD_LOST_MEMORY = 7,
};
#define PBD_LOSS_MAX 8 /* unused counts are 0 */
#define PBD_LOSS_THREADS 15

struct pbd_loss_counts {
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	uint64_t count[PBD_LOSS_MAX]; /* indexed by enum pbd_loss */
};

/*
 * One per file; files of older writers have none. @process counts the losses of all
 * threads, @thread[] the losses of the first PBD_LOSS_THREADS threads that lost or missed
 * an event. @nr is the number of elements that threads have requested, possibly more than
 * exist. A thread may have two elements: add them up. A forked child without a file counts
 * its losses in the file of its nearest ancestor that has a file.
 */
struct pbd_losses {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_loss_counts process; /* @thread and @tid are 0 */
	struct pbd_loss_counts thread[PBD_LOSS_THREADS];
	/*
	 * The errno of the first forked child that failed to make a file, and its user; 0:
	 * no failure. Chunks of older writers end before this field.
	 */
	uint32_t child_error; /* errno */
	uint32_t child_user;
	/*
	 * Calls whose trace context was unreadable or no valid traceparent. Chunks of older
	 * writers end before this field.
	 */
	uint64_t no_context;
	/*
	 * Timed calls without a return at the end of the recording: running calls, and
	 * calls that were left in a way that tracers cannot see. Chunks of older writers
	 * end before this field.
	 */
	uint64_t no_return;
	/* Chunks of older writers end before this field. */
	uint32_t returns; /* enum pbd_returns */
	uint32_t reserved;
};

/*
 * PBD_RETURNS_NOT_COUNTED: the tracer times no calls, or records calls without a return,
 *                          or a later file of the process contains the number
 * PBD_RETURNS_PENDING:     the process is running, or was killed
 * PBD_RETURNS_COUNTED:     @no_return is valid
 * PBD_RETURNS_UNKNOWN:     the threshold of function_graph was set or removed during the
 *                          recording
 */
enum pbd_returns {
	PBD_RETURNS_NOT_COUNTED = 0,
	PBD_RETURNS_PENDING = 1,
	PBD_RETURNS_COUNTED = 2,
	PBD_RETURNS_UNKNOWN = 3,
};

#endif /* PATCHBAY_TRACE_MISSING_H */
