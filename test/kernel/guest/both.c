// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose functions make system calls, recorded while the kernel is traced.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char buffer[4096];

__attribute__((noinline)) static int open_input(const char *path)
{
	return open(path, O_RDONLY);
}

__attribute__((noinline)) static long read_input(int fd)
{
	long sum = 0, n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		sum += n;
	return sum;
}

__attribute__((noinline)) static long size_of(const char *path)
{
	int fd = open_input(path);
	long size = read_input(fd);

	close(fd);
	return size;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("%s: %ld\n", argv[i], size_of(argv[i]));
	return 0;
}
