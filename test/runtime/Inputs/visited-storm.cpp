// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Until the end of stdin, threads allocate, load libraries, fork, throw, use vector
// registers and receive signals, each as fast as possible. Each thread checks its
// results. With an argument, a single thread only allocates.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<long> Signals;

static void must(bool Ok, const char *What) {
  if (Ok)
    return;
  perror(What);
  abort();
}

[[gnu::noinline]] static int thrower(int N) {
  if (N & 1)
    throw std::runtime_error("odd " + std::to_string(N));
  return N;
}

static void *allocate(void *) {
  for (unsigned Seed = 1;;) {
    void *All[64];
    for (void *&One : All) {
      One = malloc(rand_r(&Seed) % 5000);
      must(One, "malloc");
    }
    for (void *One : All)
      free(One);
    usleep(1);
  }
}

static void *load(void *) {
  for (;;) {
    void *Library = dlopen("libutil.so.1", RTLD_NOW);
    must(Library, "dlopen");
    dlclose(Library);
  }
}

static void *forkAway(void *) {
  for (;;) {
    pid_t Child = fork();
    must(Child >= 0, "fork");
    if (!Child) {
      free(malloc(100));
      try {
        thrower(1);
      } catch (std::runtime_error &) {
        _exit(7);
      }
    }
    int Status;
    must(waitpid(Child, &Status, 0) == Child, "waitpid");
    must(WIFEXITED(Status) && WEXITSTATUS(Status) == 7, "child");
  }
}

static void *throwOften(void *) {
  for (int N = 0;; N++) {
    bool Thrown = false;
    try {
      thrower(N);
    } catch (std::exception &E) {
      Thrown = strlen(E.what()) > 4;
    }
    must(Thrown == (N & 1), "throw");
  }
}

static void *add(void *) {
  for (double N = 1;; N++) {
    volatile double Numbers[64];
    double Sum = 0;
    for (int I = 0; I < 64; I++)
      Numbers[I] = N + I;
    for (int I = 0; I < 64; I++)
      Sum += Numbers[I];
    must(Sum == 64 * N + 2016, "sum");
  }
}

// Allocates in a single thread, for which the C library takes no locks. While the
// thread is interrupted inside the allocator, no function may be called in it.
// Sometimes the thread checks whether to end.
[[noreturn]] static void allocateAlone() {
  void *All[64] = {};
  puts("ready");
  fflush(stdout);
  for (unsigned Seed = 1, Round = 0;; Round++) {
    for (void *&One : All) {
      free(One);
      One = malloc(rand_r(&Seed) % 3000);
      must(One, "malloc");
      volatile unsigned Sum = 0;
      for (unsigned I = 0; I < 50; I++)
        Sum = Sum + I;
    }
    pollfd Input = {STDIN_FILENO, POLLIN, 0};
    if (Round % 1024 == 0 && poll(&Input, 1, 0) > 0)
      _exit(0);
  }
}

int main(int argc, char **) {
  if (argc > 1)
    allocateAlone();
  struct sigaction Action = {};
  Action.sa_handler = [](int) { ++Signals; };
  Action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &Action, nullptr);
  const itimerval Often = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &Often, nullptr);
  pthread_t Thread;
  for (auto *Function : {allocate, load, forkAway, throwOften, add})
    must(!pthread_create(&Thread, nullptr, Function, nullptr),
         "pthread_create");
  puts("ready");
  fflush(stdout);
  char Byte;
  while (read(STDIN_FILENO, &Byte, 1) > 0)
    ;
  must(Signals > 0, "signals");
  _exit(0);
}
