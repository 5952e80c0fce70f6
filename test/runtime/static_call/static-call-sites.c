/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * static_call_patch_sites() patches call sites, and restores them. A site points to the
 * target if the site's displacement can be written atomically. If the target is out of
 * reach, NULL or RET0, the site points to the tramp. If a site has unknown bytes, an
 * update fails before it changes anything. A shared object that is loaded later starts
 * with its tramps.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -fno-sanitize=kcfi -DPLUGIN -fPIC -shared %s -o %t/plugin.so --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %build -fno-sanitize=kcfi %s -o %t/exe -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t/exe %t/plugin.so | FileCheck %s
// RUN: %build -fno-sanitize=kcfi -fno-plt %s -o %t/noplt -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t/noplt %t/plugin.so | FileCheck %s
// CHECK: all sites checked 12 times

#include <patchbay/static_call.h>

#include "../Inputs/check.h"
#include "../Inputs/tramp.h"

#include <dlfcn.h>
#include <errno.h>

static long one(long x) { return x + 1; }
static long two(long x) { return x + 2; }

#ifdef PLUGIN
DEFINE_STATIC_CALL(own, one);
long plugin_call(long x) { return static_call(own)(x) + 0; }
int plugin_update(void) { return static_call_update(own, two); }
int plugin_is_direct(void)
{
	const unsigned char *site;

	CHECK_EQ(sites_of(&STATIC_CALL_KEY(own), &site, 1), 1);
	return branch_target(site) == static_call_query(own);
}

#else
DEFINE_STATIC_CALL(number, one);
DEFINE_STATIC_CALL(other, two);

typedef long function(long);
function jump, jump_if_not_0;

/* Calls whose displacements have every offset in a word of 8 bytes, then jumps. */
#if defined(__x86_64__)
__asm__(".text\n"
	".irp place, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	.p2align 3\n"
	"call_\\place:\n"
	"	push %rax\n"
	"	.fill (\\place + 6) % 8, 1, 0x90\n"
	"	call __SCT__number\n"
	"	pop %rcx\n"
	"	ret\n"
	".endr\n"
	"	.p2align 3\n"
	"jump_if_not_0:\n"
	"	test %edi, %edi\n"
	"	jne __SCT__number\n"
	"	ud2\n"
	"	nop\n"
	"jump:\n"
	"	.p2align 3, 0x90\n"
	"	nopl (%rax)\n"
	"	jmp __SCT__number\n");
function call_0, call_1, call_2, call_3, call_4, call_5, call_6, call_7;
static function *const callers[] = { call_0, call_1, call_2, call_3,
				     call_4, call_5, call_6, call_7,
				     jump,   jump_if_not_0 };
#elif defined(__aarch64__)
__asm__(".text\n"
	"call:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	bl __SCT__number\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	"jump:\n"
	"	b __SCT__number\n");
function call;
static function *const callers[] = { call, jump };
#endif

#define NR_CALLERS (int)(sizeof(callers) / sizeof(*callers))

static int in_c(long x) { return (int)static_call(number)(x) + 0; }

/* Can a single write change @site? */
static int is_in_word(const unsigned char *site)
{
#ifdef __x86_64__
	return (uintptr_t)(site + displacement_of(site)) % 8 <= 4;
#else
	(void)site;
	return 1;
#endif
}

static const unsigned char *sites[NR_CALLERS + 2];
static int nr_sites, checked;

#define NOTHING -1

/*
 * Checks that all calls go to @func, which returns @result for 10. Also checks whether
 * the calls are direct.
 */
static void check(function *func, long result, int directly)
{
	const void *tramp = tramp_of(&STATIC_CALL_KEY(number));
	int nr[2] = { 0 };

	CHECK(static_call_query(number) == func);
	for (int i = 0; i < nr_sites; i++) {
		int direct = directly && is_in_word(sites[i]);

		CHECK(branch_target(sites[i]) ==
		      (direct ? (const void *)func : tramp));
		nr[direct]++;
	}
	if (directly) {
		CHECK(nr[1] > 2);
#ifdef __x86_64__
		CHECK(nr[0] > 2);
#endif
	}
	for (int i = 0; i < NR_CALLERS; i++)
		CHECK(callers[i](10) == result || result == NOTHING);
	CHECK(in_c(10) == result || result == NOTHING);
	CHECK_EQ(static_call(other)(10), 12);
	checked++;
}

static void update(function *func)
{
	CHECK_EQ(static_call_update(number, func), 0);
}

/*
 * The offset of the opcode, which a debugger's breakpoint would change, in a call or jump.
 */
#ifdef __x86_64__
#define OPCODE 0
#else
#define OPCODE 3
#endif

static void check_breakpoint(void)
{
	const unsigned char *site = NULL, *before = NULL;
	unsigned char byte;

	for (int i = 0; i < nr_sites; i++) {
		if (!is_in_word(sites[i]))
			continue;
		before = site;
		site = sites[i];
	}
	byte = write_text(site + OPCODE, 0xcc);
	CHECK_EQ(static_call_update(number, one), -EILSEQ);
	CHECK(static_call_query(number) == two);
	CHECK(branch_target(before) == two);
	CHECK_EQ(static_call_patch_sites(0), -EILSEQ);
	write_text(site + OPCODE, byte);
	CHECK_EQ(static_call_patch_sites(1), 0);
}

static void check_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);
	function *call = (function *)dlsym(plugin, "plugin_call");
	int (*is_direct)(void) = (int (*)(void))dlsym(plugin, "plugin_is_direct");
	int (*update)(void) = (int (*)(void))dlsym(plugin, "plugin_update");

	CHECK(call && is_direct && update);
	CHECK(!is_direct());
	CHECK_EQ(call(1), 2);
	CHECK_EQ(static_call_patch_sites(1), 0);
	CHECK(is_direct());
	CHECK_EQ(call(1), 2);
	CHECK_EQ(update(), 0);
	CHECK(is_direct());
	CHECK_EQ(call(1), 3);
	CHECK_EQ(dlclose(plugin), 0);
}

int main(int argc, char **argv)
{
#ifdef __x86_64__
	const int by_default = 0;
#else
	const int by_default = 1;
#endif

	CHECK_EQ(argc, 2);
	nr_sites = sites_of(&STATIC_CALL_KEY(number), sites, NR_CALLERS + 2);
	CHECK_EQ(nr_sites, NR_CALLERS + 1);
	check(one, 11, 0);
	update(two);
	check(two, 12, by_default);
	CHECK_EQ(static_call_patch_sites(1), 0);
	check(two, 12, 1);
	update(one);
	check(one, 11, 1);
	update(NULL);
	check(NULL, NOTHING, 0);
	update(STATIC_CALL_RET0(number));
	check(STATIC_CALL_RET0(number), 0, 0);
	/* A second request has nothing to do. */
	CHECK_EQ(static_call_patch_sites(1), 0);
	update(labs); /* out of reach */
	check(labs, 10, 0);
	update(two);
	check(two, 12, 1);
	check_breakpoint();
	check(two, 12, 1);
	check_plugin(argv[1]);
	update(one);
	check(one, 11, 1);
	CHECK_EQ(static_call_patch_sites(0), 0);
	check(one, 11, 0);
	update(two);
	check(two, 12, 0);
	printf("all sites checked %d times\n", checked);
	return 0;
}
#endif
