// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes system calls that call hooks of security modules, and a system call with a
// tracepoint. Each is between two marks, so that static-calls/branches.c can count the
// kernel's instructions for the system call.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __aarch64__
#define MARK(number) __asm__ volatile("mov x9,#" #number : : : "x9", "memory")
#else
#define MARK(number) __asm__ volatile("li 0," #number : : : "r0", "memory")
#endif

enum { CALLS = 100 };

static int file, ends[2];
static char page[64];

static void empty(void)
{
}

static void ask(void)
{
	getppid();
}

static void open_close(void)
{
	close(open("/init", O_RDONLY));
}

static void look(void)
{
	struct stat st;

	stat("/init", &st);
}

static void get(void)
{
	pread(file, page, sizeof(page), 0);
}

static void pass(void)
{
	write(ends[1], page, 1);
	read(ends[0], page, 1);
}

static void map(void)
{
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0), 4096);
}

static void start(void)
{
	int status, child = vfork();

	if (!child) {
		execl("/bin/busybox", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
}

static int trace(const char *on)
{
	int enable = open("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/enable", O_WRONLY);
	int failed = enable < 0 || write(enable, on, 1) != 1;

	close(enable);
	return failed;
}

static const struct {
	const char *name;
	void (*run)(void);
	int traced;		/* a tracepoint is enabled, which ftrace records */
} calls[] = {
	{ "nothing", empty }, { "getppid", ask }, { "getppid, traced", ask, 1 },
	{ "open, close", open_close }, { "stat", look }, { "pread", get },
	{ "write, read of a pipe", pass }, { "mmap, munmap", map },
	{ "vfork, execve, wait", start },
};

int main(void)
{
	unsigned int n, i;

	file = open("/init", O_RDONLY);
	if (file < 0 || pipe(ends))
		return 1;
	for (n = 0; n < sizeof(calls) / sizeof(*calls); n++) {
		if (calls[n].traced && trace("1"))
			return 1;
		calls[n].run();
		MARK(0x5c01);
		for (i = 0; i < CALLS; i++)
			calls[n].run();
		MARK(0x5c02);
		if (calls[n].traced && trace("0"))
			return 1;
		printf("syscalls %u: %s\n", CALLS, calls[n].name);
	}
	return 0;
}
