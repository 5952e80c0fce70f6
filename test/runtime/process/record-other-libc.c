/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `record` refuses a program for another C library before the program runs. If a
 * recorded program starts such a program, in any way, the new program runs untraced:
 * only the runtime is removed from its LD_PRELOAD. The same applies to a 32-bit
 * program, if the kernel supports 32-bit programs.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -fPIC -shared -nostdlib -Wl,-e,_start %S/../Inputs/own-loader.c -o %t/loader
// RUN: %build %s -o %t/other -Wl,--dynamic-linker=%t/loader
// RUN: %build %s -o %t/prog
// RUN: printf '#! %t/other\n' > %t/script && chmod +x %t/script
// RUN: not %patchbay record -o %t/data -- %t/other 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %patchbay record --force -o %t/data -- %t/script 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not ls %t/data
// REFUSED: error: {{.*}}/other: its loader {{.*}}/loader is not glibc's, and the runtime needs glibc: link the program for glibc
// RUN: env LD_PRELOAD=libm.so.6 %patchbay record -t count -o %t/data -- %t/prog %t/other %t | FileCheck %s
// RUN: env LD_PRELOAD=libm.so.6 %patchbay record -t count -o %t/data -- %t/prog %t/script %t | FileCheck %s
// CHECK: execv 3 execve 3 execvp 3 execvpe 3 execl 3 execlp 3 execle 3 fexecve 3 execveat 3 syscall 3
// CHECK-SAME: posix_spawn 3 posix_spawnp 3 vfork 3 failed -1
// A warning names programs that could have been traced, also static ones and those without LD_PRELOAD.
// RUN: %patchbay record -t count -o %t/data -- %t/prog %t/other %t 2>&1 | FileCheck %s --check-prefix=UNTRACED
// RUN: %patchbay report -i %t/data 2>&1 | FileCheck %s --check-prefix=UNTRACED
// UNTRACED: warning: {{.*}}/data: 2 started programs were not traced: {{.*}}/other (12 times), fexecve(): they are static, for another C library, or started without LD_PRELOAD
// RUN: %build -static %s -o %t/static
// RUN: %patchbay record --force -t count -o %t/data -- sh -c '%t/static; env -u LD_PRELOAD %t/prog; env -i %t/static; true' 2>&1 | FileCheck %s --check-prefix=STARTED
// STARTED: warning: {{.*}}/data: 2 started programs were not traced: {{.*}}/prog, {{.*}}/static (2 times): they are
// RUN: %clang -m32 -O1 -static -nostdlib %S/../Inputs/own-loader.c -o %t/small
// RUN: env LD_PRELOAD=libm.so.6 %patchbay record -t count -o %t/data -- %t/prog %t/small %t | FileCheck %s

#include "../Inputs/check.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

OPAQUE void traced(void) {}

static int status_of(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CHILD(name, call)                                                      \
	do {                                                                   \
		pid_t pid = fork();                                            \
                                                                               \
		if (!pid) {                                                    \
			call;                                                  \
			_exit(99);                                             \
		}                                                              \
		printf("%s %d ", name, status_of(pid));                        \
	} while (0)

int main(int argc, char **argv)
{
	char *args[] = { "a", "b", NULL };
	const char *path = argv[1], *file = strrchr(path, '/') + 1;
	pid_t pid;

	CHECK(argc == 3);
	traced();
	/* PATH includes the folder of the test. */
	setenv("PATH", argv[2], 1);
	setvbuf(stdout, NULL, _IOFBF, 4096);
	CHILD("execv", execv(path, args));
	CHILD("execve", execve(path, args, environ));
	CHILD("execvp", execvp(file, args));
	CHILD("execvpe", execvpe(file, args, environ));
	CHILD("execl", execl(path, "a", "b", NULL));
	CHILD("execlp", execlp(file, "a", "b", NULL));
	CHILD("execle", execle(path, "a", "b", NULL, environ));
	CHILD("fexecve", fexecve(open(path, O_RDONLY), args, environ));
	CHILD("execveat", execveat(AT_FDCWD, path, args, environ, 0));
	CHILD("syscall", syscall(SYS_execve, path, args, environ));
	CHECK(!posix_spawn(&pid, path, NULL, NULL, args, environ));
	printf("posix_spawn %d ", status_of(pid));
	CHECK(!posix_spawnp(&pid, file, NULL, NULL, args, environ));
	printf("posix_spawnp %d ", status_of(pid));
	pid = vfork();
	if (!pid) {
		execve(path, args, environ);
		_exit(99);
	}
	printf("vfork %d ", status_of(pid));
	printf("failed %d\n", execv("/nonexistent", args));
	return 0;
}
