/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file that a traced process writes and `patchbay report` reads.
 *
 * Overview
 * --------
 * `patchbay record` names a directory; every process that is traced writes one
 * file PID.pbd in it (PID.N.pbd for the Nth image that one process id ran). With
 * rotation it writes one after the other, each of which can be read on its own; one that
 * is whole is called PID.TIME.pbd, as 42.20260131T235959.999Z.pbd (UTC). A child
 * that could make none has one that another process had set aside, PID.N.spare.pbd
 * with that one's PID; those that nobody needed are empty.
 * A file is a header and a sequence of chunks. The writer keeps the whole file
 * mapped shared, and advances `committed` only over chunks that are complete;
 * so after SIGKILL the kernel still holds every committed chunk, and a reader
 * that stops at `committed` never sees a half-written one. Counters inside a
 * committed chunk go on changing while the process runs, and so do blocks of
 * event records: a record counts once its last word is there. The file of a forked
 * child refers to another one in the directory (struct pbd_parent).
 *
 * Times are ticks of the processor's counter; struct pbd_clock has what turns
 * them into nanoseconds, on any machine. Functions have numbers, struct
 * pbd_text and struct pbd_functions say which are whose; modules have build ids, so
 * that symbols can come from another copy of the file.
 *
 * Numbers are of the traced machine's byte order; `byte_order` tells. Every
 * chunk begins at a multiple of 8 bytes. A reader skips kinds it does not know
 * and refuses another version.
 */
#ifndef PATCHBAY_TRACE_FORMAT_H
#define PATCHBAY_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define PBD_MAGIC "PBAYDATA" /* 8 bytes, no terminator */
#define PBD_VERSION 3 /* 2: without struct pbd_text; 1: without struct pbd_parent */
#define PBD_VERSION_MIN 1 /* readers know these, too */
#define PBD_BYTE_ORDER 0x01020304
#define PBD_SUFFIX ".pbd"
#define PBD_NEW_SUFFIX ".pbd.new" /* has no header yet, and may never have one */
/* Set aside, and nobody's as long as it has no header; else a file as any other. */
#define PBD_SPARE_SUFFIX ".spare.pbd"
/* Of a recording with limits for all its processes: struct pbd_size. */
#define PBD_SIZE_FILE ".size"
/* Options of a recording that are too long for the environment (selection.h). */
#define PBD_SELECTION_SUFFIX ".selection"
#define PBD_SELECTION_MAGIC "PBAYSEL1"
#define PBD_BUILD_ID_MAX 32

/*
 * What the processes of a recording count together. @used: bytes of the disk that its
 * files take, as far as they know; @removed: files that made room for newer ones;
 * @changing: the processes that change @used and files just now, 0 where there is none;
 * one of them may have been killed meanwhile.
 */
#define PBD_SIZE_CHANGING 32
struct pbd_size {
	uint64_t used;
	uint64_t removed;
	uint32_t changing[PBD_SIZE_CHANGING];
};

struct pbd_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t header_size; /* first chunk is here */
	uint32_t machine;     /* e_machine of the process */
	uint32_t pid;
	uint32_t error;       /* errno of the first failure to trace something,
				 0 if there was none; ETIME: it was the thread
				 that listens that did not end, see listen.h */
	uint64_t start_ns;    /* CLOCK_REALTIME when the file was made */
	uint64_t committed;   /* bytes of the file that hold complete chunks */
	uint64_t left_out;    /* functions in chunks of struct pbd_left_out; not in
				 a header of PBD_HEADER_MIN */
	uint64_t blocks;      /* where struct pbd_blocks is, from the beginning of the
				 file; 0: there is none. It counts only once it is
				 committed. Not in a header of an older writer */
	uint64_t recording;  /* the same in all files of a recording, and in no other
				recording's; 0: not known. Nor is this in one */
};
#define PBD_HEADER_MIN offsetof(struct pbd_header, left_out)
#define PBD_HEADER_BLOCKS offsetof(struct pbd_header, recording) /* with @blocks */

