/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Some kernels let only debuggers write to text. On these kernels the runtime debugs a
 * helper process that shares its memory while text is open. The test simulates the
 * kernel's refusal. The real kernel's rules are tested by test/kernel/run.py arm64 7.2
 * --boot debian.
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Dpb_mem_is_forced=kernel_allows -I %patchbay_include -I %patchbay_source/runtime/core -c %patchbay_source/runtime/core/system/linux.c -o %t.linux.o
// RUN: %clang -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I %patchbay_include -I %patchbay_source/runtime/core %s %patchbay_source/runtime/core/system/traced_mem.c %patchbay_source/runtime/core/system/memory.c %patchbay_source/runtime/core/system/maps_text.c %t.linux.o -o %t -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}written, and nothing left{{$}}
#include "../Inputs/check.h"

#include "system/linux.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t children;
static char *text;

int kernel_allows(int fd);
int kernel_allows(int fd)
{
	(void)fd;
	return 0;
}

static void on_child(int signal)
{
	(void)signal;
	children++;
}

static int count_descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	int nr = 0;

	CHECK(all);
	while (readdir(all))
		nr++;
	closedir(all);
	return nr;
}

/* Returns the process whose memory @handle has opened. */
static pid_t process_of(int handle)
{
	char name[64], link[64];
	ssize_t size;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", handle);
	size = readlink(name, link, sizeof(link) - 1);
	CHECK(size > 0);
	link[size] = '\0';
	CHECK(strstr(link, "/mem"));
	return atoi(link + strlen("/proc/"));
}

/* Returns the field @name of the status of process @pid. */
static long status_of(pid_t pid, const char *name)
{
	char path[64], line[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name));
	fclose(file);
	return value;
}

static int is_there(pid_t pid)
{
	return !kill(pid, 0);
}

static void write_text(int handle, char what)
{
	CHECK_EQ(pb_os_text_write(handle, (uintptr_t)text, &what, 1), 0);
	CHECK_EQ(text[0], what);
}

static pid_t open_and_write(char what)
{
	int handle = pb_os_text_open();
	pid_t pid;

	CHECK(handle >= 0);
	pid = process_of(handle);
	CHECK(pid != getpid());
	CHECK_EQ(status_of(pid, "TracerPid:"), syscall(SYS_gettid));
	write_text(handle, what);
	pb_os_text_close(handle);
	CHECK(!is_there(pid));
	return pid;
}

/* A child that is forked while text is open makes its own helper. */
static void fork_meanwhile(void)
{
	int handle = pb_os_text_open(), status;
	pid_t pid = process_of(handle), child = fork();

	if (!child) {
		close(handle);
		pb_os_text_forget();
		CHECK(open_and_write('k') != pid);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	children--;
	CHECK(is_there(pid));
	write_text(handle, 'p');
	pb_os_text_close(handle);
	CHECK(!is_there(pid));
}

/* The thread that opens text, and so starts the helper, ends. */
static void *open_and_leave(void *arg)
{
	*(pid_t *)arg = process_of(pb_os_text_open());
	return NULL;
}

/*
 * Under a seccomp filter, the library starts no helper, because the filter might kill
 * the helper for its system calls.
 */
static void *open_with_filter(void *arg)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };
	int handle;

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	handle = pb_os_text_open();
	CHECK(handle >= 0);
	CHECK_EQ(process_of(handle), getpid());
	pb_os_text_close(handle);
	return arg;
}

static void set_last_pid(pid_t last)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");

	CHECK(file);
	fprintf(file, "%d", (int)last);
	fclose(file);
}

/*
 * The program reaps all of its children, and the next process gets the PID of the
 * helper. The library must not signal that process. Only root can choose PIDs.
 */
static void reap_and_fork(void)
{
	for (int tries = 0; !geteuid() && tries < 100; tries++) {
		int handle = pb_os_text_open(), status;
		pid_t pid = process_of(handle), child;

		CHECK_EQ(kill(pid, SIGKILL), 0);
		CHECK_EQ(waitpid(-1, &status, __WALL), pid);
		set_last_pid(pid - 1);
		child = fork();
		if (!child)
			for (;;)
				pause();
		pb_os_text_close(handle);
		CHECK_EQ(waitpid(child, &status, WNOHANG), 0);
		CHECK_EQ(kill(child, SIGTERM), 0);
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
		children--;
		if (child == pid)
			return;
	}
	CHECK(geteuid());
}

int main(void)
{
	int before = count_descriptors();
	pthread_t thread;
	pid_t left = 0;

	text = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	CHECK(text != MAP_FAILED);
	CHECK(signal(SIGCHLD, on_child) != SIG_ERR);
	for (int i = 0; i < 100; i++)
		open_and_write('a');
	CHECK_EQ(children, 0);
	CHECK_EQ(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	CHECK_EQ(errno, ECHILD);
	CHECK_EQ(count_descriptors(), before);
	reap_and_fork();
	fork_meanwhile();
	CHECK_EQ(count_descriptors(), before);
	pthread_create(&thread, NULL, open_with_filter, NULL);
	pthread_join(thread, NULL);
	CHECK_EQ(count_descriptors(), before);
	pthread_create(&thread, NULL, open_and_leave, &left);
	pthread_join(thread, NULL);
	for (int i = 0; i < 1000 && is_there(left); i++) {
		waitpid(left, NULL, __WALL | WNOHANG);
		usleep(10000);
	}
	CHECK(!is_there(left));
	puts("written, and nothing left");
	return 0;
}
