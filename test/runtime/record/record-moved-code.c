/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that moves its code to anonymous memory, as for huge pages, is recorded
 * like others. Execute-only code cannot be recorded, and a message says so.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// DEFINE: %{running} = cd %t && %python %S/../Inputs/while-running.py ./prog
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: cd %t && %patchbay record -F traced -o start -- ./prog moved 100 | FileCheck %s
// RUN: %patchbay report -f calls,name %t/start | FileCheck %s --check-prefix=CALLS
// CHECK: ready
// CALLS: {{^ *}}100 traced{{$}}
// RUN: %{running} moved -- %patchbay list -p PID -F traced | FileCheck %s --check-prefix=LIST
// LIST: disarmed traced prog
// RUN: %{running} moved -- sh -c '%patchbay record -p PID -F traced -o moved -- sleep 1 && %patchbay list --live PID -F traced' | FileCheck %s --check-prefix=LIST
// RUN: %patchbay report -f calls,name %t/moved | FileCheck %s --check-prefix=SOME
// SOME: {{^ *[1-9][0-9]*}} traced{{$}}

/* The code is made execute-only by mprotect(), in anonymous memory, or in the file. */
// RUN: %{running} execute-only -- %{status} 125 %patchbay record -p PID -o x 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// UNREADABLE: {{^}}patchbay: error: {{.*}}prog: its code is execute-only (PROT_EXEC without PROT_READ), and the runtime must read it: link it without --execute-only, and do not change it by mprotect()
// RUN: %{running} moved-execute-only -- %{status} 125 %patchbay record -p PID -o x 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: %python %S/../Inputs/execute-only.py %t/prog
// RUN: %{running} as-it-is -- %{status} 125 %patchbay record -p PID -o x 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: cd %t && %{status} 125 %patchbay record -o x -- ./prog as-it-is 1 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: cd %t && %patchbay record --force -o forced -- ./prog as-it-is 1 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: sh -c '%patchbay report -i %t/forced 2>&1; true' | FileCheck %s --check-prefix=INFO
// FORCED: warning: {{.*}}prog: its code is execute-only
// FORCED: ready
// FORCED: in it some functions were not traced
// INFO: some functions were not traced: other code changed their entries, or llvm-bolt moved them, or the code is execute-only: 'patchbay verify' shows which

#include "../Inputs/check.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

OPAQUE void traced(void) {}

struct code {
	char *start;
	size_t size;
};

/* Finds the executable's code; the loader lists the executable first. */
static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uintptr_t page = 4096;
	struct code *code = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		code->start = (char *)(start & -page);
		code->size = ((start + p->p_memsz + page - 1) & -page) - (start & -page);
	}
	return 1;
}

static void move(const struct code *code, int protection)
{
	char *copy = mmap(NULL, code->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(copy != MAP_FAILED);
	memcpy(copy, code->start, code->size);
	CHECK(!mprotect(copy, code->size, protection));
	CHECK(mremap(copy, code->size, code->size, MREMAP_MAYMOVE | MREMAP_FIXED,
		     code->start) == code->start);
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[2]) : 1000000;
	struct code code;

	dl_iterate_phdr(find_code, &code);
	if (!strcmp(argv[1], "moved"))
		move(&code, PROT_READ | PROT_EXEC);
	if (!strcmp(argv[1], "moved-execute-only"))
		move(&code, PROT_EXEC);
	if (!strcmp(argv[1], "execute-only"))
		CHECK(!mprotect(code.start, code.size, PROT_EXEC));
	puts("ready");
	fflush(stdout);
	while (calls--) {
		traced();
		usleep(1000);
	}
	return 0;
}
