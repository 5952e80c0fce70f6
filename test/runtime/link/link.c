/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Links work: errors and their messages, updates, order, links and tracers together on
 * a function, and information about a link.
 */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// RUN: %build -fno-sanitize=kcfi %s -o %t.plain -lpatchbay-link %link
// RUN: %t.plain | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Is the body skipped if a program may replace the result? */
#ifdef __x86_64__
#define NO_BODY_CALL 1
#else
#define NO_BODY_CALL 0
#endif

/* On ppc64le doubles use up integer registers, so these locations are unknown. */
#ifdef __powerpc64__
#define INTEGER_ARGS 0
#else
#define INTEGER_ARGS 1
#endif

struct large {
	long a[5];
};

OPAQUE int fern_none(void) { return 1; }
OPAQUE int fern_one(int a) { return a; }
OPAQUE int fern_two(int a, int b) { return a + b; }
OPAQUE int fern_three(int a, int b, int c) { return a + b + c; }
OPAQUE void fern_void(int a) { (void)a; }
OPAQUE double fern_double(double a) { return a; }
OPAQUE double moor_scale(int a, double b, float c) { return a * b * c; }
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
OPAQUE void *rush_caller(void) { return __builtin_return_address(0); }
OPAQUE int moss_two(int a) { return a + 2; }
int plain_one(int a) __attribute__((no_profile_instrument_function));
OPAQUE int plain_one(int a) { return a; }

static int calls, arg_sum;
static void *cookie_seen;
static char order[16];

PROGRAM(count)
{
	UNUSED_CONTEXT;
	calls++;
	cookie_seen = patchbay_get_attach_cookie(cell);
}
PROGRAM(count_twice)
{
	UNUSED_CONTEXT;
	calls += 2;
}
PROGRAM(sum_args)
{
	UNUSED_CONTEXT;
	arg_sum += (int)patchbay_get_func_arg(cell, regs, 0);
}
/* Reads arguments from registers other than general ones. */
static double scaled;

static void see_scale(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	UNUSED_CONTEXT;
	CHECK_EQ(patchbay_get_func_fp_arg_cnt(cell), 2);
	scaled = INTEGER_ARGS * (int)patchbay_get_func_arg(cell, regs, 0) +
		 patchbay_get_func_arg_double(regs, 0) +
		 (double)patchbay_get_func_arg_float(regs, 1);
}

/* Appends the cookie, a letter, to the log. */
PROGRAM(write_order)
{
	int i = 0;

	UNUSED_CONTEXT;
	while (order[i])
		i++;
	order[i] = (char)(uintptr_t)patchbay_get_attach_cookie(cell);
}
PROGRAM(override)
{
	UNUSED_CONTEXT;
	patchbay_override_return(regs, (uintptr_t)cell->data);
}

/*
 * Replaces the result if the argument is larger than the cookie, and adds 100 to the
 * argument.
 */
PROGRAM(change)
{
	uint64_t *arg = patchbay_regs_gp(regs, 0);

	UNUSED_CONTEXT;
	if (*arg > (uintptr_t)cell->data)
		patchbay_override_return(regs, 1000);
	*arg += 100;
}

static const struct patchbay_program fentry = { .size = sizeof(fentry),
						.flags = PATCHBAY_OPS_FAST,
						.entry = count };
static const struct patchbay_program fexit = { .size = sizeof(fexit),
					       .flags = PATCHBAY_OPS_FAST,
					       .exit = count };

/* Prints the log, one line per entry. */
static char logged[4096];

static void log_line(void *arg, const char *name, uintptr_t entry, int error,
		     const char *reason)
{
	size_t length = strlen(logged);

	CHECK(arg == logged);
	(void)entry;
	snprintf(logged + length, sizeof(logged) - length, "%s: %d: %s\n",
		 name ? name : "-", error, reason);
}

static struct patchbay_link *latest;

static int attach_opts(enum patchbay_link_kind kind,
		       const struct patchbay_program *program,
		       struct patchbay_link_opts opts)
{
	opts.size = sizeof(opts);
	opts.log = log_line;
	opts.log_arg = logged;
	logged[0] = 0;
	latest = NULL;
	return patchbay_link_attach(kind, program, &opts, &latest);
}

static int attach(enum patchbay_link_kind kind,
		  const struct patchbay_program *program, const char *glob,
		  unsigned int flags)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = glob };

	return attach_opts(kind, program,
			   (struct patchbay_link_opts){ .filter = &filter,
							.flags = flags });
}

#define CHECK_LOG(text)                                                        \
	do {                                                                   \
		if (strcmp(logged, text)) {                                    \
			printf("%s:%d: the log is\n%s", __FILE__, __LINE__,    \
			       logged);                                        \
			exit(1);                                               \
		}                                                              \
	} while (0)

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

