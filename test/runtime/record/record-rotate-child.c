/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A data file is complete soon after its process has begun the next file, even while a
 * forked child without traced calls uses the old one. With shared memory the process
 * has no writable mapping of its files.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && timeout 600 %patchbay record -F often -t function --rotate-size 1M -- ./prog patchbay.data | FileCheck %s
// CHECK: {{^}}complete, 0 writable mappings{{$}}
#include "../Inputs/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int often(int a) { return a + 1; }

/*
 * Returns the inode of the first file in @folder with @suffix; @inode if that still
 * exists.
 */
static ino_t find(const char *folder, const char *suffix, ino_t inode)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	ino_t found = 0;

	CHECK(dir);
	while (!found && (entry = readdir(dir)))
		if (strstr(entry->d_name, suffix) && (!inode || entry->d_ino == inode))
			found = entry->d_ino;
	closedir(dir);
	return found;
}

static int writable(const char *folder)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int nr = 0;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, folder) && strstr(line, "rw-s");
	fclose(maps);
	return nr;
}

int main(int argc, char **argv)
{
	ino_t first;
	pid_t child;

	CHECK(argc == 2);
	often(0);
	first = find(argv[1], ".pbd", 0);
	CHECK(first);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	while (!find(argv[1], "Z.pbd", first))
		for (int i = 0; i < 1000; i++)
			often(i);
	printf("complete, %d writable mappings\n", writable(argv[1]));
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
	return 0;
}
