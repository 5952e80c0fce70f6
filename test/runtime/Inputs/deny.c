/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * deny WHAT COMMAND...: runs COMMAND with a filter that refuses system calls, as file
 * systems without support do. WHAT: t refuses O_TMPFILE (files without a name), tr also
 * refuses RENAME_NOREPLACE. A process that would wait for a file lock (flock(2)) is
 * killed by SIGSYS, because the owner may hold the lock for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

int main(int argc, char **argv)
{
	const unsigned int unnamed = O_TMPFILE & ~O_DIRECTORY;
	struct sock_filter code[] = {
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, unnamed, 0, 9),
		RETURN(SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		LOAD(args[4]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, RENAME_NOREPLACE, 0, 5),
		RETURN(SECCOMP_RET_ERRNO | EINVAL),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 3),
		LOAD(args[1]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, LOCK_NB, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "t"))
		code[8] = code[13];
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("seccomp");
		return 2;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
