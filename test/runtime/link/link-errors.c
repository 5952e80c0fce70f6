/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links that cannot be attached: errors and their messages, skipped functions. */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// RUN: %build -fno-sanitize=kcfi %s -o %t.plain -lpatchbay-link %link
// RUN: %t.plain | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link-attach.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct large {
	long a[5];
};

OPAQUE int fern_none(void) { return 1; }
OPAQUE int fern_one(int a) { return a; }
OPAQUE int fern_two(int a, int b) { return a + b; }
OPAQUE int fern_three(int a, int b, int c) { return a + b + c; }
OPAQUE void fern_void(int a) { (void)a; }
OPAQUE double fern_double(double a) { return a; }
OPAQUE struct large fern_large(long a)
{
	return (struct large){ { a } };
}
OPAQUE int fern_printf(int a, ...) { return a; }
__attribute__((noinline, noreturn)) void fern_never(int a)
{
	exit(a);
}
OPAQUE int moss_one(int a) { return a + 1; }
int plain_one(int a) __attribute__((no_profile_instrument_function));
OPAQUE int plain_one(int a) { return a; }

PROGRAM(count_twice)
{
	UNUSED_CONTEXT;
	calls += 2;
}

static void check_refused(enum patchbay_link_kind kind,
			  struct patchbay_program program, const char *glob,
			  int error, const char *line)
{
	calls = 0;
	CHECK_EQ(attach(kind, &program, glob, 0), error);
	CHECK(!latest);
	CHECK_LOG(line);
	CHECK_EQ(fern_one(1) + fern_two(1, 1), 3);
	CHECK_EQ(calls, 0);
}

static struct patchbay_program asking_fp(struct patchbay_program program,
					 unsigned int nr_fp_args)
{
	program.flags = 0;
	program.nr_fp_args = nr_fp_args;
	return program;
}

static void test_refused(void)
{
	check_refused(PATCHBAY_FENTRY, asking(fentry, 3, 0), "fern_two",
		      -EDOM,
		      "fern_two: -33: the program reads 3 arguments, the "
		      "function has 2 that are known to be in integer "
		      "registers\n");
	check_refused(PATCHBAY_FENTRY, asking(fentry, ~0u, 0), "fern_two",
		      -EDOM,
		      "fern_two: -33: the program reads 4294967295 arguments, "
		      "the function has 2 that are known to be in integer "
		      "registers\n");
	check_refused(PATCHBAY_FENTRY, asking(fentry, 2, 0), "fern_large",
		      -EDOM,
		      "fern_large: -33: the program reads 2 arguments, the "
		      "function has 1 that are known to be in integer "
		      "registers\n");
	check_refused(PATCHBAY_FENTRY, asking_fp(fentry, 2), "fern_double",
		      -EDOM,
		      "fern_double: -33: the program reads 2 floating-point "
		      "arguments, the function has 1 that are known to be in "
		      "floating-point registers\n");
	check_refused(PATCHBAY_FEXIT, asking_fp(fexit, 1), "fern_printf",
		      -EOPNOTSUPP,
		      "fern_printf: -95: its exit cannot be seen: it is "
		      "variadic\n");
	check_refused(PATCHBAY_FENTRY, asking_fp(asking(fentry, 2, 0), 1),
		      "fern_one", -EDOM,
		      "fern_one: -33: the program reads 2 arguments, the "
		      "function has 1 that are known to be in integer "
		      "registers\n");
	check_refused(PATCHBAY_FEXIT, asking(fexit, 0, PATCHBAY_RETURN_FP),
		      "fern_two", -EPROTOTYPE,
		      "fern_two: -91: the program asks for results that are "
		      "floating-point, the function's is integer\n");
	check_refused(PATCHBAY_FEXIT, asking(fexit, 0, PATCHBAY_RETURN_GP),
		      "fern_void", -EPROTOTYPE,
		      "fern_void: -91: the program asks for results that are "
		      "integer, the function's is void\n");
	check_refused(PATCHBAY_FEXIT, asking(fexit, 0, PATCHBAY_RETURN_VOID),
		      "fern_large", -EPROTOTYPE,
		      "fern_large: -91: the program asks for results that are "
		      "void, the function's is a structure in memory\n");
	check_refused(PATCHBAY_FEXIT, asking(fexit, 0, PATCHBAY_RETURN_GP),
		      "fern_double", -EPROTOTYPE,
		      "fern_double: -91: the program asks for results that are "
		      "integer, the function's is floating-point\n");
	check_refused(PATCHBAY_FEXIT, fexit, "fern_printf", -EOPNOTSUPP,
		      "fern_printf: -95: its exit cannot be seen: it is "
		      "variadic\n");
	check_refused(PATCHBAY_FEXIT, fexit, "fern_never", -EOPNOTSUPP,
		      "fern_never: -95: its exit cannot be seen: it never "
		      "returns\n");
	check_refused(PATCHBAY_FENTRY, fentry, "no_such_*", -ENOENT,
		      "no_such_*: -2: no traceable function matches: another "
		      "name (mangled in C++), inlined, or compiled without the "
		      "plugin\n");
	check_refused(PATCHBAY_FENTRY, fentry, "plain_one", -ENOENT,
		      "plain_one: -2: no traceable function matches: another "
		      "name (mangled in C++), inlined, or compiled without the "
		      "plugin\n");
}

