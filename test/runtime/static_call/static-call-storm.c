/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every static call goes to a target that was valid at that moment. Some threads make
 * calls of every type, some update the calls as fast as possible, and some load and
 * unload shared objects.
 *
 *	static-call-storm PLUGIN [SECONDS [sites]]
 *
 * `sites`: also patches and restores call sites continually.
 *
 * Each key has a counter, which is odd while its update number (counter + 1) / 2 runs.
 * The target of each update follows from its number. The counter is b when a call
 * begins, and e after it has ended. The call may only go to the targets of the updates
 * b / 2 to (e + 1) / 2.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DTARGETS -fPIC -shared %s -o %t/libtargets.so --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %build -DOWNER -fPIC -shared %s -o %t/libowner.so --ld-path=%ld.lld -Wl,--static-calls -L %t -ltargets %link
// RUN: %build -DPLUGIN -fPIC -shared %s -o %t/plugin.so --ld-path=%ld.lld -Wl,--static-calls -L %t -lowner %link
// RUN: %build %s -o %t/exe -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls,-rpath,%t,--export-dynamic-symbol=__SCK__store -L %t -lowner -ltargets %link
// RUN: %t/exe %t/plugin.so | FileCheck %s
// CHECK:      updates: {{[0-9]+}} failed: 0
// CHECK-NEXT: calls: {{[0-9]+}} wrong: 0
// CHECK-NEXT: targets called: own 5 of 5, shared 5 of 5, store 4 of 4
// CHECK-NEXT: plugin loaded: {{[1-9][0-9]+}} times

#include <patchbay/patchbay.h>
#include <patchbay/static_call.h>

#include "../Inputs/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef int get_type(int);
typedef void store_type(int *, int);

#define TARGETS_OF_KEY 5

enum key { OWN, SHARED, STORE, NR_KEYS };

/*
 * Defined in libtargets.so, which has no static call. The object is loaded near the
 * others, or far from them.
 */
get_type get_three, get_four;
store_type store_three;

/* Defined in libowner.so. */
DECLARE_STATIC_CALL(shared, get_type);
get_type get_two, call_shared_in_owner;
int update_shared_in_owner(get_type *);

/* Defined in the executable. */
DECLARE_STATIC_CALL(own, get_type);
DECLARE_STATIC_CALL(store, store_type);

/*
 * Each target returns its identity and proves that its argument arrived. On targets
 * with a TOC, the functions need the TOC pointer.
 */
static volatile int zero;
#define TARGET(id) { return 16 * x + (id) + zero; }
#define STORE_TARGET(id) { *to = 16 * x + (id) + zero; }

#if defined(TARGETS)
int get_three(int x) TARGET(3)
int get_four(int x) TARGET(4)
void store_three(int *to, int x) STORE_TARGET(3)

#elif defined(OWNER)
int get_two(int x) TARGET(2)
DEFINE_EXPORTED_STATIC_CALL_RET0(shared, get_type);
int call_shared_in_owner(int x) { return static_call(shared)(x); }
int update_shared_in_owner(get_type *to)
{
	return static_call_update(shared, to);
}

#elif defined(PLUGIN)
int plugin_shared(int x) { return static_call(shared)(x) + zero; }
int plugin_store(int x)
{
	int value = 16 * x;

	static_call_cond(store)(&value, x);
	return value;
}

#else
static int get_one(int x) TARGET(1)
static void store_one(int *to, int x) STORE_TARGET(1)
static void store_two(int *to, int x) STORE_TARGET(2)
DEFINE_STATIC_CALL_RET0(own, get_type);
DEFINE_EXPORTED_STATIC_CALL_NULL(store, store_type);

/* Index 0 is the target of update 0, which returns 0 or leaves 16 * x unchanged. */
static get_type *const gets[] = { NULL, get_one, get_two, get_three, get_four };
static store_type *const stores[] = { NULL, store_one, store_two, store_three };

static const unsigned int nr_targets[NR_KEYS] = { 5, 5, 4 };
static _Atomic unsigned long counter[NR_KEYS];
static _Atomic unsigned long called[NR_KEYS][TARGETS_OF_KEY];
static _Atomic unsigned long calls, wrong, updates, failed, loaded;
static atomic_int stop;

/* Returns the target that update @number sets, in a scrambled order. */
static unsigned int target_of(enum key key, unsigned long number)
{
	unsigned long long mix = (number * NR_KEYS + key) * 0x9e3779b97f4a7c15;

	return number ? (unsigned int)((mix >> 32) % nr_targets[key]) : 0;
}

