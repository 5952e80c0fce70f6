// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --under records only calls of root functions and the calls made inside them, per
// thread, however the calls end, even in a child that is forked inside. Threads that
// start inside are not recorded.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// DEFINE: %{count} = %patchbay dump --csv %t/patchbay.data | %python %S/../Inputs/count-depths.py | FileCheck %s --match-full-lines --check-prefix
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --under root -- ./prog
// RUN: %{count}=ROOT
// RUN: cd %t && %patchbay record -N 'std::*' -t function_graph --under root -- ./prog
// RUN: %{count}=ROOT
// RUN: cd %t && %patchbay record -N 'std::*' -t function_graph --no-sleep-time --under 'root*' -- ./prog
// RUN: %{count}=ROOT
// With --depth 64 the runtime's own frames, which count the depth, give the same
// result.
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --depth 64 --under 'root(int)' -- ./prog
// RUN: %{count}=ROOT
//      ROOT:0 root(int) jumped 10
// ROOT-NEXT:0 root(int) returned 14
// ROOT-NEXT:0 root(int) unwound 10
// ROOT-NEXT:1 common() returned 3
// ROOT-NEXT:1 forks() returned 2
// ROOT-NEXT:1 jumps() jumped 10
// ROOT-NEXT:1 root(int) returned 10
// ROOT-NEXT:1 starts() returned 1
// ROOT-NEXT:1 throws() unwound 10
// ROOT-NEXT:2 common() returned 20
// ROOT-NOT:{{.}}
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --check-prefix=INFO
// INFO: depth 64
// INFO: under only within calls of the functions of --under{{$}}
//
// Depth counts from the root.
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --depth 1 --under root -- ./prog
// RUN: %{count}=DEPTH
//      DEPTH:0 root(int) jumped 10
// DEPTH-NEXT:0 root(int) returned 14
// DEPTH-NEXT:0 root(int) unwound 10
// DEPTH-NOT:{{.}}
//
// Several roots are possible. One of them is excluded from tracing.
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --under starts --under between --under throws -N 'between*' -- ./prog
// RUN: %{count}=SEVERAL
//      SEVERAL:0 common() returned 11
// SEVERAL-NEXT:0 starts() returned 1
// SEVERAL-NEXT:0 throws() unwound 10
// SEVERAL-NEXT:1 common() returned 10
// SEVERAL-NOT:{{.}}
//
// Entries and counts are limited to roots, too.
// RUN: cd %t && %patchbay record -N 'std::*' -t function --under between -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=CALLS --implicit-check-not=root
// RUN: cd %t && %patchbay record -t count -N 'std::*' --under between -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=CALLS --implicit-check-not=root
// RUN: cd %t && %patchbay record -N 'std::*' --histogram --under between -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=CALLS --implicit-check-not=root
// RUN: cd %t && %patchbay record -N 'std::*' --histogram --no-sleep-time --under between -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=CALLS --implicit-check-not=root
// CALLS-DAG: 11 common()
// CALLS-DAG: 11 between()
//
// Arguments are limited to roots, too, and so are calls above a threshold (here, none).
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --args root --under root -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=ARGS --implicit-check-not=main
// ARGS-DAG: returned root(0) = 0
// ARGS-DAG: returned common()
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --threshold 100s --under root -- ./prog
// RUN: not %patchbay report %t/patchbay.data 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: none was made within a call of a function of --under, or none took 100.000 s
//
// `dump --under` shows the same calls if the recording has all calls.
// RUN: cd %t && %patchbay record -N 'std::*' -t function_graph -- ./prog
// RUN: %patchbay dump --csv --under root %t/patchbay.data | %python %S/../Inputs/count-depths.py | sed 's/^[0-9]* //' | FileCheck %s --check-prefix=AFTER
// AFTER-DAG: root(int) jumped 10
// AFTER-DAG: common() returned 20
// AFTER-DAG: throws() unwound 10
//
// A root that does not exist, or that cannot be a root, causes a message.
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --under never_called -- ./prog 2>&1 | FileCheck %s --check-prefix=WARNED
// WARNED: patchbay: warning: patchbay.data: nothing was recorded: no function of --under was called; a call that had begun before does not count
// RUN: not %patchbay report %t/patchbay.data 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: no call was recorded of the {{[0-9]+}} functions that were traced: no function of --under was called
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --check-prefix=NONE
// NONE: under {{.*}}, none of which was called
// RUN: cd %t && not %patchbay record -N 'std::*' --under nosuch -- ./prog 2>&1 | FileCheck %s --check-prefix=NO-ROOT
// NO-ROOT: no function matches --under 'nosuch'
// RUN: cd %t && not %patchbay record -N 'std::*' --under ends -- ./prog 2>&1 | FileCheck %s --check-prefix=ENDS
// ENDS: --under: the end of a call of ends() cannot be traced, because it never returns: name a function that it calls
// RUN: cd %t && not %patchbay record -N 'std::*' --under 'prints*' -- ./prog 2>&1 | FileCheck %s --check-prefix=PRINTS
// PRINTS: --under: the end of a call of prints(char const*, ...) cannot be traced, because it takes '...'
// RUN: cd %t && %patchbay record -N 'std::*' -t function_duration --under ends --under root -- ./prog 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: %{count}=ROOT
#include "../Inputs/check.h"

#include <csetjmp>
#include <cstdarg>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static jmp_buf target;

OPAQUE void common() {}
OPAQUE void jumps() { longjmp(target, 1); }
OPAQUE void throws() {
  common();
  throw 1;
}
OPAQUE void forks() {
  pid_t child = fork();
  if (child)
    waitpid(child, nullptr, 0);
}
OPAQUE void between() { common(); }
OPAQUE void starts() { std::thread(between).join(); }
OPAQUE void never_called() {}
[[noreturn]] OPAQUE void ends() { _exit(0); }
OPAQUE void prints(const char *text, ...) {
  if (!*text)
    ends();
}
OPAQUE int root(int how) {
  switch (how) {
  case 1:
    jumps();
    break;
  case 2:
    throws();
    break;
  case 3:
    return root(0) + 1;
  case 4:
    starts();
    break;
  case 5: {
    forks();
    common();
    break;
  }
  default:
    common();
  }
  return 0;
}

int main() {
  for (volatile int i = 0; i < 10; i = i + 1) {
    common();
    if (!setjmp(target))
      root(1);
    // This call has the same frame address as root(1), which was left.
    common();
    try {
      root(2);
    } catch (int) {
    }
    between();
    common();
    root(3);
    prints("text");
  }
  root(4);
  pid_t self = getpid();
  root(5);
  if (getpid() != self)
    _exit(0);
  root(0);
  common();
  return 0;
}
