/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exit.h"

#include "functions/site_check.h"
#include "session/losses.h"
#include "session/recording.h"
#include "session/syscalls.h"
#include "start/start.h"
#include "system/wrap.h"

#include <stdlib.h>
#include <unistd.h>

static struct {
	void (*_exit)(int status) __attribute__((noreturn));
	void (*_Exit)(int status) __attribute__((noreturn));
} real;

static void write_at_quick_exit(void)
{
	pb_ending_write();
}

__attribute__((constructor)) static void find(void)
{
	PB_FIND(_exit);
	PB_FIND(_Exit);
	/* Errors are ignored: quick_exit(3) then writes no final data. */
	at_quick_exit(write_at_quick_exit);
}

int pb_ending_write(void)
{
	int written = 0;

	if (!pb_session || !pb_tracer || pb_locked || !pb_syscalls_begin())
		return 0;
	if (!pb_session_is_vforked()) {
		pb_losses_write_returns();
		pb_site_check_last();
		written = 1;
	}
	pb_syscalls_end();
	return written;
}

void pb_ending_take_back(void)
{
	pb_losses_take_back_returns();
}

/*===-- In place of the C library's --------------------------------------===*/

PB_PUBLIC void _exit(int status)
{
	pb_ending_write();
	PB_REAL(_exit)(status);
}

PB_PUBLIC void _Exit(int status)
{
	pb_ending_write();
	PB_REAL(_Exit)(status);
}
