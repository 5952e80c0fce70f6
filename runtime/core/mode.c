/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modes of the whole process. They are switched on, and stay on. */
#include "mode.h"

#include "hardened.h"
#include "lock.h"
#include "quiesce.h"
#include "strict.h"

#include <errno.h>

unsigned int pb_modes;

int patchbay_set_mode(unsigned int modes)
{
	int error = 0, hardened;

	if (modes & ~(PATCHBAY_MODE_STRICT | PATCHBAY_MODE_HARDENED |
		      PATCHBAY_MODE_STORES))
		return -EINVAL;
	if (pb_thread_inside())
		return -EDEADLK;
	pb_change_lock();
	hardened = pb_hardened;
	if (modes & PATCHBAY_MODE_HARDENED)
		error = pb_hardened_init();
	if (!error && modes & PATCHBAY_MODE_STRICT)
		error = pb_strict_init();
	/* All or none; strict mode comes last, it has more to take back. */
	if (error)
		pb_hardened = hardened;
	pb_engine_lock();
	if (!error)
		pb_modes |= modes;
	pb_engine_unlock();
	pb_change_unlock();
	return error;
}
