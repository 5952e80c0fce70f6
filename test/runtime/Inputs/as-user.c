/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * as-user UID with|without PROG ARGS...: executes PROG as user UID, with or without
 * CAP_SYS_PTRACE. A UID other than 0 gets no other capability.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "as-user: %s: %s\n", what, strerror(errno));
	exit(2);
}

int main(int argc, char **argv)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	unsigned int user;
	int may;

	must(argc > 3, "more arguments");
	user = (unsigned int)atoi(argv[1]);
	may = !strcmp(argv[2], "with");
	if (!may)
		must(!prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0), "PR_CAPBSET_DROP");
	if (user) {
		must(!setgroups(0, NULL) && !setgid(user), "setgid");
		must(!prctl(PR_SET_KEEPCAPS, may, 0, 0, 0), "PR_SET_KEEPCAPS");
		must(!setuid(user), "setuid");
	}
	if (user && may) {
		data[0].effective = data[0].permitted = data[0].inheritable =
			1u << CAP_SYS_PTRACE;
		must(!syscall(SYS_capset, &header, data), "capset");
		must(!prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_PTRACE, 0, 0),
		     "PR_CAP_AMBIENT");
	}
	execvp(argv[3], argv + 3);
	must(0, argv[3]);
}
