/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/linux.h"
#include "system/private.h"

#include <errno.h>
#include <stddef.h>

/*
 * volatile: another library's constructor may set these before the constructor below runs.
 * Without volatile, LLVM's GlobalOpt would evaluate the constructor at compile time, with the
 * initial values.
 */
static void (*volatile late)(void);
static volatile int constructed;

void pb_private_preloaded(void)
{
	pb_os_preloaded = 1;
}

int pb_private_start_late(void (*start)(void))
{
	if (constructed)
		return -EALREADY;
	late = start;
	return 0;
}

__attribute__((constructor)) static void start_late(void)
{
	void (*start)(void) = late;

	constructed = 1;
	/* Clear the pointer: an attacker could overwrite a function pointer that stays in use. */
	late = NULL;
	if (start)
		start();
}
