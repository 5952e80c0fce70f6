/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An update of a static call reaches the tramps of all link units. One static call is
 * the executable's, one a shared object's. The executable, a second shared object and a
 * third one that is loaded later call and update both.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DOWNER -fPIC -shared %s -o %t/libowner.so --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %build -DUSER -fPIC -shared %s -o %t/libuser.so --ld-path=%ld.lld -Wl,--static-calls -L %t -lowner %link
// RUN: %build -DPLUGIN -fPIC -shared %s -o %t/plugin.so --ld-path=%ld.lld -Wl,--static-calls -L %t -lowner %link
// RUN: %build %s -o %t/exe -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls,-rpath,%t,--export-dynamic-symbol=__SCK__verbosity -L %t -luser -lowner %link
// RUN: %t/exe %t/plugin.so | FileCheck %s
// RUN: %build %s -o %t/nopie -fno-pie -no-pie -fno-direct-access-external-data --ld-path=%ld.lld -Wl,--static-calls,-rpath,%t -rdynamic -L %t -luser -lowner %link
// RUN: %t/nopie %t/plugin.so | FileCheck %s
//
// CHECK: 12 updates seen by all

#include <patchbay/static_call.h>

#include "../Inputs/check.h"
#include "../Inputs/tramp.h"

#include <dlfcn.h>
#include <errno.h>

/* The functions of a link unit; their names differ. */
struct unit {
	int (*call)(int);
	int (*tail_call)(int);
	int (*update)(int (*)(int));
	int (*(*query)(void))(int);
	int (*direct)(void);
	int (*target)(int);
	unsigned char (*break_tramp)(unsigned char);
	int (*verbosity)(void);
	int (*set_verbosity)(int (*)(void));
};

#define UNIT_OF(x) x##_unit
#define UNIT(x) UNIT_OF(x)

DECLARE_STATIC_CALL(number, int(int));
DECLARE_STATIC_CALL(verbosity, int(void));
extern struct unit owner_unit, user_unit, plugin_unit;

#if defined(OWNER)
#define NAME owner
#define ADD 1000
#elif defined(USER)
#define NAME user
#define ADD 2000
#elif defined(PLUGIN)
#define NAME plugin
#define ADD 3000
#else
#define NAME executable
#define ADD 4000
#endif

/* Reads a variable, so that the function needs a TOC pointer on targets that have one. */
static volatile int add = ADD;
static int target(int x) { return x + add; }

#ifdef OWNER
DEFINE_EXPORTED_STATIC_CALL(number, target);
#endif

static int call(int x) { return static_call(number)(x) + 1; }
static int tail_call(int x) { return static_call(number)(x); }
static int update(int (*to)(int)) { return static_call_update(number, to); }
static int (*query(void))(int) { return static_call_query(number); }
static int direct(void) { return has_direct_tramp(number); }

/* Changes a byte after the patched bytes, as a debugger's breakpoint does. */
static unsigned char break_tramp(unsigned char byte)
{
	return write_text((unsigned char *)tramp_of(&STATIC_CALL_KEY(number)) +
				  17,
			  byte);
}

#if defined(OWNER) || defined(USER)
/* Two link units do not use the executable's static call. */
#define verbosity_now NULL
#define set_verbosity NULL
#else
static int verbosity_now(void) { return static_call(verbosity)(); }
static int set_verbosity(int (*to)(void))
{
	return static_call_update(verbosity, to);
}
#endif

struct unit UNIT(NAME) = {
	call,	tail_call,   update,	    query,	   direct,
	target, break_tramp, verbosity_now, set_verbosity,
};

#if !defined(OWNER) && !defined(USER) && !defined(PLUGIN)
static int loud(void) { return 2; }
DEFINE_EXPORTED_STATIC_CALL_RET0(verbosity, int(void));

static struct unit *units[] = { &executable_unit, &owner_unit, &user_unit,
				NULL };
static int seen;

static void check(int (*to)(int), int add)
{
	for (struct unit **unit = units; unit != units + 4; unit++) {
		if (!*unit)
			continue;
		CHECK_EQ((*unit)->call(7), 7 + add + 1);
		CHECK_EQ((*unit)->tail_call(7), 7 + add);
		CHECK((*unit)->query() == to);
	}
}

static void update_by(struct unit *by, int (*to)(int), int add)
{
	CHECK_EQ(by->update(to), 0);
	check(to, add);
	seen++;
}

static void update_by_all(void)
{
	update_by(&executable_unit, target, 4000);
	update_by(&user_unit, user_unit.target, 2000);
	CHECK(user_unit.direct());
	CHECK(owner_unit.direct()); /* shared objects are close to each other */
	update_by(&owner_unit, owner_unit.target, 1000);
	CHECK(owner_unit.direct());
	update_by(&user_unit, target, 4000);
	CHECK(executable_unit.direct());
}

static int has_toc(int (*func)(int))
{
#ifdef __powerpc64__
	return *(unsigned short *)((char *)func + 2) == 0x3c4c; /* addis r2,r12 */
#else
	(void)func;
	return 0;
#endif
}

/* If one tramp in the middle is invalid, no tramp is changed. */
static void check_broken(void)
{
	unsigned char byte = user_unit.break_tramp(0x7f);

	CHECK_EQ(owner_unit.update(owner_unit.target), -EILSEQ);
	user_unit.break_tramp(byte);
	check(target, 4000);
	CHECK(executable_unit.direct());
}

int main(int argc, char **argv)
{
	void *handle;

	(void)argc;
	check(owner_unit.target, 1000);
	CHECK(owner_unit.direct());
	CHECK(!user_unit.direct());
	update_by_all();
	check_broken();

	handle = dlopen(argv[1], RTLD_NOW);
	CHECK(handle);
	units[3] = dlsym(handle, "plugin_unit");
	CHECK(units[3]);
	/* The plugin's tramp has not been updated yet, but finds the target. */
	CHECK(!units[3]->direct());
	check(target, 4000);
	update_by_all();
	update_by(units[3], units[3]->target, 3000);
	CHECK(units[3]->direct());
	/*
	 * On ppc64le the plugin's target has another TOC, so the owner's tramp is
	 * indirect.
	 */
	CHECK(owner_unit.direct() == !has_toc(units[3]->target));

	/* Test a static call of the executable. */
	CHECK_EQ(verbosity_now(), 0);
	CHECK_EQ(units[3]->verbosity(), 0);
	CHECK_EQ(units[3]->set_verbosity(loud), 0);
	CHECK_EQ(verbosity_now(), 2);
	CHECK_EQ(units[3]->verbosity(), 2);
	CHECK_EQ(set_verbosity(STATIC_CALL_RET0(verbosity)), 0);
	CHECK_EQ(verbosity_now(), 0);
	CHECK_EQ(units[3]->verbosity(), 0);
	CHECK(has_direct_tramp(verbosity));

	/* After the plugin is unloaded, no tramp points to it. */
	update_by(&owner_unit, owner_unit.target, 1000);
	units[3] = NULL;
	CHECK(!dlclose(handle));
	update_by(&executable_unit, target, 4000);

	/* The plugin is loaded again, with its tramps as linked. */
	handle = dlopen(argv[1], RTLD_NOW);
	CHECK(handle);
	units[3] = dlsym(handle, "plugin_unit");
	CHECK(!units[3]->direct());
	update_by(&user_unit, user_unit.target, 2000);
	CHECK(units[3]->direct());
	printf("%d updates seen by all\n", seen);
	return 0;
}
#endif
