// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wildcards match C++ names even without `patchbay record`, also in modules that are
// loaded later. If a wildcard matches no function, the process says so at its end, and
// the verbs that read the recording say so, too.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -DLIBRARY -shared -fPIC %s -o %t/late.so
// RUN: %buildxx %s -o %t/prog -Wl,-rpath,%t
// DEFINE: %{env} = rm -rf %t/data && mkdir %t/data && cd %t && env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so
// DEFINE: %{calls} = %patchbay report -s name -f calls,name %t/data 2>&1 | FileCheck %s --match-full-lines --implicit-check-not=:: --check-prefix
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
//
// RUN: %{env} PATCHBAY='tracer=function,filter=svc::*,output=%t/data' ./prog 2>&1 | count 0
// RUN: %{calls}=ALL
//      ALL: {{ *}}calls  function
// ALL-NEXT: {{ *}}1  int svc::twice<int>(int)
// ALL-NEXT: {{ *}}1  svc::(anonymous namespace)::hidden(int)
// ALL-NEXT: {{ *}}1  svc::Cache::get(int) const
// ALL-NEXT: {{ *}}1  svc::Cache::operator()(int)
// ALL-NEXT: {{ *}}1  svc::late(int)
//
// A pattern may omit parameters, and contain spaces. The result type is not part of the
// name.
// RUN: %{env} PATCHBAY='tracer=function_profile,filter=svc::twice< int >,filter=svc::Cache::get( int ) *,filter=svc::late,filter=svc::Cache::operator(),output=%t/data' ./prog 2>&1 | count 0
// RUN: %{calls}=SOME
//      SOME: {{ *}}calls  function
// SOME-NEXT: {{ *}}1  int svc::twice<int>(int)
// SOME-NEXT: {{ *}}1  svc::Cache::get(int) const
// SOME-NEXT: {{ *}}1  svc::Cache::operator()(int)
// SOME-NEXT: {{ *}}1  svc::late(int)
//
// notrace= and args= match the same names.
// RUN: %{env} PATCHBAY='tracer=function,filter=svc::*,notrace=svc::Cache::*,notrace=svc::(anonymous*,args=svc::late,output=%t/data' ./prog 2>&1 | count 0
// RUN: %{calls}=LESS
//      LESS: {{ *}}calls  function
// LESS-NEXT: {{ *}}1  int svc::twice<int>(int)
// LESS-NEXT: {{ *}}1  svc::late(int)
// RUN: %patchbay replay %t/data | FileCheck %s --check-prefix=ARGS
// ARGS: svc::late(5) 
//
// A message names wildcards that match no function.
// RUN: %{env} PATCHBAY='tracer=function,filter=svc::twice<*,filter=svc::none*,filter=twice,args=gone,stop-at=end,output=%t/data' ./prog 2>&1 | FileCheck %s --check-prefix=SAID --match-full-lines
//     SAID:patchbay: warning: PATCHBAY: filter='svc::none*', filter='twice', args='gone', stop-at='end' match no function
// SAID-NOT:{{.}}
// RUN: %{status} 0 %patchbay report %t/data 2>&1 | FileCheck %s --check-prefix=WARNED
// WARNED-DAG: int svc::twice<int>(int)
// WARNED-DAG: patchbay: warning: {{.*}}/data: no function matches args='gone', filter='svc::none*', filter='twice', stop-at='end'
// RUN: %patchbay info %t/data | FileCheck %s --check-prefix=INFO
// INFO: {{^}}  unmatched  args='gone', filter='svc::none*', filter='twice', stop-at='end'{{$}}
//
// A killed process prints no message, but `report` states the reason. In a program
// without a symbol table no name matches.
// RUN: %{env} PATCHBAY='tracer=function,filter=svk::*,output=%t/data' %{status} -9 ./prog killed
// RUN: %{status} 1 %patchbay report %t/data 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=calls
// RUN: %{env} PATCHBAY='tracer=function_profile,filter=svk::*,output=%t/data' %{status} -9 ./prog killed
// RUN: %{status} 1 %patchbay report %t/data 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=calls
// NONE: {{^}}patchbay: error: {{.*}}/data: no function was traced: none matches filter='svk::*'{{$}}
// RUN: llvm-strip %t/prog
// RUN: %{env} PATCHBAY='tracer=function_profile,filter=svc::twice*,output=%t/data' ./prog early 2>&1 | FileCheck %s --check-prefix=STRIPPED --match-full-lines
//     STRIPPED:patchbay: warning: PATCHBAY: filter='svc::twice*' matches no function
// STRIPPED-NOT:{{.}}
// RUN: %{status} 1 %patchbay report %t/data
//
// A program without functions gets no message.
// RUN: %{env} PATCHBAY='tracer=function_profile,filter=svc::*,output=%t/data' true 2>&1 | count 0
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <string>

#define OPAQUE __attribute__((noinline))

#ifdef LIBRARY
namespace svc {
OPAQUE int late(int a) {
  __asm__ volatile("");
  return a;
}
} // namespace svc
extern "C" int call_late(int a) { return svc::late(a); }
#else
namespace svc {
namespace {
OPAQUE int hidden(int a) {
  __asm__ volatile("");
  return a;
}
} // namespace
struct Cache {
  OPAQUE int get(int a) const {
    __asm__ volatile("");
    return a;
  }
  OPAQUE int operator()(int a) {
    __asm__ volatile("");
    return a;
  }
};
template <class T> OPAQUE T twice(T a) {
  __asm__ volatile("");
  return a + a;
}
} // namespace svc

int main(int argc, char **argv) {
  if (argc > 1 && std::string(argv[1]) == "killed")
    raise(SIGKILL);
  if (argc > 1)
    return 0;
  svc::Cache cache;
  int sum = svc::hidden(1) + cache.get(2) + cache(3) + svc::twice(4);
  auto *late = reinterpret_cast<int (*)(int)>(
      dlsym(dlopen("late.so", RTLD_NOW), "call_late"));
  return sum + late(5) == 19 ? 0 : 1;
}
#endif
