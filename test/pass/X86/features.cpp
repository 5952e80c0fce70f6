// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: host-x86_64, command
// A program with all features that change a function's start, compiled with every
// flag that changes it. Each image passes `patchbay verify`, runs, and runs with
// every function armed.
//
// RUN: gcc -O2 -c %S/Inputs/foreign.c -o %t.foreign.o
// DEFINE: %{flags} =
// DEFINE: %{cc} = %clangxx_pass -std=c++20 -fuse-ld=lld %s %t.foreign.o -o %t
// DEFINE: %{check} = %{cc} %{flags} && %patchbay verify %t && %t | FileCheck %s && rm -rf %t.d && %patchbay record -t count -F '*' -o %t.d -- %t | FileCheck %s && %patchbay report %t.d | FileCheck %s --check-prefix=REPORT
// CHECK: {{^}}all right{{$}}
// REPORT: in_section

// REDEFINE: %{flags} = -O0 -fsanitize=kcfi
// RUN: %{check}
// REDEFINE: %{flags} = -O1 -no-pie -fcf-protection=full
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -fbasic-block-sections=all
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -ffunction-sections -Wl,--gc-sections,--icf=all -mllvm -hot-cold-split -mllvm -hotcoldsplit-threshold=0
// RUN: %{check}
// REDEFINE: %{flags} = -O3 -fsanitize=kcfi -falign-functions=64
// RUN: %{check}
// REDEFINE: %{flags} = -Os -fsanitize=kcfi -mllvm -enable-machine-outliner=always
// RUN: %{check}
// REDEFINE: %{flags} = -Oz -mllvm -enable-machine-outliner=always -fcf-protection=branch
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -flto=full -fvisibility=hidden -fsanitize=cfi-icall -fuse-ld=%ld.lld -Wl,--load-pass-plugin=%pass
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -flto=thin -fsanitize=kcfi -fuse-ld=%ld.lld -Wl,--load-pass-plugin=%pass
// RUN: %{check}
// REDEFINE: %{flags} = -O1 -g -fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=all
// RUN: %{check}
// REDEFINE: %{flags} = -O1 -g -fsanitize=thread
// RUN: %{check}
// REDEFINE: %{flags} = -O1 -fsanitize=undefined,function -fno-sanitize-recover=all
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -fxray-instrument -fxray-instruction-threshold=1
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -finstrument-functions -fstack-protector-all -fstack-clash-protection
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fprofile-instr-generate=%t.profraw -fcoverage-mapping -fpseudo-probe-for-profiling
// RUN: %{check}

#include <coroutine>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#define OPAQUE __attribute__((noinline, optnone))
#define CHECK(condition)                                                       \
  do                                                                           \
    if (!(condition)) {                                                        \
      printf("line %d: %s\n", __LINE__, #condition);                           \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

extern "C" int foreign_call(int (*function)(int), int value);


static int constructed;
__attribute__((constructor(101))) static void construct() { constructed = 42; }
static struct Global {
  std::string name = "global";
  ~Global() { constructed = 0; }
} global;

extern "C" {
__attribute__((weak)) OPAQUE int by_weak(int a) { return a + 1; }
int by_alias(int a) __attribute__((alias("by_weak")));
static int implementation(int a) { return a * 5; }
__attribute__((no_instrument_function)) int (*resolver())(int) { return implementation; }
int by_ifunc(int a) __attribute__((ifunc("resolver")));
__attribute__((section("own_section"))) OPAQUE int in_section(int a) { return a - 1; }
__attribute__((aligned(128))) OPAQUE int aligned(int a) { return a ^ 3; }
__attribute__((cold)) OPAQUE int is_cold(int a) { return a * 2; }
}

OPAQUE static int count_down(int a);
static int musttail(int a) {
  [[clang::musttail]] return count_down(a);
}
static int count_down(int a) { return a ? count_down(a - 1) : 7; }

static jmp_buf buffer;
OPAQUE static void jump(int a) {
  if (a == 0)
    longjmp(buffer, 9);
  jump(a - 1);
}
static int jumps() {
  int value = setjmp(buffer);
  if (value == 0)
    jump(3);
  return value;
}

struct Raises {
  int &counter;
  ~Raises() { counter++; }
};
template <class T> OPAQUE T throws(T depth, int &counter) {
  Raises raises{counter};
  if (depth == 0)
    throw std::runtime_error("thrown");
  return throws<T>(depth - 1, counter) + 1;
}
static int catches() {
  int counter = 0;
  try {
    throws<long>(5, counter);
  } catch (const std::exception &error) {
    CHECK(std::string(error.what()) == "thrown");
  }
  return counter;
}

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
};
static Generator squares(int count) {
  for (int i = 1; i <= count; i++)
    co_yield i * i;
}

struct Base {
  virtual ~Base() = default;
  virtual int area() const = 0;
};
struct Square : Base {
  int side;
  explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
};

OPAQUE static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count--)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

struct Big {
  long words[12];
};
OPAQUE static Big big(Big a, __int128 b, long double c) {
  a.words[11] += long(b) + long(c);
  return a;
}

int main() {
  CHECK(constructed == 42 && global.name == "global");
  int (*volatile indirect)(int) = by_weak;
  CHECK(indirect(1) == 2 && by_alias(2) == 3 && by_ifunc(3) == 15);
  CHECK(in_section(3) == 2 && aligned(5) == 6 && is_cold(4) == 8);
  CHECK(foreign_call(by_weak, 1) == 3);
  CHECK(musttail(100) == 7 && jumps() == 9 && catches() == 6);
  Generator generator = squares(4);
  int total = 0;
  for (generator.handle.resume(); !generator.handle.done(); generator.handle.resume())
    total += generator.handle.promise().value;
  CHECK(total == 30);
  std::vector<Base *> shapes = {new Square(2), new Square(3)};
  total = 0;
  for (Base *shape : shapes) {
    total += shape->area();
    delete shape;
  }
  CHECK(total == 13 && sum(4, 1, 2, 3, 4) == 10);
  Big a = {};
  a.words[11] = 1;
  CHECK(big(a, 2, 3).words[11] == 6);
  puts("all right");
}
