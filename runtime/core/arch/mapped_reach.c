/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For architectures whose armed sites branch to code that pb_arch_map_reach() maps. */
#include "arch/arch.h"

#include "types/module.h"

size_t pb_arch_links_size(const struct patchbay_module *desc)
{
	(void)desc;
	return sizeof(struct patchbay_links);
}

const void *pb_arch_reach(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	(void)record;
	return module->reach;
}

/* Nothing to do: the mapped code jumps to the trampolines from the start. */
int pb_arch_open(const struct pb_module *module, int text)
{
	(void)module;
	(void)text;
	return 0;
}

void pb_arch_init(void)
{
}
