// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads make calls that return, that an exception leaves, and that longjmp()
// leaves. There are more calls than fit into a packet. With a second argument the
// process kills itself at the end.
#include "check.h"

#include <csetjmp>
#include <csignal>
#include <pthread.h>

OPAQUE int leaf(int x) { return x; }
OPAQUE int outer(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += leaf(i) & 1;
  return sum;
}
OPAQUE int thrower(int x) { throw x; }
OPAQUE int catcher(int x) {
  try {
    return thrower(x);
  } catch (int caught) {
    return caught;
  }
}

static jmp_buf target;
OPAQUE void cut_off(int) { longjmp(target, 1); }
OPAQUE int jumps(int n) {
  if (!setjmp(target))
    cut_off(n);
  return leaf(n);
}

static void *thread(void *) {
  pthread_setname_np(pthread_self(), "other");
  outer(3);
  return nullptr;
}

OPAQUE void die(int) { raise(SIGKILL); }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 20000;
  pthread_t other;
  CHECK_EQ(outer(n), n / 2);
  CHECK_EQ(catcher(3), 3);
  CHECK_EQ(jumps(5), 5);
  CHECK(!pthread_create(&other, nullptr, thread, nullptr));
  pthread_join(other, nullptr);
  if (argc > 2)
    die(n);
}
