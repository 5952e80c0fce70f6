/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Of libpatchbay.so only: modules that are loaded after it find it by its symbols,
 * also where whoever has loaded it asked for the opposite (RTLD_LOCAL), as what
 * gets into a running program does. It stays loaded then, as loaded.c leads other
 * modules to it.
 *
 * Not in a namespace of its own (dlmopen(3)), where nothing can be made global:
 * glibc refuses it or, while the first library of the namespace is loaded, dies.
 */
#include "os/linux.h"

#include <dlfcn.h>
#include <stddef.h>

__attribute__((constructor)) static void become_global(void)
{
	Lmid_t name_space = LM_ID_BASE;
	void *handle;
	Dl_info here;

	if (pb_os_preloaded || !dladdr((void *)become_global, &here))
		return;
	handle = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return;
	/* A loader that cannot tell has no namespaces. */
	dlinfo(handle, RTLD_DI_LMID, &name_space);
	if (name_space == LM_ID_BASE)
		dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
	dlclose(handle);
}
