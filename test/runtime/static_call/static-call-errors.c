/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A failing update returns an error and changes nothing. Causes: the tramp has unknown
 * bytes, there is no tramp, or text cannot be written. After a failure that follows the
 * first write, calls go to their old target. A child process can update, too.
 */
// RUN: %build %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %clang -DNOTE=99,0,0,0,0,0 -shared -fPIC %s -I %patchbay_include -o %t.future.so
// RUN: %clang -DNOTE=2,0,0x1000000,0,0,0 -shared -fPIC %s -I %patchbay_include -o %t.tramps.so
// RUN: %clang -DNOTE=2,0,0,-0x1000000,1,0 -shared -fPIC %s -I %patchbay_include -o %t.sites.so
// RUN: %t %t.future.so %t.tramps.so %t.sites.so | FileCheck %s
// CHECK: changed tramp: -EILSEQ, calls 1, query 1
// CHECK: changed key: -EILSEQ, calls 1, query 1
// CHECK: no file: -EMFILE, calls 1, query 1
// CHECK: no barrier: -EPERM, calls 1, query 1
// CHECK: in a child: 0, calls 2, query 1
// CHECK: in the end: 0, calls 2, query 1
// CHECK: no tramp: -ENOENT, query 1
// CHECK: future module: 0, calls 1, query 1
// CHECK: too many tramps: -ENOEXEC, calls 2, query 1
// CHECK: sites elsewhere: -ENOEXEC, calls 2, query 1
// CHECK: without it: 0, calls 1, query 1

#include <patchbay/static_call.h>

#ifdef NOTE
/* This note equals the linker's output, except for the injected error. */
#define STRING(...) #__VA_ARGS__
#define LIST(...) STRING(__VA_ARGS__)
__asm__(".pushsection .note.patchbay.static_calls, \"a\", %note\n"
	"	.long 9, 24, 2\n"
	"	.asciz \"Patchbay\"\n"
	"	.p2align 2\n"
	"	.long " LIST(NOTE) "\n"
	"	.popsection\n");
#else

#include "../Inputs/tramp.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

DEFINE_STATIC_CALL(number, one);

static void report(const char *what, int error, int (*target)(void))
{
	printf("%s: %s%s, calls %d, query %d\n", what, error ? "-" : "",
	       error ? strerrorname_np(-error) : "0", static_call(number)(),
	       static_call_query(number) == target);
	fflush(stdout);
}

static void with_changed_byte(const char *what, int offset)
{
	unsigned char *text = STATIC_CALL_KEY(number).tramp;
	unsigned char byte = write_text(text + offset, 0x7f);
	int error = static_call_update(number, two);

	write_text(text + offset, byte);
	report(what, error, one);
}

static void no_file(void)
{
	struct rlimit limit, none;
	int error;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	error = static_call_update(number, two);
	setrlimit(RLIMIT_NOFILE, &limit);
	report("no file", error, one);
}

/* Makes membarrier() fail after the tramp has been changed. */
static void no_barrier(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		perror("seccomp");
	report("no barrier", static_call_update(number, two), one);
}

static void in_child(void (*body)(void))
{
	pid_t child = fork();

	if (!child) {
		body();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void update(void)
{
	report("in a child", static_call_update(number, two), two);
}

int main(int argc, char **argv)
{
	struct static_call_key lone = { (void *)one, NULL, 0 };
	static const char *const modules[] = {
		"future module", "too many tramps", "sites elsewhere"
	};
	int error;

	(void)argc;

	with_changed_byte("changed tramp", 17);
	with_changed_byte("changed key", 10);
	no_file();
	in_child(no_barrier);
	in_child(update);
	report("in the end", static_call_update(number, two), two);

	error = __static_call_update(&lone, (void *)two);
	printf("no tramp: %s%s, query %d\n", error ? "-" : "",
	       error ? strerrorname_np(-error) : "0",
	       lone.func == (void *)one);

	for (int i = 0; i < 3; i++) {
		void *module = dlopen(argv[i + 1], RTLD_NOW);

		/* A module with static calls of another version is not changed. */
		report(modules[i], static_call_update(number, one), i ? two : one);
		if (!i)
			static_call_update(number, two);
		dlclose(module);
	}
	report("without it", static_call_update(number, one), one);
	return 0;
}
#endif
