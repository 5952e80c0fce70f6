/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a record is missing in a full block, `patchbay record` keeps the block. It writes
 * no later block until the record is complete or the process ends.
 *
 * After the command was killed, the program writes events to its file. SIGKILL of the
 * program then loses only the events in shared memory.
 *
 * If the command has no descriptor for data files, the program writes them.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -I %patchbay_source/runtime -o %t/prog %link
// DEFINE: %{how} = hole
// DEFINE: %{record} = %patchbay record -t function_duration -F step -- ./prog %{how}
// DEFINE: %{report} = %patchbay report %t/patchbay.data

// RUN: cd %t && %{record} 2>&1 | FileCheck %s --check-prefix=HOLE
// HOLE: {{^}}the command wrote less than 1 MB in 1 s{{$}}
// RUN: %{report} | FileCheck %s --check-prefix=COUNT
// COUNT: {{^ *[0-9]+ .*}} step{{$}}

// REDEFINE: %{how} = killed
// RUN: cd %t && not --crash %{record}
// RUN: %{report} | FileCheck %s --check-prefix=KILLED
// KILLED: {{^ *[78][0-9]{5} .*}} step{{$}}

// REDEFINE: %{how} = calls
// RUN: cd %t && rm -r patchbay.data
// RUN: cd %t && sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 5; exec "$@"' sh %{record} 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FEW
// FEW-NOT: lost
// FEW: 1 process recorded
// FEW-NOT: lost
// RUN: %{report} | FileCheck %s
// CHECK: {{^ *}}400000 {{.*}} step{{$}}

#include "../Inputs/check.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <trace/format/arena.h>
#include <trace/format/format.h>
#include <unistd.h>

#define NR 400000 /* 10 MB of events */

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static void calls(int nr)
{
	for (int i = 0; i < nr; i++)
		step();
}

static struct pba_arena *find_arena(void)
{
	const char *at = strstr(getenv("PATCHBAY"), ",arena=") + strlen(",arena=");
	char path[64] = "";
	void *mapped;

	memcpy(path, at, strcspn(at, ","));
	mapped = mmap(NULL, PBA_SIZE(PBA_CHUNKS_MAX, PBA_PAGES_MAX), PROT_READ | PROT_WRITE, MAP_SHARED,
		      open(path, O_RDWR), 0);
	CHECK(mapped != MAP_FAILED);
	return mapped;
}

/*
 * Makes a block with a missing record, as if a signal handler had left the recorder by
 * siglongjmp().
 */
static void make_hole(struct pba_arena *arena)
{
	struct pbd_block *block = (void *)((char *)arena + PBA_DATA_AT);

	while (arena->chunk[0].state != PBA_OWNED || !block->record[9].last)
		step();
	block->record[9].last = 0;
}

static unsigned long written_by_command(void)
{
	char path[64], line[128];
	unsigned long written = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)getppid());
	file = fopen(path, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "wchar: %lu", &written);
	fclose(file);
	return written;
}

static void check_hole(void)
{
	struct pba_arena *arena = find_arena();
	unsigned long before, after;

	make_hole(arena);
	while (arena->chunk[0].state != PBA_FULL)
		step();
	sleep(1);
	before = written_by_command();
	sleep(1);
	after = written_by_command();
	if (after - before < 1 << 20)
		puts("the command wrote less than 1 MB in 1 s");
	else
		printf("the command wrote %lu bytes in 1 s\n", after - before);
}

static void kill_both(void)
{
	struct pba_arena *arena = find_arena();

	calls(NR);
	sleep(1);
	kill(getppid(), SIGKILL);
	while (!(__atomic_load_n(&arena->recorder, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED))
		usleep(1000);
	calls(NR);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "hole"))
		check_hole();
	else if (!strcmp(how, "killed"))
		kill_both();
	else
		calls(NR);
	return 0;
}