enum pbd_kind {
	PBD_CMDLINE = 1,  /* struct pbd_cmdline */
	PBD_MODULE = 2,   /* struct pbd_module */
	PBD_COUNTERS = 3, /* struct pbd_counters */
	PBD_SESSION = 4,  /* struct pbd_session */
	PBD_FUNCTIONS = 5, /* struct pbd_functions */
	PBD_BLOCK = 6,    /* struct pbd_block */
	PBD_HISTOGRAMS = 7, /* struct pbd_histograms */
	PBD_LEFT_OUT = 8, /* struct pbd_left_out */
	PBD_LOSSES = 9,   /* struct pbd_losses */
	PBD_SPARE = 10,   /* nothing yet; becomes one of the other kinds */
	PBD_ASKED = 11,   /* struct pbd_asked */
	PBD_PARENT = 12,  /* struct pbd_parent */
	PBD_TEXT = 13,    /* struct pbd_text */
	PBD_INDEX = 14,   /* struct pbd_index */
	PBD_BLOCKS = 15,  /* struct pbd_blocks */
	PBD_OTHER = 16,   /* struct pbd_other */
	PBD_SAMPLES = 17, /* struct pbd_samples */
	PBD_WHY = 20,     /* struct pbd_why */
	PBD_SLOW = 21,    /* struct pbd_slow */
	PBD_MAPS = 22,    /* struct pbd_maps */
	PBD_PLACE = 23,   /* struct pbd_place */
	PBD_NAMES = 24,   /* struct pbd_names */
	PBD_ARGUMENTS = 32, /* struct pbd_arguments */
};

struct pbd_chunk {
	uint32_t kind;
	uint32_t reserved;
	uint64_t size; /* of the chunk with this head, a multiple of 8 */
};

/* The arguments of the process, each ended by NUL. */
struct pbd_cmdline {
	struct pbd_chunk chunk;
	uint64_t length;
	char args[];
};

/* A loaded module, before the first chunk that refers to its id. */
struct pbd_module {
	struct pbd_chunk chunk;
	uint32_t id;
	uint32_t build_id_size; /* 0 if the module has none */
	uint64_t base;          /* load bias: run-time address - ELF address */
	uint8_t build_id[PBD_BUILD_ID_MAX];
	char path[];            /* absolute, ended by NUL */
};

/* Calls per function. A function may stand in several chunks: they add up. */
struct pbd_counter {
	uint64_t entry; /* ELF address of the function in its module */
	uint64_t calls;
};

struct pbd_counters {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	struct pbd_counter counter[];
};

