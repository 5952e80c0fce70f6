/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A second and a third tracer are added to many functions at once, and removed. If all
 * functions of a cell change, the library makes one set per cell and writes no text.
 * The number of allocations shows which path the library took. Counts stay exact with
 * functions without tracers, with functions that another writer patched, and if memory
 * or write permission fails at any point.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t -Wl,--wrap=pb_malloc,--wrap=pb_calloc,--wrap=pb_realloc,--wrap=pb_free %patchbay_lib/libpatchbay.a -lpthread -ldl
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: {{^}}in bulk{{$}}
// CHECK-NEXT: {{^}}some have none{{$}}
// CHECK-NEXT: {{^}}some of a cell{{$}}
// CHECK-NEXT: {{^}}data of a module{{$}}
// CHECK-NEXT: {{^}}exits{{$}}
// CHECK-NEXT: {{^}}too many exits{{$}}
// CHECK-NEXT: {{^}}another patcher{{$}}
// CHECK-NEXT: {{^}}without memory: {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}without writing{{$}}

#include "../Inputs/check.h"
#include "../Inputs/repeat.h"

#include <patchbay/exit.h>
#include <patchbay/patchbay.h>

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FUNCTIONS(n)                                                           \
	OPAQUE int ints##n(int a) { return a + 1; }                            \
	OPAQUE double doubles##n(double a, int b) { return a + b; }            \
	OPAQUE long longs##n(long a, long b, long c) { return a + b + c; }     \
	OPAQUE void nothing##n(void) {}
#define CALL(n)                                                                \
	CHECK_EQ(ints##n(1), 2);                                               \
	CHECK(doubles##n(1.5, 2) == 3.5);                                      \
	CHECK_EQ(longs##n(1, 2, 3), 6);                                        \
	nothing##n();
X256(FUNCTIONS, _)
enum { KIND = 256, NR = 4 * KIND, TRACERS = 3 };

#define ALL "*_[0-3][0-3][0-3][0-3]"
/* Each wildcard matches half of the functions of each kind. */
#define EVEN "*_[0-3][0-3][0-3][02]"
#define LOWER "*_[01][0-3][0-3][0-3]"
#define INTS "ints_[0-3][0-3][0-3][0-3]"
/* Each wildcard matches two of the four kinds. */
#define INTS_AND_LONGS "[il]*s_[0-3][0-3][0-3][0-3]"
#define LONGS "longs_[0-3][0-3][0-3][0-3]"

#define NOT_TRACED __attribute__((no_instrument_function))


/*
 * @asked counts allocations; the allocation with number @no_memory fails. Writes with
 * number @no_writes and later ones fail.
 */
static long asked, no_memory, no_writes;

#include "../Inputs/wrap-memory.h"

NOT_TRACED static int fails_now(void)
{
	return ++asked == no_memory;
}

NOT_TRACED static void changed(int by)
{
	(void)by;
}

NOT_TRACED ssize_t pwritev(int file, const struct iovec *parts, int nr, off_t at)
{
	if (no_writes && !--no_writes) {
		no_writes = 1; /* later writes fail, too */
		errno = EACCES;
		return -1;
	}
	return syscall(SYS_pwritev, file, parts, nr, at, 0);
}

NOT_TRACED ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
	const struct iovec part = { .iov_base = (void *)(uintptr_t)bytes,
				    .iov_len = size };

	return pwritev(file, &part, 1, at);
}

static struct patchbay_ops *ops[TRACERS];
static long entries[TRACERS], exits[TRACERS];

#define HANDLER(name)                                                          \
	static NOT_TRACED void name(uintptr_t ip, uintptr_t parent_ip,         \
				    const struct patchbay_cell *cell,          \
				    struct patchbay_regs *regs)

HANDLER(on_entry)
{
	(void)ip, (void)parent_ip, (void)regs;
	++*(long *)cell->data;
}

HANDLER(on_exit_of)
{
	(void)ip, (void)parent_ip, (void)regs;
	exits[(long *)cell->data - entries]++;
}

/* Checks how many functions each tracer sees. */
static void expect(long first, long second, long third)
{
	const long wanted[TRACERS] = { first, second, third };

	memset(entries, 0, sizeof(entries));
	memset(exits, 0, sizeof(exits));
	X256(CALL, _)
	for (int i = 0; i < TRACERS; i++)
		CHECK_EQ(entries[i], wanted[i]);
}

static void create(int i, patchbay_handler exit_handler)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = on_entry,
						.exit = exit_handler,
						.data = &entries[i] };

	CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
}

static void start(void)
{
	for (int i = 0; i < TRACERS; i++)
		create(i, NULL);
	expect(0, 0, 0);
}

