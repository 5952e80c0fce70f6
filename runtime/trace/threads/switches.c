/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "switches.h"

#include "file/data_file.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "system/moment.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * The sizes of rings, in pages. A switch needs 16 bytes, a stack about 150. Rings are
 * small, because the kernel limits their memory per user (perf_event_mlock_kb).
 */
#define PAGES_WITH_STACKS 8
#define PAGES_WITHOUT 1

static int map_ring(struct pb_switches *of, uint32_t tid,
		    const struct perf_event_attr *attr, uint64_t pages)
{
	uint64_t size = (pages + 1) * pb_page_size;
	long fd, page;

	fd = pb_sys(SYS_perf_event_open, attr, (int)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return (int)fd;
	/*
	 * A read-only mapping makes the kernel overwrite the oldest records. The mapping keeps
	 * the event open.
	 */
	page = pb_sys(SYS_mmap, NULL, size, PROT_READ, MAP_SHARED, (int)fd, 0ul);
	pb_sys(SYS_close, (int)fd);
	if (page < 0 && page > -4096)
		return (int)page;
	of->page = (char *)page;
	of->size = pages * pb_page_size;
	return 0;
}

/* Static, since compilers may call memset(3) to initialize an automatic variable. */
static const struct perf_event_attr with_stacks = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(with_stacks),
	.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	.sample_period = 1,
	.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
	.sample_max_stack = PBD_WAIT_FRAMES - 1,
	.sample_id_all = 1,
	.context_switch = 1,
	.use_clockid = 1,
	.clockid = CLOCK_MONOTONIC,
	.write_backward = 1,
	.exclude_hv = 1,
};

static const struct perf_event_attr without = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(without),
	.config = PERF_COUNT_SW_DUMMY,
	.sample_type = PERF_SAMPLE_TIME,
	.sample_id_all = 1,
	.context_switch = 1,
	.use_clockid = 1,
	.clockid = CLOCK_MONOTONIC,
	.write_backward = 1,
	/* Without these flags the kernel refuses users that may not trace the kernel. */
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

/* Begin to record switches of thread @tid; 0: the calling thread. */
static uint32_t begin(struct pb_switches *of, uint32_t tid, int *error)
{
	*error = 0;
	of->cpu_ns = of->ns = 0;
	of->since_ns = pb_now_ns(CLOCK_MONOTONIC);
	if (pb_filtered_at_start)
		return PBD_WHY_NEITHER | PBD_WHY_FILTERED;
	*error = map_ring(of, tid, &with_stacks, PAGES_WITH_STACKS);
	if (!*error)
		return PBD_WHY_SWITCHES | PBD_WHY_KERNEL;
	if (!map_ring(of, tid, &without, PAGES_WITHOUT))
		return PBD_WHY_SWITCHES;
	return PBD_WHY_NEITHER;
}

#define EARLY_MAX 4096
static struct pb_switches *early;
static uint64_t nr_early;

/* Make an early ring for thread @tid. Returns 0 on failure. */
static int begin_early(uint32_t tid)
{
	struct pb_switches *of = &early[nr_early];

	if (nr_early == EARLY_MAX)
		return 0;
	of->have = begin(of, tid, &of->error);
	if (!of->page)
		return 0;
	of->tid = tid;
	nr_early++;
	return 1;
}

