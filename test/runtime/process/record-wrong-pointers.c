/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded program that passes invalid addresses, NULL or empty arrays to functions
 * that the recorder wraps gets the same results as untraced.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %t/prog > %t/plain
// RUN: %patchbay record -t count -o %t/data -- %t/prog > %t/recorded
// RUN: diff %t/plain %t/recorded
// RUN: FileCheck %s --input-file %t/recorded
// CHECK: execve environment: -1 14
// CHECK: execve strings: -1 14
// CHECK: posix_spawn environment: 14
// CHECK: setrlimit: -1 14

#include "../Inputs/check.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

OPAQUE void traced(void) {}

static void *const wrong = (void *)8, *volatile null;
static char *args[] = { "sh", "-c", "exit 7", NULL };

/* Prints the name and result of @call, and errno or how the child of vfork() ended. */
#define SHOW(name, call)                                           \
	do {                                                       \
		errno = 0;                                         \
		const long result = (long)(call);                  \
		printf("%s: %ld %d\n", name, result, errno);       \
		fflush(stdout);                                    \
	} while (0)

#define SHOW_CHILD(name, call)                                           \
	do {                                                             \
		volatile int error = 0;                                  \
		int status;                                              \
		const pid_t pid = vfork();                               \
		if (!pid) {                                              \
			call;                                            \
			error = errno;                                   \
			_exit(9);                                        \
		}                                                        \
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);       \
		printf("%s in a child: %x %d\n", name, status, error);   \
	} while (0)

static void show_environment(const char *name, char *const *envp)
{
	const int sh = open("/bin/sh", O_PATH);
	pid_t pid;

	printf("-- %s\n", name);
	SHOW_CHILD("execve", execve("/bin/sh", args, envp));
	SHOW_CHILD("execvpe", execvpe("sh", args, envp));
	SHOW_CHILD("execle", execle("/bin/sh", "sh", "-c", "exit 7", NULL, envp));
	SHOW_CHILD("fexecve", fexecve(sh, args, envp));
	SHOW_CHILD("execveat", execveat(sh, "", args, envp, AT_EMPTY_PATH));
	SHOW_CHILD("syscall", syscall(SYS_execve, "/bin/sh", args, envp));
	printf("posix_spawn %s: %d\n", name,
	       posix_spawn(&pid, "/bin/sh", NULL, NULL, args, envp));
	printf("posix_spawnp %s: %d\n", name,
	       posix_spawnp(&pid, "sh", NULL, NULL, args, envp));
	close(sh);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	/* A page that is followed by an unmapped page. */
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *const none[] = { NULL }, *const strings[] = { "A=1", wrong, NULL };
	char *at_end[] = { "LD_PRELOAD=x", NULL, NULL };
	pid_t pid;

	traced();
	CHECK(page != MAP_FAILED && !munmap(page + 4096, 4096));
	SHOW("execve environment", execve("/bin/sh", args, wrong));
	SHOW("execve strings", execve("/bin/sh", args, strings));
	SHOW("execve arguments", execve("/bin/sh", wrong, environ));
	SHOW("execve path", execve(wrong, args, environ));
	SHOW("execve no path", execve(null, args, environ));
	SHOW("execv arguments", execv("/bin/sh", wrong));
	SHOW("execv path", execv(wrong, args));
	SHOW("execvp arguments", execvp("sh", wrong));
	SHOW("fexecve environment", fexecve(0, args, wrong));
	SHOW("fexecve no environment", fexecve(0, args, NULL));
	SHOW("syscall path", syscall(SYS_execve, wrong, args, environ));
	SHOW("syscall environment", syscall(SYS_execve, "/bin/sh", args, wrong));
	SHOW("syscall execveat", syscall(SYS_execveat, -1, wrong, wrong, wrong, 0));
	printf("posix_spawn environment: %d\n",
	       posix_spawn(&pid, "/bin/sh", NULL, NULL, args, wrong));
	printf("posix_spawn path: %d\n",
	       posix_spawn(&pid, wrong, NULL, NULL, args, environ));
	show_environment("no environment", NULL);
	show_environment("empty environment", none);
	/* Pass an array without its terminator, and unterminated strings. */
	((char **)(page + 4096))[-1] = "B=2";
	show_environment("no end", (char **)(page + 4096) - 1);
	memcpy(page + 4096 - 11, "LD_PRELOAD=", 11);
	at_end[1] = page + 4096 - 11;
	show_environment("no end of the second string", at_end);
	at_end[0] = page + 4096 - 11;
	at_end[1] = NULL;
	show_environment("no end of the string", at_end);
	page[4095] = '\0';
	at_end[0] = page + 4096 - 7;
	show_environment("at the end of a page", at_end);

	SHOW("setrlimit", setrlimit(RLIMIT_NOFILE, wrong));
	SHOW("setrlimit none", setrlimit(RLIMIT_NOFILE, null));
	SHOW("prlimit", prlimit(0, RLIMIT_NOFILE, wrong, NULL));
	SHOW("prlimit old", prlimit(0, RLIMIT_NOFILE, NULL, wrong));
	SHOW("prlimit64", syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, wrong, NULL));
	SHOW("chroot", chroot(wrong));
	return 0;
}
