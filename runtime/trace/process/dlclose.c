/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces the C library's dlclose(). */
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

/*
 * List modules of other namespaces now: after the call the module may be
 * unloaded, and nothing else records it.
 */
PB_PUBLIC int dlclose(void *library)
{
	if (pb_session && pb_tracer && pb_syscalls_begin()) {
		pb_others_write();
		pb_syscalls_end();
	}
	return PB_REAL(dlclose)(library);
}
