/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strict mode: a trap that cannot be taken away, for writing text fails by then, is
 * still known when the table of traps has grown, so that threads go on past it.
 */
// REQUIRES: host-x86_64
// RUN: %build -fcf-protection=none %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}went on past [[N:[1-9][0-9]*]] traps, and past [[N]] when the table had grown{{$}}

#include "Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <unistd.h>

OPAQUE int plum(int a) { return a + 1; }
OPAQUE int pear_1(int a) { return a + 1; }
OPAQUE int pear_2(int a) { return a + 2; }
OPAQUE int pear_3(int a) { return a + 3; }
OPAQUE int pear_4(int a) { return a + 4; }

static int stuck;

/* Text can be written to until there is a trap. */
__attribute__((no_instrument_function)) ssize_t
pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	const int is_trap = size == 1 && *(const unsigned char *)bytes == 0xcc;

	if (stuck) {
		errno = EIO;
		return -1;
	}
	if (lseek(fd, at, SEEK_SET) != at)
		return -1;
	stuck = is_trap;
	return write(fd, bytes, size);
}

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

static int traps(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return (int)stats.strict_traps;
}

/* How often is a trap met? */
static int call(void)
{
	const int before = traps();

	CHECK_EQ(plum(1), 2);
	return traps() - before;
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;
	int met;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STRICT), 0);
	CHECK_EQ(patchbay_arm(ops, "plum", 0), -EIO);
	CHECK_EQ(*(volatile unsigned char *)plum, 0xcc);
	met = call();
	/* Nothing is changed any more, but memory was reserved for it. */
	CHECK_EQ(patchbay_arm(ops, "pear*", 0), -EIO);
	CHECK_EQ(call(), met);
	printf("went on past %d traps, and past %d when the table had grown\n", met, met);
	return 0;
}
