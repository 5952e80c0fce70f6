/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a system service fails at any point, a change is complete or rolled back. The test
 * makes memory allocation, writes to text and membarrier(2) fail, one at a time.
 */
// RUN: %build %s -o %t -Wl,--wrap=pb_malloc,--wrap=pb_calloc,--wrap=pb_realloc,--wrap=pb_free %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}memory: failed at {{[1-9][0-9]+}} places{{$}}
// CHECK: {{^}}no write: failed at 1 places{{$}}
// CHECK: {{^}}writes: failed at 4 places{{$}}
// CHECK: {{^}}writes from then on: failed at 4 places{{$}}
// CHECK: {{^}}membarrier: failed at 2 places{{$}}
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The call that decrements @left to 0 fails. If @on is set, all later calls fail, too.
 */
static struct {
	int what, left, on, hits;
} fault;

enum { NONE, MEMORY, WRITE, MEMBARRIER };

static void (*before_fault)(void);

static int fails(int what)
{
	if (fault.what != what || fault.left < 0 ||
	    (fault.left ? --fault.left : !fault.on))
		return 0;
	if (!fault.left && !fault.on)
		fault.left = -1;
	fault.hits++;
	if (before_fault)
		before_fault();
	return 1;
}

/* Lets the n-th call after this one fail (1: the next call). */
static void inject(int what, int n, int on)
{
	fault.what = what;
	fault.left = n;
	fault.on = on;
	fault.hits = 0;
}

static int injected(void)
{
	fault.what = NONE;
	return fault.hits;
}

#define NOT_TRACED __attribute__((no_instrument_function))
#include "../Inputs/wrap-memory.h"

/* Allocated blocks. */
static long blocks;

NOT_TRACED static int fails_now(void)
{
	return fails(MEMORY);
}

NOT_TRACED static void changed(int by)
{
	blocks += by;
}

/*
 * Lets whole calls of regcomp() and regexec() fail instead of allocations inside.
 * glibc's regcomp() frees some memory twice if one of its allocations fails, and the
 * number of allocations in regexec() depends on names.
 */
#define next_of(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

__attribute__((no_sanitize("kcfi"))) /* libc has no type hashes */
int regcomp(regex_t *regex, const char *pattern, int flags)
{
	int what = fault.what, error;

	if (fails(MEMORY))
		return REG_ESPACE;
	fault.what = NONE;
	error = next_of(regcomp)(regex, pattern, flags);
	fault.what = what;
	return error;
}

__attribute__((no_sanitize("kcfi")))
int regexec(const regex_t *regex, const char *name, size_t nr,
	    regmatch_t *matches, int flags)
{
	int what = fault.what, error;

	if (!strcmp(name, "at_two") && fails(MEMORY))
		return REG_ESPACE;
	fault.what = NONE;
	error = next_of(regexec)(regex, name, nr, matches, flags);
	fault.what = what;
	return error;
}

static long system_call(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e,
		      r9 __asm__("r9") = f;

	__asm__ volatile("syscall" : "+a"(nr)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return nr;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a,
		      x1 __asm__("x1") = b, x2 __asm__("x2") = c,
		      x3 __asm__("x3") = d, x4 __asm__("x4") = e,
		      x5 __asm__("x5") = f;

	__asm__ volatile("svc #0" : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4),
			   "r"(x5)
			 : "memory");
	return x0;
#elif defined(__powerpc64__)
	register long r0 __asm__("r0") = nr, r3 __asm__("r3") = a,
		      r4 __asm__("r4") = b, r5 __asm__("r5") = c,
		      r6 __asm__("r6") = d, r7 __asm__("r7") = e,
		      r8 __asm__("r8") = f;

	/* On ppc64le an error is positive, and a bit of CR marks it. */
	__asm__ volatile("sc\n\tbns+ 1f\n\tneg %1, %1\n1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6),
			   "+r"(r7), "+r"(r8)
			 :
			 : "r9", "r10", "r11", "r12", "cr0", "ctr", "xer",
			   "memory");
	return r3;
#elif defined(__riscv)
	register long a7 __asm__("a7") = nr, a0 __asm__("a0") = a,
		      a1 __asm__("a1") = b, a2 __asm__("a2") = c,
		      a3 __asm__("a3") = d, a4 __asm__("a4") = e,
		      a5 __asm__("a5") = f;

	__asm__ volatile("ecall" : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4),
			   "r"(a5)
			 : "memory");
	return a0;
