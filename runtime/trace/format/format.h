/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file that a traced process writes and `patchbay report` reads.
 *
 * Overview
 * --------
 * Every traced process writes one file PID.pbd in the directory of the recording
 * (PID.N.pbd for the Nth program that the process executes). With rotation the process
 * writes several files, one after another, and each can be read alone. A complete file is
 * named PID.TIME.pbd, such as 42.20260131T235959.999Z.pbd (UTC). A child that cannot make a
 * file uses a spare file of another process, PID.N.spare.pbd with that process's PID.
 * Unused spare files are empty.
 *
 * A file is a header and a sequence of chunks. The writer keeps the chunks in memory that
 * another process writes to the file (arena.h), or in a shared mapping of the file. So
 * chunks survive SIGKILL. The writer advances `committed` only over complete chunks, and
 * readers stop at `committed`. Counters and event records inside a committed chunk continue
 * to change while the process runs. A record is valid if its last word is not 0. The file
 * of a forked child refers to another file in the directory (struct pbd_parent).
 *
 * Times are ticks of the processor's counter. Readers on any machine convert ticks to
 * nanoseconds by the moments in struct pbd_session. struct pbd_text and struct
 * pbd_functions map function numbers to functions. Modules have build ids, so that readers
 * can take symbols from another copy of the module.
 *
 * Numbers are little-endian. Every chunk begins at a multiple of 8 bytes. A reader
 * skips unknown kinds and refuses another version.
 */
#ifndef PATCHBAY_TRACE_FORMAT_H
#define PATCHBAY_TRACE_FORMAT_H

#include "chunk.h"
#include "missing.h"

/* The command line of the process: its arguments, each ended by NUL. */
struct pbd_cmdline {
	struct pbd_chunk chunk;
	uint64_t length;
	char args[];
};

/* A loaded module. This chunk comes before all chunks that refer to its id. */
struct pbd_module {
	struct pbd_chunk chunk;
	uint32_t id;
	uint32_t build_id_size; /* 0 if the module has none */
	uint64_t base;          /* load bias: run-time address - ELF address */
	uint8_t build_id[PBD_BUILD_ID_MAX];
	char path[];            /* absolute, ended by NUL */
};

/*
 * The number of calls of a function. If several chunks contain the function, add up the
 * numbers.
 */
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

