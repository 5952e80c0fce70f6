/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard streams that are closed when `record` starts are also closed in the program. */
// RUN: %build %s -o %t
// RUN: rm -f %t.list
// RUN: sh -c '%patchbay record -t count -o %t.data -- %t %t.list <&- >&- 2>&-'
// RUN: FileCheck %s < %t.list
// RUN: sh -c '! %patchbay report -i %t.data >&- 2> %t.err'
// RUN: FileCheck %s --check-prefix=RESULTS < %t.err
// RESULTS: cannot write standard output: Bad file descriptor
// CHECK: {{^}}open:{{$}}
// RUN: sh -c '%patchbay record -t count -o %t.data -- %t %t.list <&-'
// RUN: FileCheck %s --check-prefix=INPUT < %t.list
// INPUT: {{^}}open: 1 2{{$}}

#include "../Inputs/check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

OPAQUE void traced(void) {}

int main(int argc, char **argv)
{
	char text[64] = "open:";
	int fd;

	if (argc != 2)
		return 1;
	traced();
	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			sprintf(text + strlen(text), " %d", fd);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	strcat(text, "\n");
	return write(fd, text, strlen(text)) < 0;
}
