/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patchbay, with one link of the kind LINK_KIND to all functions. */
#include "patcher.h"

#include <patchbay/link.h>

#include <string.h>

#ifndef LINK_KIND
#define LINK_KIND PATCHBAY_FENTRY
#endif
#define HAS_ENTRY (LINK_KIND != PATCHBAY_FEXIT)
#define HAS_EXIT (LINK_KIND == PATCHBAY_FEXIT || LINK_KIND == PATCHBAY_SESSION)

const unsigned int patcher_events_per_call = HAS_ENTRY + HAS_EXIT;
const int patcher_has_names = 1;

static uint64_t events;
static int last;
static struct patchbay_link *link;

static void count_first(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	events++;
	last = 0;
}

static void count_second(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	events++;
	last = 1;
}

static struct patchbay_program program_of(patchbay_handler handler)
{
	/* Require an argument and a result, like a program that reads them. */
	return (struct patchbay_program){
		.size = sizeof(struct patchbay_program),
		.entry = HAS_ENTRY ? handler : NULL,
		.exit = HAS_EXIT ? handler : NULL,
		.flags = PATCHBAY_OPS_FAST,
		.nr_args = 1,
		.result = PATCHBAY_RETURN_GP,
	};
}

static const char *attach(const struct patchbay_filter *filter)
{
	const struct patchbay_program program = program_of(count_first);
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = filter };
	int nr = patchbay_link_attach(LINK_KIND, &program, &opts, &link);

	return nr < 0 ? patchbay_link_strerror(nr) : NULL;
}

const char *patcher_init(void)
{
	return NULL;
}

const char *patcher_arm_all(void)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "*" };

	return attach(&filter);
}

const char *patcher_disarm_all(void)
{
	int error = patchbay_link_destroy(link);

	return error ? patchbay_link_strerror(error) : NULL;
}

const char *patcher_arm_one(uintptr_t entry)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.addrs = &entry,
						.cnt = 1 };

	return attach(&filter);
}

const char *patcher_arm_hot_callee(void)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "hot_callee" };

	return attach(&filter);
}

const char *patcher_retarget(void)
{
	static int second;
	struct patchbay_program program =
		program_of(second ? count_first : count_second);
	int error = patchbay_link_update(link, &program);

	second = !second;
	return error ? patchbay_link_strerror(error) : NULL;
}

uint64_t patcher_events(int *handler)
{
	uint64_t result = events;

	*handler = last;
	events = 0;
	return result;
}
