/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a data file lacks (format.h): functions and modules that could not be traced,
 * events that were lost, calls that were missed, and calls without a return.
 */
#ifndef PATCHBAY_TRACE_MISSING_H
#define PATCHBAY_TRACE_MISSING_H

#include "chunk.h"

/*
 * Functions that were selected, but that this tracer cannot trace. @flags are those of
 * their records, PATCHBAY_RECORD_*, and give the reason. The other flags mark functions
 * that were traced for a while:
 *   PBD_LEFT_OUT_HOT:     called more often than max-rate= allows
 *   PBD_LEFT_OUT_COSTLY:  all functions cost more than max-overhead= allows
 *   PBD_LEFT_OUT_AGAIN:   armed again later; the function is listed once more
 *   PBD_LEFT_OUT_CHANGED: other code changed the site. Some calls were missed
 *                         until that was found and, if possible, repaired
 */
#define PBD_LEFT_OUT_HOT 0x100
#define PBD_LEFT_OUT_COSTLY 0x200
#define PBD_LEFT_OUT_AGAIN 0x400
#define PBD_LEFT_OUT_CHANGED 0x800

struct pbd_left_out {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct {
		uint64_t address; /* of the entry, at run time */
		uint64_t flags;
	} function[];
};

/*
 * A loaded module that cannot be traced.
 * PBD_OTHER_VERSION:   it was compiled for version @number of the ABI
 * PBD_OTHER_NAMESPACE: it is in another namespace of the loader (dlmopen(3)), and has
 *                      @number functions
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
 * Why the file lacks events. *Lost*: the tracer saw the call, but had no space to
 * record it. Blocks and struct pbd_session also count these events as @lost
 * (histograms: calls), except PBD_LOST_CHILD. *Missed*: the tracer was not called,
 * so nothing else counts these calls.
 *
 * PBD_LOST_FULL:    the thread's buffer was full
 * PBD_LOST_SPACE:   the file could not grow; pbd_header.error says why
 * PBD_LOST_SANDBOX: the process had restricted its system calls (seccomp(2)), and
 *                   had used up the blocks set aside for that case
 * PBD_LOST_CHILD:   events of forked children that have no file of their own
 * PBD_MISSED_IN_HANDLER:  calls made while the thread was in a handler of this
 *                   or another tracer, or in a signal handler that interrupted
 *                   one, by tracers that cannot be called there
 * PBD_MISSED_IN_RECORDER: calls made while the thread was adding to this file, or
 *                   in a signal handler that interrupted that
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
#define PBD_LOSS_MAX 8 /* unused ones are 0 */
#define PBD_LOSS_THREADS 15

struct pbd_loss_counts {
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	uint64_t count[PBD_LOSS_MAX]; /* by enum pbd_loss */
};

/*
 * One per file, except in files of older writers. @process counts the losses of all
 * threads. @thread counts those of the first PBD_LOSS_THREADS threads that lost or
 * missed an event. @nr is the number of these threads, and may be larger. A thread
 * may have two elements, which add up. A forked child without a file counts its
 * losses in the file of its nearest ancestor that has one.
 */
struct pbd_losses {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_loss_counts process; /* its @thread and @tid are 0 */
	struct pbd_loss_counts thread[PBD_LOSS_THREADS];
	/*
	 * Why the first forked child failed to make a file, and its user; 0: none
	 * failed. Not in a chunk of an older writer.
	 */
	uint32_t child_error; /* errno */
	uint32_t child_user;
	/*
	 * Calls whose trace-context= could not be read, or was no traceparent. Not in a
	 * chunk of an older writer.
	 */
	uint64_t no_context;
	/*
	 * Timed calls without a return when the recording ended. They were running, or
	 * were left in a way that tracers do not see. Not in a chunk of an older writer.
	 */
	uint64_t no_return;
	/* Not in a chunk of an older writer. */
	uint32_t returns; /* enum pbd_returns */
	uint32_t reserved;
};

/*
 * PBD_RETURNS_NOT_COUNTED: the tracer has no timed calls, or shows those without a
 *                          return, or a later file of the process has the number
 * PBD_RETURNS_PENDING:     the process has not ended, or was killed
 * PBD_RETURNS_COUNTED:     @no_return is the number
 * PBD_RETURNS_UNKNOWN:     function_graph's threshold was set or removed meanwhile
 */
enum pbd_returns {
	PBD_RETURNS_NOT_COUNTED = 0,
	PBD_RETURNS_PENDING = 1,
	PBD_RETURNS_COUNTED = 2,
	PBD_RETURNS_UNKNOWN = 3,
};

#endif /* PATCHBAY_TRACE_MISSING_H */
