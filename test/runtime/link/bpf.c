/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * BPF programs work as links: arguments, results, maps, the ring buffer and cookies.
 * Attaching reports errors.
 */
// REQUIRES: bpf
// RUN: %clang_bpf %S/../Inputs/programs.bpf.c -o %t.o
// RUN: %build %s -o %t -lpatchbay-bpf -lpatchbay-link %link
// RUN: %t %t.o 2>&1 | FileCheck %s
// RUN: %t %t.o mdwe 2>&1 | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <patchbay/bpf.h>

#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

struct event {
	uint64_t ip, cookie;
	uint32_t number;
	char text[12];
};

OPAQUE int fern_add(int a, int b) { return a + b; }
OPAQUE int fern_deny(int a) { return a; }
OPAQUE int fern_one(int a) { return a; }
OPAQUE long moss_two(long a, long b) { return a - b; }
OPAQUE void moss_void(void) {}
OPAQUE double moss_double(long a) { return (double)a; }
OPAQUE int rush_open(const char *name) { return name != NULL; }
OPAQUE int rush_none(void) { return 1; }

static char last_log[256];
static int nr_logs;

NOT_TRACED static void note(void *arg, const char *name, uintptr_t entry,
			    int error, const char *reason)
{
	(void)arg, (void)entry, (void)error;
	snprintf(last_log, sizeof(last_log), "%s: %s", name ? name : "-",
		 reason);
	nr_logs++;
}

NOT_TRACED static int collect(void *arg, const void *data, size_t size)
{
	struct event **to = arg;

	CHECK_EQ(size, sizeof(struct event));
	memcpy((*to)++, data, size);
	return 0;
}

NOT_TRACED static int add_up(void *arg, const void *key, const void *value)
{
	(void)key;
	*(uint64_t *)arg += *(const uint64_t *)value;
	return 0;
}

NOT_TRACED static int stop(void *arg, const void *key, const void *value)
{
	(void)arg, (void)key, (void)value;
	return 5;
}

static uint64_t count_of(struct patchbay_bpf_map *calls, const void *function)
{
	uint64_t key = (uintptr_t)function, value = 0;

	if (patchbay_bpf_map_lookup(calls, &key, &value))
		return 0;
	return value;
}

static void test_programs(struct patchbay_bpf_object *object)
{
	struct patchbay_bpf_map *calls = patchbay_bpf_find_map(object, "calls");
	struct patchbay_bpf_map *last = patchbay_bpf_find_map(object, "last");
	struct patchbay_bpf_map *events =
		patchbay_bpf_find_map(object, "events");
	struct patchbay_bpf_map *bss = patchbay_bpf_find_map(object, ".bss");
	struct patchbay_bpf_map *data = patchbay_bpf_find_map(object, ".data");
	struct event seen[4], *to = seen, event;
	uint64_t sum, total = 0;
	uint32_t index = 1, zero = 0;

	CHECK(calls && last && events && bss && data);
	/*
	 * Links per program: fern_* 3, fern_add 1, moss_* 3, rush_open 1, fern_deny 1.
	 */
	CHECK_EQ(patchbay_bpf_attach_all(object, NULL), 9);

	CHECK_EQ(fern_add(3, 4), 7);
	CHECK_EQ(fern_add(1, 1), 2);
	CHECK_EQ(fern_one(1), 1);
	CHECK_EQ(count_of(calls, fern_add), 2);
	CHECK_EQ(count_of(calls, fern_one), 1);
	CHECK_EQ(count_of(calls, moss_void), 0);
	CHECK_EQ(patchbay_bpf_map_for_each(calls, add_up, &total), 0);
	CHECK_EQ(total, 3);
	CHECK_EQ(patchbay_bpf_map_for_each(calls, stop, NULL), 5);
	CHECK_EQ(patchbay_bpf_map_lookup(last, &index, &event), 0);
	CHECK_EQ(event.number, 10102);
	CHECK_EQ(event.ip, (uintptr_t)fern_add);
	CHECK_EQ(event.cookie, 0);
	CHECK_EQ(patchbay_bpf_map_lookup(bss, &zero, &sum), 0);
	CHECK_EQ(sum, 9);
	/* The program returns early if the argument is above 100. */
	fern_add(101, 1);
	CHECK_EQ(patchbay_bpf_map_lookup(bss, &zero, &sum), 0);
	CHECK_EQ(sum, 9);

	CHECK_EQ(moss_two(50, 8), 42);
	moss_void();
	CHECK(moss_double(6) == 6.0);
	CHECK_EQ(patchbay_bpf_ringbuf_consume(events, collect, &to), 3);
	CHECK_EQ(seen[0].ip, (uintptr_t)moss_two);
	CHECK_EQ(seen[0].number, 42);
	CHECK_EQ(seen[0].cookie, 8);
	CHECK(!strcmp(seen[0].text, "er"));
	CHECK_EQ(seen[1].ip, (uintptr_t)moss_void);
	CHECK_EQ(seen[1].number, 0);
	CHECK(!strcmp(seen[1].text, "en"));
	CHECK_EQ(seen[2].cookie, 6);
	CHECK(!strcmp(seen[2].text, "en"));

	to = seen;
	rush_open("hello");
	rush_open(NULL);
	rush_open("more than twelve");
	rush_open((const char *)4096);
	CHECK_EQ(patchbay_bpf_ringbuf_consume(events, collect, &to), 3);
	CHECK_EQ(seen[0].ip, (uint64_t)getpid() << 32 | (uint32_t)getpid());
	CHECK(seen[0].cookie && seen[0].cookie <= seen[1].cookie);
	CHECK_EQ(seen[0].number, 6);
	CHECK(!strcmp(seen[0].text, "hello"));
	CHECK_EQ(seen[1].number, 12);
	CHECK(!strcmp(seen[1].text, "more than t"));
	CHECK_EQ((int)seen[2].number, -EFAULT);
	CHECK(!strcmp(seen[2].text, ""));
	CHECK_EQ(patchbay_bpf_ringbuf_consume(events, collect, &to), 0);

	CHECK_EQ(fern_deny(2), 2);
	CHECK_EQ(fern_deny(3), 7);
	CHECK_EQ(fern_deny(5), 5); /* a division by 0 gives 0 */
	sum = 8;
	CHECK_EQ(patchbay_bpf_map_update(data, &zero, &sum, BPF_ANY), 0);
	CHECK_EQ(fern_deny(3), 8);
}

