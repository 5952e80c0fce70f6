/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resolves the maps that a program's instructions refer to. */
#ifndef PB_BPF_RELOCATE_H
#define PB_BPF_RELOCATE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds a map by name: returns its index, or -1. Global variables are maps with the
 * name of their section.
 */
struct pb_bpf_resolver {
	int64_t (*find)(void *arg, const char *name);
	void *arg;
};

/*
 * Writes addresses of maps into @insns, in the format of verify.h. @insns are those of
 * function @name of the ELF object @bytes. Returns 0, or -EINVAL with the reason in *@reason
 * and the symbol in *@symbol (NULL, or to be freed).
 */
int pb_bpf_relocate(const void *bytes, size_t size, const char *name,
		    struct bpf_insn *insns, uint32_t nr_insns,
		    const struct pb_bpf_resolver *resolver,
		    const char **reason, char **symbol);

#endif /* PB_BPF_RELOCATE_H */
