/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file that a traced process writes and `patchbay report` reads.
 *
 * Overview
 * --------
 * `patchbay record` names a directory. Every traced process writes one file PID.pbd in
 * it (PID.N.pbd for the Nth image that one process id ran). With rotation it writes
 * several files, one after another, and each can be read on its own. A complete one is
 * called PID.TIME.pbd, as 42.20260131T235959.999Z.pbd (UTC). A child that could not
 * make a file uses a spare one of another process, PID.N.spare.pbd with that process's
 * PID. Unused spare files are empty.
 *
 * A file is a header and a sequence of chunks. The writer has them in memory that another
 * process writes to the file (arena.h), or keeps the file mapped shared. It advances
 * `committed` only over chunks that are complete. So after SIGKILL every committed chunk is
 * still there, and a reader that stops at `committed` never sees a half-written one.
 * Counters and event records inside a committed chunk continue to change while the process
 * runs. A record is valid once its last word is written. The file of a forked child refers
 * to another one in the directory (struct pbd_parent).
 *
 * Times are ticks of the processor's counter. Readers convert them to nanoseconds by
 * the moments in struct pbd_session, on any machine. Functions have numbers, which
 * struct pbd_text and struct pbd_functions assign. Modules have build ids, so that
 * symbols can come from another copy of the file.
 *
 * Numbers are little-endian. Every chunk begins at a multiple of 8 bytes. A reader
 * skips unknown kinds and refuses another version.
 */
#ifndef PATCHBAY_TRACE_FORMAT_H
#define PATCHBAY_TRACE_FORMAT_H

#include "chunk.h"
#include "missing.h"

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

/* Calls per function. If a function is in several chunks, its calls add up. */
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

