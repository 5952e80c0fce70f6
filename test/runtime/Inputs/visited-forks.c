/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Forks repeatedly, up to a limit. Each child runs as long as its parent. For each line
 * on standard input the program prints the number of children.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NR_CHILDREN 1500

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int main(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	const pid_t self = getpid();
	int nr = 0;
	char line[16];

	puts("ready");
	fflush(stdout);
	for (;;) {
		if (poll(&input, 1, 1) > 0) {
			if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
				return 0;
			printf("done %d\n", nr);
			fflush(stdout);
		} else if (nr < NR_CHILDREN && counted(nr) == nr + 1) {
			pid_t child = fork();

			if (child < 0)
				abort();
			if (!child) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				while (getppid() == self)
					pause();
				_exit(0);
			}
			nr++;
		}
	}
}
