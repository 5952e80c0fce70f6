/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recordings work on file systems without O_TMPFILE, such as FAT and NFS: a new data
 * file has a temporary name, which readers ignore, until its header is written.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %plain %S/../Inputs/deny.c -o %t/deny
// DEFINE: %{record} = cd %t && ./deny %{what} %patchbay record
// DEFINE: %{what} = t
// RUN: %{record} -t function -- ./prog 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s
// RUN: ls -A %t/patchbay.data | FileCheck %s --check-prefix=FILES
/* The same test on a file system without RENAME_NOREPLACE. */
// REDEFINE: %{what} = tr
// RUN: %{record} -t function -- ./prog 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s
// RUN: ls -A %t/patchbay.data | FileCheck %s --check-prefix=FILES
// SAID: {{^}}patchbay: 2 processes recorded
// CHECK: 100 step
// RUN: stat -c %%a %t/patchbay.data/* | FileCheck %s --check-prefix=MODE --implicit-check-not={{.}}
// MODE-COUNT-2: {{^}}600{{$}}
// FILES: {{^[0-9]+\.pbd$}}
// FILES-NEXT: {{^[0-9]+\.pbd$}}
// FILES-NOT: {{.}}
/* If a process is killed before the renaming, its file belongs to the recording. */
// RUN: touch %t/patchbay.data/1.pbd.new
// RUN: %{record} -t count -- ./prog
// RUN: ls -A %t/patchbay.data.old | FileCheck %s --check-prefix=LEFT
// LEFT: 1.pbd.new
// RUN: %{record} -t count -- ./prog
// RUN: ls -A %t/patchbay.data.old | FileCheck %s --check-prefix=GONE --implicit-check-not=new
// GONE: .pbd
#include "../Inputs/check.h"

#include <sys/wait.h>
#include <unistd.h>

OPAQUE void step(void) {}

int main(void)
{
	pid_t pid = fork();

	for (int i = 0; i < 50; i++)
		step();
	if (pid)
		wait(NULL);
	return 0;
}