static struct patchbay_program asking(struct patchbay_program program,
				      unsigned int nr_args,
				      enum patchbay_return result)
{
	program.nr_args = nr_args;
	program.result = result;
	return program;
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

static void test_update(void)
{
	const struct patchbay_program one = { .size = sizeof(one),
					      .flags = PATCHBAY_OPS_FAST,
					      .entry = sum_args,
					      .nr_args = 1 };
	struct patchbay_program next = one, small = one;

	CHECK_EQ(attach(PATCHBAY_FENTRY, &one, "moss_*", 0), 2);
	arg_sum = calls = 0;
	CHECK_EQ(moss_one(5) + moss_two(6), 14);
	CHECK_EQ(arg_sum, 11);
	next.entry = count;
	next.nr_args = 0;
	CHECK_EQ(patchbay_link_update(latest, &next), 0);
	CHECK_EQ(moss_one(5), 6);
	CHECK_EQ(arg_sum, 11);
	CHECK_EQ(calls, 1);
	/* An update may keep the requirements or relax them. */
	CHECK_EQ(patchbay_link_update(latest, &one), 0);
	next.nr_args = 2;
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	next = asking(one, 0, PATCHBAY_RETURN_GP);
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	next = one;
	next.flags = 0;
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	CHECK_EQ(patchbay_link_update(latest, &fexit), -EINVAL);
	small.size = PATCHBAY_PROGRAM_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_link_update(latest, &small), -EINVAL);
	CHECK_EQ(moss_one(5), 6);
	CHECK_EQ(arg_sum, 16);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
}

/* Reads integer and floating-point arguments, at the entry and at the exit. */
static void test_floating(void)
{
	struct patchbay_program program = { .size = sizeof(program),
					    .entry = see_scale,
					    .nr_args = INTEGER_ARGS,
					    .nr_fp_args = 2 };
	struct patchbay_program more = program;

	CHECK_EQ(attach(PATCHBAY_FENTRY, &program, "moor_*", 0), 1);
	CHECK(moor_scale(2, 1.25, 3.5f) == 8.75);
	CHECK(scaled == INTEGER_ARGS * 2 + 4.75);
	more.nr_fp_args = 3;
	CHECK_EQ(patchbay_link_update(latest, &more), -EINVAL);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	program.exit = program.entry;
	program.entry = NULL;
	scaled = 0;
	CHECK_EQ(attach(PATCHBAY_FEXIT, &program, "m??r_*", 0), 1);
	CHECK(moor_scale(-4, 0.5, 8) == -16);
	CHECK(scaled == INTEGER_ARGS * -4 + 8.5);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FEXIT, &program, "mo*",
			PATCHBAY_LINK_SKIP_INVALID),
		 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
}

static void test_info(void)
{
	struct patchbay_link_info info = { .size = sizeof(info) };
	struct patchbay_link_info small = { .size = PATCHBAY_LINK_INFO_SIZE_VER0 - 1 };

	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_t*",
			PATCHBAY_LINK_SKIP_INVALID),
		 2);
	CHECK_EQ(patchbay_link_get_info(latest, &small), -EINVAL);
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0);
	CHECK_EQ(info.kind, PATCHBAY_FEXIT);
	CHECK_EQ(info.flags, PATCHBAY_LINK_SKIP_INVALID);
	CHECK(info.program.exit == count && !info.program.entry);
	CHECK_EQ(info.attached, 2);
	CHECK_EQ(info.nmissed, 0);
	calls = 0;
	CHECK_EQ(patchbay_link_detach(latest), 0);
	CHECK_EQ(fern_two(1, 2), 3);
	CHECK_EQ(calls, 0);
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0);
	CHECK_EQ(info.attached, 0);
	CHECK_EQ(patchbay_link_detach(latest), -ENOLINK);
	CHECK_EQ(patchbay_link_update(latest, &fexit), -ENOLINK);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(patchbay_link_destroy(NULL), 0);
}

static void check_order(const char *expected)
{
	memset(order, 0, sizeof(order));
	CHECK_EQ(moss_one(1), 2);
	CHECK(!strcmp(order, expected));
}

/*
 * Attaches a tracer and links of every type to one function and to many. Entries run in
 * the order of attaching, exits in reverse order, each with its own cookie.
 */
