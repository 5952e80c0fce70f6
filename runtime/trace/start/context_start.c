/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Looks up the variable of trace-context=tls:. Separate from context.c, because handlers
 * must not call the loader.
 */
#include "session/session.h"
#include "tracers/context.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/*
 * Checks that the variable has the same offset from the thread pointer in all threads.
 * Variables of the program have equal offsets and, at the start of the process, variables
 * of all loaded modules.
 */
struct search {
	uintptr_t address;
	int is_start, found;
};

static int find_tls_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	uintptr_t begin = (uintptr_t)info->dlpi_tls_data;

	(void)size;
	if (!begin || !(info->dlpi_tls_modid == 1 || search->is_start))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS &&
		    search->address - begin < info->dlpi_phdr[i].p_memsz)
			search->found = 1;
	return search->found;
}

int pb_context_start(int is_start, char why[PB_WHY_MAX])
{
	struct search search = { .is_start = is_start };

	pb_context_wanted = pb_options.has_context;
	if (!pb_options.context_tls)
		return 0;
	search.address = (uintptr_t)dlsym(RTLD_DEFAULT, pb_options.context_tls);
	if (!search.address) {
		snprintf(why, PB_WHY_MAX,
			 "trace-context='tls:%s': no such variable is exported (link with -Wl,--export-dynamic-symbol=%s)",
			 pb_options.context_tls, pb_options.context_tls);
		return -EINVAL;
	}
	dl_iterate_phdr(find_tls_segment, &search);
	if (!search.found) {
		snprintf(why, PB_WHY_MAX,
			 "trace-context='tls:%s': it is not a thread-local variable of the "
			 "program%s",
			 pb_options.context_tls,
			 is_start ? "" : " itself, which is required in a running process");
		return -EINVAL;
	}
	pb_options.context_offset =
		(intptr_t)(search.address - (uintptr_t)__builtin_thread_pointer());
	return 0;
}