static void over(const char *what)
{
	for (int i = 0; i < TRACERS; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
	expect(0, 0, 0);
	printf("%s\n", what);
}

static uint64_t text_writes(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.text_writes;
}

/* Changes @nr functions with few allocations, and writes text only if @text. */
enum { NO_TEXT, TEXT };

#if defined(__x86_64__)
#define IS_X86_64 1
#define IN_BULK(change, nr, text)                                              \
	do {                                                                   \
		const uint64_t writes = text_writes();                         \
		const long before = asked;                                     \
                                                                               \
		CHECK_EQ(change, nr);                                          \
		CHECK(asked - before < 64);                                    \
		CHECK((text) == TEXT || text_writes() == writes);              \
	} while (0)
#else
/* On these architectures all changes use the general path. */
#define IS_X86_64 0
#define IN_BULK(change, nr, text) CHECK_EQ(change, nr)
#endif

static void in_bulk(void)
{
	start();
	CHECK_EQ(patchbay_arm(ops[0], ALL, 0), NR);
	expect(NR, 0, 0);
	IN_BULK(patchbay_arm(ops[1], ALL, 0), NR, NO_TEXT);
	expect(NR, NR, 0);
	IN_BULK(patchbay_arm(ops[2], INTS, 0), KIND, NO_TEXT);
	expect(NR, NR, KIND);
	/* Functions that already have the tracer are not counted. */
	IN_BULK(patchbay_arm(ops[2], ALL, 0), NR - KIND, NO_TEXT);
	expect(NR, NR, NR);
	IN_BULK(patchbay_arm(ops[2], ALL, 0), 0, NO_TEXT);
	IN_BULK(patchbay_disarm(ops[0], INTS), KIND, NO_TEXT);
	expect(NR - KIND, NR, NR);
	IN_BULK(patchbay_disarm(ops[0], ALL), NR - KIND, NO_TEXT);
	IN_BULK(patchbay_disarm(ops[1], ALL), NR, NO_TEXT);
	expect(0, 0, NR);
	IN_BULK(patchbay_arm(ops[1], ALL, 0), NR, NO_TEXT);
	expect(0, NR, NR);
	/*
	 * The tracer is alone on some functions, and together with others on the rest.
	 */
	IN_BULK(patchbay_disarm(ops[2], INTS), KIND, NO_TEXT);
	IN_BULK(patchbay_disarm(ops[1], ALL), NR, TEXT);
	expect(0, 0, NR - KIND);
	over("in bulk");
}

static void some_have_none(void)
{
	start();
	CHECK_EQ(patchbay_arm(ops[0], EVEN, 0), NR / 2);
	IN_BULK(patchbay_arm(ops[1], ALL, 0), NR, TEXT);
	expect(NR / 2, NR, 0);
	IN_BULK(patchbay_arm(ops[2], ALL, 0), NR, NO_TEXT);
	IN_BULK(patchbay_disarm(ops[1], ALL), NR, TEXT);
	expect(NR / 2, 0, NR);
	over("some have none");
}

/* These changes move functions to other cells. */
static void some_of_a_cell(void)
{
	start();
	CHECK_EQ(patchbay_arm(ops[0], ALL, 0), NR);
	CHECK_EQ(patchbay_arm(ops[1], EVEN, 0), NR / 2);
	expect(NR, NR / 2, 0);
	CHECK_EQ(patchbay_arm(ops[2], ALL, 0), NR);
	expect(NR, NR / 2, NR);
	CHECK_EQ(patchbay_disarm(ops[0], EVEN), NR / 2);
	expect(NR / 2, NR / 2, NR);
	CHECK_EQ(patchbay_disarm(ops[2], INTS), KIND);
	expect(NR / 2, NR / 2, NR - KIND);
	CHECK_EQ(patchbay_disarm(ops[2], LOWER), NR / 2 - KIND / 2);
	expect(NR / 2, NR / 2, NR / 2 - KIND / 2);
	over("some of a cell");
}

static size_t told;

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)module;
	for (size_t i = 0; i < nr; i++) {
		CHECK(!i || targets[i - 1].entry < targets[i].entry);
		targets[i].data = data;
	}
	told += nr;
	return 0;
}

static void data_of_a_module(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = PATCHBAY_OPS_MODULE_DATA,
						.handler = on_entry,
						.attach = attach,
						.data = &entries[2] };

	start();
	CHECK_EQ(patchbay_ops_destroy(ops[2]), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops[2]), 0);
	CHECK_EQ(patchbay_arm(ops[0], EVEN, 0), NR / 2);
	CHECK_EQ(patchbay_arm(ops[2], INTS, 0), KIND);
	CHECK_EQ(told, KIND);
	expect(NR / 2, 0, KIND);
	CHECK_EQ(patchbay_arm(ops[2], ALL, 0), NR - KIND);
	CHECK_EQ(told, NR);
	expect(NR / 2, 0, NR);
	over("data of a module");
}

static void with_exits(void)
{
	start();
	CHECK_EQ(patchbay_arm(ops[0], INTS_AND_LONGS, 0), 2 * KIND);
	for (int i = 1; i < TRACERS; i++) {
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
		create(i, on_exit_of);
		IN_BULK(patchbay_arm(ops[i], ALL, 0), NR, i == 1 ? TEXT : NO_TEXT);
	}
	expect(2 * KIND, NR, NR);
	CHECK(exits[1] == NR && exits[2] == NR);
	IN_BULK(patchbay_disarm(ops[1], LONGS), KIND, NO_TEXT);
	expect(2 * KIND, NR - KIND, NR);
	CHECK(exits[1] == NR - KIND && exits[2] == NR);
	over("exits");
}

