/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Floating-point results are unchanged under tracers that do not read them
 * (PATCHBAY_OPS_NO_RESULT_FP), although the exit path does not save these registers.
 * Slow paths save them, because C library functions may overwrite all registers. The
 * test replaces a C library function by one that does.
 */
// RUN: %build %s -o %t.sse %link
// RUN: timeout 600 %t.sse | FileCheck %s
// RUN: %build -mavx %s -o %t.avx %link
// RUN: timeout 600 %t.avx | FileCheck %s
// RUN: %build -mavx512f %s -o %t.avx512 %link
// RUN: timeout 600 %t.avx512 | FileCheck %s
// CHECK: {{^}}{{done|skipped: this processor has no avx(512f)?}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <complex.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS
#define TRAP_FLAG 0x100

#if defined(__AVX512F__)
#define ISA "avx512f"
#define SET_ALL "vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n"
#elif defined(__AVX__)
#define ISA "avx"
#define SET_ALL "vcmptrueps %%ymm\\n, %%ymm\\n, %%ymm\\n"
#else
#define ISA "sse2"
#define SET_ALL "pcmpeqd %%xmm\\n, %%xmm\\n"
#endif

/*
 * Overwrites all registers of floating-point and vector results, as any function may.
 */
NOT_TRACED static void spoil(void)
{
	__asm__ volatile(".irp n,0,1,2,3,4,5,6,7\n" SET_ALL "\n"
			 "fldz\n"
			 ".endr\n"
			 "fninit\n" ::
				 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
				   "xmm6", "xmm7");
}

/* The library calls this function in a thread's first traced call. */
static atomic_int spoiled;
NOT_TRACED __attribute__((no_sanitize("kcfi"))) int pthread_setspecific(pthread_key_t key,
								      const void *value)
{
	int (*next)(pthread_key_t, const void *) =
		(int (*)(pthread_key_t, const void *))dlsym(RTLD_NEXT,
							    "pthread_setspecific");
	int result = next(key, value);

	spoil();
	spoiled++;
	return result;
}

struct doubles {
	double a, b;
};
struct floats {
	float a, b, c;
};
struct mixed {
	long a;
	double b;
};
typedef double vec128 __attribute__((vector_size(16)));
typedef double vec256 __attribute__((vector_size(32)));
typedef double vec512 __attribute__((vector_size(64)));

#define SSE_KINDS(X)                                                           \
	X(real, float, 1.5f)                                                   \
	X(real, double, -2.25)                                                 \
	X(real, long_double, 3.125L)                                           \
	X(real, complex_float, 1.5f + 2.5f * I)                                \
	X(real, complex_double, 3.5 + 4.5 * I)                                 \
	X(real, complex_long_double, 5.5L + 6.5L * I)                          \
	X(bytes, doubles, { 7.5, 8.5 })                                        \
	X(bytes, floats, { 1.25f, 2.25f, 3.25f })                              \
	X(bytes, mixed, { 9, 9.5 })                                            \
	X(bytes, vec128, { 1.5, 2.5 })
#ifdef __AVX__
#define AVX_KINDS(X) X(bytes, vec256, { 1.5, 2.5, 3.5, 4.5 })
#else
#define AVX_KINDS(X)
#endif
#ifdef __AVX512F__
#define AVX512_KINDS(X)                                                        \
	X(bytes, vec512, { 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5 })
#else
#define AVX512_KINDS(X)
#endif
#define KINDS(X) SSE_KINDS(X) AVX_KINDS(X) AVX512_KINDS(X)

typedef long double long_double;
typedef float _Complex complex_float;
typedef double _Complex complex_double;
typedef long double _Complex complex_long_double;
typedef struct doubles doubles;
typedef struct floats floats;
typedef struct mixed mixed;

#define real_differs(a, b) ((a) != (b))
#define bytes_differs(a, b) memcmp(&(a), (const void *)&(b), sizeof(a))

/* What each traced function does before it returns. */
static void (*at_body)(void);
NOT_TRACED static void body(void)
{
	if (at_body)
		at_body();
}

#define KIND(compare, type, ...)                                               \
	volatile type the_##type = __VA_ARGS__;                                \
	OPAQUE type fp_##type(void)                                            \
	{                                                                      \
		body();                                                        \
		return the_##type;                                             \
	}                                                                      \
	NOT_TRACED static const char *check_##type(void)                       \
	{                                                                      \
		type found = fp_##type();                                      \
                                                                               \
		return compare##_differs(found, the_##type) ? #type : NULL;    \
	}
KINDS(KIND)

/*
 * A check calls one function. If the result is wrong, the check returns the name of the
 * result's type.
 */
typedef const char *check(void);
#define CHECK_KIND(compare, type, ...) check_##type,
static check *const checks[] = { KINDS(CHECK_KIND) };
#define NR_KINDS (sizeof(checks) / sizeof(checks[0]))

static atomic_int exits;

FAST static void enter(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip;
	*patchbay_session_word(cell, regs) = ip;
}

FAST static void leave(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	exits++;
}

/* A tracer with this handler does not save floating-point registers. */
static int late_exits;
NOT_TRACED static void leave_late(uintptr_t ip, uintptr_t parent_ip,
				  const struct patchbay_cell *cell,
				  struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	spoil();
	late_exits++;
}

static const uint64_t always;

static struct patchbay_ops *create(patchbay_handler entry, patchbay_handler leaving,
				   unsigned int flags, const uint64_t *threshold)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = flags,
						.handler = entry,
						.exit = leaving,
						.threshold = threshold };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

NOT_TRACED static void check_all(const char *where)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		const char *wrong = checks[i]();

		if (wrong) {
			printf("%s: another result: %s\n", where, wrong);
			exit(1);
		}
	}
}

