// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls between the kernel (k) and a module (m). Three letters say where the
 * caller, the static call and the target are. Prints whether the calls are right, how
 * long they take, and the code of callers.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/test_static_call.h>

static unsigned int n = 2000;
module_param(n, uint, 0);

static long data_m = 1;
static noinline long target_m(long x)
{
	return x + READ_ONCE(data_m);
}

static noinline long target_m2(long x)
{
	return x + 2 * READ_ONCE(data_m);
}

static noinline void event_m(void)
{
	WRITE_ONCE(test_events, test_events + READ_ONCE(data_m));
}

DEFINE_STATIC_CALL(sc_m, target_m);
DEFINE_STATIC_CALL_RET0(sc_ret0, target_m);
DEFINE_STATIC_CALL_NULL(sc_null, event_m);
static long (*pointer_m)(long x) = target_m;
DECLARE_TEST_CALLERS(m);
DECLARE_TEST_CALLERS(mk);
TEST_CALLERS(m, sc_m, pointer_m, target_m, data_m)
/* Calls the kernel's static call. */
TEST_CALLERS(mk, test_k, test_pointer_k, test_target_k, data_m)

#ifdef CONFIG_PPC64
/* A mark of ../branches.c, a QEMU plugin that counts between marks. */
#define MARK(number) asm volatile("li 0," #number : : : "r0", "memory")
#else
#define MARK(number)
#endif

/*
 * Prints the time of the fastest round, because an interrupt slows others down. Each
 * call adds `step`, or all calls return 0.
 */
static void one(const char *what, const char *how, long (*call)(long x), long step)
{
	u64 shortest = U64_MAX;
	unsigned int round, i;
	long x = 5;

	/*
	 * A call through a pointer is not inlined, and uses no stub of the module
	 * loader.
	 */
	OPTIMIZER_HIDE_VAR(call);
	for (round = 0; round < 5; round++) {
		u64 time = ktime_get_ns();

		MARK(0x5c01);
		for (i = 0; i < n; i++)
			x = call(x);
		MARK(0x5c02);
		shortest = min(shortest, ktime_get_ns() - time);
	}
	pr_info("sc: %s %s %llu.%02llu %s\n", what, how, shortest / n, shortest * 100 / n % 100,
		x == (step ? 5 + step * n * round : 0) ? "right" : "WRONG");
}

static void compare(const char *what, long (*call)(long x), long (*generic)(long x),
		    long step)
{
	one(what, "static", call, step);
	one(what, "generic", generic, step);
}

static void check(const char *what, bool right)
{
	pr_info("sc: %s %s\n", what, right ? "right" : "WRONG");
}

#ifdef CONFIG_PPC64
#define IS_CALL(insn) (((insn) & 0xfc000003) == 0x48000001)

/*
 * Finds the first call that is followed by the load of the TOC pointer: ld r2,..(r13) in the
 * kernel and ld r2,24(r1) in a module.
 */
static const u32 *find_site(const char *what, void *func)
{
	const u32 *insn = func;
	int i;

	for (i = 0; i < 32; i++)
		if (insn[i + 1] >> 16 == 0xe84d || insn[i + 1] == 0xe8410018)
			return insn + i;
	pr_info("sc: site %s: none\n", what);
	return NULL;
}

static void *target_of(const u32 *site)
{
	return (void *)site + sign_extend64(*site & 0x03fffffc, 25);
}

static void site(const char *what, void *func)
{
	const u32 *site = find_site(what, func);

	if (!site)
		return;
	if (IS_CALL(*site))
		pr_info("sc: site %s at +%ld: bl %pS\n", what, (long)site - (long)func,
			target_of(site));
	else
		pr_info("sc: site %s at +%ld: %08x\n", what, (long)site - (long)func, *site);
}

/* Prints the target of the stub through which a module's function makes its call. */
static void stub(const char *what, void *func)
{
	const u32 *site = find_site(what, func);

	if (site && IS_CALL(*site))
		pr_info("sc: stub %s: %pS\n", what, *(void **)(target_of(site) + 32));
}
#else
static void site(const char *what, void *func)
{
}

static void stub(const char *what, void *func)
{
}
#endif

static void (*pointer_null)(void);
#define DEFINE_EVENT_CALLERS(side, name, pointer)			\
static noinline long static_##side(long x)				\
{									\
	static_call_cond(name)();					\
	return x + READ_ONCE(data_m);					\
}									\
static noinline long generic_##side(long x)				\
{									\
	void (*event)(void) = READ_ONCE(pointer);			\
									\
	if (event)							\
		event();						\
	return x + READ_ONCE(data_m);					\
}
DEFINE_EVENT_CALLERS(m_event, sc_null, pointer_null)
DEFINE_EVENT_CALLERS(mk_event, test_event, test_pointer_event)