/* Fills the ring buffer, and wraps around its end several times. */
static void test_ring(struct patchbay_bpf_object *object)
{
	struct patchbay_bpf_map *events =
		patchbay_bpf_find_map(object, "events");
	struct event seen[4096 / 40], *to = seen;

	for (int i = 0; i < 1000; i++)
		moss_two(i, 0);
	CHECK_EQ(patchbay_bpf_ringbuf_consume(events, collect, &to), 102);
	CHECK_EQ(seen[0].number, 0);
	CHECK_EQ(seen[101].number, 101);
	for (int i = 0; i < 1000; i++) {
		to = seen;
		moss_two(i, 0);
		CHECK_EQ(patchbay_bpf_ringbuf_consume(events, collect, &to), 1);
		CHECK_EQ(seen[0].number, i);
	}
}

static void test_maps(struct patchbay_bpf_object *object)
{
	struct patchbay_bpf_map *calls = patchbay_bpf_find_map(object, "calls");
	struct patchbay_bpf_map *last = patchbay_bpf_find_map(object, "last");
	struct patchbay_bpf_map *events =
		patchbay_bpf_find_map(object, "events");
	struct patchbay_bpf_map *rodata =
		patchbay_bpf_find_map(object, ".rodata");
	struct patchbay_bpf_map_info info = { .size = sizeof(info) };
	uint64_t key = 1, value = 10, total = 0;
	uint32_t index = 4;
	struct event event = { 0 };

	CHECK_EQ(patchbay_bpf_map_get_info(calls, &info), 0);
	CHECK(!strcmp(info.name, "calls"));
	CHECK_EQ(info.type, BPF_MAP_TYPE_HASH);
	CHECK_EQ(info.key_size * 1000 + info.value_size * 100 +
			 info.max_entries, 8808);
	/* Simulates an older caller, whose structure lacks @value_size and @max_entries. */
	info = (struct patchbay_bpf_map_info){
		.size = PATCHBAY_BPF_MAP_INFO_SIZE_VER0, .value_size = 3, .max_entries = 4
	};
	CHECK_EQ(patchbay_bpf_map_get_info(calls, &info), 0);
	CHECK(!strcmp(info.name, "calls"));
	CHECK_EQ(info.size, PATCHBAY_BPF_MAP_INFO_SIZE_VER0);
	CHECK_EQ(info.key_size * 1000 + info.value_size * 100 + info.max_entries, 8304);
	info.size--;
	CHECK_EQ(patchbay_bpf_map_get_info(calls, &info), -EINVAL);

	CHECK_EQ(patchbay_bpf_map_lookup(calls, &key, &value), -ENOENT);
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, BPF_EXIST),
		 -ENOENT);
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, 3), -EINVAL);
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, BPF_NOEXIST), 0);
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, BPF_NOEXIST),
		 -EEXIST);
	CHECK_EQ(patchbay_bpf_map_delete(calls, &key), 0);
	CHECK_EQ(patchbay_bpf_map_delete(calls, &key), -ENOENT);
	CHECK_EQ(patchbay_bpf_map_for_each(calls, add_up, &total), 0);
	/* The map has space for eight elements. Programs have added three. */
	for (key = 1; !patchbay_bpf_map_update(calls, &key, &value, 0); key++)
		;
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, 0), -E2BIG);
	CHECK_EQ(key, 6);
	while (--key)
		CHECK_EQ(patchbay_bpf_map_delete(calls, &key), 0);
	key = 9;
	CHECK_EQ(patchbay_bpf_map_update(calls, &key, &value, 0), 0);
	CHECK_EQ(patchbay_bpf_map_delete(calls, &key), 0);

	CHECK_EQ(patchbay_bpf_map_update(last, &index, &event, 0), -E2BIG);
	CHECK_EQ(patchbay_bpf_map_lookup(last, &index, &event), -ENOENT);
	index = 3;
	CHECK_EQ(patchbay_bpf_map_update(last, &index, &event, BPF_NOEXIST),
		 -EEXIST);
	CHECK_EQ(patchbay_bpf_map_delete(last, &index), -EINVAL);
	CHECK_EQ(patchbay_bpf_map_update(events, &index, &event, 0), -EINVAL);
	CHECK_EQ(patchbay_bpf_map_lookup(events, &index, &event), -EINVAL);
	CHECK_EQ(patchbay_bpf_map_delete(events, &index), -EINVAL);
	CHECK_EQ(patchbay_bpf_map_for_each(events, add_up, &total), -EINVAL);
	CHECK_EQ(patchbay_bpf_ringbuf_consume(last, collect, NULL), -EINVAL);
	index = 0;
	CHECK_EQ(patchbay_bpf_map_update(rodata, &index, &value, 0), -EINVAL);
	CHECK(!patchbay_bpf_find_map(object, "none"));
}