/* Functions with consecutive numbers, from @first on. */
struct pbd_functions {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * Functions of recorded events. The number of a function is its ELF address plus @first, so
 * the writer needs no table of functions. If a module is loaded again, there may be another
 * chunk with the same numbers.
 */
struct pbd_text {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	uint64_t first;
	uint64_t entry[]; /* ELF addresses */
};

/*
 * Symbols of a module's traced functions. The strings after the array are the symbols of
 * entry[i], in the same order, each ended by NUL. A function with several symbols has
 * several entries. Sizes are omitted, because readers look up only the entries of traced
 * functions. To resolve other addresses, such as those of callers, readers need the
 * module's file.
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

#define PBD_SESSION_OVERWRITE 1u      /* blocks are reused when the buffer is full */
#define PBD_SESSION_VARIABLE_RATE 2u  /* the rate of the counter may vary */
#define PBD_SESSION_NO_SLEEP_TIME 4u  /* times are CPU times of threads */
#define PBD_SESSION_OWN_PAGE 8u   /* some threads read their CPU time from pages of
				     perf_event_open(2) */
#define PBD_SESSION_OWN_CALL 16u  /* some threads ask the kernel for their CPU time at each
				     reading */
#define PBD_SESSION_SOME_THREADS 32u /* only chosen threads were recorded */
#define PBD_SESSION_SANDBOX 64u /* the process restricted its system calls */
#define PBD_SESSION_ENDED_STRICT 128u /* the process entered seccomp's strict mode, which
				         forbids reading the counter, so recording ended */
#define PBD_SESSION_WAITING 256u /* no function of start-at= was called yet */
#define PBD_SESSION_UNDER 512u /* only calls beneath some functions (roots) were recorded */
#define PBD_SESSION_NO_ROOT 1024u /* no root was called yet */
#define PBD_SESSION_THRESHOLD_CHANGED 2048u /* earlier calls had another threshold than
					       @threshold_ns */
#define PBD_SESSION_TREES 4096u /* with a tracer that has exits: @sample applies to outermost
				   calls, and all nested calls are recorded, too */
#define PBD_SESSION_STAYS 8192u /* no rotation: the process could not make the next file */
#define PBD_NAME_MAX 64

/*
 * The configuration and the time of the recording. The writer updates @last whenever a
 * thread or a block begins, and when the process ends. @last[@nr_last % 2] is always
 * complete. Readers compute the counter's rate from @first and the last moment.
 */
struct pbd_session {
	struct pbd_chunk chunk;
	uint32_t counter; /* enum pbd_counter_kind */
	uint32_t flags;   /* PBD_SESSION_* */
	uint64_t threshold_ns; /* calls shorter than this were dropped */
	uint64_t buffer;  /* maximum bytes of events per thread; with PBD_SESSION_OVERWRITE this
			     includes events of ended threads whose blocks the thread has taken
			     over */
	uint64_t lost;    /* lost events that blocks do not count */
	uint64_t overwritten; /* number of events that newer events replaced */
	struct pbd_moment first;
	struct pbd_moment last[2];
	uint64_t nr_last;
	char tracer[PBD_NAME_MAX];
	char host[PBD_NAME_MAX];
	uint64_t depth; /* maximum nesting of recorded calls; 0: no limit; absent from a session
			   of PBD_SESSION_MIN */
	uint64_t sample; /* one in this many calls of a function was recorded; 0: all. Absent,
			    like the fields below, from a session of PBD_SESSION_MIN */
	uint64_t max_memory; /* maximum bytes of events of all threads together; 0: no limit */
	uint64_t max_size;   /* maximum bytes on disk of all processes together; 0: no limit */
	uint64_t part;	     /* the number of this file among the process's rotated
			        files; 0: not rotated */
	/*
	 * The average cost of recording a call, in picoseconds; 0: not measured. The
	 * duration of a call includes @cost_inside; the durations of its callers also
	 * include @cost_outside. @cost_outside includes @cost_pages, the cost of new pages
	 * of the file, which few calls cause. @cost_error is the error of the sum. Sessions
	 * of older writers end before these fields.
	 */
	uint64_t cost_inside, cost_outside, cost_pages, cost_error;
	/* CPU time of the process: when the file was made, and at the last moment. */
	uint64_t cpu_first_ns, cpu_last_ns;
};
#define PBD_SESSION_COST offsetof(struct pbd_session, cost_inside)
#define PBD_SESSION_MIN offsetof(struct pbd_session, depth)

enum pbd_record_kind {
	PBD_RECORD_NONE = 0,    /* a hole: reserved, but not written */
	PBD_RECORD_ENTRY = 1,   /* a call begins; detail: return address */
	PBD_RECORD_CALL = 2,    /* a call that returned; detail: duration */
	PBD_RECORD_UNWOUND = 3, /* an exception or longjmp() left the call; detail: duration */
};

/*
 * An event. Bits 0 and 1 of @last are the kind, bits 2 to 7 are the lowest bits of the
 * block's @pass, and the other bits are the detail. The writer stores @last after the other
 * fields, so a record is either complete or invalid; a record of an earlier pass is also
 * invalid. Durations are at most 2^56 - 1 ticks (five months at 5 GHz).
 *
 * @frame is the stack pointer, divided by 16. Of two calls with equal times, the call with
 * the lower frame is nested in the other.
 *
 * Records of 12 bytes are possible, without @frame and with half of @time. Shorter records
 * would save page faults, but need 45 instructions per call instead of 41, and calls left
 * by longjmp() would look like running calls. test/bench/README.md contains the figures, in
 * "records".
 */
struct pbd_record {
	uint64_t time;     /* time of the call's entry, in ticks */
	uint32_t function; /* the function's number */
	uint32_t frame;
	uint64_t last;
};
#define PBD_KIND_BITS 2
#define PBD_PASS_BITS 6
#define PBD_DETAIL_SHIFT (PBD_KIND_BITS + PBD_PASS_BITS)
#define PBD_DETAIL_MAX (UINT64_MAX >> PBD_DETAIL_SHIFT)

/*
 * Records with function numbers from PBD_VALUE on are values of the call in a later record.
 * @time is the value, and the detail is the number of the called function. Values belong to
 * the next record of that function with the same @frame, unless a record that is not a
 * value comes first. PBD_VALUE + N is the argument in integer register N. PBD_VALUE_RESULT
 * and PBD_VALUE_RESULT_FP are unconverted results in an integer and a floating-point
 * register.
 */
#define PBD_VALUE 0xffffff00u
#define PBD_VALUE_ARGS 6
#define PBD_VALUE_RESULT PBD_VALUE_ARGS
#define PBD_VALUE_RESULT_FP (PBD_VALUE_ARGS + 1)

/*
 * A piece of a value with a name and a type (struct pbd_arguments). Belongs to a later
 * record like PBD_VALUE. The detail contains, from the lowest bit on: the function's number
 * (32 bits), the value's number (8), the piece's number (8), and enum pbd_typed (8).
 */
#define PBD_TYPED (PBD_VALUE + 32)
#define PBD_TYPED_VALUE_SHIFT 32
#define PBD_TYPED_PART_SHIFT 40
#define PBD_TYPED_STATE_SHIFT 48

/*
 * PBD_TYPED_NUMBER: @time is the value, with the width of its kind. States below
 * PBD_TYPED_NUMBER are the number of string bytes in @time. The last piece adds
 * PBD_TYPED_LAST, or PBD_TYPED_CUT if the string was truncated. The other states are
 * reasons for a missing value.
 */
enum pbd_typed {
	PBD_TYPED_NUMBER = 0x10,
	PBD_TYPED_LAST = 0x20,
	PBD_TYPED_CUT = 0x40,
	PBD_TYPED_NULL = 0x80,	  /* a pointer that leads to the value is null */
	PBD_TYPED_UNREADABLE,	  /* the memory cannot be read */
	PBD_TYPED_FILTERED,	  /* the process's system call filter may forbid reading it */
	PBD_TYPED_NO_ROOM,	  /* too many open calls: no space to keep arguments */
};

/*
 * Marks the next record, PBD_RECORD_UNWOUND: longjmp() left the call, rather than an
 * exception. Belongs to that record like PBD_VALUE.
 */
#define PBD_JUMPED (PBD_VALUE + 15)

/*
 * With PBD_SESSION_NO_SLEEP_TIME times are the CPU time of the thread, so that durations
 * exclude off-CPU time. The detail is the difference between the processor's counter and
 * the thread's clock, valid from @time until the next such record.
 */
#define PBD_ASLEEP (PBD_VALUE + 16)

/*
 * With PBD_SESSION_OVERWRITE a new thread may continue in the block of a thread that has
 * ended. Two consecutive records mark the change; later events belong to the new thread.
 * PBD_THREAD contains the number of the new thread as @time and its tid as detail.
 * PBD_THREAD_NAME contains its name: eight bytes as @time and seven as detail, the first
 * byte lowest in each.
 */
#define PBD_THREAD (PBD_VALUE + 17)
#define PBD_THREAD_NAME (PBD_VALUE + 18)

/*
 * Belongs, like PBD_VALUE, to the record of a call that took at least the threshold of
 * struct pbd_why. @time is the id of the struct pbd_slow with the details of the call. With
 * PBD_SESSION_OVERWRITE another call, with another id, may have replaced that struct.
 */
#define PBD_SLOW_CALL (PBD_VALUE + 19)

/*
 * Belongs, like PBD_VALUE, to the record of a call with a W3C Trace Context. @time of three
 * consecutive records is the first half of the trace id, the second half, and the id of the
 * parent span. The first hexadecimal digit is the most significant.
 */
#define PBD_CONTEXT (PBD_VALUE + 20)

/*
 * Follows PBD_SLOW_CALL. @time is how long writing the struct pbd_slow took, in ns.
 * Durations of callers include this time, the duration of the slow call excludes it.
 */
#define PBD_SLOW_COST (PBD_VALUE + 23)

/*
 * Events of one thread, in the order of recording. Events after a PBD_THREAD record belong
 * to another thread, with a higher number. @seq grows from block to block of a thread. When
 * a block is reused, its @pass is incremented. Old records stay until new records overwrite
 * them.
 */
struct pbd_block {
	struct pbd_chunk chunk;
	uint64_t seq;    /* order of the blocks of @thread; may begin above 1 */
	uint64_t pass;   /* counted from 0 */
	uint32_t thread; /* number of the thread that began the block; this process counts
			    threads from 1 */
	uint32_t tid;    /* gettid(2), which the kernel may reuse; 0: unknown, because the
			    thread began when system calls were forbidden */
	uint64_t lost;   /* number of events lost after this block */
	char comm[16];   /* the thread's last known name: when the block was begun,
			    or when the thread or the recording ended */
	struct pbd_record record[];
};

/*
 * An index: the time ranges of pieces of all blocks, so that a reader can skip pieces.
 * `patchbay record` writes this chunk when the process has ended. Interrupted recordings
 * and recordings with PBD_SESSION_OVERWRITE have no index. The pieces of a block are
 * consecutive, in the order of the file.
 *
 * @events is PBD_INDEX_LOOK if the reader must not skip the piece: it contains PBD_ASLEEP
 * records, or begins or ends between values and their call.
 */
struct pbd_index_piece {
	uint64_t offset;  /* file offset of the first record */
	uint64_t begin;   /* the earliest begin of a call in the piece, in ticks */
	uint64_t end;     /* when the last record was written: at the end of the call */
	uint32_t records;
	uint32_t events;  /* the number of events in @records; the rest are holes or values */
};
#define PBD_INDEX_LOOK UINT32_MAX

struct pbd_index {
	struct pbd_chunk chunk;
	uint64_t nr;
	struct pbd_index_piece piece[];
};

/*
 * A list of all blocks, in the order of the file. Without this list, a reader would have to
 * visit each block to find the next one: ten thousand blocks, and as many page faults, in a
 * recording of 10 GB. This chunk is written together with struct pbd_index. @head is a copy
 * of the block without records.
 *
 * @entries_crc and @index_crc are checksums of all entries, and of all pieces of the index:
 * CRC-32 of IEEE 802.3, as zlib's crc32(). If a checksum does not match, the reader visits
 * the blocks instead.
 */
struct pbd_blocks_entry {
	uint64_t offset; /* file offset of the block */
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
 * A histogram of the durations of a function's calls in one thread. @bucket[i] counts calls
 * of at least 2^i and less than 2^(i+1) ticks. The first bucket also counts calls of 0
 * ticks, the last bucket all longer calls. While the process runs, the counts may be
 * inconsistent with each other.
 */
#define PBD_HISTOGRAM_BUCKETS 48
struct pbd_histogram {
	uint64_t function; /* the function's number + 1; 0: unused */
	uint64_t total;    /* sum of durations in ticks, including nested calls */
	uint64_t longest;
	uint64_t bucket[PBD_HISTOGRAM_BUCKETS];
};

/*
 * Histograms of one thread. A thread may have several of these chunks, with different
 * functions.
 */
struct pbd_histograms {
	struct pbd_chunk chunk;
	uint32_t thread; /* as in struct pbd_block */
	uint32_t tid;
	char comm[16];
	struct pbd_histogram histogram[];
};

#define PBD_WHY_SWITCHES 1u /* for some threads: when they went off-CPU and came back */
#define PBD_WHY_KERNEL 2u   /* for some threads: also the kernel stack at that time */
#define PBD_WHY_NEITHER 4u  /* for some threads: only the CPU time */
#define PBD_WHY_FILTERED 8u /* the process did not request more, because it began with a system
			       call filter (seccomp) */

/*
 * The process examines calls of at least @threshold_ns when they end, and writes a struct
 * pbd_slow for each. @refused is the first errno of perf_event_open(2), if it refused more
 * data than @have shows.
 */
struct pbd_why {
	struct pbd_chunk chunk;
	uint64_t threshold_ns;
	uint32_t have; /* PBD_WHY_* */
	uint32_t refused;
	uint64_t nr;   /* number of examined calls, and the id of the last examined call */
	uint64_t lost; /* number of calls that were not examined: no space, no data from the
		          kernel, or max-overhead= was used up */
};

#define PBD_WAIT_PREEMPTED 1u /* runnable, but another thread ran */

/* An interval in which a thread was off-CPU. */
#define PBD_WAIT_FRAMES 16
struct pbd_wait {
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	uint64_t ns;       /* duration of the interval, within the call */
	uint32_t flags;    /* PBD_WAIT_* */
	uint16_t nr_kernel; /* number of addresses in the kernel, first in @frame, innermost
			       first */
	uint16_t nr_user;   /* number of addresses in the process, next in @frame: 0 or 1 */
	uint64_t frame[PBD_WAIT_FRAMES];
};

/*
 * A slow call. @off_ns is a lower bound of the thread's off-CPU time or, with
 * PBD_SLOW_WHOLE, the exact value. @wait may lack waits.
 *
 * @stack is a copy of the thread's stack at the end of the call, from address @stack_begin
 * on. @here contains the registers of the handler that made the copy, by DWARF number of
 * x86-64 (16: the instruction pointer), from which readers unwind to the function's caller.
 * On other machines @here is empty. @caller_pc, @caller_sp and @caller_fp are the caller's
 * return address, stack pointer, and frame pointer, if it uses one.
 */
#define PBD_WAITS 16
#define PBD_SLOW_WHOLE 1u
#define PBD_HERE 17
struct pbd_slow {
	struct pbd_chunk chunk;
	uint64_t id;       /* 0: incomplete */
	uint32_t flags;    /* PBD_SLOW_* */
	uint32_t maps;     /* the id of a struct pbd_maps, 0: none */
	uint64_t begin_ns; /* begin of the call, by CLOCK_MONOTONIC */
	uint64_t ns;
	uint64_t off_ns;
	uint64_t preempted_ns; /* the preempted part of @off_ns */
	uint64_t nr_waits; /* number of known waits; @wait contains the longest */
	struct pbd_wait wait[PBD_WAITS];
	uint64_t here[PBD_HERE];
	uint64_t caller_pc, caller_sp, caller_fp;
	uint64_t stack_begin;
	uint32_t stack_size;
	uint32_t stack_error; /* errno if the stack is missing */
	char stack[];
};

/*
 * Executable mappings, as lines of /proc/PID/maps, each ended by a newline, @length bytes
 * together. Includes files without traced functions, which stacks may refer to.
 */
struct pbd_maps {
	struct pbd_chunk chunk;
	uint32_t id; /* counted from 1 */
	uint32_t length;
	char text[];
};

/*
 * The machine and container of the process, so that readers can tell files of several
 * machines and containers apart. Files that refer to a parent's file (struct pbd_parent)
 * lack this chunk. Unknown values are 0 or empty.
 */
#define PBD_PLACE_PIDS 8
#define PBD_BOOT_ID 40
struct pbd_place {
	struct pbd_chunk chunk;
	char boot_id[PBD_BOOT_ID]; /* /proc/sys/kernel/random/boot_id, without newline */
	uint64_t pid_namespace;    /* inode number of the namespace */
	uint32_t pid_outside; /* the pid as seen by the command that requested the recording */
	uint32_t nr_pids;
	uint32_t pid[PBD_PLACE_PIDS]; /* NStgid in /proc/PID/status, as seen by the process */
	char cgroup[];                /* /proc/PID/cgroup, ended by NUL */
};

/*
 * The number of calls of a function by one thread, if only one in @sample calls is recorded
 * (struct pbd_session): the first call and each @sample-th call after it.
 */
struct pbd_sample {
	uint64_t function; /* the function's number + 1; 0: unused */
	uint64_t calls;
	uint64_t left;     /* used only by the writer */
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
 * The requested names, and whether each name matched a function of this process. "*" always
 * counts as matched. The names follow the last element, in the same order, each ended by
 * NUL.
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
 * Functions whose arguments have names and types. @left_out is the number of calls that did
 * not meet a condition. A string for each function (typed_spec.h) follows the last element,
 * in the same order, each ended by NUL.
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
 * In the file of a forked child: the ancestor's file that contains the chunks with the
 * inherited function numbers, which may be too large to copy. The inherited chunks are all
 * chunks of struct pbd_module, pbd_functions, pbd_text, pbd_arguments and pbd_left_out in
 * the first @size bytes of @file, and the chunks that the struct pbd_parent of @file refers
 * to. After the fork each process writes such chunks to its own file, and parent and child
 * may use the same numbers.
 *
 * @file is a name in the same directory. If @pid and @start_ns differ from its header, it
 * is another file. Its process is the nearest ancestor that wrote such chunks, which may be
 * older than the parent.
 *
 * @here: this file, for example a snapshot, contains a copy of these chunks, so readers
 * need no other file. The copy is complete before @here is set.
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