#endif
}

static long result(long value)
{
	if (value >= 0)
		return value;
	errno = (int)-value;
	return -1;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	return result(fails(WRITE) ? -EACCES :
				     system_call(SYS_pwrite64, file,
						 (long)bytes, (long)size,
						 offset, 0, 0));
}

ssize_t pwritev(int file, const struct iovec *parts, int nr, off_t offset)
{
	return result(fails(WRITE) ? -EACCES :
				     system_call(SYS_pwritev, file, (long)parts,
						 nr, offset, 0, 0));
}

long syscall(long nr, ...)
{
	long args[6];
	va_list list;

	va_start(list, nr);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (nr == SYS_membarrier && fails(MEMBARRIER))
		return result(-ENOMEM);
	return result(system_call(nr, args[0], args[1], args[2], args[3],
				  args[4], args[5]));
}

/* The functions are in one page, but too distant for one write. */
OPAQUE __attribute__((aligned(4096))) int begins_page(int a) { return a; }
#define APART OPAQUE __attribute__((aligned(256)))
APART int at_one(int a) { return a; }
APART int at_two(int a) { return a; }
APART int at_three(int a) { return a; }
APART int at_four(int a) { return a; }

static int (*const functions[])(int) = { at_one, at_two, at_three, at_four };
enum { NR = 4, TRACERS = 3 };

static struct patchbay_ops *ops[TRACERS];
static char order[64];

static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	strcat(order, cell->data);
}

/*
 * Checks which tracers are called at each function; @names has their letters in order.
 */
static void expect(const char *names)
{
	order[0] = '\0';
	for (int i = 0; i < NR; i++) {
		CHECK_EQ(functions[i](i), i);
		strcat(order, i < NR - 1 ? "," : "");
	}
	if (strcmp(order, names)) {
		printf("called %s, not %s, at the fault\n", order, names);
		exit(1);
	}
}

static const char before[] = "a,ab,,", after[] = "ab,b,c,bc";

static const struct patchbay_filter *glob(const char *glob)
{
	static struct patchbay_filter filter = { .size = sizeof(filter) };

	filter.glob = glob;
	return &filter;
}

/* Requests all types of changes, with all types of filters. */
static int fill(struct patchbay_batch *batch)
{
	const char *const syms[] = { "at_one", "at_four" };
	const uintptr_t addrs[] = { (uintptr_t)at_four, (uintptr_t)at_three };
	const struct patchbay_filter by_name = { .size = sizeof(by_name),
						 .syms = syms, .cnt = 2 };
	const struct patchbay_filter by_addr = { .size = sizeof(by_addr),
						 .addrs = addrs, .cnt = 2 };
	const struct patchbay_filter by_regex = { .size = sizeof(by_regex),
						  .regex = "^at_t",
						  .notrace = glob("at_th*") };
	int error;

	error = patchbay_batch_arm(batch, ops[1], &by_name, 0);
	if (!error)
		error = patchbay_batch_arm(batch, ops[2], &by_addr, 0);
	if (!error)
		error = patchbay_batch_disarm(batch, ops[0], &by_regex);
	return error;
}

static int change(void)
{
	struct patchbay_batch *batch;
	int error = patchbay_batch_create(&batch);

	if (error)
		return error;
	error = fill(batch);
	if (!error)
		error = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	return error;
}