/* Functions with the numbers from @first on. */
struct pbd_functions {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * Functions of recorded events. The number of a function is its ELF address plus
 * @first, so the writer needs no table of functions. A module that was loaded again may
 * be in several of these chunks, with the same numbers.
 */
struct pbd_text {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * Symbols of a module's functions. The strings after the array are the symbols of
 * entry[i], in its order, each ended by NUL. A function with several symbols has
 * several entries. Sizes are omitted: the reader looks up entries of traced functions
 * only. Other addresses, such as callers', need the module's file.
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
#define PBD_SESSION_NO_SLEEP_TIME 4u  /* times are CPU times of threads */
#define PBD_SESSION_OWN_PAGE 8u   /* some threads read their CPU time from pages of
				     perf_event_open(2) */
#define PBD_SESSION_OWN_CALL 16u  /* some threads ask the kernel for their CPU time at
				     each call */
#define PBD_SESSION_SOME_THREADS 32u /* only some threads were chosen */
#define PBD_SESSION_SANDBOX 64u /* the process restricted its system calls */
#define PBD_SESSION_ENDED_STRICT 128u /* into seccomp's strict mode, which forbids
				         the clock: no events since then */
#define PBD_SESSION_WAITING 256u /* the function of start_at was not called yet */
#define PBD_SESSION_UNDER 512u /* only calls beneath some functions */
#define PBD_SESSION_NO_ROOT 1024u /* none of these was called yet */
#define PBD_SESSION_THRESHOLD_CHANGED 2048u /* to @threshold_ns: earlier calls had another
					       one */
#define PBD_SESSION_TREES 4096u /* if the tracer has exits, @sample chose among outermost
				   calls, and all calls within are recorded, too */
#define PBD_SESSION_STAYS 8192u /* no rotation: the process could not make the next file */
#define PBD_NAME_MAX 64

/*
 * How events were recorded, and when. The writer updates @last whenever a thread
 * begins, or begins a block, and when the process ends. @last[@nr_last % 2] is
 * complete. Readers compute the counter's rate from the time between @first and the
 * last moment.
 */
struct pbd_session {
	struct pbd_chunk chunk;
	uint32_t counter; /* enum pbd_counter_kind */
	uint32_t flags;   /* PBD_SESSION_* */
	uint64_t threshold_ns; /* shorter calls were dropped */
	uint64_t buffer;  /* bytes of events per thread; with PBD_SESSION_OVERWRITE,
			     including those of threads whose blocks it took over */
	uint64_t lost;    /* events, in addition to those that blocks count */
	uint64_t overwritten; /* events of calls that newer events replaced */
	struct pbd_moment first;
	struct pbd_moment last[2];
	uint64_t nr_last;
	char tracer[PBD_NAME_MAX];
	char host[PBD_NAME_MAX];
	uint64_t depth; /* levels of calls that were recorded, 0: any; not in a
			   session of PBD_SESSION_MIN */
	uint64_t sample; /* one in this many calls of a function was chosen; 0: all.
			    Like the fields below, not in a session of PBD_SESSION_MIN */
	uint64_t max_memory; /* bytes of events of all threads together; 0: any */
	uint64_t max_size;   /* bytes of the disk for all processes; 0: any */
	uint64_t part;	     /* the number of this file among the process's rotated
			        files; 0: not rotated */
	/*
	 * The average cost of recording a call, in picoseconds. A call's own duration
	 * includes @cost_inside; its callers' durations also include @cost_outside. Few
	 * calls cause @cost_pages, the part of @cost_outside for new pages of the file.
	 * @cost_error is the error of the sum. All are 0 if `patchbay record` has not
	 * measured them. This field and those below are not in a session of an older
	 * writer.
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
	PBD_RECORD_UNWOUND = 3, /* an exception or longjmp() left the call; detail: duration */
};

/*
 * An event. The writer stores @last last. Its lowest two bits are the kind, the next
 * six those of the block's @pass, and above them is the detail. So a record is complete
 * or absent, and a record of an earlier pass is absent. A duration of 2^56 ticks (five
 * months at 5 GHz) or more reads as one less than that.
 *
 * @frame is the stack pointer, divided by 16. It tells which of two calls with the same
 * time is nested in the other.
 *
 * Why not a smaller record? Without @frame, and with half of @time, 12 bytes would
 * suffice. Writing them takes 45 instructions per call instead of 41, and saves only
 * page faults. A call that longjmp() left would look like one that is still running.
 * test/bench/README.md has the figures, in "records".
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
 * Records with function numbers from PBD_VALUE on are values of a later record's call.
 * Their detail is the number of that call's function. They belong to the next record of
 * that function with the same @frame, unless another record that is no value comes
 * first. @time is the value. Values from PBD_VALUE on are arguments in integer
 * registers, counted as registers are. The last two are results, unconverted: of an
 * integer register and of a floating-point register.
 */
#define PBD_VALUE 0xffffff00u
#define PBD_VALUE_ARGS 6
#define PBD_VALUE_RESULT PBD_VALUE_ARGS
#define PBD_VALUE_RESULT_FP (PBD_VALUE_ARGS + 1)

/*
 * Likewise, a part of a value that has a name and a type (struct pbd_arguments). Its
 * detail has, from the lowest bit on: the function's number (32 bits), the value's
 * number (8), the part's number (8), and enum pbd_typed (8).
 */
#define PBD_TYPED (PBD_VALUE + 32)
#define PBD_TYPED_VALUE_SHIFT 32
#define PBD_TYPED_PART_SHIFT 40
#define PBD_TYPED_STATE_SHIFT 48

/*
 * PBD_TYPED_NUMBER: @time is the value, as wide as its kind says. Lower states are the
 * number of string bytes in @time, to which PBD_TYPED_LAST is added in the last part, or
 * PBD_TYPED_CUT if the string was cut off there. Other states say why there is no value.
 */
enum pbd_typed {
	PBD_TYPED_NUMBER = 0x10,
	PBD_TYPED_LAST = 0x20,
	PBD_TYPED_CUT = 0x40,
	PBD_TYPED_NULL = 0x80,	  /* a pointer on the way to it is null */
	PBD_TYPED_UNREADABLE,	  /* the memory cannot be read */
	PBD_TYPED_FILTERED,	  /* the process's system call filter may forbid reading it */
	PBD_TYPED_NO_ROOM,	  /* too many calls were open */
};

/* Likewise, for a call with PBD_RECORD_UNWOUND: longjmp() left it, and no exception. */
#define PBD_JUMPED (PBD_VALUE + 15)

/*
 * With PBD_SESSION_NO_SLEEP_TIME a thread's times are its CPU time, so durations
 * exclude off-CPU time. The detail is how far the processor's counter is ahead of the
 * thread's clock from @time on. Before the first such record it was as far ahead as when
 * the thread began.
 */
#define PBD_ASLEEP (PBD_VALUE + 16)

/*
 * With PBD_SESSION_OVERWRITE a new thread may continue in the block of a thread that has
 * ended. Two consecutive records mark that, and later events belong to the new thread.
 * The first record has its number as @time and its tid as detail. The second has its
 * name: eight bytes as @time and seven as detail, the first byte lowest in each.
 */
#define PBD_THREAD (PBD_VALUE + 17)
#define PBD_THREAD_NAME (PBD_VALUE + 18)

/*
 * Likewise, for a call that took at least the threshold of struct pbd_why. @time is the
 * id of a struct pbd_slow with its details. With PBD_SESSION_OVERWRITE another call,
 * with another id, may have replaced that one.
 */
#define PBD_SLOW_CALL (PBD_VALUE + 19)

/*
 * Likewise: the trace that the call is part of, as in W3C's Trace Context. Three
 * consecutive records have, as @time, the two halves of the trace's id, and the id of
 * the call's parent span. The first digit is the highest.
 */
#define PBD_CONTEXT (PBD_VALUE + 20)

/*
 * Likewise, after PBD_SLOW_CALL: @time is the time that writing the struct pbd_slow took,
 * in ns. The call's own duration does not include it, but its callers' durations do.
 */
#define PBD_SLOW_COST (PBD_VALUE + 23)

/*
 * Events of one thread, in the order of recording. After each PBD_THREAD record they
 * belong to another thread, with a higher number. A thread's blocks have growing @seq.
 * When a block is used again its @pass grows by one. Old records stay until new ones
 * overwrite them.
 */
struct pbd_block {
	struct pbd_chunk chunk;
	uint64_t seq;    /* in the order of this @thread's blocks; may begin above 1 */
	uint64_t pass;   /* from 0 */
	uint32_t thread; /* that began it; counted from 1 by this process */
	uint32_t tid;    /* gettid(2), which the kernel may reuse; 0: unknown, because the
			    thread began where it could not call gettid(2) */
	uint64_t lost;   /* events after this block that were dropped */
	char comm[16];   /* the thread's last known name: when the block was begun,
			    or when the thread or the recording ended */
	struct pbd_record record[];
};

/*
 * The times of the records of all blocks, so that a reader need not read each record.
 * `patchbay record` writes this chunk when the process has ended. Recordings that were
 * cut short and those with PBD_SESSION_OVERWRITE do not have it. The pieces of a block
 * are consecutive, in the order of the file.
 *
 * @events is PBD_INDEX_LOOK if the reader must read the piece in any case. The piece then
 * has PBD_ASLEEP records, or begins or ends between values and their call.
 */
struct pbd_index_piece {
	uint64_t offset;  /* of its first record, from the beginning of the file */
	uint64_t begin;   /* none of its calls began earlier, in ticks */
	uint64_t end;     /* no record was written later; a call's record is written at its end */
	uint32_t records;
	uint32_t events;  /* of these; the others are holes or values */
};
#define PBD_INDEX_LOOK UINT32_MAX

struct pbd_index {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_index_piece piece[];
};

/*
 * All blocks, in the order of the file, so that a reader need not visit each block
 * to find the next. A recording of 10 GB has ten thousand, each in another page.
 * This chunk is written together with struct pbd_index. @head is a copy of the block
 * without its records.
 *
 * The checksums are CRC-32 of IEEE 802.3, as zlib's crc32(): of the bytes of all
 * entries, and of all pieces of the index. If one does not match, the reader goes
 * through the blocks instead.
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
 * How long the calls of a function took, in one thread. @bucket[i] counts calls of at
 * least 2^i and less than 2^(i+1) ticks. The first also counts calls of no tick, the last
 * all longer ones. While the process runs, the counts need not all be of the same moment.
 */
#define PBD_HISTOGRAM_BUCKETS 48
struct pbd_histogram {
	uint64_t function; /* its number + 1; 0: not in use (yet) */
	uint64_t total;    /* in ticks; includes nested calls */
	uint64_t longest;
	uint64_t bucket[PBD_HISTOGRAM_BUCKETS];
};

/* A thread may have several of these. Each function is in one of them. */
struct pbd_histograms {
	struct pbd_chunk chunk;
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	char comm[16];
	struct pbd_histogram histogram[];
};

#define PBD_WHY_SWITCHES 1u /* of some threads: when they went off-CPU and came back */
#define PBD_WHY_KERNEL 2u   /* also their kernel stacks at that time */
#define PBD_WHY_NEITHER 4u  /* only the CPU time, of some threads */
#define PBD_WHY_FILTERED 8u /* the recorder did not ask for more: the process began
			       with a system call filter (seccomp) */

/*
 * The recorder examines calls of at least @threshold_ns when they end, and writes a
 * struct pbd_slow for each. @refused is the first errno of perf_event_open(2) for data
 * that @have lacks.
 */
struct pbd_why {
	struct pbd_chunk chunk;
	uint64_t threshold_ns;
	uint32_t have; /* PBD_WHY_* */
	uint32_t refused;
	uint64_t nr;   /* calls that were examined, which is also the last one's id */
	uint64_t lost; /* calls that were not examined: no space, no answer from the
		          kernel, or max-overhead= was used up */
};

#define PBD_WAIT_PREEMPTED 1u /* runnable, but another thread ran */

/* A time in which a thread was off-CPU. */
#define PBD_WAIT_FRAMES 16
struct pbd_wait {
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	uint64_t ns;       /* the part of it within the call */
	uint32_t flags;    /* PBD_WAIT_* */
	uint16_t nr_kernel; /* addresses in the kernel, the innermost first */
	uint16_t nr_user;   /* and then one in the process, or none */
	uint64_t frame[PBD_WAIT_FRAMES];
};

/*
 * A slow call. @off_ns is a lower bound of the thread's off-CPU time. With
 * PBD_SLOW_WHOLE it is exact. Waits may be missing between known ones.
 *
 * The stack is a copy of the thread's when the call had ended, from @stack_begin on.
 * @here are registers of the recorder at that time, by DWARF numbers of x86-64 (16: the
 * instruction's address). Unwind tables lead from them to the function's caller. On
 * other machines @here is empty. @caller_... are the caller's return address, stack
 * pointer, and frame pointer, if it uses one.
 */
#define PBD_WAITS 16
#define PBD_SLOW_WHOLE 1u
#define PBD_HERE 17
struct pbd_slow {
	struct pbd_chunk chunk;
	uint64_t id;       /* 0: not complete (yet, or any more) */
	uint32_t flags;    /* PBD_SLOW_* */
	uint32_t maps;     /* the id of a struct pbd_maps, 0: none */
	uint64_t begin_ns; /* of the call, CLOCK_MONOTONIC */
	uint64_t ns;
	uint64_t off_ns;
	uint64_t preempted_ns; /* of @off_ns */
	uint64_t nr_waits; /* known waits; the longest ones are in @wait */
	struct pbd_wait wait[PBD_WAITS];
	uint64_t here[PBD_HERE];
	uint64_t caller_pc, caller_sp, caller_fp;
	uint64_t stack_begin;
	uint32_t stack_size;
	uint32_t stack_error; /* errno if the stack is missing */
	char stack[];
};

/*
 * Executable mappings, as lines of /proc/PID/maps, each ended by a newline, @length
 * bytes together. Files without traced functions are included.
 */
struct pbd_maps {
	struct pbd_chunk chunk;
	uint32_t id; /* counted from 1 */
	uint32_t length;
	char text[];
};

/*
 * Where the process ran. It tells files of several machines and containers apart. A
 * process has it only if no other process of the recording has forked it. Unknown
 * values are 0 or empty.
 */
#define PBD_PLACE_PIDS 8
#define PBD_BOOT_ID 40
struct pbd_place {
	struct pbd_chunk chunk;
	char boot_id[PBD_BOOT_ID]; /* /proc/sys/kernel/random/boot_id, without newline */
	uint64_t pid_namespace;    /* its inode */
	uint32_t pid_outside; /* the pid as the command that asked for the recording sees it */
	uint32_t nr_pids;
	uint32_t pid[PBD_PLACE_PIDS]; /* NStgid in /proc/PID/status, as seen from within */
	char cgroup[];                /* /proc/PID/cgroup, ended by NUL */
};

/*
 * The calls of a function by one thread, where only one in @sample is chosen (struct
 * pbd_session): the first, and each @sample-th after it. As with histograms a thread
 * may have several chunks of these.
 */
struct pbd_sample {
	uint64_t function; /* its number + 1; 0: not in use (yet) */
	uint64_t calls;
	uint64_t left;     /* used by the writer */
};

struct pbd_samples {
	struct pbd_chunk chunk;
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	char comm[16];
	struct pbd_sample sample[];
};

/* The option of PATCHBAY that requested functions, by a glob or a name. */
enum pbd_asked_by {
	PBD_FILTER = 1,
	PBD_ARGS = 2,
	PBD_START_AT = 3,
	PBD_STOP_AT = 4,
	PBD_UNDER = 5,
};

/*
 * The requested names, and whether each matched a function of this process. "*"
 * always counts as matched. The strings follow the last element, in the same order,
 * each ended by NUL.
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
 * Functions whose arguments have names and types, and for each the number of calls that
 * were left out because of a condition. Strings follow the last element, in the same
 * order, each ended by NUL; typed_spec.h describes them.
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
 * For the file of a forked child. The chunks that map numbers to functions may be
 * large, so they stay in the ancestor's file. They are all chunks of struct
 * pbd_module, pbd_functions, pbd_text, pbd_arguments and pbd_left_out in the first
 * @size bytes of @file, and those that a struct pbd_parent of @file refers to. After
 * the fork each process writes such chunks to its own file, and the two may use the
 * same numbers.
 *
 * @file is a name in the same directory. @pid and @start_ns must equal those of its
 * header; otherwise it is another file. Its process is the nearest ancestor that wrote
 * such chunks, and need not be the parent.
 *
 * @here: this file, for example a snapshot, has a copy of these chunks and can be read
 * without the other one. The copy is complete before @here is set.
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
