/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file_name.h"

#include "sys.h"

/* A path under construction. Text beyond @end is dropped. */
struct path {
	char *at, *end;
};

static void add_text(struct path *path, const char *text)
{
	while (*text && path->at < path->end)
		*path->at++ = *text++;
}

static void add_number(struct path *path, unsigned int number)
{
	char digits[12], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	add_text(path, first);
}

int pb_file_name(char name[PATH_MAX], const char *output, unsigned int nr,
		 const char *suffix)
{
	struct path path = { name, name + PATH_MAX - 1 };

	add_text(&path, output);
	add_text(&path, "/");
	add_number(&path, (unsigned int)pb_sys(SYS_getpid));
	if (nr) {
		add_text(&path, ".");
		add_number(&path, nr);
	}
	add_text(&path, suffix);
	if (path.at == path.end)
		return -ENAMETOOLONG;
	*path.at = '\0';
	return 0;
}

void pb_fd_name(char name[PB_FD_NAME_MAX], int fd)
{
	struct path path = { name, name + PB_FD_NAME_MAX - 1 };

	/* Uses thread-self, because the listening thread has its own descriptor table. */
	add_text(&path, "/proc/thread-self/fd/");
	add_number(&path, (unsigned int)fd);
	*path.at = '\0';
}

void pb_comm_name(char name[PB_FD_NAME_MAX], uint32_t tid)
{
	struct path path = { name, name + PB_FD_NAME_MAX - 1 };

	add_text(&path, "/proc/self/task/");
	add_number(&path, tid);
	add_text(&path, "/comm");
	*path.at = '\0';
}
