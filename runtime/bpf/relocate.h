/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resolves the maps that a program's instructions refer to. */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds a map by its name. Returns the map's index, or -1. Global variables are in maps that
 * have the name of their section.
 */
struct pb_bpf_resolver {
	int64_t (*find)(void *arg, const char *name);
	void *arg;
};

/*
 * Write references to maps into @insns, in the format of verify.h. @insns are the instructions
 * of function @name in the ELF object @bytes. Returns 0; or -EINVAL, with the reason in *@reason
 * and the symbol in *@symbol (NULL, or to be freed).
 */
int pb_bpf_relocate(const void *bytes, size_t size, const char *name,
		    struct bpf_insn *insns, uint32_t nr_insns,
		    const struct pb_bpf_resolver *resolver,
		    const char **reason, char **symbol);
