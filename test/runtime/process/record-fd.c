/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The recording continues if a program closes all unknown descriptors, as daemons do,
 * reuses the numbers for its own file, and loads a library. The program's file is
 * unchanged.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s -o %t/prog
// RUN: cd %t && %patchbay record -t count -F '*_calls' -o data -- ./prog ./lib.so
// RUN: cd %t && %patchbay report -i data | FileCheck %s
// CHECK-DAG: {{^ *}}1 main_calls
// CHECK-DAG: {{^ *}}2 library_calls

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE void library_calls(void) {}
#else

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

OPAQUE void main_calls(void) {}

int main(int argc, char **argv)
{
	char mine[4096], read_back[sizeof(mine)];
	void (*library_calls)(void);
	void *handle;
	int fd;

	CHECK(argc == 2);
	main_calls();
	for (fd = 3; fd < 64; fd++)
		close(fd);
	fd = open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0);
	memset(mine, 'm', sizeof(mine));
	CHECK_EQ(write(fd, mine, sizeof(mine)), (long)sizeof(mine));
	handle = dlopen(argv[1], RTLD_NOW);
	CHECK(handle);
	library_calls = (void (*)(void))dlsym(handle, "library_calls");
	library_calls();
	library_calls();
	CHECK_EQ(lseek(fd, 0, SEEK_END), (long)sizeof(mine));
	CHECK_EQ(pread(fd, read_back, sizeof(mine), 0), (long)sizeof(mine));
	CHECK(!memcmp(mine, read_back, sizeof(mine)));
	return 0;
}
#endif
