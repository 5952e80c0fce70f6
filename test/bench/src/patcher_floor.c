/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Measures only the writes that arm and disarm many functions, without checking, selecting
 * or recording functions. The library runs once, to find the bytes to write. The writes are
 * as in a process with threads: through /proc/self/mem, in blocks of text prepared in
 * advance, followed by a serialization of all CPUs.
 */
#define _GNU_SOURCE
#include "patcher.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Functions of patcher_patchbay.c, renamed because this file defines their names. */
const char *library_init(void);
const char *library_arm_all(void);

#define SLOT (-16)
#define REACH 16 /* the site is within this many bytes from the entry */

/* The generated table; see harness/functions.py. */
typedef unsigned int function(unsigned int);
extern function *__start_bench_functions[], *__stop_bench_functions[];

static uint64_t slots[2]; /* disarmed, armed */
static uint8_t bytes[2];
static int site;
static uintptr_t text;
static size_t size;

static uint8_t *at(function *f, int offset)
{
	return (uint8_t *)f + offset;
}

#define BLOCK 65536

static int mem = -1;
static uint8_t *images[2]; /* the whole text, disarmed and armed */

static const char *write_all(int armed)
{
	for (size_t done = 0; done < size;) {
		const size_t left = size - done, length = left < BLOCK ? left : BLOCK;

		if (pwrite(mem, images[armed] + done, length, (off_t)(text + done)) !=
		    (ssize_t)length)
			return "text cannot be written through /proc/self/mem";
		done += length;
	}
	return syscall(SYS_membarrier,
		       MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) ?
		       "no membarrier" :
		       NULL;
}

static const char *keep(int armed)
{
	images[armed] = malloc(size);
	if (!images[armed])
		return "no memory";
	memcpy(images[armed], (const void *)text, size);
	if (mem < 0)
		mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return NULL; /* if open() has failed, the first write fails */
}

/* Checks that all functions have the same bytes, which the writes assume. */
static const char *look(int armed)
{
	for (function **f = __start_bench_functions; f < __stop_bench_functions; f++)
		if (memcmp(at(*f, SLOT), &slots[armed], sizeof(slots[armed])) ||
		    *at(*f, site) != bytes[armed])
			return "functions differ in what is written";
	return NULL;
}

static const char *learn(void)
{
	function *first = *__start_bench_functions;
	uint8_t before[REACH];
	const char *error;

	memcpy(before, first, REACH);
	memcpy(&slots[0], at(first, SLOT), sizeof(slots[0]));
	error = keep(0);
	if (!error)
		error = library_arm_all();
	if (!error)
		error = keep(1);
	if (error)
		return error;
	while (site < REACH && before[site] == *at(first, site))
		site++;
	if (site == REACH || memcmp(&before[site + 1], at(first, site + 1),
				    (size_t)(REACH - site - 1)))
		return "the site differs in more than one byte";
	bytes[0] = before[site];
	bytes[1] = *at(first, site);
	memcpy(&slots[1], at(first, SLOT), sizeof(slots[1]));
	error = look(1);
	return error ? error : write_all(0);
}

const char *patcher_init(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t low = UINTPTR_MAX, high = 0;
	const char *error = library_init();

	for (function **f = __start_bench_functions; f < __stop_bench_functions; f++) {
		low = (uintptr_t)*f < low ? (uintptr_t)*f : low;
		high = (uintptr_t)*f > high ? (uintptr_t)*f : high;
	}
	text = (low + (uintptr_t)SLOT) & -page;
	size = high + REACH - text;
	return error ? error : learn();
}

const char *patcher_arm_all(void)
{
	return write_all(1);
}

const char *patcher_disarm_all(void)
{
	return write_all(0);
}
