/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The writes alone that arm and disarm many functions by stores: no function is looked
 * at before, chosen or remembered, and nobody is asked whether there are other threads.
 * What goes where is found out by letting the library do it once.
 */
#include "patcher.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* patcher_patchbay.c's, under names that leave ours free. */
const char *library_init(void);
const char *library_arm_all(void);

#define SLOT (-16)
#define REACH 16 /* bytes from the entry in which the site is */

/* Of the generated table. */
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

/* mprotect(2) without the program's PLT, which is near its functions. */
static inline __attribute__((always_inline)) long protect(long protection)
{
	register long start __asm__("rdi") = (long)text;
	register long length __asm__("rsi") = (long)size;
	register long what __asm__("rdx") = protection;
	long result;

	__asm__ volatile("syscall" : "=a"(result)
			 : "a"((long)SYS_mprotect), "r"(start), "r"(length), "r"(what)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * Not executable meanwhile is what shares a page with one of the functions. So this is
 * in pages of its own.
 */
static __attribute__((section("floor_text"), aligned(4096), noinline))
const char *write_all(int armed)
{
	const uint64_t slot = slots[armed];
	const uint8_t byte = bytes[armed];

	if (protect(PROT_READ | PROT_WRITE))
		return "no text that may be written";
	for (function **f = __start_bench_functions; f < __stop_bench_functions; f++) {
		memcpy(at(*f, SLOT), &slot, sizeof(slot));
		*at(*f, site) = byte;
	}
	return protect(PROT_READ | PROT_EXEC) ? "text stays without execution" : NULL;
}

/* All functions are alike, or this is no measure of them. */
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
	error = library_arm_all();
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
