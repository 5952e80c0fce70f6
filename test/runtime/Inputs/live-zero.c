/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * live-zero FOLDER: maps a file on a separate file system, and deletes the file. Then
 * creates a link to /dev/zero at the path in /proc/PID/maps. The file's inode number
 * equals that of the device.
 */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

OPAQUE int step(int a) { return a + 1; }

int main(int argc, char **argv)
{
	struct stat zero, status = { 0 };
	char name[4096], link[4200];
	int file = -1;

	CHECK(argc == 2 && !stat("/dev/zero", &zero));
	for (int i = 0; i < 1000 && status.st_ino != zero.st_ino; i++) {
		snprintf(name, sizeof(name), "%s/%d", argv[1], i);
		file = open(name, O_RDWR | O_CREAT, 0700);
		CHECK(file >= 0 && !fstat(file, &status));
	}
	CHECK(status.st_ino == zero.st_ino);
	CHECK(!ftruncate(file, 4096));
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) !=
	      MAP_FAILED);
	CHECK(!unlink(name));
	snprintf(link, sizeof(link), "%s (deleted)", name);
	CHECK(!symlink("/dev/zero", link));
	step(0);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
