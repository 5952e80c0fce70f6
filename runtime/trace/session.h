/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a process records into: its data file and what is in it once. A forked
 * child that records events has a file of its own, made with its first event.
 */
#ifndef PB_TRACE_SESSION_H
#define PB_TRACE_SESSION_H

#include "data_file.h"
#include "lock.h"
#include "mapped.h"
#include "options.h"
#include "pool.h"
#include "rotate.h"

#include <patchbay/patchbay.h>

struct pb_thread_lot;
struct pb_thread_state;
struct pb_typed;

/* In memory that fork() fills with zeros. @lock guards it all. */
struct pb_session {
	struct pb_signal_lock lock;
	uint32_t nr_modules;
	uint32_t nr_threads;
	int32_t failed; /* events cannot be recorded: -errno */
	uint32_t owner;	 /* whose memory this is: its pid; 0: not known yet */
	struct pbd_session *chunk; /* NULL: no events are recorded (yet) */
	struct pbd_asked *asked;   /* NULL: there is no file (yet) */
	/* See parent.h. */
	struct pbd_parent *parent;
	uint64_t knows_parent; /* @parent is written, or there is no need */
	const struct pb_map *maps_to_copy;
	const struct pb_left_out_map *left_out_to_copy;
	struct pb_data_file file;
	struct pbd_losses *losses;
	/* See why.h: NULL where nobody asks why calls are slow. */
	struct pbd_why *why;
	struct pbd_slow **slow; /* with overwrite=1: all of them */
	uint64_t nr_slow, oldest_slow;
	struct pb_mapped mapped;
	/* Of threads that leave, by @next; and new ones, not used yet. */
	struct pb_thread_state *first_leaving, *last_leaving;
	struct pb_thread_lot *lots, *newest_lot;
	uint64_t nr_new_threads; /* of the newest lot */
	/* Objects in all lots; and when there are so many, look for ended threads. */
	uint64_t nr_objects, nr_objects_to_look;
	/* See sandbox.h. */
	uint64_t in_syscalls;
	uint64_t waiting; /* sandbox.c's */
	uint32_t turn;
	struct pb_pool pool;
	char *spare_tables; /* tally.c's */
	uint64_t spare_table_functions, nr_spare_tables;
	char comm[16];
	uint64_t memory; /* of blocks, and of what threads count in, that are mapped */
	uint32_t again;	 /* counts up when there may be space again; see ring.c */
	uint32_t no_tally; /* tally.c's */
	int no_tally_error;
	const void *inherited; /* in a file of the process that forked this one */
	struct pb_rotation rotation;
};

/*
 * The chunks that explain the numbers of functions, as they are in memory: a
 * forked child still has its parent's mapped. Added to within the library's
 * lock; a child reads what was complete when it was made.
 */
struct pb_map {
	const struct pbd_module *module;
	const struct pbd_functions *functions; /* NULL: none is traced */
	const struct pbd_module *copied_module; /* rotate.c's */
	const struct pbd_functions *copied_functions;
	const struct pbd_names *names; /* NULL: there are none */
	const struct pbd_names *copied_names;
	const struct pbd_arguments *arguments; /* NULL: of none they are known */
	struct pb_typed *typed; /* data of its cells, by which they are freed */
	struct pb_map *next;
};

/* What was left out, which is of a forked child, too. */
struct pb_left_out_map {
	const struct pbd_left_out *chunk;
	const struct pbd_left_out *copied; /* rotate.c's */
	struct pb_left_out_map *next;
};

/* NULL until the constructor has made it; from then on the same. */
extern struct pb_session *pb_session;
extern struct pb_options pb_options;
extern struct pb_map *pb_maps;
extern struct pb_left_out_map *pb_left_out_maps;

/*
 * @size bytes of memory that fork() fills with zeros, or NULL. Where sys.h's
 * code may be called.
 */
void *pb_session_alloc(size_t size, int *error);

/*
 * All below are called with the lock held. Make the file, unless there is one.
 * Returns 0 or -errno.
 */
int pb_session_file(void);

/* The same, with what records of events need. */
int pb_session_events(void);

/* Again, where there is no file any more. */
int pb_session_next_file(void);

/*
 * This process has memory of its own: it has just begun, or fork() has returned in
 * it. Makes a system call. Without the lock.
 */
void pb_session_own(void);

/*
 * Has this process its parent's memory, as a child of vfork(2)? Such a process must
 * change nothing here. If a child was made by clone(2) itself, nobody knows its pid
 * before it has a file: until then the answer is no. Makes a system call. With or
 * without the lock.
 */
int pb_session_is_vforked(void);

/*
 * The recording is over: as if nothing had been recorded. The file is complete, and
 * not mapped any more. No tracer is there. Not called by handlers.
 */
void pb_session_forget(void);
/* Parts of it. With the lock. */
void pb_session_forget_modules(void);
void pb_session_forget_start(void);

/* Is the function of start_at still to be called, in this process? */
extern int pb_waiting;

/*
 * PBD_SESSION_* of this process, which has a session chunk. Without the lock, too,
 * as handlers do.
 */
static inline void pb_session_flag(uint32_t flag)
{
	__atomic_fetch_or(&pb_session->chunk->flags, flag, __ATOMIC_RELAXED);
}

static inline void pb_session_unflag(uint32_t flag)
{
	__atomic_fetch_and(&pb_session->chunk->flags, ~flag, __ATOMIC_RELAXED);
}

/* Write down that it is now. */
void pb_session_tick(void);

/* Write down a module; returns its id or -errno. */
int pb_session_module(const struct patchbay_module_info *module);

/*
 * The same, unless it is written down already, for events' file and for forked
 * children: something in it has an address there. Returns 0 or -errno.
 */
int pb_session_know(const struct patchbay_module_info *module);

/* How many numbers are taken. */
extern uint64_t pb_nr_functions;

/* An attach function of tracers that record events; see pb_function_number(). */
int pb_session_attach(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);

#endif /* PB_TRACE_SESSION_H */
