/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that the compiler renamed are found by their source name and by their
 * symbol name, with every type of filter.
 */
// RUN: %build %s -o %t %link -lpatchbay-link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/link.h>
#include <patchbay/names.h>

#include <errno.h>
#include <string.h>

/*
 * All names except larch have a suffix that compilers add. The suffix of larch belongs
 * to its source name.
 */
#define NAMED(name) __asm__(name) OPAQUE
int elm(int a) NAMED("elm.llvm.1527");
int elm(int a) { return a; }
int elm_tree(int a) NAMED("elm_tree.__uniq.8123.llvm.4");
int elm_tree(int a) { return a; }
int fir(int a) NAMED("fir.cfi");
int fir(int a) { return a; }
int oak(int a) NAMED("oak.cold.1");
int oak(int a) { return a; }
int yew(int a) NAMED("yew.part.0");
int yew(int a) { return a; }
int ash(int a) NAMED("ash.specialized.3");
int ash(int a) { return a; }
int larch(int a) NAMED("larch.llvm.x1");
int larch(int a) { return a; }
int box(int a) NAMED("box.7");
int box(int a) { return a; }
int bay(int a) NAMED("_ZL3bayi.__uniq.17.llvm.2");
int bay(int a) { return a; }

enum { ELM = 1, ELM_TREE = 2, FIR = 4, OAK = 8, YEW = 16, ASH = 32,
       LARCH = 64, BOX = 128, BAY = 256, ALL = 511 };

static struct patchbay_ops *ops;
static int called;

static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	int (*const functions[])(int) = { elm, elm_tree, fir, oak,
					  yew, ash, larch, box, bay };

	(void)parent_ip;
	(void)cell;
	(void)regs;
	for (int i = 0; i < 9; i++)
		called |= (ip == (uintptr_t)functions[i]) << i;
}

static int calls(void)
{
	called = 0;
	elm(1);
	elm_tree(1);
	fir(1);
	oak(1);
	yew(1);
	ash(1);
	larch(1);
	box(1);
	bay(1);
	return called;
}

static void selects(struct patchbay_filter filter, int functions)
{
	int nr = __builtin_popcount((unsigned int)functions);

	filter.size = sizeof(filter);
	CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), nr ? nr : -ENOENT);
	CHECK_EQ(calls(), functions);
	if (nr)
		CHECK_EQ(patchbay_disarm_filter(ops, &filter), nr);
	CHECK_EQ(calls(), 0);
}

#define FILTER(...) ((struct patchbay_filter){ __VA_ARGS__ })
#define LIST(...)                                                              \
	.syms = (const char *const[]){ __VA_ARGS__ },                          \
	.cnt = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void filters(void)
{
	const struct patchbay_filter no_elm = { .size = sizeof(no_elm),
						.glob = "elm" };

	selects(FILTER(.glob = "elm"), ELM);
	selects(FILTER(.glob = "elm.llvm.1527"), ELM);
	selects(FILTER(.glob = "elm.llvm"), 0);
	selects(FILTER(.glob = "elm.llvm.*"), ELM);
	selects(FILTER(.glob = "elm*"), ELM | ELM_TREE);
	selects(FILTER(.glob = "*_tree"), ELM_TREE);
	selects(FILTER(.glob = "elm_tree.__uniq.8123"), 0);
	selects(FILTER(.glob = "[ey]??"), ELM | YEW);
	selects(FILTER(.regex = "^(elm|fir)$"), ELM | FIR);
	selects(FILTER(.regex = "cfi$"), FIR);
	selects(FILTER(LIST("elm", "oak", "ash.specialized.3")),
		ELM | OAK | ASH);
	selects(FILTER(LIST("elm.llvm.1527", "elm")), ELM);
	selects(FILTER(.glob = "bay"), BAY);
	selects(FILTER(.glob = "_ZL3bayi"), BAY);
	selects(FILTER(LIST("bay", "fir")), BAY | FIR);
	selects(FILTER(LIST("larch")), 0);
	selects(FILTER(LIST("box")), BOX);
	selects(FILTER(LIST("larch.llvm.x1", "box.7")), LARCH | BOX);
	selects(FILTER(.glob = "elm*", .notrace = &no_elm), ELM_TREE);
}