static void set_up(void)
{
	static char names[TRACERS][2] = { "a", "b", "c" };

	for (int i = 0; i < TRACERS; i++) {
		struct patchbay_ops_attr attr = { .size = sizeof(attr),
						  .handler = note,
						  .data = names[i] };

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	CHECK_EQ(patchbay_arm(ops[0], "at_one", 0), 1);
	CHECK_EQ(patchbay_arm(ops[0], "at_two", 0), 1);
	CHECK_EQ(patchbay_arm(ops[1], "at_two", 0), 1);
	expect(before);
}

static void tear_down(void)
{
	for (int i = 0; i < TRACERS; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
	expect(",,,");
}

enum { PREFIX = 16, SITE = 8 };

/* The offset and size of the part of a site that tells whether it is armed. */
#if defined(__x86_64__)
enum { STATE = PREFIX, STATE_SIZE = 1 };
#elif defined(__aarch64__) || defined(__riscv)
enum { STATE = PREFIX + 4, STATE_SIZE = 4 };
#elif defined(__powerpc64__)
enum { STATE = PREFIX, STATE_SIZE = 4 };
#endif

/* Copies slots and sites. */
static void look(char text[NR][PREFIX + SITE])
{
	for (int i = 0; i < NR; i++)
		memcpy(text[i], (const char *)functions[i] - PREFIX,
		       PREFIX + SITE);
}

/*
 * The result of a change: it made fewer calls than the number of the failing call, it
 * failed, or it succeeded.
 */
enum { OVER, FAILED, DONE };

static int outcome(int nr, int hits)
{
	if (nr < 0)
		CHECK(hits);
	return nr < 0 ? FAILED : hits ? DONE : OVER;
}

/* Memory does not leak, however often the change fails. */
static void fail_often(int what, int n, int error)
{
	long before_all = blocks;

	for (int i = 0; i < 100; i++) {
		inject(what, n, 1);
		CHECK_EQ(change(), error);
		CHECK(injected());
		/* A change may allocate a block for cells once, and keeps the block. */
		CHECK(blocks <= before_all + (what == WRITE));
	}
}

static void uncalled(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	CHECK(!"called");
}

/* The library allocates all memory before it writes text. */
static int memory_at(int n)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	char text[2][NR][PREFIX + SITE];
	int nr, what;

	look(text[0]);
	inject(MEMORY, n, 0);
	nr = change();
	what = outcome(nr, injected());
	if (what == FAILED) {
		CHECK_EQ(nr, -ENOMEM);
		look(text[1]);
		CHECK(!memcmp(text[0], text[1], sizeof(text[0])));
		expect(before);
		fail_often(MEMORY, n, -ENOMEM); /* all later calls fail, too */
		expect(before);
		inject(MEMORY, 1, 1);
		CHECK_EQ(patchbay_disarm(ops[0], "at_*"), -ENOMEM);
		CHECK_EQ(patchbay_ops_destroy(ops[0]), -ENOMEM);
		/* These calls need memory for a function that shares a cell. */
		CHECK_EQ(patchbay_ops_update(ops[0], uncalled), -ENOMEM);
		CHECK_EQ(patchbay_ops_disable(ops[0]), -ENOMEM);
		CHECK_EQ(patchbay_ops_get_info(ops[0], &info), 0);
		CHECK(info.enabled);
		CHECK_EQ(patchbay_ops_update(ops[2], note), 0);
		injected();
		expect(before);
		nr = change();
	}
	CHECK_EQ(nr, 5);
	expect(after);
	return what;
}

/*
 * A failed write disarms the armed sites again, as far as possible. The last writes of
 * a change only disarm sites; their failure is not an error.
 */
static int write_at(int n, int on)
{
	char text[2][NR][PREFIX + SITE];
	int nr, what;

	look(text[0]);
	inject(WRITE, n, on);
	nr = change();
	what = outcome(nr, injected());
	if (what == FAILED) {
		CHECK_EQ(nr, -EACCES);
		look(text[1]);
		for (int i = 0; i < NR && !on; i++)
			CHECK(!memcmp(&text[0][i][STATE], &text[1][i][STATE],
				      STATE_SIZE));
		expect(before);
		nr = change();
	}
	CHECK_EQ(nr, 5);
	expect(after);
	return what;
}

/* If even the first write fails, the library reuses the unpublished cells. */
static int no_write_at(int n)
{
	if (n > 1)
		return OVER;
	fail_often(WRITE, n, -EACCES);
	expect(before);
	return FAILED;
}

static int one_write_at(int n)
{
	return write_at(n, 0);
}

static int writes_from(int n)
{
	return write_at(n, 1);
}

static int membarrier_at(int n)
{
	int nr, what;

	inject(MEMBARRIER, n, 0);
	nr = change();
	what = outcome(nr, injected());
	if (what == FAILED) {
		CHECK_EQ(nr, -ENOMEM);
		/*
		 * The last membarrier() waits for handlers. By then the change is complete.
		 */
		order[0] = '\0';
		at_four(0);
		expect(*order ? after : before);
		nr = change();
		CHECK(nr == 5 || nr == 0);
	}
	expect(after);

	/* If a change could not wait, the next call waits or fails, too. */
	inject(MEMBARRIER, 1, 1);
	CHECK_EQ(patchbay_disarm(ops[2], "at_*"), -ENOMEM);
	CHECK_EQ(patchbay_ops_destroy(ops[2]), -ENOMEM);
	CHECK_EQ(patchbay_ops_disable(ops[1]), -ENOMEM);
	injected();
	expect("a,,,");
	CHECK_EQ(patchbay_ops_enable(ops[1]), 0);
	expect("ab,b,,b");
	CHECK_EQ(patchbay_arm(ops[2], "at_three", 0), 1);
	expect("ab,b,c,b");
	return what;
}

static atomic_int in_handler, left_handler, stop;

static void linger(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	in_handler = 1;
	usleep(20000);
	left_handler = 1;
}

static void *call(void *arg)
{
	while (!stop)
		at_one(1);
	return arg;
}

static void wait_for_handler(void)
{
	while (!in_handler)
		sched_yield();
}

/*
 * The second site cannot be armed while a thread is in the handler of the first. The
 * error is returned after the thread has left that handler.
 */
static void rolled_back_while_called(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = linger };
	pthread_t thread;

	CHECK_EQ(patchbay_ops_create(&attr, &ops[0]), 0);
	/* Arming writes slots and displacements first. Disarming keeps them. */
	CHECK_EQ(patchbay_arm(ops[0], "at_one", 0), 1);
	CHECK_EQ(patchbay_arm(ops[0], "at_two", 0), 1);
	CHECK_EQ(patchbay_disarm(ops[0], "at_*"), 2);
	pthread_create(&thread, NULL, call, NULL);
	inject(WRITE, 2, 0);
	before_fault = wait_for_handler;
	CHECK_EQ(patchbay_arm(ops[0], "at_*[nw][eo]", 0), -EACCES);
	CHECK(left_handler);
	stop = 1;
	pthread_join(thread, NULL);
	CHECK_EQ(injected(), 1);
	before_fault = NULL;
	CHECK_EQ(patchbay_ops_destroy(ops[0]), 0);
}

/* Runs each step in a process where nothing was armed or allocated before. */
static void everywhere(const char *name, int (*at)(int n))
{
	int status, n = 0, failed = 0;

	do {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			set_up();
			n = at(n + 1);
			tear_down();
			_exit(10 + n);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		status = WEXITSTATUS(status) - 10;
		CHECK(status >= OVER && status <= DONE);
		failed += status == FAILED;
		n++;
	} while (status != OVER);
	printf("%s: failed at %d places\n", name, failed);
	fflush(stdout);
}

int main(void)
{
	everywhere("memory", memory_at);
	everywhere("no write", no_write_at);
	everywhere("writes", one_write_at);
	everywhere("writes from then on", writes_from);
	everywhere("membarrier", membarrier_at);
	rolled_back_while_called();
	puts("done");
	return 0;
}