/* Functions with the numbers @first and following. */
struct pbd_functions {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * The same where events are recorded: the number of a function is its entry, added to
 * @first, the 64-bit number that ELF address 0 would have. So a writer need not look
 * up which function it is. A module that was loaded again may stand in several of
 * these, with the same numbers.
 */
struct pbd_text {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * Symbols of functions of a module: of entry[i] the i-th of the texts that follow, each
 * ended by NUL. A function with several symbols stands here several times. No size: the
 * reader looks up entries of traced functions only. Other addresses, as of callers, need
 * the file.
 */
struct pbd_names {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t entry[]; /* ELF addresses */
};

enum pbd_counter_kind {
	PBD_COUNTER_TSC = 1,    /* x86-64 */
	PBD_COUNTER_CNTVCT = 2, /* AArch64 */
	PBD_COUNTER_TB = 3,     /* ppc64le */
	PBD_COUNTER_TIME = 4,   /* riscv64 */
	PBD_COUNTER_TRACE_CLOCK = 5, /* the kernel's, in ns: from 'patchbay import' */
};

/* The same moment on three clocks. */
struct pbd_moment {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

#define PBD_SESSION_OVERWRITE 1u      /* blocks are used again */
#define PBD_SESSION_VARIABLE_RATE 2u  /* the counter may not be a clock */
#define PBD_SESSION_NO_SLEEP_TIME 4u  /* times are of threads' own clocks */
#define PBD_SESSION_OWN_PAGE 8u   /* of some by pages of perf_event_open(2) */
#define PBD_SESSION_OWN_CALL 16u  /* of some by asking the kernel each time */
#define PBD_SESSION_SOME_THREADS 32u /* those that were chosen */
#define PBD_SESSION_SANDBOX 64u /* the process restricted its system calls */
#define PBD_SESSION_ENDED_STRICT 128u /* to seccomp's strict mode, which takes the
					 clock away: nothing is recorded since */
#define PBD_SESSION_WAITING 256u /* for the function of start_at to be called */
#define PBD_SESSION_UNDER 512u /* only calls that are beneath some functions' */
#define PBD_SESSION_NO_ROOT 1024u /* of which none has been called yet */
#define PBD_NAME_MAX 64

/*
 * How events were recorded, and when. @last is brought up to date whenever a
 * thread begins, or begins a block, and when the process ends; of the two, the
 * one at @nr_last % 2 is whole. The time between @first and the last moment is
 * what the counter's rate is computed from.
 */
struct pbd_session {
	struct pbd_chunk chunk;
	uint32_t counter; /* enum pbd_counter_kind */
	uint32_t flags;   /* PBD_SESSION_* */
	uint64_t threshold_ns; /* calls that took less were dropped */
	uint64_t buffer;  /* bytes of events that a thread may have; with
			     PBD_SESSION_OVERWRITE, with those of threads whose
			     blocks it took over */
	uint64_t lost;    /* events, in addition to those that blocks count */
	uint64_t overwritten; /* events of calls that made room for newer ones */
	struct pbd_moment first;
	struct pbd_moment last[2];
	uint64_t nr_last;
	char tracer[PBD_NAME_MAX];
	char host[PBD_NAME_MAX];
	uint64_t depth; /* of calls that were recorded, 0: any; not in a session
			   of PBD_SESSION_MIN */
	uint64_t sample; /* one in so many calls of a function was recorded; 0: all.
			    Neither are this and the following */
	uint64_t max_memory; /* bytes of events of all threads together; 0: any */
	uint64_t max_size;   /* bytes of the disk for all processes; 0: any */
	uint64_t part;	     /* which one of the process's files, where they are
				rotated; 0: they are not */
	/*
	 * What recording a call costs on average, in picoseconds: @cost_inside of the call's
	 * own duration, @cost_outside of its callers' in addition. Of the latter @cost_pages
	 * are for pages of the file that are new, which few calls pay for. @cost_error: how
	 * far the sum may be off. All are 0 if `patchbay record` has not measured them.
	 * Neither these nor the following are in a session of an older writer.
	 */
	uint64_t cost_inside, cost_outside, cost_pages, cost_error;
	/* CPU time of the process: when the file was begun, and at the last moment. */
	uint64_t cpu_first_ns, cpu_last_ns;
};
#define PBD_SESSION_COST offsetof(struct pbd_session, cost_inside)
#define PBD_SESSION_MIN offsetof(struct pbd_session, depth)

enum pbd_record_kind {
	PBD_RECORD_NONE = 0,    /* a hole: not written (yet) */
	PBD_RECORD_ENTRY = 1,   /* a call begins; detail: return address */
	PBD_RECORD_CALL = 2,    /* a call that returned; detail: duration */
	PBD_RECORD_UNWOUND = 3, /* one that an exception left, or longjmp();
				   detail: duration */
};

/*
 * An event. @last is written last: its lowest two bits are the kind, the next six
 * those of the block's @pass, and above them is the detail. So a record is there
 * or it is not, and what is left from an earlier pass is not there. A duration of
 * 2^56 ticks (five months at 5 GHz) or more reads as one less than that.
 *
 * @frame tells which of two calls at the same time is within the other, as far
 * as the counter can tell: it is the stack pointer, divided by 16.
 *
 * Why not fewer bytes: without @frame, and half of @time, 12 would do. They take 45
 * instructions of a call instead of 41, and save page faults alone, and a call that
 * longjmp() left could not be told from one that goes on. test/bench/README.md has the
 * figures, in "records".
 */
struct pbd_record {
	uint64_t time;     /* of the call's entry, in ticks */
	uint32_t function; /* its number */
	uint32_t frame;
	uint64_t last;
};
#define PBD_KIND_BITS 2
#define PBD_PASS_BITS 6
#define PBD_DETAIL_SHIFT (PBD_KIND_BITS + PBD_PASS_BITS)
#define PBD_DETAIL_MAX (UINT64_MAX >> PBD_DETAIL_SHIFT)

/*
 * Records with these numbers of functions, PBD_VALUE and following, are values
 * of the call whose record comes after them: of the next one that has the same
 * @frame and the function that is their detail, unless one that is not a value
 * comes first. @time is the value. The last two are results, in an integer
 * register or a floating-point one, as it was. Others are arguments in integer
 * registers, counted as registers are.
 */
#define PBD_VALUE 0xffffff00u
#define PBD_VALUE_ARGS 6
#define PBD_VALUE_RESULT PBD_VALUE_ARGS
#define PBD_VALUE_RESULT_FP (PBD_VALUE_ARGS + 1)

/*
 * In the same way, a part of a value that has a name and a type (struct pbd_arguments).
 * Its detail has, from the lowest bit on, 32 of the function's number, 8 of the number
 * of the value, 8 of that of the part, and 8 of enum pbd_typed.
 */
#define PBD_TYPED (PBD_VALUE + 32)
#define PBD_TYPED_VALUE_SHIFT 32
#define PBD_TYPED_PART_SHIFT 40
#define PBD_TYPED_STATE_SHIFT 48

/*
 * PBD_TYPED_NUMBER: @time is the value, as wide as its kind says. Below that: so many
 * bytes of a text, of which there are more parts unless PBD_TYPED_LAST, or it was cut
 * off there, PBD_TYPED_CUT. Others say why there is no value.
 */
enum pbd_typed {
	PBD_TYPED_NUMBER = 0x10,
	PBD_TYPED_LAST = 0x20,
	PBD_TYPED_CUT = 0x40,
	PBD_TYPED_NULL = 0x80,	  /* a pointer on the way to it is null */
	PBD_TYPED_UNREADABLE,	  /* it is in memory that cannot be read */
	PBD_TYPED_FILTERED,	  /* the process's filter of system calls may forbid it */
	PBD_TYPED_NO_ROOM,	  /* too many calls were open */
};

/*
 * In the same way, of a call with PBD_RECORD_UNWOUND: it was not an exception that
 * left it, but longjmp().
 */
#define PBD_JUMPED (PBD_VALUE + 15)

/*
 * With PBD_SESSION_NO_SLEEP_TIME a thread's times are of its own clock, which
 * stands still while the thread is not on a processor: so durations are without
 * that. A record with this number says that from its @time on the processor's
 * counter is ahead of that clock by the detail. Before the first such record of a
 * thread it was ahead as it was then.
 */
#define PBD_ASLEEP (PBD_VALUE + 16)

/*
 * With PBD_SESSION_OVERWRITE a thread may go on in the block of one that has
 * ended. Two records, one behind the other, say so: what follows them is of the
 * thread whose number is the @time of the first, and whose tid is its detail.
 * The second has its name: eight bytes as @time and seven as detail, in each
 * the first one lowest.
 */
#define PBD_THREAD (PBD_VALUE + 17)
#define PBD_THREAD_NAME (PBD_VALUE + 18)

/*
 * In the same way as values are, of a call that took as long as struct pbd_why says: @time
 * is the id of a struct pbd_slow, which says what there is to know of it. With
 * PBD_SESSION_OVERWRITE that may be another call's by now, with another id.
 */
#define PBD_SLOW_CALL (PBD_VALUE + 19)

/*
 * In the same way: what trace the call is part of, as W3C's Trace Context has it. The @time
 * of three records, one behind the other, is the first half of the trace's id, its second
 * half, and the id of the span that is the call's parent: the first digit is the highest.
 */
#define PBD_CONTEXT (PBD_VALUE + 20)

/*
 * Events of one thread, and behind each PBD_THREAD of another one, with a
 * higher number. They are in the order in which they were recorded. A thread has
 * one block after another, with growing @seq. Where a block is used again @pass
 * grows, by one, and records stay until others are written over them.
 */
struct pbd_block {
	struct pbd_chunk chunk;
	uint64_t seq;    /* of this @thread; its first one need not be 1 */
	uint64_t pass;   /* from 0 */
	uint32_t thread; /* that began it; counted from 1 by this process */
	uint32_t tid;    /* gettid(2), which the system may use again; 0: of a
			    thread that began where it could not be asked for */
	uint64_t lost;   /* events that found no place behind this block */
	char comm[16];   /* the thread's name, as it was known last: when the block was
			    begun, or when the thread or the recording ended */
	struct pbd_record record[];
};

/*
 * Of which time the records of all blocks are, so that a reader need not look at each
 * to know: written behind all else when the process has ended, by `patchbay record`,
 * which has the time for it. There is none of a recording that was cut short, nor with
 * PBD_SESSION_OVERWRITE. The pieces of a block lie one behind the other, in the order
 * of the file.
 *
 * @events is PBD_INDEX_LOOK of a piece that must be looked at all the same: it has
 * records of PBD_ASLEEP, or begins or ends between values and the call that they are of.
 */
struct pbd_index_piece {
	uint64_t offset;  /* of its first record, from the beginning of the file */
	uint64_t begin;   /* no call of it began before, in ticks */
	uint64_t end;     /* and no record was written later: of a call its end */
	uint32_t records;
	uint32_t events;  /* of these: the others are holes, or values */
};
#define PBD_INDEX_LOOK UINT32_MAX

struct pbd_index {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_index_piece piece[];
};

/*
 * All blocks, in the order of the file: so that a reader need not go from each to the
 * next, of which a recording of 10 GB has ten thousand, each in another page. Written
 * together with struct pbd_index. @head is the block but for its records.
 *
 * The sums are CRC-32 of IEEE 802.3, as zlib's crc32() has it: of the bytes of all
 * entries, and of all pieces of the index. What they do not fit is not used: the blocks
 * say the same.
 */
struct pbd_blocks_entry {
	uint64_t offset; /* of the block, from the beginning of the file */
	uint64_t events; /* records of calls' entries and exits */
	char head[offsetof(struct pbd_block, record)];
};

struct pbd_blocks {
	struct pbd_chunk chunk;
	uint64_t nr;
	uint32_t entries_crc;
	uint32_t index_crc;
	struct pbd_blocks_entry entry[];
};

/*
 * How long the calls of a function took, of one thread. @bucket counts those of
 * 2^i ticks and more, but less than 2^(i+1); the first those of no tick, too, the
 * last all that are longer. Of a process that runs, counts may be of slightly
 * different moments.
 */
#define PBD_HISTOGRAM_BUCKETS 48
struct pbd_histogram {
	uint64_t function; /* its number + 1; 0: not in use (yet) */
	uint64_t total;    /* in ticks; calls within others count, too */
	uint64_t longest;
	uint64_t bucket[PBD_HISTOGRAM_BUCKETS];
};

/* A thread may have several of these, in which a function stands once. */
struct pbd_histograms {
	struct pbd_chunk chunk;
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	char comm[16];
	struct pbd_histogram histogram[];
};

#define PBD_WHY_SWITCHES 1u /* of some threads: when they left a processor, and came back */
#define PBD_WHY_KERNEL 2u   /* and where in the kernel they were then */
#define PBD_WHY_NEITHER 4u  /* of some: only how much processor time they took */
#define PBD_WHY_FILTERED 8u /* nobody was asked for more: the process has a filter of
			       system calls (seccomp) that it began with */

/*
 * Calls that took @threshold_ns or more are looked into when they end, and what there
 * is to know of each is in a struct pbd_slow. @refused is the errno with which
 * perf_event_open(2) refused what is missing in @have, at first.
 */
struct pbd_why {
	struct pbd_chunk chunk;
	uint64_t threshold_ns;
	uint32_t have; /* PBD_WHY_* */
	uint32_t refused;
	uint64_t nr;   /* calls that were looked into: the last one's id */
	uint64_t lost; /* calls that were not: there was no room, or no way to ask the
			  kernel, or it would have cost more than max-overhead= */
};

#define PBD_WAIT_PREEMPTED 1u /* it could have run, and another was run instead */

/* A time in which a thread was on no processor. */
#define PBD_WAIT_FRAMES 16
struct pbd_wait {
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	uint64_t ns;       /* as far as it is in the call */
	uint32_t flags;    /* PBD_WAIT_* */
	uint16_t nr_kernel; /* addresses in the kernel, the innermost first */
	uint16_t nr_user;   /* and one in the process behind them, or none */
	uint64_t frame[PBD_WAIT_FRAMES];
};

/*
 * A call that was slow. What is not known of its waits is between what is: @off_ns is at
 * least what the thread was off the processor; with PBD_SLOW_WHOLE it is all of it.
 *
 * The stack is that of the thread when the call had ended, from @stack_begin on, and
 * @here are registers of the recorder then, from which unwind tables lead to the
 * function's caller: by their numbers in DWARF, of x86-64 (16 is the address of the
 * instruction). Of other machines there is nothing there. @caller_... are the
 * caller's: where it goes on, its stack pointer, and its frame pointer, if it has one.
 */
#define PBD_WAITS 16
#define PBD_SLOW_WHOLE 1u
#define PBD_HERE 17
struct pbd_slow {
	struct pbd_chunk chunk;
	uint64_t id;       /* 0: it is not, or no longer, complete */
	uint32_t flags;    /* PBD_SLOW_* */
	uint32_t maps;     /* the id of a struct pbd_maps, 0: none */
	uint64_t begin_ns; /* of the call, CLOCK_MONOTONIC */
	uint64_t ns;
	uint64_t off_ns;
	uint64_t preempted_ns; /* of @off_ns */
	uint64_t nr_waits; /* that are known; the longest of them are in @wait */
	struct pbd_wait wait[PBD_WAITS];
	uint64_t here[PBD_HERE];
	uint64_t caller_pc, caller_sp, caller_fp;
	uint64_t stack_begin;
	uint32_t stack_size;
	uint32_t stack_error; /* errno, if there is none of it */
	char stack[];
};

/*
 * What is mapped to be executed, as lines of /proc/PID/maps, each ended by a newline,
 * @length bytes of them. Files need not have functions that are traced.
 */
struct pbd_maps {
	struct pbd_chunk chunk;
	uint32_t id; /* counted from 1 */
	uint32_t length;
	char text[];
};

/*
 * Where the process ran, so that files of several machines and containers can be told
 * apart: once, of a process that no other one in the recording has forked. What is not
 * known is 0 or empty.
 */
#define PBD_PLACE_PIDS 8
#define PBD_BOOT_ID 40
struct pbd_place {
	struct pbd_chunk chunk;
	char boot_id[PBD_BOOT_ID]; /* /proc/sys/kernel/random/boot_id, without newline */
	uint64_t pid_namespace;    /* its inode */
	uint32_t pid_outside; /* what the command that asked for the recording calls it */
	uint32_t nr_pids;
	uint32_t pid[PBD_PLACE_PIDS]; /* NStgid in /proc/PID/status, as seen from within */
	char cgroup[];                /* /proc/PID/cgroup, ended by NUL */
};

/*
 * Where one in so many calls is recorded (struct pbd_session), how many there were of a
 * function, of one thread: the first was recorded, and each @sample-th behind it. As with
 * histograms a thread may have several chunks of these.
 */
struct pbd_sample {
	uint64_t function; /* its number + 1; 0: not in use (yet) */
	uint64_t calls;
	uint64_t left;     /* the writer's */
};

struct pbd_samples {
	struct pbd_chunk chunk;
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	char comm[16];
	struct pbd_sample sample[];
};

/*
 * Functions that were to be traced, and cannot be by this tracer. @flags are of
 * their records, PATCHBAY_RECORD_*, and say why. Or they were traced, until they were
 * called more often than max-rate= allows (PBD_LEFT_OUT_HOT), or until all functions
 * together cost more than max-overhead= allows (PBD_LEFT_OUT_COSTLY). One that was armed
 * again later is there once more, with PBD_LEFT_OUT_AGAIN alone. Or something else than
 * the tracer changed their sites while they were traced, and they were not, or not by
 * all calls, from then until that was found and put right, if it was (PBD_LEFT_OUT_CHANGED).
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
 * A loaded module of which nothing can be traced, whatever was asked for. @number is the
 * version of the ABI that it was compiled for, or how many functions it has, in another
 * namespace of the loader than the tracer is in (dlmopen(3)).
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
 * Why something that happened is not in the file. The first ones are *lost*
 * events: the tracer saw the call and had no place to write it down. Together
 * they are what blocks and struct pbd_session count as @lost (histograms: calls),
 * except PBD_LOST_CHILD. A *missed* call is one that the tracer was not even
 * shown, so nothing else counts it.
 *
 * PBD_LOST_FULL:    the thread's buffer was full
 * PBD_LOST_SPACE:   the file could not be made longer; pbd_header.error says why
 * PBD_LOST_SANDBOX: the process had restricted its system calls (seccomp(2)), and
 *                   what had been set aside for that case was used up
 * PBD_LOST_CHILD:   events of forked children that have no file of their own
 * PBD_MISSED_IN_HANDLER:  calls made while the thread was in a handler of this
 *                   or another tracer, or in a signal handler that interrupted
 *                   one, by tracers that cannot be called there
 * PBD_MISSED_IN_RECORDER: calls made while the thread was adding to this file, or
 *                   in a signal handler that interrupted that
 * PBD_LOST_SIZE:    all files of the recording together had the size that is allowed
 * PBD_LOST_MEMORY:  all buffers of the process together had
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
#define PBD_LOSS_MAX 8 /* those that are not used are 0 */
#define PBD_LOSS_THREADS 15

struct pbd_loss_counts {
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	uint64_t count[PBD_LOSS_MAX]; /* by enum pbd_loss */
};

/*
 * One of each file, unless it is of an older writer. @process counts all,
 * @thread, as far as there is room, those of the first @nr threads that lost or
 * missed something; @nr may be more than there is room for. A thread may stand
 * there twice: its counts add up. A forked child that has no file, or none yet,
 * counts in that of the process it comes from.
 */
struct pbd_losses {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_loss_counts process; /* its @thread and @tid are 0 */
	struct pbd_loss_counts thread[PBD_LOSS_THREADS];
	/*
	 * Why the first forked child could make no file, and as which user; 0: none
	 * failed. Not in a chunk of an older writer.
	 */
	uint32_t child_error; /* errno */
	uint32_t child_user;
	/*
	 * Calls of which trace-context= named something that could not be read, or was no
	 * traceparent. Not in a chunk of an older writer.
	 */
	uint64_t no_context;
	/*
	 * Timed calls without a return when the recording ended: they were running, or had
	 * been left by something that no tracer is told of. Not in a chunk of an older
	 * writer.
	 */
	uint64_t no_return;
	/* What that is; not in a chunk of an older writer. */
	uint32_t returns; /* enum pbd_returns */
	uint32_t reserved;
};

/*
 * PBD_RETURNS_NOT_COUNTED: the tracer has no such calls, or shows them, or the number is in
 *                          a later file of the process
 * PBD_RETURNS_PENDING:     the process has not come to its end, or was killed there
 * PBD_RETURNS_COUNTED:     it is how many there were
 * PBD_RETURNS_UNKNOWN:     function_graph was given a threshold, or had it taken away
 */
enum pbd_returns {
	PBD_RETURNS_NOT_COUNTED = 0,
	PBD_RETURNS_PENDING = 1,
	PBD_RETURNS_COUNTED = 2,
	PBD_RETURNS_UNKNOWN = 3,
};

/* The option of PATCHBAY that asked for functions, by a glob or a name. */
enum pbd_asked_by {
	PBD_FILTER = 1,
	PBD_ARGS = 2,
	PBD_START_AT = 3,
	PBD_STOP_AT = 4,
	PBD_UNDER = 5,
};

/*
 * What was asked for, and whether any function of this process is meant by it; of
 * "*" that is always so. Behind the last one are their texts, in their order, each
 * ended by NUL.
 */
struct pbd_asked {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct {
		uint32_t by;      /* enum pbd_asked_by */
		uint32_t matched; /* 0 or 1 */
	} asked[];
};

/*
 * Functions whose arguments have names and types, and of each how many calls were left
 * out because of what their arguments were. Behind the last one are their texts, in
 * their order, each ended by NUL: what typed_spec.h says.
 */
struct pbd_arguments {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	struct {
		uint64_t entry;    /* ELF address */
		uint64_t left_out; /* calls */
	} function[];
};

/*
 * Of a forked child. What explains the numbers of functions is the same as in the
 * process it comes from, and may be large, so it stays in that one's file: all
 * chunks of struct pbd_module, pbd_functions, pbd_text, pbd_arguments and pbd_left_out in the first
 * @size bytes of @file, and what a struct pbd_parent there refers to in its turn. What
 * either process writes down after the fork is in its own file, and may have the
 * same numbers in both.
 *
 * @file is a name in the same directory. @pid and @start_ns are those of its header:
 * a file that has others is not the one that is meant. The process need not be the
 * parent, but one that the child descends from: the nearest that wrote such chunks.
 *
 * @here: the same chunks are in this file by now, before this was set, so that the
 * file can be read without the other one, as a snapshot is.
 */
struct pbd_parent {
	struct pbd_chunk chunk;
	uint64_t size;
	uint64_t start_ns;
	uint32_t pid;
	uint32_t here; /* 0 or 1 */
	char file[];   /* ended by NUL */
};

#endif /* PATCHBAY_TRACE_FORMAT_H */