/* struct linux_dirent64 of getdents64(2), which no header defines. opendir(3) allocates. */
struct entry {
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

void pb_switches_begin_early(void)
{
	_Alignas(8) char entries[2048];
	const long folder = pb_sys(SYS_openat, AT_FDCWD, "/proc/self/task",
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int more = 1, error;
	long size;

	if (folder < 0)
		return;
	if (!early)
		early = pb_session_alloc(EARLY_MAX * sizeof(*early), &error);
	while (early && more &&
	       (size = pb_sys(SYS_getdents64, folder, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size && more;) {
			const struct entry *entry = (void *)(entries + at);
			const uint32_t tid = (uint32_t)strtoul(entry->name, NULL, 10);

			more = !tid || begin_early(tid);
			at += entry->size;
		}
	pb_sys(SYS_close, folder);
}

struct pb_switches *pb_switches_early(uint32_t tid)
{
	for (uint64_t i = 0; early && i < nr_early; i++)
		if (early[i].tid == tid && early[i].page)
			return &early[i];
	return NULL;
}

void pb_switches_forget_early(void)
{
	for (uint64_t i = 0; early && i < nr_early; i++)
		pb_switches_end(&early[i]);
	nr_early = 0;
}

void pb_switches_end(struct pb_switches *of)
{
	if (of->page)
		pb_sys(SYS_munmap, of->page, of->size + pb_page_size);
	of->page = NULL;
}

/*
 * A position in a ring. @at is the offset of a record, @left the size of this and all older
 * records. The kernel writes downwards, from 0 on.
 */
struct cursor {
	const char *records;
	uint64_t size;
	uint64_t at, left;
};

static uint64_t word(const struct cursor *ring, uint64_t offset)
{
	/* Records and rings consist of whole words, so a word never wraps around. */
	return *(const volatile uint64_t *)(ring->records +
					    (ring->at + offset) % ring->size);
}

static uint64_t newest(const struct pb_switches *of)
{
	const struct perf_event_mmap_page *page = (const void *)of->page;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/*
 * Is the record still valid? A switch while this thread reads may overwrite the oldest
 * record.
 */
static int is_there(const struct pb_switches *of, const struct cursor *ring,
		    uint64_t size)
{
	return ring->at + size - newest(of) <= ring->size;
}

/* Returns the shortest stored wait, which a longer wait may replace. */
static struct pbd_wait *shortest(struct pbd_slow *slow)
{
	struct pbd_wait *found = &slow->wait[0];

	for (int i = 1; i < PBD_WAITS; i++)
		if (slow->wait[i].ns < found->ns)
			found = &slow->wait[i];
	return found;
}

/* Add the wait from @out to @in. Returns the stored wait, or NULL if it is not stored. */
static struct pbd_wait *add_wait(struct pbd_slow *slow, uint64_t out, uint64_t in,
				 uint32_t misc)
{
	uint32_t flags = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ?
				 PBD_WAIT_PREEMPTED :
				 0;
	uint64_t end_ns = slow->begin_ns + slow->ns;
	uint64_t from = out > slow->begin_ns ? out : slow->begin_ns;
	uint64_t to = in < end_ns ? in : end_ns;
	struct pbd_wait *wait;

	if (to <= from)
		return NULL;
	slow->off_ns += to - from;
	if (flags & PBD_WAIT_PREEMPTED)
		slow->preempted_ns += to - from;
	slow->nr_waits++;
	wait = slow->nr_waits <= PBD_WAITS ? &slow->wait[slow->nr_waits - 1] :
					     shortest(slow);
	if (wait->ns >= to - from)
		return NULL;
	wait->begin_ns = out;
	wait->ns = to - from;
	wait->flags = flags;
	wait->nr_kernel = wait->nr_user = 0;
	return wait;
}

/*
 * Store the kernel's addresses, and only the innermost user address: the kernel finds the
 * outer user addresses by frame pointers, which libraries often lack.
 */
static void add_stack(struct pbd_wait *wait, const struct cursor *ring,
		      uint64_t size)
{
	uint64_t nr = word(ring, 16), at = 24;
	int is_kernel = 0;

	for (; nr && at < size; nr--, at += 8) {
		uint64_t frame = word(ring, at);

		if (frame >= (uint64_t)PERF_CONTEXT_MAX) {
			is_kernel = frame == (uint64_t)PERF_CONTEXT_KERNEL;
			if (!is_kernel && frame != (uint64_t)PERF_CONTEXT_USER)
				return;
		} else if (!is_kernel) {
			wait->frame[wait->nr_kernel] = frame;
			wait->nr_user = 1;
			return;
		} else if (wait->nr_kernel < PBD_WAIT_FRAMES - 1) {
			wait->frame[wait->nr_kernel++] = frame;
		}
	}
}

/*
 * Read from the newest record to the oldest. Each wait has three records: the return to a
 * processor, the departure, and the stack at the departure. Returns 1 if the ring covers
 * the whole call.
 */
static int read_ring(const struct pb_switches *of, struct pbd_slow *slow)
{
	uint64_t head = newest(of);
	struct cursor ring = { of->page + pb_page_size, of->size, head, -head };
	struct pbd_wait *last = NULL;
	uint64_t in = 0;

	if (ring.left > ring.size)
		ring.left = ring.size;
	while (ring.left >= 16) {
		uint64_t record = word(&ring, 0), time = word(&ring, 8);
		uint64_t size = record >> 48;
		uint32_t type = (uint32_t)record, misc = record >> 32 & 0xffff;

		if (size < 16 || size > ring.left || !is_there(of, &ring, size))
			return 0;
		if (type == PERF_RECORD_SAMPLE) {
			if (last)
				add_stack(last, &ring, size);
			last = NULL;
		} else if (type == PERF_RECORD_SWITCH &&
			   misc & PERF_RECORD_MISC_SWITCH_OUT) {
			last = in ? add_wait(slow, time, in, misc) : NULL;
			in = 0;
		} else if (type == PERF_RECORD_SWITCH) {
			last = NULL;
			in = time;
		}
		ring.at += size;
		ring.left -= size;
		/*
		 * If @last is set, the next record is the stack of @last, with the same
		 * time.
		 */
		if ((type == PERF_RECORD_SAMPLE || type == PERF_RECORD_SWITCH) &&
		    time < slow->begin_ns && !last)
			return 1;
	}
	/*
	 * The ring covers the whole call if no record was overwritten and the ring existed
	 * when the call began.
	 */
	return -head <= ring.size && of->since_ns <= slow->begin_ns;
}

/*
 * Raise the off-CPU time to duration minus CPU time, if that is more: the ring may lack
 * waits.
 */
static void limit(struct pb_switches *of, struct pbd_slow *slow)
{
	uint64_t cpu_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t on = cpu_ns - of->cpu_ns;

	if (!(slow->flags & PBD_SLOW_WHOLE) && of->ns <= slow->begin_ns &&
	    on < slow->ns && slow->ns - on > slow->off_ns)
		slow->off_ns = slow->ns - on;
	of->cpu_ns = cpu_ns;
	of->ns = pb_now_ns(CLOCK_MONOTONIC);
}

void pb_switches_read(struct pb_switches *of, struct pbd_slow *slow)
{
	slow->off_ns = slow->preempted_ns = slow->nr_waits = 0;
	for (int i = 0; i < PBD_WAITS; i++)
		slow->wait[i].ns = 0;
	if (of->page && read_ring(of, slow))
		slow->flags |= PBD_SLOW_WHOLE;
	limit(of, slow);
	if (slow->off_ns > slow->ns)
		slow->off_ns = slow->ns;
}

void pb_switches_begin_thread(struct pb_switches *of, uint32_t tid)
{
	struct pbd_why *why = pb_session->why;
	struct pb_switches *early = why ? pb_switches_early(tid) : NULL;
	uint32_t have;
	int error;

	if (!why)
		return;
	if (early) {
		*of = *early;
		early->page = NULL;
		have = of->have;
		error = of->error;
	} else {
		have = begin(of, 0, &error);
	}
	why->have |= have;
	if (error && !why->refused)
		why->refused = (uint32_t)-error;
}