static void too_many_exits(void)
{
	struct patchbay_ops *all[PATCHBAY_EXIT_MAX];
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.exit = on_exit_of,
						.data = &entries[1] };

	start();
	for (int i = 0; i < PATCHBAY_EXIT_MAX; i++) {
		CHECK_EQ(patchbay_ops_create(&attr, &all[i]), 0);
		IN_BULK(patchbay_arm(all[i], INTS, 0), KIND, i ? NO_TEXT : TEXT);
	}
	CHECK_EQ(patchbay_ops_destroy(ops[2]), 0);
	create(2, on_exit_of);
	CHECK_EQ(patchbay_arm(ops[2], ALL, 0), -E2BIG);
	expect(0, 0, 0);
	CHECK_EQ(patchbay_arm(ops[2], ALL, PATCHBAY_ARM_SKIP), NR - KIND);
	expect(0, 0, NR - KIND);
	CHECK_EQ(exits[1], KIND * PATCHBAY_EXIT_MAX);
	for (int i = 0; i < PATCHBAY_EXIT_MAX; i++)
		CHECK_EQ(patchbay_ops_destroy(all[i]), 0);
	over("too many exits");
}

/*
 * Replaces the first bytes of @f by unknown code, and stores the old bytes in @bytes.
 */
static void exchange(void (*f)(void), unsigned char bytes[5])
{
	const uintptr_t page = (uintptr_t)getpagesize(),
			start = (uintptr_t)f & -page;
	unsigned char now[5];

	CHECK_EQ(mprotect((void *)start, 2 * page,
			  PROT_READ | PROT_WRITE | PROT_EXEC),
		 0);
	memcpy(now, (void *)(uintptr_t)f, sizeof(now));
	memcpy((void *)(uintptr_t)f, bytes, sizeof(now));
	CHECK_EQ(mprotect((void *)start, 2 * page, PROT_READ | PROT_EXEC), 0);
	__builtin___clear_cache((char *)f, (char *)f + sizeof(now));
	memcpy(bytes, now, sizeof(now));
}

static void another_patcher(void)
{
	unsigned char other[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (!IS_X86_64) {
		printf("another patcher\n");
		return;
	}
	start();
	CHECK_EQ(patchbay_arm(ops[0], ALL, 0), NR);
	exchange(nothing_0123, other);
	CHECK_EQ(patchbay_arm(ops[1], ALL, 0), -EILSEQ);
	exchange(nothing_0123, other);
	expect(NR, 0, 0);
	exchange(nothing_0123, other);
	CHECK_EQ(patchbay_arm(ops[1], ALL, PATCHBAY_ARM_SKIP), NR - 1);
	exchange(nothing_0123, other);
	expect(NR, NR - 1, 0);
	over("another patcher");
}

/*
 * A failed change has no effect at all. Half of the functions have tracers; for the
 * others text must be written.
 */
static void without_memory(void)
{
	int places = 0, error;

	start();
	CHECK_EQ(patchbay_arm(ops[0], EVEN, 0), NR / 2);
	for (;; places++) {
		no_memory = asked + places + 1;
		error = patchbay_arm(ops[1], ALL, 0);
		no_memory = 0;
		if (error >= 0)
			break;
		CHECK_EQ(error, -ENOMEM);
		expect(NR / 2, 0, 0);
	}
	CHECK_EQ(error, NR);
	expect(NR / 2, NR, 0);
	for (;; places++) {
		no_memory = asked + places + 1;
		error = patchbay_disarm(ops[0], ALL);
		no_memory = 0;
		if (error >= 0)
			break;
		CHECK_EQ(error, -ENOMEM);
		expect(NR / 2, NR, 0);
	}
	CHECK_EQ(error, NR / 2);
	expect(0, NR, 0);
	printf("without memory: %d places\n", places);
	for (int i = 0; i < TRACERS; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

static void without_writing(void)
{
	int error, n = 1;

	start();
	CHECK_EQ(patchbay_arm(ops[0], EVEN, 0), NR / 2);
	for (;; n++) {
		no_writes = n;
		error = patchbay_arm(ops[1], ALL, 0);
		/*
		 * Written text stays as it is, without a tracer, until writes succeed again.
		 */
		if (error >= 0)
			break;
		no_writes = 0;
		CHECK_EQ(error, -EACCES);
		expect(NR / 2, 0, 0);
		CHECK_EQ(patchbay_arm(ops[2], ALL, 0), NR);
		expect(NR / 2, 0, NR);
		CHECK_EQ(patchbay_disarm(ops[2], ALL), NR);
	}
	CHECK(n > 1);
	no_writes = 0;
	expect(NR / 2, NR, 0);
	over("without writing");
}

int main(void)
{
	in_bulk();
	some_have_none();
	some_of_a_cell();
	data_of_a_module();
	with_exits();
	too_many_exits();
	another_patcher();
	without_memory();
	without_writing();
	return 0;
}