/* Passes the kernel the address of a module's static call, or its current target. */
static void hand_over(const char *what, long (*target)(long x))
{
	static_call_update(sc_m, target);
	WRITE_ONCE(pointer_m, target);
	WRITE_ONCE(test_follow, &pointer_m);
	one(what, "follow", test_follow_k, 1);
	WRITE_ONCE(test_follow, &test_pointer_k);
	WRITE_ONCE(test_pointer_k, target);
	one(what, "generic", test_generic_k, 1);
	WRITE_ONCE(test_pointer_k, static_call_query(sc_m));
	one(what, "static", test_generic_k, 1);
	WRITE_ONCE(test_pointer_k, static_call(sc_m));
	one(what, "address", test_generic_k, 1);
	WRITE_ONCE(test_pointer_k, test_target_k);
}

static int __init sc_calls_init(void)
{
	unsigned long events = READ_ONCE(test_events);

	one("kk", "direct", test_direct_k, 1);
	one("mk", "direct", test_direct_mk, 1);
	one("mm", "direct", test_direct_m, 1);

	site("kkk", test_static_k);
	compare("kkk", test_static_k, test_generic_k, 1);
	site("mkk", test_static_mk);
	stub("mkk", test_static_mk);
	compare("mkk", test_static_mk, test_generic_mk, 1);
	site("mmm", test_static_m);
	compare("mmm", test_static_m, test_generic_m, 1);

	static_call_update(test_k, target_m);
	WRITE_ONCE(test_pointer_k, target_m);
	site("kkm", test_static_k);
	compare("kkm", test_static_k, test_generic_k, 1);
	stub("mkm", test_static_mk);
	compare("mkm", test_static_mk, test_generic_mk, 1);
	static_call_update(test_k, target_m2);
	one("kkm2", "static", test_static_k, 2);
	one("mkm2", "static", test_static_mk, 2);

	static_call_update(test_k, (long (*)(long))__static_call_return0);
	site("ret0", test_static_k);
	stub("ret0", test_static_mk);
	WRITE_ONCE(test_pointer_k, (long (*)(long))__static_call_return0);
	compare("kk-ret0", test_static_k, test_generic_k, 0);
	compare("mk-ret0", test_static_mk, test_generic_mk, 0);

	static_call_update(test_k, test_target_k);
	WRITE_ONCE(test_pointer_k, test_target_k);
	site("again", test_static_k);
	compare("kkk-again", test_static_k, test_generic_k, 1);
	compare("mkk-again", test_static_mk, test_generic_mk, 1);

	static_call_update(sc_m, test_target_k);
	WRITE_ONCE(pointer_m, test_target_k);
	site("mmk", test_static_m);
	compare("mmk", test_static_m, test_generic_m, 1);
	static_call_update(sc_m, target_m2);
	one("mmm2", "static", test_static_m, 2);
	static_call_update(sc_m, (long (*)(long))__static_call_return0);
	site("m-ret0", test_static_m);
	WRITE_ONCE(pointer_m, (long (*)(long))__static_call_return0);
	compare("mm-ret0", test_static_m, test_generic_m, 0);
	static_call_update(sc_m, target_m);
	WRITE_ONCE(pointer_m, target_m);
	site("m-again", test_static_m);
	compare("mmm-again", test_static_m, test_generic_m, 1);
	hand_over("kmk", test_target_k);
	hand_over("kmm", target_m);

	site("null", test_static_event);
	compare("kk-null", test_static_event, test_generic_event, 1);
	compare("mk-null", static_mk_event, generic_mk_event, 1);
	check("k null", READ_ONCE(test_events) == events);
	static_call_update(test_event, test_event_k);
	site("event-k", test_static_event);
	check("k not null", test_static_event(1) + static_mk_event(1) == 4);
	static_call_update(test_event, event_m);
	check("k not null, m", test_static_event(1) + static_mk_event(1) == 4 &&
	      READ_ONCE(test_events) == events + 4);
	static_call_update(test_event, NULL);
	site("null-again", test_static_event);
	site("mk-null", static_mk_event);
	check("k null again", test_static_event(1) + static_mk_event(1) == 4 &&
	      READ_ONCE(test_events) == events + 4);

	site("m-null", static_m_event);
	compare("mm-null", static_m_event, generic_m_event, 1);
	check("m null", static_call(sc_ret0)(3) == 0 && READ_ONCE(test_events) == events + 4);
	static_call_update(sc_null, event_m);
	static_call_update(sc_ret0, target_m);
	check("m not null", static_m_event(1) == 2 && static_call(sc_ret0)(3) == 4 &&
	      READ_ONCE(test_events) == events + 5);
	static_call_update(sc_null, NULL);
	static_call_update(sc_ret0, (long (*)(long))__static_call_return0);
	check("m null again", static_m_event(1) == 2 && static_call(sc_ret0)(3) == 0 &&
	      READ_ONCE(test_events) == events + 5);
	return 0;
}

static void __exit sc_calls_exit(void)
{
}

module_init(sc_calls_init);
module_exit(sc_calls_exit);
MODULE_DESCRIPTION("Static calls between the kernel and a module");
MODULE_LICENSE("GPL");
