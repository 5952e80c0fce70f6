/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes that are not what the compiler put there, and modules not to trust. */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

OPAQUE int fig(int a) { return a + 1; }
OPAQUE int fig_tree(int a) { return a + 2; }

static int calls;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

/* As a debugger would. */
static unsigned char poke(uintptr_t addr, unsigned char byte)
{
	unsigned char old = *(volatile unsigned char *)addr;
	int fd = open("/proc/self/mem", O_WRONLY);

	CHECK_EQ(pwrite(fd, &byte, 1, (off_t)addr), 1);
	close(fd);
	return old;
}

static void patched_by_others(struct patchbay_ops *ops)
{
	/* site, jb, pad, and each of them alone */
	const uintptr_t places[] = { (uintptr_t)fig_tree,
				     (uintptr_t)fig_tree + 5,
				     (uintptr_t)fig_tree + 6,
				     (uintptr_t)fig_tree - 8,
				     (uintptr_t)fig_tree - 6 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		unsigned char old = poke(places[i], 0xcc);

		CHECK_EQ(patchbay_arm(ops, "fig*", 0), -EILSEQ);
		CHECK_EQ(*(volatile unsigned char *)places[i], 0xcc);
		poke(places[i], old);
		fig(1);
		fig_tree(1);
		CHECK_EQ(calls, 0);
	}
	CHECK_EQ(patchbay_arm(ops, "fig*", 0), 2);
	fig_tree(1);
	CHECK_EQ(calls, 1);

	/*
	 * Somebody changes a site while it is armed, and back after it was
	 * disarmed: it is armed again, but leads to nobody.
	 */
	poke((uintptr_t)fig_tree, 0xcc);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), 2);
	poke((uintptr_t)fig_tree, 0xe8);
	fig(1);
	CHECK_EQ(fig_tree(1), 3);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), -ENOENT);
	CHECK_EQ(patchbay_arm(ops, "fig*", 0), 2);
	fig_tree(1);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_disarm(ops, "fig*"), 2);
	CHECK_EQ(*(volatile unsigned char *)fig_tree, 0xa9);
}

static const struct patchbay_record nowhere[1] = { { .entry = 0x10 } };

static void foreign_modules(struct patchbay_ops *ops)
{
	/* Writable, so that one can be made wrong in many ways. */
	static struct patchbay_module module;

	module.abi_version = PATCHBAY_ABI_VERSION + 1;
	module.size = sizeof(module);
	CHECK_EQ(patchbay_module_register(&module), -EPROTONOSUPPORT);
	module.abi_version = PATCHBAY_ABI_VERSION;
	module.size--;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.size++;

	/* start after stop; half a record; outside of the module */
	module.sites_start = 32;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.sites_start = 0;
	module.sites_stop = 0;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);
	module.sites_start = 1ll << 40;
	module.sites_stop = (1ll << 40) - 8 + 16;
	CHECK_EQ(patchbay_module_register(&module), -EINVAL);

	/* no record is no error: all may have been discarded by the linker */
	module.sites_start = 0;
	module.sites_stop = -8;
	CHECK_EQ(patchbay_module_register(&module), 0);
	CHECK_EQ(patchbay_module_register(&module), -EALREADY);
	CHECK_EQ(patchbay_module_unregister(&module), 0);
	CHECK_EQ(patchbay_module_unregister(&module), -ENOENT);

	/* a record that points to data */
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
