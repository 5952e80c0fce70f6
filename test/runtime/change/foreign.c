/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming refuses sites whose bytes the compiler did not write, and registration refuses
 * invalid modules.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/module.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Offsets of bytes in a site (the state is last) and in the pad before it. A single
 * wrong byte causes refusal.
 */
#if defined(__x86_64__)
static const int site[] = { 5, 6, 0 }, pad[] = { -8, -6 };
#elif defined(__aarch64__)
static const int site[] = { 0, 3, 4, 7 }, pad[] = { -8, -5 };
#elif defined(__powerpc64__)
static const int site[] = { 0, 1, 3 }, pad[] = { -8, -5 };
#elif defined(__riscv)
static const int site[] = { 0, 3, 4, 7 }, pad[] = { -8, -5 };
#endif
#define SIZE(array) (sizeof(array) / sizeof(array[0]))

OPAQUE int fig(int a) { return a + 1; }
OPAQUE int fig_tree(int a) { return a + 2; }

/* Writes a byte of text, as a debugger would. */
static unsigned char poke(int offset, unsigned char byte)
{
	uintptr_t addr = (uintptr_t)fig_tree + (uintptr_t)offset;
	unsigned char old = *(volatile unsigned char *)addr;
	int fd = open("/proc/self/mem", O_WRONLY);

	CHECK_EQ(pwrite(fd, &byte, 1, (off_t)addr), 1);
	close(fd);
	return old;
}

static void refused_with(struct patchbay_ops *ops, int offset)
{
	unsigned char old = poke(offset, 0xcc);

	CHECK_EQ(patchbay_arm(ops, "fig*", 0), -EILSEQ);
	CHECK_EQ(poke(offset, old), 0xcc);
	fig(1);
	fig_tree(1);
	CHECK_EQ(calls, 0);
}

static void patched_by_others(struct patchbay_ops *ops)
{
	const int state = site[SIZE(site) - 1];
	unsigned char disarmed, armed;

	for (size_t i = 0; i < SIZE(site); i++)
		refused_with(ops, site[i]);
	for (size_t i = 0; i < SIZE(pad); i++)
		refused_with(ops, pad[i]);
	disarmed = ((volatile unsigned char *)fig_tree)[state];
	CHECK_EQ(patchbay_arm(ops, "fig*", 0), 2);
	fig_tree(1);
	CHECK_EQ(calls, 1);

	/*
	 * Another writer changes an armed site, and restores the changed bytes after
	 * disarming. The site looks armed again, but no tracer is called.
	 */
	armed = poke(state, 0xcc);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), 2);
	poke(state, armed);
	fig(1);
	CHECK_EQ(fig_tree(1), 3);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), -ENOENT);
	CHECK_EQ(patchbay_arm(ops, "fig*", 0), 2);
	fig_tree(1);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), 2);
	CHECK_EQ(((volatile unsigned char *)fig_tree)[state], disarmed);
}

static const struct patchbay_record nowhere[1] = { { .entry = 0x10 } };

/* Returns the number of modules that were ignored because of their version. */
static uint64_t others(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.others;
}

static void foreign_modules(struct patchbay_ops *ops)
{
	/*
	 * Copies of the descriptor and of its state. The test corrupts them in many ways.
	 */
	static struct patchbay_module module;
	static struct patchbay_state state;

	/*
	 * Try a descriptor of the next version with unknown fields, and a truncated
	 * one.
	 */
	make_module_like_ours(&module, &state);
	module.sites_stop = -8;
	module.abi_version = PATCHBAY_ABI_VERSION + 1;
	CHECK_EQ(patchbay_module_register(&module), -EPROTONOSUPPORT);
	CHECK_EQ(others(), 1);
	CHECK_EQ(patchbay_module_register(&module), -EPROTONOSUPPORT);
	CHECK_EQ(others(), 1);
	CHECK_EQ(patchbay_module_unregister(&module), -ENOENT);
	CHECK_EQ(others(), 0);
	module.abi_version = PATCHBAY_ABI_VERSION;
	module.flags = 1ull << 63;
	CHECK_EQ(patchbay_module_register(&module), -EPROTONOSUPPORT);
	CHECK_EQ(patchbay_module_unregister(&module), -ENOENT);
	CHECK_EQ(others(), 0);
	module.flags = 0;
	module.size = PATCHBAY_MODULE_SIZE_MIN - 1;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.size = sizeof(module) + 8; /* a descriptor of a later version may be
	                                     larger */
	CHECK_EQ(patchbay_module_register(&module), 0);
	CHECK_EQ(patchbay_module_unregister(&module), 0);
	module.size -= 8;

	/* links or state lie outside of the module */
	module.links += 1ll << 40;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.links -= 1ll << 40;
	module.state += 1ll << 40;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.state -= 1ll << 40;

	/* another copy of the library owns the module */
	state.owner = 1;
	CHECK_EQ(patchbay_module_register(&module), -EBUSY);
	state.owner = 0;

	/*
	 * start is after stop, a record is incomplete, or the table is outside of the
	 * module
	 */
	module.sites_start = 32;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.sites_start = 0;
	module.sites_stop = 0;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.sites_start = 1ll << 40;
	module.sites_stop = (1ll << 40) - 8 + 16;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);

	/* an empty table is valid: the linker may have discarded all records */
	module.sites_start = 0;
	module.sites_stop = -8;
	CHECK_EQ(patchbay_module_register(&module), 0);
	CHECK_EQ(patchbay_module_register(&module), -EALREADY);
	CHECK(state.owner);
	CHECK_EQ(patchbay_module_unregister(&module), 0);
	CHECK_EQ(patchbay_module_unregister(&module), -ENOENT);
	CHECK_EQ(state.owner, 0);

	/* a record points to data */
	module.sites_start = (intptr_t)nowhere - (intptr_t)&module.sites_start;
	module.sites_stop = (intptr_t)(nowhere + 1) -
			    (intptr_t)&module.sites_stop;
	CHECK_EQ(patchbay_module_register(&module), 0);
	CHECK_EQ(patchbay_arm(ops, "*", 0), -EILSEQ);
	CHECK_EQ(patchbay_module_unregister(&module), 0);
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	patched_by_others(ops);
	foreign_modules(ops);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
