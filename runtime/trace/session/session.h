/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file of a process, and the chunks that occur once per file. A forked child makes
 * its own file at its first event.
 */
#ifndef PB_TRACE_SESSION_H
#define PB_TRACE_SESSION_H

#include "file/data_file.h"
#include "options/options.h"
#include "pool.h"
#include "system/lock.h"

#include <patchbay/patchbay.h>

struct pb_left_out_map;
struct pb_map;
struct pb_thread_lot;
struct pb_thread_state;

/* Maximum number of files that wait to be unmapped. */
#define PB_ROTATE_LEFT 8

/* The state of rotation (rotate.h). */
struct pb_rotation {
	uint64_t generation; /* number of switches */
	uint64_t since_ns;   /* when the file began, by CLOCK_MONOTONIC; 0: not known */
	uint32_t has_events; /* the file has events */
	uint32_t has_maps;   /* the file has its own copy of the chunks of maps.h */
	uint32_t failed;     /* the last switch failed; try again later */
	/*
	 * Bytes on disk of the files in pb_left_files, and of files that the command will
	 * remove.
	 */
	uint64_t left_bytes, gone_bytes;
	uint64_t gone_ns; /* when @gone_bytes was set */
};

/*
 * Earlier files that are still mapped, each by an address in a mapping of the file. In
 * memory that fork() copies, because a child inherits the mappings. The session's lock
 * guards the list.
 */
struct pb_left_files {
	uint32_t nr;
	const void *held[PB_ROTATE_LEFT];
};
extern struct pb_left_files pb_left_files;

/*
 * The size of a thread's first block in bytes, and its minimum size in memory that is
 * already mapped (a forked child).
 */
#define PB_BLOCK_MIN 4096u
#define PB_BLOCK_LEAST 1024u

/*
 * The state of this process's recording. fork() fills this with zeros. @lock guards all
 * fields.
 */
struct pb_session {
	struct pb_signal_lock lock;
	uint32_t nr_modules;
	uint32_t nr_threads;
	int32_t failed; /* why events cannot be recorded: -errno */
	uint32_t owner;	 /* the pid of the process that owns this memory; 0:
			    not known yet */
	struct pbd_session *chunk; /* NULL: no events are recorded (yet) */
	struct pbd_asked *asked;   /* NULL: no file (yet) */
	/* See parent.h. */
	struct pbd_parent *parent;
	uint64_t knows_parent; /* @parent is written, or unnecessary */
	const struct pb_map *maps_to_copy;
	const struct pb_left_out_map *left_out_to_copy;
	struct pb_data_file file;
	struct pbd_losses *losses;
	/* See why.h. NULL if why= is off. */
	struct pbd_why *why;
	struct pbd_slow **slow; /* with overwrite=1: all slow calls */
	uint64_t nr_slow, oldest_slow;
	struct pb_mapped {
		uint64_t looked_ns; /* CLOCK_MONOTONIC; 0: not yet */
		uint64_t sum;       /* hash of the mappings written last */
		uint32_t id;
	} mapped; /* see slow_calls.h */
	/* Threads that have ended, linked by @next, and unused objects: thread.c. */
	struct pb_thread_state *first_leaving, *last_leaving;
	struct pb_thread_lot *lots, *newest_lot;
	uint64_t nr_new_threads; /* unused objects in the newest lot */
	/*
	 * Number of objects in all lots, and the number at which to search for ended
	 * threads.
	 */
	uint64_t nr_objects, nr_objects_to_look;
	/* See sandbox.c. */
	uint64_t in_syscalls;
	uint64_t waiting; /* threads that may sleep in sandbox.c */
	uint32_t turn;
	struct pb_pool pool;
	char *spare_tables; /* tables made in advance (tally.c) */
	uint64_t spare_table_functions, nr_spare_tables;
	char comm[16];
	uint64_t memory; /* bytes of mapped blocks and per-thread counters */
	uint32_t again;	 /* incremented when space may have become free; see ring.c */
	uint32_t no_tally; /* @again + 1 when tally.c last failed; 0: never */
	int no_tally_error;
	struct pb_rotation rotation;
	/*
	 * 0 in a forked child: a thread of the parent may have held the loader's lock at
	 * the fork, so the lock may stay held forever
	 */
	int may_ask_loader;
};

/* NULL until the recording starts. Never changes afterwards. */
extern struct pb_session *pb_session;

/*
 * Allocate @size bytes that fork() fills with zeros. Returns NULL on error. Handlers may
 * call this function.
 */
void *pb_session_alloc(size_t size, int *error);

/*
 * Make the file, unless it exists. Returns 0 or -errno. Callers of this function and of the
 * functions below hold the lock.
 */
int pb_session_file(void);

/* Like pb_session_file(), but also makes the chunks that event records need. */
int pb_session_events(void);

/* Like pb_session_events(), for the next file of a rotation. */
int pb_session_next_file(void);

/*
 * Note that this process does not share its memory with its parent. Call this at the start,
 * and in a child of fork(). Makes a system call. The caller need not hold the lock.
 */
void pb_session_own(void);

/*
 * Does this process share its parent's memory, like a child of vfork(2)? Such a process
 * must not change the session. Returns 0 for a child of a direct clone(2) until the child
 * has a file, because its pid is unknown until then. Makes a system call. The caller need
 * not hold the lock.
 */
int pb_session_is_vforked(void);

/*
 * Write the machine and the container of this process to a new file (struct pbd_place),
 * because a reader may be on another machine, and another container may use the same pids.
 * Returns 0 or -errno.
 */
int pb_place_write(void);

/* The recording is over: reset its start time. The caller holds the lock. */
void pb_session_forget_start(void);

/*
 * Set or clear PBD_SESSION_* flags. The process must have a session chunk.
 * Handlers call these without the lock.
 */
static inline void pb_session_flag(uint32_t flag)
{
	__atomic_fetch_or(&pb_session->chunk->flags, flag, __ATOMIC_RELAXED);
}

static inline void pb_session_unflag(uint32_t flag)
{
	__atomic_fetch_and(&pb_session->chunk->flags, ~flag, __ATOMIC_RELAXED);
}

/* Write the present moment to the session chunk. */
void pb_session_tick(void);

#endif /* PB_TRACE_SESSION_H */
