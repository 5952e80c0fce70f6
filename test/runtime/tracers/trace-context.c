/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --trace-context records calls with the trace ID that the program provides in an
 * argument or a thread-local variable. Invalid or unmapped IDs are not recorded.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link -Wl,--export-dynamic-symbol=current_trace -Wl,--export-dynamic-symbol=current_text -Wl,--export-dynamic-symbol=no_thread_local
// DEFINE: %{look} = cd %t && %patchbay dump --json > json && %patchbay dump --otlp -o otlp && %python %S/../Inputs/check-context.py json otlp
// RUN: cd %t && %patchbay record -t function_duration --args handle --trace-context arg1 -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s
// CHECK:      handle 1: 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7
// CHECK-NEXT: handle 2: none
// CHECK-NEXT: handle 3: none
// CHECK-NEXT: handle 4: none
// CHECK-NEXT: handle 5: none
// CHECK-NEXT: handle 6: 00000000000000010000000000000000 0000000000000001
/* Spans of the given trace include callees. Other calls are in traces of their own. */
// CHECK-NEXT: main: a trace of its own, no parent
// CHECK-NEXT: handle 1: trace 4bf92f3577b34da6a3ce929d0e0e4736, parent 00f067aa0ba902b7, remote
// CHECK-NEXT: inner: trace 4bf92f3577b34da6a3ce929d0e0e4736, parent handle 1
// CHECK: handle 2: trace of main, parent main
// CHECK-NEXT: inner: trace of main, parent handle 2
// CHECK: handle 6: trace 00000000000000010000000000000000, parent 0000000000000001, remote
/* The tracers of entries and graphs record IDs, too. */
// RUN: cd %t && %patchbay record -t function --args handle --trace-context arg1 -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=ENTRIES
// ENTRIES: handle 1: 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7
// RUN: cd %t && %patchbay record -t function_graph --args handle --trace-context tls:current_trace -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=TLS
// TLS:      handle 1: 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7
// TLS-NEXT: handle 2: none
/* Named arguments do not change recorded IDs. */
// RUN: cd %t && %patchbay record -t function_duration --args 'handle(nr)' --trace-context arg1 -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s
// RUN: cd %t && %patchbay record -t function --args 'handle(nr)' --trace-context arg1 -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=ENTRIES
// RUN: cd %t && %patchbay record -t function_graph --args 'handle(nr)' --when 'nr > 0' --under main --trace-context tls:current_trace -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=TLS
/* Invalid IDs are counted. A null pointer is valid: there is no trace. */
// RUN: cd %t && %patchbay info | FileCheck %s --check-prefix=MISSES
// MISSES: {{^}}  context    no readable traceparent in 3 calls (--trace-context){{$}}
/*
 * Under a seccomp filter, IDs are not recorded, because reading them needs a system
 * call for which the filter may kill the program.
 */
// RUN: cd %t && %python %S/../Inputs/filtered.py %patchbay record -t function_duration --args handle --trace-context arg1 -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=FILTERED
// FILTERED: handle 1: none
// RUN: cd %t && %patchbay info | FileCheck %s --check-prefix=UNREAD
// UNREAD: {{^}}  context    no readable traceparent in 5 calls (--trace-context){{$}}
/* The thread-local variable may also be an array that contains the string. */
// RUN: cd %t && %patchbay record -t function_graph --args handle --trace-context tls:current_text -F 'inner' -F 'main' -- ./prog
// RUN: %{look} | FileCheck %s --check-prefix=TLS
// RUN: cd %t && %patchbay info | FileCheck %s --check-prefix=MISSES
/* Each thread has its own variable. */
// RUN: cd %t && %patchbay record -t function_duration --args in_thread --trace-context tls:current_trace -- ./prog
// RUN: cd %t && %patchbay dump --json | FileCheck %s --check-prefix=THREAD
// THREAD: "function":"in_thread",{{.*}}"trace_id":"0af7651916cd43dd8448eb211c80319c","parent_span_id":"b7ad6b7169203331"
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: %{status} 125 %patchbay record -t function --args handle --trace-context arg6 -- %t/prog 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: error: --trace-context: 'arg6' is not arg0 to arg5, or tls:NAME{{$}}
// RUN: %{status} 125 %patchbay record -t function --trace-context arg1 -- %t/prog 2>&1 | FileCheck %s --check-prefix=ARGS
// ARGS: error: --trace-context needs --args{{$}}
// RUN: cd %t && %patchbay record -t function --args handle --trace-context tls:nowhere -- ./prog 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: patchbay: error: PATCHBAY: trace-context='tls:nowhere': no such variable is exported (link with -Wl,--export-dynamic-symbol=nowhere); nothing is traced
// RUN: cd %t && %patchbay record -t function --args handle --trace-context tls:no_thread_local -- ./prog 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: patchbay: error: PATCHBAY: trace-context='tls:no_thread_local': it is not a thread-local variable of the program; nothing is traced
// RUN: cd %t && env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so 'PATCHBAY=tracer=function,filter=*,output=.,trace-context=arg1' ./prog 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
// ENVIRONMENT: patchbay: error: PATCHBAY: trace-context needs args or typed; nothing is traced
#include "../Inputs/check.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread const char *current_trace;
__thread char current_text[64];
const char *no_thread_local;

__attribute__((noinline)) void inner(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void handle(int nr, const char *context)
{
	current_trace = context;
	/* Small numbers are no addresses. */
	snprintf(current_text, sizeof(current_text), "%s",
		 !context ? "" : (uintptr_t)context < 4096 ? "00-" : context);
	inner();
	__asm__ volatile("" ::"r"(nr), "r"(context));
}

__attribute__((noinline)) void in_thread(void)
{
	__asm__ volatile("");
}

static void *run(void *context)
{
	current_trace = context;
	in_thread();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	handle(1, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
	handle(2, NULL);
	handle(3, "00-00000000000000000000000000000000-00f067aa0ba902b7-01");
	handle(4, "00-4bf92f3577b34da6a3ce929d0e0e473X-00f067aa0ba902b7-01");
	/* This address is not mapped. */
	handle(5, (const char *)8);
	handle(6, "01-00000000000000010000000000000000-0000000000000001-00-more");
	CHECK(!pthread_create(&thread, NULL, run,
			      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
	CHECK(!pthread_join(thread, NULL));
	return 0;
}
