// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
template <typename A, typename B> struct Foo {
  __attribute__((noinline)) int get(A a, B b) {
    __asm__ volatile("");
    return int(a) + int(b);
  }
};

int main() {
  Foo<int, char> first;
  Foo<int, long> second;
  return first.get(1, 'x') + second.get(1, 2) - 'x' - 4;
}
