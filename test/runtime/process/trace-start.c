/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions named in the environment are traced from the start: before main() and
 * before the constructors of libraries, or from the entry of a trigger function.
 * `patchbay record` is not needed. If a value is invalid, nothing is traced.
 */
// RUN: rm -rf %t && mkdir -p %t/data %t/none
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s %t/lib.so -Wl,-rpath,%t -o %t/prog
// DEFINE: %{run} = env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so
// RUN: %{run} PATCHBAY='tracer=function_duration,filter=*,stop-at=main,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --implicit-check-not="returned main" --implicit-check-not=later
// CHECK: returned library_calls
// CHECK: returned program_calls
/* Wildcards of excluded functions have the syntax of fnmatch(3). */
// RUN: rm %t/data/*
// RUN: %{run} PATCHBAY='tracer=function,filter=*,notrace=[!a-l]*_ca?ls,notrace=m*,notrace=l.ter,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --check-prefix=NOTRACE --implicit-check-not="entry main" --implicit-check-not=program
// NOTRACE: entry library_calls
// NOTRACE: entry later
// RUN: rm %t/data/*
// RUN: %{run} PATCHBAY='tracer=entry,filter=*,start-at=main,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --check-prefix=FROM --implicit-check-not=calls
// FROM: entry main
// FROM-NEXT: entry later
// RUN: env PROG=%t/prog NONE=%t/none TRACER=%patchbay_lib/libpatchbay-trace.so sh %S/../Inputs/bad-options.sh 2> %t/said
// RUN: FileCheck %s --check-prefix=SAID --match-full-lines --strict-whitespace < %t/said
// RUN: rmdir %t/none
//      SAID:patchbay: error: PATCHBAY: tracer='functions' is none of count, entry, duration, graph; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: tracer='' is none of {{.*}}
// SAID-NEXT:patchbay: error: PATCHBAY: threshold='1x' is not a number with one of the units ns, us, ms, s, m, h; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: threshold='' is not a number {{.*}}
// SAID-NEXT:patchbay: error: PATCHBAY: threshold='5' is not a number {{.*}}
// SAID-NEXT:patchbay: error: PATCHBAY: threshold='99999999999999999999ns' is too large; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: threshold='99999999999s' is too large; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: buffer='1T' is not a size from 4K to 1024G, a whole number with one of the units K, M, G; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: buffer='3k' is not a size {{.*}}; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: buffer='1025g' is not a size {{.*}}; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: depth='0' is not a number from 1 to 64; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: depth is for duration and graph; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: clock='1' is not TICKS/NANOSECONDS; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: clock='1/2x' is not TICKS/NANOSECONDS; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: args is for entry, duration and graph; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: overwrite='yes' is not 1; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: live='0' is not 1; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: histogram is for count; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: sleep-time='1' is not 0; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: sleep-time is for histogram=1, duration and graph; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: sleep-time cannot be combined with depth: leave out one of them; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: args cannot be combined with sleep-time: leave out one of them; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: thread is for histogram=1, entry, duration and graph; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: there is no option 'color': 'patchbay record --help' lists them; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: 'word' is not NAME=VALUE; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: no tracer: give one, as in tracer=duration; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: no output: give a directory, as in output=/tmp; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: no filter: give a glob for names, as in filter=*; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: output='{{.*}}/none/missing': No such file or directory; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: output='{{.*}}/prog': Not a directory; nothing is traced
// SAID-NEXT:patchbay: error: PATCHBAY: output='{{.*}}/none/??[2J': No such file or directory; nothing is traced
//  SAID-NOT:{{.}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE void library_calls(void)
{
	__asm__ volatile("");
}
__attribute__((constructor)) static void construct(void)
{
	library_calls();
}
#else
OPAQUE void program_calls(void)
{
	__asm__ volatile("");
}
OPAQUE void later(void) {}
__attribute__((constructor)) static void construct(void)
{
	program_calls();
}
int main(void)
{
	later();
	return 0;
}
#endif
