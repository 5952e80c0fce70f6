/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file of a process, and the chunks that occur once in it. A forked
 * child that records events has its own file, which it makes for its first
 * event.
 */
#ifndef PB_TRACE_SESSION_H
#define PB_TRACE_SESSION_H

#include "file/data_file.h"
#include "mappings.h"
#include "options/options.h"
#include "pool.h"
#include "rotation.h"
#include "system/lock.h"

#include <patchbay/patchbay.h>

struct pb_left_out_map;
struct pb_map;
struct pb_thread_lot;
struct pb_thread_state;

/*
 * Bytes of a thread's first block. It may be as small as PB_BLOCK_LEAST if that
 * memory is mapped already.
 */
#define PB_BLOCK_MIN 4096u
#define PB_BLOCK_LEAST 1024u

/* In memory that fork() fills with zeros. @lock guards all of it. */
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
	uint64_t knows_parent; /* @parent is written, or not needed */
	const struct pb_map *maps_to_copy;
	const struct pb_left_out_map *left_out_to_copy;
	struct pb_data_file file;
	struct pbd_losses *losses;
	/* See why.h. NULL if why= is off. */
	struct pbd_why *why;
	struct pbd_slow **slow; /* with overwrite=1: all of them */
	uint64_t nr_slow, oldest_slow;
	struct pb_mapped mapped;
	/* Threads that leave, linked by @next; and unused objects. */
	struct pb_thread_state *first_leaving, *last_leaving;
	struct pb_thread_lot *lots, *newest_lot;
	uint64_t nr_new_threads; /* in the newest lot */
	/* Objects in all lots, and the number at which to look for ended threads. */
	uint64_t nr_objects, nr_objects_to_look;
	/* See sandbox.c. */
	uint64_t in_syscalls;
	uint64_t waiting; /* for sandbox.c */
	uint32_t turn;
	struct pb_pool pool;
	char *spare_tables; /* for tally.c */
	uint64_t spare_table_functions, nr_spare_tables;
	char comm[16];
	uint64_t memory; /* of mapped blocks and per-thread counters */
	uint32_t again;	 /* increases when space may be free again; see ring.c */
	uint32_t no_tally; /* for tally.c */
	int no_tally_error;
	struct pb_rotation rotation;
	/* 0 in a forked child: there the loader's lock may be held for ever by a thread that
	   does not exist. */
	int may_ask_loader;
};

/* NULL until the constructor has made it. It never changes afterwards. */
extern struct pb_session *pb_session;

/*
 * Allocate @size bytes that fork() fills with zeros. Returns NULL on error. May
 * be called where sys.h's code may.
 */
void *pb_session_alloc(size_t size, int *error);

/*
 * Callers of the functions below hold the lock. Make the file, unless it
 * exists. Returns 0 or -errno.
 */
int pb_session_file(void);

/* The same, including the chunks that event records need. */
int pb_session_events(void);

/* The same for the next file, after the process has left one. */
int pb_session_next_file(void);

/*
 * This process has its own memory: it has just begun, or fork() has returned in
 * it. Makes a system call. The caller does not hold the lock.
 */
void pb_session_own(void);

/*
 * Does this process share its parent's memory, as a child of vfork(2)? Such a
 * process must change nothing here. For a child of a direct clone(2) the answer
 * is no until it has a file, since its pid is not known before. Makes a system
 * call. The caller may hold the lock.
 */
int pb_session_is_vforked(void);

/* The recording is over: forget when it began. The caller holds the lock. */
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

/* Record the present moment. */
void pb_session_tick(void);

#endif /* PB_TRACE_SESSION_H */
