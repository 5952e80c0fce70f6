/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Of libpatchbay.so only: modules that are loaded after it find it by its symbols,
 * also where whoever has loaded it asked for the opposite (RTLD_LOCAL), as what
 * gets into a running program does.
 */
#include <dlfcn.h>
#include <stddef.h>

__attribute__((constructor)) static void become_global(void)
{
	Dl_info here;

	if (dladdr((void *)become_global, &here))
		dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}