/* Makes each function the first traced function that a new thread calls. */
static void *call_first(void *arg)
{
	return (void *)(*(check *const *)arg)();
}

static void check_first_calls(void)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		int before = spoiled;
		pthread_t thread;
		void *wrong;

		CHECK_EQ(pthread_create(&thread, NULL, call_first, (void *)&checks[i]), 0);
		CHECK_EQ(pthread_join(thread, &wrong), 0);
		if (wrong) {
			printf("a thread's first call: another result: %s\n",
			       (const char *)wrong);
			exit(1);
		}
		CHECK(spoiled > before);
	}
}

/* Each function is entered in one thread, and returns in another one. */
static ucontext_t here, there;
static check *in_fiber;
static const char *wrong_in_fiber;

NOT_TRACED static void yield(void)
{
	at_body = NULL;
	swapcontext(&there, &here);
}

NOT_TRACED static void fiber(void)
{
	wrong_in_fiber = in_fiber();
}

static void *resume(void *arg)
{
	swapcontext(&here, &there);
	return arg;
}

static void check_other_threads(void)
{
	static char stack[256 * 1024];

	for (size_t i = 0; i < NR_KINDS; i++) {
		int before = spoiled;
		pthread_t thread;

		CHECK_EQ(getcontext(&there), 0);
		there.uc_stack.ss_sp = stack;
		there.uc_stack.ss_size = sizeof(stack);
		there.uc_link = &here;
		makecontext(&there, fiber, 0);
		in_fiber = checks[i];
		at_body = yield;
		swapcontext(&here, &there);
		CHECK_EQ(pthread_create(&thread, NULL, resume, NULL), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		if (wrong_in_fiber) {
			printf("in another thread: another result: %s\n", wrong_in_fiber);
			exit(1);
		}
		CHECK(spoiled > before);
	}
}

/* Calls in a handler are counted as missed. */
OPAQUE void outer(void) {}

static void call_all(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	check_all("in a handler");
}

static uint64_t missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.nmissed;
}

static void check_in_handler(const struct patchbay_ops *ops)
{
	struct patchbay_ops *caller = create(call_all, NULL, 0, NULL);
	uint64_t before = missed(ops);

	CHECK_EQ(patchbay_arm(caller, "outer", 0), 1);
	outer();
	CHECK_EQ(missed(ops) - before, NR_KINDS);
	CHECK_EQ(patchbay_ops_destroy(caller), 0);
}

/* A tracer that is added while the function runs does not see that call's exit. */
static struct patchbay_ops *late;

NOT_TRACED static void arm_late(void)
{
	at_body = NULL;
	CHECK_EQ(patchbay_arm(late, "fp_*", 0), NR_KINDS);
}

static void check_late_tracer(void)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		const char *wrong;

		late = create(NULL, leave_late, 0, NULL);
		late_exits = 0;
		at_body = arm_late;
		wrong = checks[i]();
		if (wrong) {
			printf("with a late tracer: another result: %s\n", wrong);
			exit(1);
		}
		CHECK_EQ(late_exits, 0);
		check_all("with another tracer");
		CHECK_EQ(late_exits, NR_KINDS);
		CHECK_EQ(patchbay_ops_destroy(late), 0);
	}
}

/* At each instruction of a call, a signal arrives whose handler makes traced calls. */
static volatile int stepping;
static int traps;

NOT_TRACED static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number;
	(void)info;
	if (!stepping) {
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	check_all("in a signal handler");
	spoil();
	traps++;
}

static void check_signals(void)
{
	const struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	traps = 0;
	for (size_t i = 0; i < NR_KINDS; i++) {
		check *volatile next = checks[i];
		const char *wrong;

		stepping = 1;
		__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
		wrong = next();
		stepping = 0;
		__asm__ volatile("nop" ::: "memory");
		if (wrong) {
			printf("with signals: another result: %s\n", wrong);
			exit(1);
		}
	}
	CHECK(traps > (int)(50 * NR_KINDS));
}

/* More tracers than the fast path supports on one function. */
#define MANY 10

/* Checks a tracer with the given handlers, together with @nr others. */
static void check_tracers(patchbay_handler entry, const uint64_t *threshold, int nr)
{
	const unsigned int flags = PATCHBAY_OPS_FAST | PATCHBAY_OPS_NO_RESULT_FP;
	struct patchbay_ops *ops = create(entry, leave, flags, threshold);
	struct patchbay_ops *others[MANY];

	exits = 0;
	CHECK_EQ(patchbay_arm(ops, "fp_*", 0), NR_KINDS);
	for (int i = 0; i < nr; i++) {
		others[i] = create(enter, leave, flags, NULL);
		CHECK_EQ(patchbay_arm(others[i], "fp_*", 0), NR_KINDS);
	}
	check_first_calls();
	check_all("after that");
	CHECK_EQ(exits, 2 * NR_KINDS * (size_t)(1 + nr));
	check_other_threads();
	check_in_handler(ops);
	check_late_tracer();
	check_signals();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	for (int i = 0; i < nr; i++)
		CHECK_EQ(patchbay_ops_destroy(others[i]), 0);
}

int main(void)
{
	static const int others[] = { 0, 1, MANY };

	if (!__builtin_cpu_supports(ISA)) {
		puts("skipped: this processor has no " ISA);
		return 0;
	}
	check_all("untraced");
	for (int i = 0; i < 3; i++) {
		check_tracers(NULL, NULL, others[i]);
		check_tracers(enter, NULL, others[i]);
		check_tracers(NULL, &always, others[i]);
	}
	puts("done");
	return 0;
}
