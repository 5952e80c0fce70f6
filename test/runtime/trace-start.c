/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the environment names is traced from the start, before main() and before
 * the constructors of libraries, up to the entry of a function; without the
 * command, too. Values that are none are not guessed at: nothing is traced.
 */
// RUN: rm -rf %t && mkdir -p %t/data %t/none
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s %t/lib.so -Wl,-rpath,%t -o %t/prog
// DEFINE: %{run} = env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so
// RUN: %{run} PATCHBAY='tracer=function_duration,filter=*,stop_at=main,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --implicit-check-not="returned main" --implicit-check-not=later
// CHECK: returned library_calls
// CHECK: returned program_calls
/* Patterns of what to leave out are those of fnmatch(3). */
// RUN: rm %t/data/*
// RUN: %{run} PATCHBAY='tracer=function,filter=*,notrace=[!a-l]*_ca?ls,notrace=m*,notrace=l.ter,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --check-prefix=NOTRACE --implicit-check-not="entry main" --implicit-check-not=program
// NOTRACE: entry library_calls
// NOTRACE: entry later
// RUN: rm %t/data/*
// RUN: %{run} PATCHBAY='tracer=function,filter=*,start_at=main,output=%t/data' %t/prog
// RUN: %patchbay dump %t/data | FileCheck %s --check-prefix=FROM --implicit-check-not=calls
// FROM: entry main
// FROM-NEXT: entry later
// RUN: env PROG=%t/prog NONE=%t/none TRACER=%patchbay_lib/libpatchbay-trace.so sh %S/Inputs/bad-options.sh
// RUN: rmdir %t/none

#include "Inputs/check.h"

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