static int visit(uintptr_t entry, const char *name, void *arg)
{
	char *text = arg;

	if (entry == (uintptr_t)elm || entry == (uintptr_t)fir)
		sprintf(text + strlen(text), "%s ", name);
	return 0;
}

static void names(void)
{
	char text[100] = "";

	CHECK_EQ(patchbay_for_each_name(visit, text), 0);
	CHECK(!strcmp(text, "elm.llvm.1527 fir.cfi "));
}

static void links(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = note };
	const char *const syms[] = { "yew", "elm_tree" };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = syms,
						.cnt = 2 };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };
	struct patchbay_link *link;

	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link),
		 2);
	CHECK_EQ(calls(), YEW | ELM_TREE);
	CHECK_EQ(patchbay_link_destroy(link), 0);
}

static void lengths(void)
{
	static const char *const same[] = {
		"", ".", ".cfi", ".cold.", "a.llvm.", "a.llvm", "a.llvm.1x",
		"a.cold.", "a.colder", "cold", ".1", "a.1x", "a.uniq", "a.cfi_jt",
		".0123456789abcdef0123456789abcdef",
		"a.0123456789abcdef0123456789abcde",
		"a.0123456789abcdef0123456789abcdef0",
		"a.0123456789ABCDEF0123456789abcdef",
		"a0123456789abcdef0123456789abcdef", ".avx2", ".default",
		"a.resolver", "a.ifunc", "a.average", "a._", "a.isra",
		"a.noallocs", "a.omp_outline",
	};
	static const char *const renamed[] = {
		"a.cfi", "a.cold", "a.cold.12", "a.cfi.llvm.3", "a.llvm.3.cfi",
		"a.0123456789abcdef0123456789abcdef.cfi",
		"a.part.1.cold", "a.__uniq.1.llvm.2.cold.3", "a.1", "a.7.resume",
		"a.llvm.99999999999999999999999999", "a.constprop.0",
		"a.isra.0.constprop.12.cold", "a.memprof.3", "a.noalloc",
		"a.resume.noalloc", "a.omp_outlined", "a.omp_outlined.4",
		"a.omp_outlined_debug__", "a.lto_priv.0", "a.localalias",
		"a.avx2.0", "a.sse4.2.1", "a.sse4.1", "a.default.2", "a.default",
		"a.arch_haswell.3", "a.cpu_power10.0", "a._Msve",
		"a._MsveMsve2.llvm.7", "a._zba_zbb", "a.avx2_sse4.2",
	};

	static const char *const not_unique[] = {
		"_ZL3bayi", "_ZL3bayi.llvm.7", "_ZL9bayi.__uniq.7", "_ZL.__uniq.1",
		"_ZL3.__uniq.1", "_ZLx.__uniq.1", "bay.__uniq.1", ".__uniq.1",
		"_ZL99999999999999999999999bay.__uniq.1", "_ZL0bay.__uniq.1", "",
	};
	size_t length;

	for (size_t i = 0; i < sizeof(not_unique) / sizeof(*not_unique); i++)
		CHECK(!patchbay_unique_name(not_unique[i],
					    strlen(not_unique[i]), &length));
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		CHECK_EQ(patchbay_source_name_length(same[i], strlen(same[i])),
			 strlen(same[i]));
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		CHECK_EQ(patchbay_source_name_length(renamed[i],
						     strlen(renamed[i])), 1);
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = note };

	lengths();
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	filters();
	names();
	CHECK_EQ(patchbay_arm(ops, "*", 0) >= 9, 1);
	CHECK_EQ(calls(), ALL);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	links();
	puts("done");
	return 0;
}
