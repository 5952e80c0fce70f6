/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Valgrind finds no error in a recorded program. Its threads have small stacks and load
 * libraries, so the recorder matches names on a stack of its own.
 */
// REQUIRES: valgrind, host-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -g0 -DLIBRARY -shared -fPIC %s -o %t/1.so && cp %t/1.so %t/2.so && cp %t/1.so %t/3.so
// RUN: %buildxx -g0 %s -o %t/prog -lpthread
// DEFINE: %{checked} = valgrind -q --error-exitcode=9 %t/prog %t/1.so %t/2.so %t/3.so
// RUN: %{checked} 2>&1 | FileCheck %s --match-full-lines
// RUN: %patchbay record --force -F 'plugin::*' -F 'in_thread' -o %t/data -- %{checked} > %t/out 2> %t/messages
// RUN: FileCheck %s --match-full-lines --input-file %t/out
// RUN: FileCheck %s --check-prefix=QUIET --input-file %t/messages
// CHECK-NOT: {{.}}
// CHECK:ended
// CHECK-NOT: {{.}}
// QUIET-NOT: {{^(==|--)[0-9]}}
// RUN: %patchbay report -i %t/data | FileCheck %s --check-prefix=REPORT
// REPORT-DAG: {{^ *}}3 {{.*}} in_thread{{.*$}}
// REPORT-DAG: {{^ *}}3 {{.*}} plugin::initialize{{.*$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
namespace plugin {
OPAQUE void initialize() { __asm__ volatile(""); }
__attribute__((constructor)) static void begin() { initialize(); }
}
#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

extern "C" OPAQUE void *in_thread(void *path)
{
	volatile char local[4096];

	for (char i = 0; i < 100; i++)
		local[(unsigned char)i * 40] = i;
	CHECK(dlopen((const char *)path, RTLD_NOW));
	for (char i = 0; i < 100; i++)
		CHECK(local[(unsigned char)i * 40] == i);
	return nullptr;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	pthread_attr_t attr;

	CHECK(argc == 4);
	CHECK(!pthread_attr_init(&attr));
	CHECK(!pthread_attr_setstacksize(&attr, 65536));
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], &attr, in_thread, argv[i + 1]));
	for (pthread_t thread : threads)
		CHECK(!pthread_join(thread, nullptr));
	puts("ended");
	return 0;
}
#endif
