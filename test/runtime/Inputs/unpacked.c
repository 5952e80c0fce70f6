/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * unpacked HOW LIBRARY: loads LIBRARY as Java, .NET and PyInstaller do, and calls f(3)
 * in LIBRARY, which calls helper() ten times.
 *
 * late:  from a temporary file, which is deleted after the call
 * early: the same, but the file is deleted before the call
 * memfd: from memory
 * wait:  LIBRARY as it is; first prints "ready" and waits for a line
 */
#include "check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy(const char *from, int to)
{
	int file = open(from, O_RDONLY | O_CLOEXEC);
	struct stat status;

	CHECK(file >= 0 && !fstat(file, &status));
	CHECK(sendfile(to, file, NULL, (size_t)status.st_size) == status.st_size);
	close(file);
}

int main(int argc, char **argv)
{
	char path[64] = "unpacked.XXXXXX";
	int (*f)(int);
	void *library;
	int file;

	CHECK(argc == 3);
	if (!strcmp(argv[1], "memfd")) {
		file = memfd_create("unpacked", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		copy(argv[2], file);
	} else if (strcmp(argv[1], "wait")) {
		file = mkstemp(path);
		copy(argv[2], file);
		close(file);
		memmove(path + 2, path, sizeof(path) - 2);
		memcpy(path, "./", 2);
	}
	library = dlopen(strcmp(argv[1], "wait") ? path : argv[2], RTLD_NOW);
	if (!library)
		fputs(dlerror(), stderr);
	CHECK(library);
	if (!strcmp(argv[1], "early"))
		CHECK(!unlink(path));
	if (!strcmp(argv[1], "wait")) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	f = (int (*)(int))dlsym(library, "f");
	CHECK(f && f(3) == 13);
	if (!strcmp(argv[1], "late"))
		CHECK(!unlink(path));
	return 0;
}
