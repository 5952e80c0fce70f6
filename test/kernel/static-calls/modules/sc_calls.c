// SPDX-License-Identifier: GPL-2.0
/*
 * Calls between the kernel (k) and a module (m), by the letters of the caller,
 * of who defines the static call, and of the target: whether they are right, how
 * long they take, and what the code of a caller in the kernel has become.
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
DEFINE_STATIC_CALL_NULL(sc_null, target_m);
static long (*pointer_m)(long x) = target_m;
DECLARE_TEST_CALLERS(m);
DECLARE_TEST_CALLERS(mk);
TEST_CALLERS(m, sc_m, pointer_m, target_m, data_m)
/* Calls what the kernel defines. */
TEST_CALLERS(mk, test_k, test_pointer_k, test_target_k, data_m)

/* The shortest of some rounds: the others had an interrupt in them. */
static void one(const char *what, const char *how, long (*call)(long x), long step)
{
	u64 shortest = U64_MAX;
	unsigned int round, i;
	long x = 5;

	for (round = 0; round < 5; round++) {
		u64 time = ktime_get_ns();

		for (i = 0; i < n; i++)
			x = call(x);
		shortest = min(shortest, ktime_get_ns() - time);
	}
	pr_info("sc: %s %s %llu.%02llu %s\n", what, how, shortest / n, shortest * 100 / n % 100,
		x == 5 + step * n * round ? "right" : "WRONG");
}

static void compare(const char *what, long (*call)(long x), long (*generic)(long x))
{
	one(what, "static", call, 1);
	one(what, "generic", generic, 1);
}

static void check(const char *what, bool right)
{
	pr_info("sc: %s %s\n", what, right ? "right" : "WRONG");
}

/* What is before the load of the TOC pointer, which is ld r2,..(r13). */
static void site(const char *what, void *func)
{
	const u32 *insn = func;
	int i;

	for (i = 0; i < 32; i++) {
		if (insn[i + 1] >> 16 != 0xe84d)
			continue;
		if ((insn[i] & 0xfc000003) == 0x48000001)
			pr_info("sc: site %s at +%d: bl %pS\n", what, i * 4,
				(void *)&insn[i] + sign_extend64(insn[i] & 0x03fffffc, 25));
		else
			pr_info("sc: site %s at +%d: %08x\n", what, i * 4, insn[i]);
		return;
	}
	pr_info("sc: site %s: none\n", what);
}

static int __init sc_calls_init(void)
{
	unsigned long events = READ_ONCE(test_events);

	one("kk", "direct", test_direct_k, 1);
	one("mk", "direct", test_direct_mk, 1);
	one("mm", "direct", test_direct_m, 1);

	site("kkk", test_static_k);
	compare("kkk", test_static_k, test_generic_k);
	compare("mkk", test_static_mk, test_generic_mk);
	compare("mmm", test_static_m, test_generic_m);

	static_call_update(test_k, target_m);
	WRITE_ONCE(test_pointer_k, target_m);
	site("kkm", test_static_k);
	compare("kkm", test_static_k, test_generic_k);
	compare("mkm", test_static_mk, test_generic_mk);
	static_call_update(test_k, target_m2);
	one("kkm2", "static", test_static_k, 2);
	one("mkm2", "static", test_static_mk, 2);

	static_call_update(test_k, (long (*)(long))__static_call_return0);
	site("ret0", test_static_k);
	check("k ret0", test_static_k(7) == 0 && test_static_mk(7) == 0);

	static_call_update(test_k, test_target_k);
	WRITE_ONCE(test_pointer_k, test_target_k);
	site("again", test_static_k);
	compare("kkk-again", test_static_k, test_generic_k);
	compare("mkk-again", test_static_mk, test_generic_mk);

	static_call_update(sc_m, test_target_k);
	WRITE_ONCE(pointer_m, test_target_k);
	compare("mmk", test_static_m, test_generic_m);
	static_call_update(sc_m, target_m2);
	one("mmm2", "static", test_static_m, 2);
	static_call_update(sc_m, (long (*)(long))__static_call_return0);
	check("m ret0", test_static_m(7) == 0);
	static_call_update(sc_m, target_m);
	WRITE_ONCE(pointer_m, target_m);
	compare("mmm-again", test_static_m, test_generic_m);

	site("null", test_call_event);
	test_call_event();
	static_call_cond(test_event)();
	check("k null", READ_ONCE(test_events) == events);
	static_call_update(test_event, test_event_k);
	test_call_event();
	static_call_cond(test_event)();
	static_call_update(test_event, event_m);
	test_call_event();
	static_call_cond(test_event)();
	check("k not null", READ_ONCE(test_events) == events + 4);
	static_call_update(test_event, NULL);
	site("null-again", test_call_event);
	test_call_event();
	static_call_cond(test_event)();
	check("k null again", READ_ONCE(test_events) == events + 4);

	static_call_cond(sc_null)(3);
	check("m null", static_call(sc_ret0)(3) == 0 && READ_ONCE(data_m) == 1);
	static_call_update(sc_null, target_m);
	static_call_update(sc_ret0, target_m);
	static_call_cond(sc_null)(3);
	check("m not null", static_call(sc_ret0)(3) == 4);
	static_call_update(sc_null, NULL);
	static_call_update(sc_ret0, (long (*)(long))__static_call_return0);
	static_call_cond(sc_null)(3);
	check("m null again", static_call(sc_ret0)(3) == 0 && READ_ONCE(data_m) == 1);
	return 0;
}

static void __exit sc_calls_exit(void)
{
}

module_init(sc_calls_init);
module_exit(sc_calls_exit);
MODULE_DESCRIPTION("Static calls between the kernel and a module");
MODULE_LICENSE("GPL");
