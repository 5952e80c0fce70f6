/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs for `patchbay attach`. One program blocks while the file "blocked" exists.
 * The runtime waits at most 50 ms for it.
 */
#include <patchbay/link.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define HANDLER(name)                                                          \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
#define UNUSED ((void)ip, (void)parent_ip, (void)cell, (void)regs)

__attribute__((constructor)) static void wait_for_a_short_time(void)
{
	void *library = dlopen("libpatchbay.so.0", RTLD_NOW | RTLD_NOLOAD);
	void (*set)(unsigned int milliseconds) =
		library ? dlsym(library, "patchbay_set_wait_limit") : NULL;

	if (!set)
		abort();
	set(50);
	dlclose(library);
}

HANDLER(on_each_entry)
{
	UNUSED;
	write(2, "entry\n", 6);
}

HANDLER(while_blocked)
{
	UNUSED;
	if (access("blocked", F_OK))
		return;
	write(2, "blocked\n", 8);
	while (!access("blocked", F_OK))
		usleep(1000);
}
