/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which maps a program's instructions refer to. */
#ifndef PB_BPF_RELOCATE_H
#define PB_BPF_RELOCATE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where names of maps are looked for: returns the index, or -1. Global
 * variables are maps of the name of their section.
 */
struct pb_bpf_resolver {
	int64_t (*find)(void *arg, const char *name);
	void *arg;
};

/*
 * Write into @insns, those of the function @name of the ELF object @bytes, what
 * verify.h expects of addresses of maps. 0; or -EINVAL: *@reason says why, of
 * the symbol *@symbol (NULL, or to be freed).
 */
int pb_bpf_relocate(const void *bytes, size_t size, const char *name,
		    struct bpf_insn *insns, uint32_t nr_insns,
		    const struct pb_bpf_resolver *resolver,
		    const char **reason, char **symbol);

#endif /* PB_BPF_RELOCATE_H */
