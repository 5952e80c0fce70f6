/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When it is loaded, it signals the process (SIGUSR1), and never returns. */
#include <signal.h>
#include <unistd.h>

__attribute__((constructor)) static void stay(void)
{
	kill(getpid(), SIGUSR1);
	for (;;)
		pause();
}

void on_entry(void) {}
