/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "syscalls.h"

#include <counter.h>

#include <linux/prctl.h>

int pb_sandboxed;
int pb_filtered_at_start;
int pb_counter_is_forbidden;

int pb_may_read_counter(void)
{
	int state = PR_TSC_ENABLE;

	return !PB_COUNTER_NOT_IN_STRICT_MODE ||
	       pb_sys(SYS_prctl, PR_GET_TSC, &state) || state == PR_TSC_ENABLE;
}

/* The process has a filter if the value of "Seccomp:" is not 0 (proc(5)). */
void pb_sandbox_start(void)
{
	static const char name[] = "\nSeccomp:\t";
	char status[4096];
	const long length =
		pb_read_path("/proc/thread-self/status", status, sizeof(status) - 1);

	for (long at = 0; at < length; at++) {
		size_t i = 0;

		while (i < sizeof(name) - 1 && at + (long)i < length &&
		       status[at + (long)i] == name[i])
			i++;
		if (i == sizeof(name) - 1 && at + (long)i < length)
			pb_filtered_at_start = status[at + (long)i] != '0';
	}
}
