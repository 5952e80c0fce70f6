// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page has several lengths of each name. Shorter ones drop first the parameters,
// then template arguments except those that distinguish two functions, then the
// qualifiers. The shortest, for the narrowest boxes, is the function's own name.
// read-page.py checks that functions differ in all names but the shortest.
// DEFINE: %{forms} = %python %S/../Inputs/read-page.py page.html forms
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function -o data -- ./prog && %patchbay report --html page.html data && %{forms} | FileCheck %s --match-full-lines
// CHECK-DAG: svc::Cache<int, long>::get(int) const or svc::Cache<int, long>::get or svc::Cache<int, …>::get or …Cache<int, …>::get or get
// CHECK-DAG: svc::Cache<char, long>::get(char) const or svc::Cache<char, long>::get or svc::Cache<char, …>::get or …Cache<char, …>::get or get
// CHECK-DAG: svc::Cache<int, long>::put(int) or svc::Cache<int, long>::put or svc::Cache::put or …Cache::put or …put or put
// CHECK-DAG: svc::scale(int) or …scale(int) or scale
// CHECK-DAG: svc::scale(double) or …scale(double) or scale
// CHECK-DAG: long svc::sum<unsigned int, 2>(unsigned int) or svc::sum<unsigned int, 2> or svc::sum<…, 2> or …sum<…, 2> or sum
// CHECK-DAG: long svc::sum<unsigned int, 3>(unsigned int) or svc::sum<unsigned int, 3> or svc::sum<…, 3> or …sum<…, 3> or sum
// CHECK-DAG: svc::Options::operator<(svc::Options const&) const or svc::Options::operator< or …Options::operator< or …operator< or operator<
// CHECK-DAG: main or main

#define CALL __attribute__((noinline))
#define WORK __asm__ volatile("")

namespace svc {
template <typename Key, typename Value> struct Cache {
  CALL Value get(Key K) const { WORK; return K; }
  CALL void put(Key) { WORK; }
};
struct Options {
  int Level;
  CALL bool operator<(const Options &O) const { WORK; return Level < O.Level; }
};
CALL int scale(int X) { WORK; return 2 * X; }
CALL int scale(double X) { WORK; return int(X); }
template <typename T, int N> CALL long sum(T X) { WORK; return X + N; }
} // namespace svc

int main() {
  svc::Cache<int, long> Numbers;
  svc::Cache<char, long> Letters;
  svc::Options O = {3};
  Numbers.put(1);
  long Sum = Numbers.get(1) + Letters.get('a') + svc::scale(1) + svc::scale(1.5) + (O < O) +
             svc::sum<unsigned, 2>(1) + svc::sum<unsigned, 3>(1);
  return Sum == 0;
}
