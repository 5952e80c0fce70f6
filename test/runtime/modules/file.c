/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names come from the files of modules, which may change: a file is truncated during a
 * read, replaced by a pipe, or deleted. Then names are available only if they were read
 * before, and "*" still selects all functions. A failed read is retried later. The
 * executable's file is found even after the main thread has ended, when /proc/self has
 * no memory map. Without a build ID, a file that only resembles the loaded one is
 * ignored.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build -DLIBRARY -shared -fPIC -Wl,--build-id=none %s -o %t.plain.so
// RUN: %build -DLIBRARY -Dquince=pomelo -shared -fPIC -Wl,--build-id=none \
// RUN:   %s -o %t.other.so
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t %t.so 2000 %t.plain.so %t.other.so | FileCheck %s
// CHECK: {{^}}done{{$}}
/* The number of sections is in the first section, as in a file with very many. */
// RUN: cp %t.so %t.many.so && %python %S/../Inputs/many-sections.py %t.many.so
// RUN: timeout -s KILL 600 %t %t.many.so 10 | FileCheck %s
/* If the loader was executed, /proc/self/exe is the loader. */
// RUN: timeout -s KILL 600 /lib64/ld-linux-x86-64.so.2 %t %t.so 100 %t.plain.so %t.other.so | FileCheck %s
// RUN: %build %S/../process/trace-namespaces.c -o %t.pear
// RUN: rm -rf %t.data && %patchbay record -t count --force -o %t.data -F pear -- /lib64/ld-linux-x86-64.so.2 %t.pear 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: patchbay: warning: /lib64/ld-linux-x86-64.so.2: this is the loader, which runs another program: name that program instead{{$}}
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// REPORT: {{^ *2 +pear +file.c.tmp.pear +[0-9.]+$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int quince(int a) { return a; }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

OPAQUE static int medlar(int a) { return a; }

static struct patchbay_ops *ops;
static void *library;
static int (*quince)(int);
static int calls;
static atomic_int stop;
static char path[PATH_MAX], path_of_other[PATH_MAX + 8];

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls += ip == (uintptr_t)quince || ip == (uintptr_t)medlar;
}

static void copy(const char *from, const char *to)
{
	static char bytes[1 << 20];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t size;

	CHECK(in && out);
	size = fread(bytes, 1, sizeof(bytes), in);
	CHECK(size && size < sizeof(bytes));
	CHECK_EQ(fwrite(bytes, 1, size, out), size);
	fclose(in);
	fclose(out);
}

static int arm_quince(void)
{
	int nr = patchbay_arm(ops, "quince", 0);

	calls = 0;
	CHECK_EQ(quince(3), 3);
	CHECK_EQ(calls, nr == 1);
	if (nr == 1)
		CHECK_EQ(patchbay_disarm(ops, "*"), 1);
	return nr;
}

static void load(void)
{
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	quince = (int (*)(int))dlsym(library, "quince");
}

static void unload(void)
{
	CHECK_EQ(dlclose(library), 0);
	CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

/* Each new module makes the library read names again. */
static int load_and_arm(void)
{
	int nr;

	load();
	nr = arm_quince();
	unload();
	return nr;
}

/* Returns the end of the loaded part of a file. */
static off_t loaded_end(int fd)
{
	ElfW(Ehdr) head;
	off_t end = 0;

	CHECK_EQ(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (int i = 0; i < head.e_phnum; i++) {
		ElfW(Phdr) segment;

		CHECK_EQ(pread(fd, &segment, sizeof(segment),
			       (off_t)(head.e_phoff + (size_t)i * sizeof(segment))),
			 sizeof(segment));
		if (segment.p_type == PT_LOAD &&
		    (off_t)(segment.p_offset + segment.p_filesz) > end)
			end = (off_t)(segment.p_offset + segment.p_filesz);
	}
	return end;
}

/* Truncates the file after its loaded part, because the program needs its text. */
static void *truncate_often(void *arg)
{
	int fd = open(path, O_RDWR);
	const off_t end = loaded_end(fd);
	struct stat st;
	off_t size;
	char *tail;

	CHECK_EQ(fstat(fd, &st), 0);
	size = st.st_size - end;
	tail = malloc((size_t)size);
	CHECK_EQ(pread(fd, tail, (size_t)size, end), size);
	while (!stop) {
		CHECK_EQ(ftruncate(fd, end), 0);
		CHECK_EQ(pwrite(fd, tail, (size_t)size, end), size);
		usleep(50);
	}
	free(tail);
	close(fd);
	return arg;
}

static void truncated(int least)
{
	int found[2] = { 0, 0 };
	pthread_t thread;

	pthread_create(&thread, NULL, truncate_often, NULL);
	for (int i = 0; i < 100000 && (!found[0] || !found[1] || i < least); i++) {
		int nr = load_and_arm();

		CHECK(nr == 1 || nr == -ENOENT);
		found[nr == 1]++;
	}
	stop = 1;
	pthread_join(thread, NULL);
	CHECK(found[0] && found[1]);
	CHECK_EQ(load_and_arm(), 1);
}

/*
 * Counts modules without names. The library reports them, because a pattern may have
 * selected their functions.
 */
static uint64_t nr_unnamed(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.unnamed;
}

static void replaced(void)
{
	load();
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(nr_unnamed(), 0);
	CHECK_EQ(patchbay_arm(ops, "medla[r]", 0), 1);
	CHECK_EQ(nr_unnamed(), 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
	CHECK_EQ(arm_quince(), -ENOENT);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(arm_quince(), -ENOENT);
	CHECK_EQ(unlink(path), 0);
	CHECK(patchbay_arm(ops, "*", 0) > 1);
	calls = 0;
	quince(1);
	CHECK_EQ(calls, 1);
	CHECK(patchbay_disarm(ops, "*") > 1);
	CHECK_EQ(nr_unnamed(), 1);
	unload();
	CHECK_EQ(nr_unnamed(), 0);
}

/* Names that were read stay with the module, even if its file is replaced. */
static void replaced_later(void)
{
	load();
	CHECK_EQ(arm_quince(), 1);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(arm_quince(), 1);
	CHECK_EQ(nr_unnamed(), 0);
	unload();
}

static void replaced_by_alike(const char *other)
{
	load();
	CHECK_EQ(arm_quince(), 1);
	unload();
	load();
	copy(other, path_of_other);
	CHECK_EQ(rename(path_of_other, path), 0);
	CHECK_EQ(patchbay_arm(ops, "pomelo", 0), -ENOENT);
	CHECK_EQ(arm_quince(), -ENOENT);
	CHECK_EQ(nr_unnamed(), 1);
	unload();
}

static void *last(void *arg)
{
	char exe[PATH_MAX];

	while (readlink("/proc/self/exe", exe, sizeof(exe)) > 0)
		usleep(1000);
	CHECK_EQ(patchbay_arm(ops, "medlar", 0), 1);
	calls = 0;
	medlar(1);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	pthread_t thread;

	CHECK(argc > 1);
	snprintf(path, sizeof(path), "%s.copy", argv[1]);
	unlink(path);
	copy(argv[1], path);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	truncated(argc > 2 ? atoi(argv[2]) : 2000);
	replaced();
	copy(argv[1], path);
	replaced_later();
	if (argc > 4) {
		copy(argv[3], path);
		snprintf(path_of_other, sizeof(path_of_other), "%s.other", path);
		replaced_by_alike(argv[4]);
	}
	CHECK_EQ(pthread_create(&thread, NULL, last, NULL), 0);
	pthread_exit(NULL);
}
#endif
