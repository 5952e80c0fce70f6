/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks of the library's heap do not overlap and keep their bytes, with several
 * threads, in forked children and in signal handlers.
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I %patchbay_source/runtime/core %s %patchbay_source/runtime/core/system/memory.c -o %t -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}sizes: right
// CHECK: {{^}}kept: right
// CHECK: {{^}}no mremap: right
// CHECK: {{^}}threads: right
#include <system/memory.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 64, ROUNDS = 20000, FORKS = 50 };

struct held {
	unsigned char *at;
	size_t size;
	unsigned char with;
};

static int failed;

static void check(int is_right, const char *what)
{
	if (!is_right && !__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED))
		fprintf(stderr, "wrong: %s\n", what);
}

static int has(const unsigned char *at, size_t size, unsigned char value)
{
	for (size_t i = 0; i < size; i++)
		if (at[i] != value)
			return 0;
	return 1;
}

static size_t random_size(unsigned int *seed)
{
	const unsigned int kind = (unsigned int)rand_r(seed) % 100;

	if (kind < 90)
		return (size_t)rand_r(seed) % 300;
	return (size_t)rand_r(seed) % (kind < 98 ? 5000 : 200000);
}

static void change(struct held *held, unsigned int *seed)
{
	const size_t size = random_size(seed), kept = held->size < size ? held->size : size;
	unsigned char *new;

	check(has(held->at, held->size, held->with), "a block has changed");
	switch (rand_r(seed) % 4) {
	case 0:
		new = pb_realloc(held->at, size);
		check(has(new, kept, held->with), "realloc has lost bytes");
		break;
	case 1:
		pb_free(held->at);
		new = pb_calloc(1, size);
		check(has(new, size, 0), "calloc is not zero");
		break;
	default:
		pb_free(held->at);
		new = pb_malloc(size);
	}
	check(new && !((uintptr_t)new % 16), "alignment");
	held->at = new;
	held->size = size;
	held->with = (unsigned char)rand_r(seed);
	memset(held->at, held->with, size);
}

static void run_rounds(unsigned int seed, int rounds)
{
	struct held held[BLOCKS] = { 0 };

	for (int i = 0; i < rounds; i++)
		change(&held[rand_r(&seed) % BLOCKS], &seed);
	for (int i = 0; i < BLOCKS; i++) {
		check(has(held[i].at, held[i].size, held[i].with), "a block has changed");
		pb_free(held[i].at);
	}
}

static void *run(void *arg)
{
	run_rounds((unsigned int)(uintptr_t)arg + 1, ROUNDS);
	return NULL;
}

static void interrupt(int signal)
{
	static unsigned int seed = 100;

	(void)signal;
	run_rounds(seed++, 20);
}

static void sizes(void)
{
	check(!pb_malloc(SIZE_MAX) && !pb_malloc(SIZE_MAX / 2) && !pb_calloc(SIZE_MAX / 2, 3) &&
	      !pb_realloc(NULL, SIZE_MAX - 8), "too large");
	pb_free(NULL);
	for (size_t size = 0; size < 70000; size += 1 + size / 50) {
		unsigned char *block = pb_malloc(size);

		memset(block, 1, size);
		block = pb_realloc(block, size * 3 + 1);
		check(has(block, size, 1), "realloc has lost bytes");
		pb_free(block);
	}
	puts(failed ? "sizes: WRONG" : "sizes: right");
}

/* Freed mappings are reused, and calloc() clears their memory. */
static void kept(void)
{
	unsigned char *first = pb_malloc(1 << 20), *second;

	memset(first, 1, 1 << 20);
	pb_free(first);
	second = pb_calloc(1, 1 << 20);
	check(first == second && has(second, 1 << 20, 0), "a mapping is not kept");
	pb_free(second);
	puts(failed ? "kept: WRONG" : "kept: right");
}

/*
 * Works without mremap(2), which a filter may forbid, because programs use it less
 * often than mmap(2).
 */
static void no_mremap(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	const pid_t child = fork();
	unsigned char *block;
	int status;

	if (!child) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		check(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "filter");
		block = pb_malloc(100000);
		memset(block, 1, 100000);
		block = pb_realloc(block, 10 << 20);
		check(block && has(block, 100000, 1), "realloc has lost bytes");
		_exit(failed);
	}
	waitpid(child, &status, 0);
	check(!status, "realloc without mremap");
	puts(failed ? "no mremap: WRONG" : "no mremap: right");
}

int main(void)
{
	const struct sigaction action = { .sa_handler = interrupt };
	pthread_t threads[THREADS];
	int status;

	sizes();
	kept();
	fflush(stdout);
	no_mremap();
	sigaction(SIGUSR1, &action, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child) {
			run_rounds((unsigned int)i, 200);
			_exit(failed);
		}
		kill(getpid(), SIGUSR1);
		waitpid(child, &status, 0);
		check(!status, "a child");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts(failed ? "threads: WRONG" : "threads: right");
	return failed;
}
