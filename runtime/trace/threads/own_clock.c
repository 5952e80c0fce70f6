/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "own_clock.h"

#include "ring.h"
#include "session/recording.h"
#include "session/syscalls.h"
#include "system/moment.h"
#include "thread.h"
#include "thread_choice.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

__thread struct pb_own_time pb_own_time
	__attribute__((tls_model("initial-exec")));
uint64_t pb_own_clock_rate;

/*
 * The minimum difference between the clocks that counts as off-CPU time. A switch to
 * another thread and back takes longer; the drift between two comparisons is smaller.
 */
#define SHORTEST_SLEEP_NS 1000

static uint64_t to_ticks(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * pb_own_clock_rate >> 32);
}

/*
 * Map the page of an event that never occurs. Closes the descriptor, because programs may
 * close all unknown descriptors and reuse their numbers.
 */
static struct perf_event_mmap_page *map_page(void)
{
	/*
	 * Static, since compilers may call memset(3) to initialize an automatic variable.
	 */
	static const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		/*
		 * Without these flags the kernel refuses users that lack permission to
		 * trace the kernel.
		 */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd, page;

	fd = pb_sys(SYS_perf_event_open, &attr, 0, -1, -1,
		    PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	page = pb_sys(SYS_mmap, NULL, pb_page_size, PROT_READ, MAP_SHARED,
		      (int)fd, 0ul);
	pb_sys(SYS_close, (int)fd);
	return page < 0 && page > -4096 ? NULL : (void *)page;
}

void pb_own_clock_release(struct pb_own_clock *own)
{
	if (own->page)
		pb_sys(SYS_munmap, own->page, pb_page_size);
	own->page = NULL;
	own->switches = NULL;
}

static void take_over(struct pb_own_clock *own, uint64_t ticks, uint64_t cpu_ns)
{
	own->ticks = ticks;
	own->cpu_ns = cpu_ns;
	own->until = ticks + to_ticks(PB_OWN_CLOCK_NS);
}

/*
 * In a forked child, the kernel's CPU clock of the thread starts at 0. The thread's own
 * clock continues from the parent's value.
 */
static void begin_clock(struct pb_own_clock *own)
{
	if (pb_own_time.last) {
		take_over(own, pb_own_time.last + pb_own_time.asleep, 0);
	} else {
		pb_own_time.last = patchbay_clock();
		take_over(own, pb_own_time.last,
			  pb_now_ns(CLOCK_THREAD_CPUTIME_ID));
	}
}

static int begin_thread(void)
{
	struct pb_thread_state *self;
	int error;

	pb_guard(&pb_session->lock);
	error = pb_session_events();
	self = pb_thread_begin(&error);
	if (self) {
		struct pb_own_clock *own = &self->clock;
		struct perf_event_mmap_page *page =
			pb_filtered_at_start ? NULL : map_page();

		own->page = page;
		own->switches = page ? &page->lock : &own->never;
		/*
		 * Make the next reading compare the clocks: the thread may have slept since
		 * the fork.
		 */
		own->seen = *own->switches - 1;
		if (pb_session->chunk)
			pb_session_flag(page ? PBD_SESSION_OWN_PAGE :
					       PBD_SESSION_OWN_CALL);
		begin_clock(own);
	} else if (pb_session->file.header) {
		pb_data_note(&pb_session->file, error);
	}
	return self != NULL;
}

void pb_own_clock_record_owed(void)
{
	uint64_t time = pb_own_time.owed;

	pb_own_time.owed = 0;
	pb_ring_record(time, PBD_ASLEEP, 0, PBD_RECORD_ENTRY,
		       pb_own_time.asleep);
}

static int is_recording(void)
{
	return __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED) != UINT64_MAX;
}

/* Histograms contain no times, so off-CPU records are useless. */
static void record_asleep(void)
{
	if (pb_options.histogram)
		return;
	pb_own_time.owed = pb_own_time.last;
	if (is_recording())
		pb_own_clock_record_owed();
}

void pb_own_clock_begin_block(void)
{
	if (pb_own_clock && pb_own_clock->switches)
		pb_ring_try(pb_own_time.last, PBD_ASLEEP, 0,
			    pb_own_time.asleep << PBD_DETAIL_SHIFT |
				    PBD_RECORD_ENTRY);
}

/*
 * Compares the counter with the CPU clock. Returns 1 if the thread was off-CPU since the
 * last comparison. The present values become the new base only in that case, or if a
 * comparison is due. If the thread is preempted between the two readings, the next
 * comparison corrects the error. The CPU clock may have gone back: a child of vfork(2) has
 * its own CPU clock, but shares its parent's memory.
 */
static int find_sleep(struct pb_own_clock *own, uint64_t ticks, int switched)
{
	uint64_t cpu_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t passed = ticks - own->ticks;
	uint64_t awake = to_ticks(cpu_ns - own->cpu_ns);
	int slept = switched && cpu_ns >= own->cpu_ns &&
		    passed >= awake + to_ticks(SHORTEST_SLEEP_NS);

	if (slept || (int64_t)(ticks - own->until) >= 0)
		take_over(own, ticks, cpu_ns);
	if (!slept)
		return 0;
	pb_own_time.asleep += passed - awake;
	/*
	 * The ratio of ticks to nanoseconds has an error of some parts per million. Make
	 * sure that the thread's clock advances nevertheless.
	 */
	if ((int64_t)(ticks - pb_own_time.asleep - pb_own_time.last) <= 0)
		pb_own_time.asleep = ticks - pb_own_time.last - 1;
	return 1;
}

uint64_t pb_own_clock_slowly(void)
{
	struct pb_own_clock *own = pb_own_clock;
	int saved_errno = errno, slept;
	uint64_t ticks;
	uint32_t now;

	if (pb_untraced || pb_locked || !pb_syscalls_begin())
		return patchbay_clock() - pb_own_time.asleep;
	if (!own || !own->switches) {
		if (!pb_thread_is_chosen(1) || !begin_thread()) {
			pb_syscalls_end();
			errno = saved_errno;
			return patchbay_clock() - pb_own_time.asleep;
		}
		own = pb_own_clock;
		record_asleep();
	}
	if (is_recording())
		pb_own_clock_settle();
	/*
	 * Read *@switches before the clocks, so that the next reading detects a switch in
	 * between.
	 */
	now = __atomic_load_n(own->switches, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ticks = patchbay_clock();
	slept = find_sleep(own, ticks, now != own->seen);
	pb_own_time.last = ticks - pb_own_time.asleep;
	/*
	 * Store @seen last. If a signal handler leaves by siglongjmp(3) before the store,
	 * the next reading compares the clocks again.
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	own->seen = own->page ? now : now + 1;
	pb_syscalls_end();
	if (slept)
		record_asleep();
	errno = saved_errno;
	return pb_own_time.last;
}
