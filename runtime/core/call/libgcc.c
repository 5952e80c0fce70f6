/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call/unwinder.h"

#include <dlfcn.h>

int pb_libgcc_look_up(const char *const *names, void **address, size_t nr)
{
	void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (!library)
		return 0;
	for (size_t i = 0; i < nr; i++)
		address[i] = dlsym(library, names[i]);
	dlclose(library);
	return 1;
}