static void test_order(void)
{
	static const enum patchbay_link_kind kinds[] = {
		PATCHBAY_FENTRY, PATCHBAY_SESSION, PATCHBAY_MODIFY_RETURN,
		PATCHBAY_FEXIT, PATCHBAY_SESSION, PATCHBAY_FENTRY,
	};
	static const char *const globs[] = { "moss_one", "moss_*", "moss_one",
					     "moss_*", "moss_one", "moss_*" };
	struct patchbay_link *links[6];
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = write_order,
					  .data = (void *)(uintptr_t)'t' };
	struct patchbay_ops *ops;

	for (int i = 0; i < 6; i++) {
		struct patchbay_program program = {
			.size = sizeof(program),
			.flags = i % 2 ? PATCHBAY_OPS_FAST : 0,
			.entry = kinds[i] == PATCHBAY_FEXIT ? NULL :
							      write_order,
			.exit = kinds[i] == PATCHBAY_FEXIT ||
						kinds[i] == PATCHBAY_SESSION ?
					write_order :
					NULL,
		};
		const struct patchbay_filter filter = { .size = sizeof(filter),
							.glob = globs[i] };

		CHECK_EQ(attach_opts(kinds[i], &program,
				     (struct patchbay_link_opts){
					     .filter = &filter,
					     .cookie = (void *)(uintptr_t)(
						     'a' + i) }),
			 strcmp(globs[i], "moss_*") ? 1 : 2);
		links[i] = latest;
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "moss_one", 0), 1);
	check_order("abceftedb");
	memset(order, 0, sizeof(order));
	CHECK_EQ(moss_two(1), 3);
	CHECK(!strcmp(order, "bfdb"));
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_link_destroy(links[0]), 0);
	CHECK_EQ(patchbay_link_destroy(links[3]), 0);
	check_order("bcefeb");
	CHECK_EQ(patchbay_link_destroy(links[1]), 0);
	check_order("cefe");
	CHECK_EQ(patchbay_link_destroy(links[2]), 0);
	check_order("efe");
	CHECK_EQ(patchbay_link_destroy(links[4]), 0);
	check_order("f");
	CHECK_EQ(patchbay_link_destroy(links[5]), 0);
}

/*
 * If several programs override the result, the last one wins. All of them are called.
 */
static void test_override(void)
{
	struct patchbay_program program = { .size = sizeof(program),
					    .flags = PATCHBAY_OPS_FAST,
					    .entry = override,
					    .result = PATCHBAY_RETURN_GP };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "fern_one" };
	struct patchbay_link *links[2];

	for (uintptr_t i = 0; i < 2; i++) {
		CHECK_EQ(attach_opts(PATCHBAY_MODIFY_RETURN, &program,
				     (struct patchbay_link_opts){
					     .filter = &filter,
					     .cookie = (void *)(70 + i) }),
			 1);
		links[i] = latest;
		CHECK_EQ(fern_one(3), (int)(70 + i));
	}
	CHECK_EQ(patchbay_link_destroy(links[1]), 0);
	CHECK_EQ(fern_one(3), 70);
	CHECK_EQ(patchbay_link_destroy(links[0]), 0);
	CHECK_EQ(fern_one(3), 3);
}

/*
 * The body receives the argument that the program stored, whether the link is alone on
 * its function or not.
 */
static void test_change(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .flags = PATCHBAY_OPS_FAST,
						  .entry = change };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "moss_one" };
	struct patchbay_link *changing;

	CHECK_EQ(attach_opts(PATCHBAY_MODIFY_RETURN, &program,
			     (struct patchbay_link_opts){
				     .filter = &filter,
				     .cookie = (void *)10 }),
		 1);
	changing = latest;
	for (int others = 0; others < 2; others++) {
		if (others)
			CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "moss_one", 0),
				 1);
		calls = 0;
		CHECK_EQ(moss_one(5), 106);
		CHECK_EQ(moss_one(11), 1000);
		CHECK_EQ(moss_one(6), 107);
		CHECK_EQ(calls, 3 * others);
	}
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(moss_one(5), 106);
	CHECK_EQ(patchbay_link_destroy(changing), 0);
	CHECK_EQ(moss_one(5), 6);
}

/* The only function that calls rush_caller(). */
static __attribute__((noinline)) void *caller_of_rush(void)
{
	void *caller = rush_caller();

	__asm__ volatile("");
	return caller;
}

/* Without an exit program, no trampoline is between the function and its caller. */
static void test_caller(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .flags = PATCHBAY_OPS_FAST,
						  .entry = count };
	void *caller = caller_of_rush();

	CHECK_EQ(attach(PATCHBAY_MODIFY_RETURN, &program, "rush_*", 0), 1);
	calls = 0;
	CHECK_EQ(caller_of_rush() == caller, NO_BODY_CALL);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "rush_*", 0), 1);
	CHECK(caller_of_rush() != caller);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK(caller_of_rush() == caller);
	CHECK_EQ(calls, 2);
}

/* Calls of the library from inside a program fail and change nothing. */
static void meddle(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	struct patchbay_link_info info = { .size = sizeof(info) };
	struct patchbay_program program = { .size = sizeof(program),
					    .entry = meddle };

	UNUSED_CONTEXT;
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0); /* allowed, because it only reads */
	CHECK_EQ(patchbay_link_update(latest, &program), -EDEADLK);
	CHECK_EQ(patchbay_link_detach(latest), -EDEADLK);
	CHECK_EQ(patchbay_link_destroy(latest), -EDEADLK);
	calls++;
}

static void test_inside(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = meddle };

	CHECK_EQ(attach(PATCHBAY_FENTRY, &program, "moss_one", 0), 1);
	calls = 0;
	CHECK_EQ(moss_one(1), 2);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
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
	test_update();
	test_floating();
	test_info();
	test_order();
	test_override();
	test_change();
	test_caller();
	test_inside();
	test_strerror();
	CHECK(!cookie_seen);
	puts("done");
	return 0;
}