#define BAD_FILTER                                                             \
	"-: -22: an invalid filter: not exactly one selector, an invalid "      \
	"regular expression, or addresses with future modules: see "           \
	"<patchbay/filter.h>\n"

static void test_misuse(void)
{
	const struct patchbay_filter bad_regex = { .size = sizeof(bad_regex),
						   .regex = "(" };
	const struct patchbay_program exit_and_entry = {
		.size = sizeof(exit_and_entry), .entry = count, .exit = count
	};
	const struct patchbay_program none = { .size = sizeof(none) };
	struct patchbay_program bad = fentry;
	struct patchbay_link_opts opts = { .size = PATCHBAY_LINK_OPTS_SIZE_VER0 - 1 };

#define MISUSE(kind, program, words)                                           \
	check_refused(kind, program, "fern_one", -EINVAL,                      \
		      "-: -22: " words "\n")
	MISUSE((enum patchbay_link_kind)17, fentry, "unknown kind of link");
	MISUSE(PATCHBAY_FENTRY, exit_and_entry,
	       "a program for entries has an exit handler");
	MISUSE(PATCHBAY_MODIFY_RETURN, exit_and_entry,
	       "a program for entries has an exit handler");
	MISUSE(PATCHBAY_FEXIT, exit_and_entry,
	       "a program for exits has an entry handler");
	MISUSE(PATCHBAY_FEXIT, none, "a program without an exit handler");
	MISUSE(PATCHBAY_SESSION, fentry, "a program without an exit handler");
	MISUSE(PATCHBAY_SESSION, fexit, "a program without an entry handler");
	MISUSE(PATCHBAY_FENTRY, none, "a program without an entry handler");
	bad.flags = 1u << 9;
	MISUSE(PATCHBAY_FENTRY, bad, "unknown flags of a program");
	bad = asking(fentry, 0, (enum patchbay_return)9);
	MISUSE(PATCHBAY_FENTRY, bad, "unknown kind of result");
	bad = asking_fp(fentry, 1);
	bad.flags = PATCHBAY_OPS_FAST;
	MISUSE(PATCHBAY_FENTRY, bad,
	       "a PATCHBAY_OPS_FAST program reads floating-point arguments");
	bad = fentry;
	bad.size = PATCHBAY_PROGRAM_SIZE_VER0 - 1;
	MISUSE(PATCHBAY_FENTRY, bad, "a program of another size");
	CHECK_EQ(attach(PATCHBAY_FENTRY, &fentry, "fern_one", 1u << 9),
		 -EINVAL);
	CHECK_LOG("-: -22: unknown flags of a link\n");
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry,
			     (struct patchbay_link_opts){ 0 }),
		 -EINVAL);
	CHECK_LOG("-: -22: no filter\n");
	CHECK_EQ(attach(PATCHBAY_FENTRY, &fentry, NULL, 0), -EINVAL);
	CHECK_LOG(BAD_FILTER);
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry,
			     (struct patchbay_link_opts){ .filter = &bad_regex }),
		 -EINVAL);
	CHECK_LOG(BAD_FILTER);
	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &fentry, &opts, &latest),
		 -EINVAL);
}

/* The error for a list names the symbol or address that does not exist. */
static void test_lists(void)
{
	const char *syms[] = { "fern_one", "fern_two", "moss_one", "plain_one",
			       "fern_three", "no_such" };
	void *cookies[6] = { 0 };
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .syms = syms,
					  .cnt = 6 };
	const struct patchbay_link_opts opts = { .filter = &filter };
	uintptr_t addrs[] = { (uintptr_t)fern_one, (uintptr_t)fern_two + 1 };

	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry, opts), -ENOENT);
	CHECK(!strncmp(logged, "plain_one: -2: ", 15));
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry,
			     (struct patchbay_link_opts){
				     .filter = &filter,
				     .flags = PATCHBAY_LINK_SKIP_INVALID }),
		 4);
	CHECK_LOG("");
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	filter.cookies = cookies;
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry,
			     (struct patchbay_link_opts){ .filter = &filter,
							  .cookie = &calls }),
		 -EINVAL);
	CHECK_LOG("-: -22: cookies both in the filter and in the options\n");
	filter = (struct patchbay_filter){ .size = sizeof(filter),
					   .glob = "fern_one",
					   .cookies = cookies };
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry, opts), -EINVAL);
	filter = (struct patchbay_filter){ .size = sizeof(filter),
					   .addrs = addrs,
					   .cnt = 2 };
	CHECK_EQ(attach_opts(PATCHBAY_FENTRY, &fentry, opts), -ENOENT);
	CHECK(!strncmp(logged, "-: -2: ", 7));
}

