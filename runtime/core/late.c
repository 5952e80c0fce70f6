/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "os/linux.h"
#include "private.h"

#include <errno.h>
#include <stddef.h>

/*
 * volatile: the constructor below may run behind another library's, which has
 * changed these. A compiler that does not expect that runs it itself (LLVM's
 * GlobalOpt), when nobody has asked for anything yet.
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
	/* A pointer to code that nobody needs any more is not left for others. */
	late = NULL;
	if (start)
		start();
}