static void test_attach(struct patchbay_bpf_object *object)
{
	struct patchbay_bpf_program *add =
		patchbay_bpf_find_program(object, "add_exit");
	struct patchbay_bpf_map *last = patchbay_bpf_find_map(object, "last");
	const char *const syms[] = { "fern_add", "fern_one" };
	void *const cookies[] = { (void *)5, (void *)6 };
	struct patchbay_filter filter = {
		.size = sizeof(filter), .syms = syms, .cookies = cookies,
		.cnt = 1,
	};
	struct patchbay_link_opts opts = {
		.size = sizeof(opts), .filter = &filter, .log = note,
	};
	struct patchbay_link_info info = { .size = sizeof(info) };
	struct event event;
	uint32_t index = 1;

	CHECK(!patchbay_bpf_find_program(object, "none"));
	CHECK(!strcmp(patchbay_bpf_program_section(add), "fexit/fern_add"));
	CHECK(!strcmp(patchbay_bpf_program_name(add), "add_exit"));
	CHECK_EQ(patchbay_bpf_attach(add, NULL), -EALREADY);
	CHECK_EQ(patchbay_link_get_info(patchbay_bpf_link(add), &info), 0);
	CHECK_EQ(info.attached, 1);
	CHECK_EQ(info.program.nr_args, 2);
	CHECK_EQ(patchbay_bpf_detach(add), 0);
	CHECK_EQ(patchbay_bpf_detach(add), -ENOLINK);
	CHECK(!patchbay_bpf_link(add));

	/* First each list item has a cookie, then one cookie is for all. */
	CHECK_EQ(patchbay_bpf_attach(add, &opts), 1);
	fern_add(0, 1);
	CHECK_EQ(patchbay_bpf_map_lookup(last, &index, &event), 0);
	CHECK_EQ(event.cookie, 5);
	CHECK_EQ(patchbay_bpf_detach(add), 0);
	opts.cookie = (void *)9;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), -EINVAL);
	filter.cookies = NULL;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), 1);
	fern_add(0, 1);
	CHECK_EQ(patchbay_bpf_map_lookup(last, &index, &event), 0);
	CHECK_EQ(event.cookie, 9);
	CHECK_EQ(patchbay_bpf_detach(add), 0);

	/* The program reads two arguments and the result. */
	filter.cnt = 2;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), -EDOM);
	CHECK(!strcmp(last_log, "fern_one: the program reads 2 arguments, the "
				"function has 1 that are known to be in "
				"integer registers"));
	CHECK(!patchbay_bpf_link(add));
	opts.flags = PATCHBAY_LINK_SKIP_INVALID;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), 1);
	CHECK_EQ(patchbay_bpf_detach(add), 0);

	/* If one program cannot be attached (the last has no function), none is. */
	for (struct patchbay_bpf_program *p = NULL;
	     (p = patchbay_bpf_next_program(object, p));)
		CHECK(p == add || !patchbay_bpf_detach(p));
	CHECK_EQ(patchbay_bpf_attach_all(object, &opts), -EINVAL);
	opts.size = PATCHBAY_LINK_OPTS_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), -EINVAL);
	opts.size++;
	filter.size = PATCHBAY_FILTER_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_bpf_attach(add, &opts), -EINVAL);
	/*
	 * Older callers pass shorter structures. The library does not read past their
	 * end.
	 */
	opts.cookie = &opts;
	filter = (struct patchbay_filter){ .size = PATCHBAY_FILTER_SIZE_VER0,
					   .glob = "fern_add",
					   .cookies = cookies,
					   .cnt = 1 };
	CHECK_EQ(patchbay_bpf_attach(add, &opts), 1);
	fern_add(0, 1);
	CHECK_EQ(patchbay_bpf_map_lookup(last, &index, &event), 0);
	CHECK_EQ(event.cookie, 0);
	CHECK_EQ(patchbay_bpf_detach(add), 0);
}

