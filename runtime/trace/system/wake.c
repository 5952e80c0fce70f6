/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wake.h"

#include "lock.h"
#include "sys.h"

struct pb_control_point *pb_control_point;

void pb_wake(const struct pb_control_point *point)
{
	const uint32_t thread = __atomic_load_n(&point->thread, __ATOMIC_SEQ_CST);

	/*
	 * In a child of vfork(2) tgkill(2) fails, because the thread belongs to the parent.
	 */
	if (thread)
		pb_sys(SYS_tgkill, pb_sys(SYS_getpid), thread, PB_WAKE_SIGNAL);
}

void pb_listen_wake(void)
{
	const struct pb_control_point *point =
		__atomic_load_n(&pb_control_point, __ATOMIC_ACQUIRE);

	if (point && !pb_untraced &&
	    __atomic_load_n(&point->version, __ATOMIC_ACQUIRE))
		pb_wake(point);
}
