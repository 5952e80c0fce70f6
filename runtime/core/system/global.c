/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Only in libpatchbay.so: make its symbols global, so that modules that are loaded later find
 * them. This is needed if the library was loaded with RTLD_LOCAL, for example by code that is
 * injected into a running program. The library then stays loaded, because earlier_modules.c
 * stores its addresses into other modules.
 *
 * In a namespace of dlmopen(3) symbols cannot be made global: glibc refuses or, while the
 * first library of the namespace is being loaded, crashes.
 */
#include "system/linux.h"

#include <dlfcn.h>

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
	/* A loader that does not support the query has no namespaces. */
	dlinfo(handle, RTLD_DI_LMID, &name_space);
	if (name_space == LM_ID_BASE)
		dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
	dlclose(handle);
}