static void check(enum key key, unsigned long begin, unsigned long end, int x,
		  int result)
{
	unsigned int target = (unsigned int)result & 15;

	calls++;
	/* RET0 does not return the argument. */
	if (result != 16 * x + (int)target && !(key != STORE && !result))
		wrong++;
	for (unsigned long i = begin / 2; i <= (end + 1) / 2; i++) {
		if (target_of(key, i) == target) {
			called[key][target]++;
			return;
		}
	}
	wrong++;
}

#define CALL(key, call)                                                        \
	do {                                                                   \
		unsigned long begin = counter[key], end;                       \
		int result = (call);                                           \
		end = counter[key];                                            \
		check(key, begin, end, x, result);                             \
	} while (0)

static int own(int x) { return static_call(own)(x) + zero; }
static int own_by_tail_call(int x) { return static_call(own)(x); }
#ifdef __x86_64__
int own_by_jcc(int x);
__asm__(".text\n"
	"own_by_jcc:\n"
	"	test %edi, %edi\n"
	"	jne __SCT__own\n"
	"	ud2\n");
#else
#define own_by_jcc own
#endif
static int own_by_branch(int x) { return own_by_jcc(x); }
static int shared(int x) { return static_call(shared)(x) + zero; }
static int store(int x)
{
	int value = 16 * x;

	static_call_cond(store)(&value, x);
	return value;
}

/* Volatile, so that the compiler does not know which functions are called. */
static get_type *volatile forms[NR_KEYS][3] = {
	{ own, own_by_tail_call, own_by_branch },
	{ shared, call_shared_in_owner, shared },
	{ store, store, store },
};

static void *caller(void *unused)
{
	for (int x = 1; !stop; x = x % 1000 + 1)
		for (enum key key = OWN; key < NR_KEYS; key++)
			for (int form = 0; form < 3; form++)
				CALL(key, forms[key][form](x));
	return unused;
}

static int update(enum key key, unsigned int target)
{
	if (key == STORE)
		return static_call_update(store, stores[target]);
	if (key == OWN)
		return static_call_update(own, target ? gets[target] :
						STATIC_CALL_RET0(own));
	if (!target)
		return static_call_update(shared, STATIC_CALL_RET0(shared));
	return update_shared_in_owner(gets[target]);
}

static void *updater(void *arg)
{
	enum key key = *(enum key *)arg;

	for (unsigned long i = 1; !stop; i++) {
		counter[key]++;
		failed += update(key, target_of(key, i)) != 0;
		counter[key]++;
		updates++;
		/* Other threads need the lock, too. */
		if (i % 64 == 0)
			sched_yield();
	}
	return arg;
}

static void *loader(void *path)
{
	while (!stop) {
		void *handle = dlopen(path, RTLD_NOW);
		get_type *shared, *store;

		CHECK(handle);
		shared = (get_type *)dlsym(handle, "plugin_shared");
		store = (get_type *)dlsym(handle, "plugin_store");
		for (int x = 1; x < 100; x++) {
			CALL(SHARED, shared(x));
			CALL(STORE, store(x));
		}
		dlclose(handle);
		loaded++;
	}
	return path;
}

static void *toggler(void *unused)
{
	for (int on = 1; !stop; on = !on)
		failed += static_call_patch_sites(on) != 0;
	return unused;
}

static unsigned int nr_called(enum key key)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nr_targets[key]; i++)
		nr += called[key][i] != 0;
	return nr;
}

static int is_complete(void)
{
	for (enum key key = OWN; key < NR_KEYS; key++)
		if (nr_called(key) < nr_targets[key])
			return 0;
	return loaded >= 10;
}

int main(int argc, char **argv)
{
	static enum key keys[] = { OWN, SHARED, STORE };
	const struct timespec tenth = { .tv_nsec = 100000000 };
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	pthread_t threads[NR_KEYS + 4];
	int nr = 0;

	CHECK(argc > 1);
	for (int i = 0; i < NR_KEYS; i++)
		pthread_create(&threads[nr++], NULL, updater, &keys[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[nr++], NULL, caller, NULL);
	pthread_create(&threads[nr++], NULL, loader, argv[1]);
	if (argc > 3)
		pthread_create(&threads[nr++], NULL, toggler, NULL);
	/* On a busy machine the expected events may take longer. */
	for (double now = 0;
	     now < seconds || (!is_complete() && now < 60);
	     now += 0.1)
		nanosleep(&tenth, NULL);
	stop = 1;
	while (nr)
		pthread_join(threads[--nr], NULL);

	printf("updates: %lu failed: %lu\n", updates, failed);
	printf("calls: %lu wrong: %lu\n", calls, wrong);
	printf("targets called: own %u of 5, shared %u of 5, store %u of 4\n",
	       nr_called(OWN), nr_called(SHARED), nr_called(STORE));
	printf("plugin loaded: %lu times\n", loaded);
	return 0;
}
#endif