/* Several threads run a program while others read the ring buffer: no event is lost. */
static struct patchbay_bpf_object *shared;

NOT_TRACED static void *call_often(void *arg)
{
	for (int i = 0; i < 50000; i++)
		fern_one(i);
	return arg;
}

static void on_signal(int signal)
{
	(void)signal;
	fern_one(0);
}

static void test_threads(void)
{
	struct patchbay_bpf_map *calls = patchbay_bpf_find_map(shared, "calls");
	const struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
	uint64_t key = (uintptr_t)fern_one, total, before;
	pthread_t threads[2];
	timer_t timer;

	CHECK(patchbay_bpf_attach_all(shared, NULL) > 0);
	before = count_of(calls, fern_one);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, call_often, NULL));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK_EQ(count_of(calls, fern_one), before + 100000);

	/* A signal handler calls the API while its thread is in a call of the API. */
	signal(SIGALRM, on_signal);
	CHECK(!timer_create(CLOCK_MONOTONIC, NULL, &timer));
	CHECK(!timer_settime(timer, 0, &often, NULL));
	for (int i = 0; i < 20000; i++) {
		CHECK_EQ(patchbay_bpf_map_lookup(calls, &key, &total), 0);
		CHECK_EQ(patchbay_bpf_map_update(calls, &key, &total, 0), 0);
	}
	timer_delete(timer);
}

int main(int argc, char **argv)
{
	struct patchbay_bpf_object *object;
	struct patchbay_bpf_program *program = NULL;
	int nr = 0;

	if (argc > 2 && prctl(PR_SET_MDWE, 1, 0, 0, 0)) {
		puts("done");
		return 0;
	}
	CHECK_EQ(patchbay_bpf_open(argv[1], NULL, &object), 0);
	while ((program = patchbay_bpf_next_program(object, program)))
		nr++;
	CHECK_EQ(nr, 5);
	test_programs(object);
	test_ring(object);
	test_maps(object);
	test_attach(object);
	shared = object;
	test_threads();
	CHECK_EQ(patchbay_bpf_close(object), 0);
	CHECK_EQ(fern_deny(3), 3);
	CHECK_EQ(patchbay_bpf_close(NULL), 0);
	puts("done");
	return 0;
}
