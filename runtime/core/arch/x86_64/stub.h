/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stubs of a module; see abi.h. */
#ifndef PB_X86_64_STUB_H
#define PB_X86_64_STUB_H

#include "types/module.h"

/* Stub @i of @module. The code after the last stub is where all stubs lead at first. */
static inline const void *pb_module_stub(const struct pb_module *module,
					 unsigned int i)
{
	const struct patchbay_module *desc = module->desc;

	return (const char *)pb_desc_place(&desc->stubs) +
	       i * PATCHBAY_X86_64_STUB_SIZE;
}

#endif /* PB_X86_64_STUB_H */
