// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of several types, for images to verify: eight in this object, and three in
// a second object of the same image.
#define NOINLINE __attribute__((noinline))

inline int NOINLINE comdat(int a) { return a * 7; }
template <class T> NOINLINE T generic(T a) { return a / 3; }
static int NOINLINE local(int a) { return comdat(a) + 1; }
__attribute__((weak)) int weak(int a) { return a + 2; }

#ifdef SECOND
extern "C" int second(int a) { return local(a) + weak(a) + generic(a); }
#else
int NOINLINE same_a(int a) { return a ^ 5; }
int NOINLINE same_b(int a) { return a ^ 5; }
int unused(int a) { return a - 5; }
extern "C" int first(int a) {
  return local(a) + weak(a) + generic(a) + same_a(a) + same_b(a);
}
#endif
