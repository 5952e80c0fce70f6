/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The wrapper of dlclose(). */
#include "session/recording.h"
#include "session/syscalls.h"
#include "session/untraceable_modules.h"
#include "system/wrap.h"

static struct {
	int (*dlclose)(void *library);
} real;

__attribute__((constructor)) static void find(void)
{
	PB_FIND(dlclose);
}

/* Write the modules of other namespaces first, because this call may unload one of them. */
PB_PUBLIC int dlclose(void *library)
{
	if (pb_session && pb_tracer && pb_syscalls_begin()) {
		pb_others_write();
		pb_syscalls_end();
	}
	return PB_REAL(dlclose)(library);
}
