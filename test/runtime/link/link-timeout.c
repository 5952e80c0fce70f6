/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replacing or detaching a link's program returns a timeout while a thread stays in the
 * program. The link's state is as documented.
 */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

OPAQUE int traced(int a) { return a + 1; }

static atomic_int arrived, let_go, seen;

NOT_TRACED static void stay(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	UNUSED_CONTEXT;
	arrived = 1;
	while (!let_go)
		usleep(100);
}

NOT_TRACED static void see(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	UNUSED_CONTEXT;
	seen++;
}

static void *call(void *arg)
{
	CHECK_EQ(traced(1), 2);
	return arg;
}

static struct patchbay_link_info get_info(const struct patchbay_link *link)
{
	struct patchbay_link_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_link_get_info(link, &info), 0);
	return info;
}

int main(void)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "traced" };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };
	struct patchbay_program program = { .size = sizeof(program),
					    .entry = stay };
	struct patchbay_link *link;
	pthread_t thread;

	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link),
		 1);
	CHECK_EQ(pthread_create(&thread, NULL, call, NULL), 0);
	while (!arrived)
		usleep(100);
	patchbay_set_wait_limit(20);

	program.entry = see;
	CHECK_EQ(patchbay_link_update(link, &program), -ETIMEDOUT);
	CHECK(get_info(link).program.entry == see);
	CHECK_EQ(traced(1), 2);
	CHECK_EQ(seen, 1);

	CHECK_EQ(patchbay_link_detach(link), -ETIMEDOUT);
	CHECK_EQ(get_info(link).attached, 0);
	CHECK_EQ(traced(1), 2);
	CHECK_EQ(seen, 1);

	let_go = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	CHECK_EQ(patchbay_link_detach(link), 0);
	CHECK_EQ(patchbay_link_destroy(link), 0);
	puts("done");
	return 0;
}