/* Attaches to all functions or none, or to as many functions as possible. */
static void test_skip(void)
{
	const struct patchbay_program two = asking(fentry, 2, 0);
	struct patchbay_program sessions = { .size = sizeof(sessions),
					     .entry = count,
					     .exit = count_twice,
					     .result = PATCHBAY_RETURN_GP };

	calls = 0;
	CHECK_EQ(attach(PATCHBAY_FENTRY, &two, "fern_t*", 0), 2);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FENTRY, &two, "fern_*", 0), -EDOM);
	CHECK_EQ(fern_two(1, 2), 3);
	CHECK_EQ(calls, 0);
	CHECK_EQ(attach(PATCHBAY_FENTRY, &two, "fern_*",
			PATCHBAY_LINK_SKIP_INVALID),
		 2);
	CHECK(strstr(logged, "fern_one: -33: "));
	CHECK(strstr(logged, "fern_printf: -33: "));
	CHECK(!strstr(logged, "fern_t"));
	CHECK_EQ(fern_one(1) + fern_two(1, 2), 4);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);

	CHECK_EQ(attach(PATCHBAY_SESSION, &sessions, "fern_*",
			PATCHBAY_LINK_SKIP_INVALID),
		 4);
	CHECK(strstr(logged, "fern_never: -95: "));
	CHECK(strstr(logged, "fern_large: -91: "));
	calls = 0;
	CHECK_EQ(fern_none() + fern_three(1, 2, 3), 7);
	CHECK_EQ(calls, 6);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_never",
			PATCHBAY_LINK_SKIP_INVALID),
		 -ENOENT);
	CHECK_LOG("fern_never: -95: its exit cannot be seen: it never "
		  "returns\n");
}

/*
 * Attaching one exit too many fails. The error names the function, and existing links
 * are unchanged.
 */
static void test_many(void)
{
	struct patchbay_link *links[PATCHBAY_EXIT_MAX];

	for (int i = 0; i < PATCHBAY_EXIT_MAX; i++) {
		CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_two", 0), 1);
		links[i] = latest;
	}
	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_t*", 0), -E2BIG);
	CHECK(!strncmp(logged, "fern_two: -7: ", 14));
	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_t*",
			PATCHBAY_LINK_SKIP_INVALID),
		 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	calls = 0;
	CHECK_EQ(fern_two(1, 2), 3);
	CHECK_EQ(calls, PATCHBAY_EXIT_MAX);
	for (int i = 0; i < PATCHBAY_EXIT_MAX; i++)
		CHECK_EQ(patchbay_link_destroy(links[i]), 0);
}

static int find_site(const struct patchbay_site_info *site, void *arg)
{
	uintptr_t *place = arg;

	if (site->entry != *place)
		return 0;
	*place = site->site;
	return 1;
}

/*
 * Attaching to a site that another writer has changed fails, and the error names the
 * function.
 */
static void test_foreign(void)
{
	uintptr_t site = (uintptr_t)fern_two;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint32_t was, strange = 0x12345678;

	CHECK_EQ(patchbay_for_each_site(find_site, &site), 1);
	memcpy(&was, (const void *)site, sizeof(was));
	CHECK_EQ(pwrite(mem, &strange, sizeof(strange), (off_t)site),
		 sizeof(strange));
	CHECK_EQ(attach(PATCHBAY_FENTRY, &fentry, "fern_t*", 0), -EILSEQ);
	CHECK_LOG("fern_two: -84: the function's site was changed by other "
		  "code, such as a debugger or a uprobe\n");
	CHECK_EQ(attach(PATCHBAY_FENTRY, &fentry, "fern_t*",
			PATCHBAY_LINK_SKIP_INVALID),
		 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(pwrite(mem, &was, sizeof(was), (off_t)site), sizeof(was));
	close(mem);
}

static void test_strerror(void)
{
	static const int errors[] = { EINVAL, E2BIG, ENOENT, EDOM, EPROTOTYPE,
				      EOPNOTSUPP, ENOLINK, EILSEQ, ERANGE,
				      EDEADLK, EACCES, ENOMEM, ENODEV,
				      EAGAIN, ETIMEDOUT };
	const char *other = patchbay_link_strerror(-EMFILE);

	CHECK(!strcmp(patchbay_link_strerror(0), "no error"));
	CHECK(!strcmp(patchbay_link_strerror(3), "no error"));
	CHECK(strstr(other, "strerror()"));
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const char *one = patchbay_link_strerror(-errors[i]);

		CHECK(strcmp(one, other));
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(one, patchbay_link_strerror(-errors[j])));
	}
}

int main(void)
{
	test_refused();
	test_misuse();
	test_lists();
	test_skip();
	test_many();
	test_foreign();
	test_strerror();
	CHECK(!cookie_seen);
	puts("done");
	return 0;
}
