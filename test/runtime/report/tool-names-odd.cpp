// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names may contain characters with a special meaning: operators, result types with
// brackets, and methods of Go. Narrow terminals omit dispensable parts. Symbols that
// are not functions cost no time and no stack.
// REQUIRES: ncurses
// DEFINE: %{terminal} = %python %S/../Inputs/in-terminal.py
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_graph -o all -- ./prog

// RUN: cd %t && %{terminal} 40 %patchbay report -f calls,name all | FileCheck %s
//     CHECK: calls  function{{$}}
// CHECK-DAG: {{  }}ns::operator"" _km{{$}}
// CHECK-DAG: {{  }}operator<{{$}}
// CHECK-DAG: {{  }}ns::chosen{{$}}
// CHECK-DAG: {{  }}ns::Value::operator void (*)(int){{$}}
// CHECK-DAG: {{  }}...operator void (ns::Value::*)(){{$}}
// CHECK-DAG: {{  }}main.(*Type).Method{{$}}
// CHECK-DAG: {{  }}world.(*Type).Method{{$}}

// Each spelling selects the function.
// DEFINE: %{each} = %python %S/../Inputs/name-table.py %patchbay %t/prog %t/all
// RUN: %{each} 'operator<' 'bool operator<<ns::Value>(ns::Value const&, ns::Value const&)'
// RUN: %{each} 'ns::chosen' 'decltype(auto) ns::chosen<int, ns::Value, ns::Value>(int, ns::Value const&, ns::Value const&)'
// RUN: %{each} 'ns::operator"" _km' 'ns::operator"" _km(unsigned long long)'

// The names contain requires-clauses, and results that are pointers to functions. In an
// expression, < is an operator.
// RUN: %buildxx -std=c++20 -DASKED %s -o %t/requires %link
// RUN: cd %t && %patchbay record -t function_graph -o required -- ./requires
// DEFINE: %{required} = %python %S/../Inputs/name-table.py %patchbay %t/requires %t/required
// RUN: %{required} 'ns::smaller' 'void ns::smaller<int>(int, ns::Bool<sizeof (int) < 8>)'
// RUN: %{required} 'ns::later' 'void (* (*ns::later<int>(int))(char))(int)'
// Older C++ libraries cannot demangle these two names, but the command can.
// RUN: cd %t && %patchbay record -t count -F 'ns::asks' -F 'ns::Value::operator==' -o two -- ./requires && %patchbay report --json two | %python -c "import json, sys; print(*sorted(f['name'] for f in json.load(sys.stdin)['functions']), sep='\n')" | FileCheck %s --check-prefix=TWO
//      TWO: {{^ns::Value<int>::friend operator==\(.*\) requires}}
// TWO-NEXT: {{^void ns::asks<int>\(int\) requires .*$}}
//  TWO-NOT: {{.}}
// RUN: cd %t && %{terminal} 40 %patchbay report -f calls,name required | FileCheck %s --check-prefix=ASKED
//     ASKED: calls  function{{$}}
// ASKED-DAG: {{  ns::asks(<int>)?$}}
// ASKED-DAG: {{  ns::smaller(<int>)?$}}
// ASKED-DAG: {{  ns::later(<int>)?$}}
// ASKED-DAG: {{  ns::array(<int>)?$}}
// ASKED-DAG: {{  ns::Value(<int>)?::operator==$}}

// Shortening never cuts a UTF-8 character.
// RUN: %buildxx -DUTF8 %s -o %t/utf8 %link
// RUN: cd %t && %patchbay record -t function_profile -o texts -- ./utf8
// DEFINE: %{texts} = %patchbay report -f calls,name texts
// RUN: cd %t && %{terminal} 40 %{texts} >40.txt && %{terminal} 41 %{texts} >41.txt && %{terminal} 42 %{texts} >42.txt
// RUN: cd %t && %python -c "[open(f'{n}.txt', encoding='utf-8').read() for n in (40, 41, 42)]"
// RUN: FileCheck %s --check-prefix=UTF8 <%t/40.txt
// RUN: cd %t && %patchbay record -t function_duration -o calls -- ./utf8
// RUN: cd %t && %{terminal} 80 %patchbay replay calls >80.txt && %{terminal} 81 %patchbay replay calls >81.txt && %{terminal} 82 %patchbay replay calls >82.txt
// RUN: cd %t && %python -c "[open(f'{n}.txt', encoding='utf-8').read() for n in (80, 81, 82)]"
// UTF8-DAG: {{世界.*\.\.\..*世#1$}}
// UTF8-DAG: {{世界.*\.\.\..*世#2$}}

// RUN: %buildxx -DHOSTILE %s -o %t/hostile %link
// RUN: cd %t && %patchbay record -t function_profile -o none -- ./hostile
// RUN: cd %t && %{terminal} 80 prlimit --cpu=60 %patchbay report -f calls,name none >none.txt
// RUN: grep -c 'operator \|((((\|operator x<(\|  x$' %t/none.txt | FileCheck %s --check-prefix=SHOWN
// SHOWN: {{^}}5{{$}}

#define CALL __attribute__((noinline))
#define WORK __asm__ volatile("")
#define TEN(X) X X X X X X X X X X
#define MANY(X) TEN(TEN(TEN(TEN(TEN(X)))))

#if defined(HOSTILE)
extern "C" {
CALL void operators(void) __asm__(MANY("operator "));
CALL void brackets(void) __asm__(MANY("("));
CALL void both(void) __asm__(MANY("operator x<("));
CALL void within(void) __asm__("operator " MANY("operator<x "));
CALL void signs(void) __asm__("x" MANY("(1)<"));
void within(void) { WORK; }
void signs(void) { WORK; }
void operators(void) { WORK; }
void brackets(void) { WORK; }
void both(void) { WORK; }
}

int main() {
  operators();
  brackets();
  both();
  within();
  signs();
}
#elif defined(UTF8)
#define LONG "世界世界世界世界世界世界世界世界世界世界世界世界世"
extern "C" {
CALL void one(void) __asm__(LONG "甲" LONG);
CALL void other(void) __asm__(LONG "由" LONG);
void one(void) { WORK; }
void other(void) { WORK; }
}

int main() {
  one();
  other();
}
#elif defined(ASKED)
namespace ns {
template <typename T, typename U> concept Like = sizeof(T) == sizeof(U);
template <bool> struct Bool {};
template <typename T> CALL void asks(T) requires ns::Like<T, int> { WORK; }
template <typename T> CALL void smaller(T, Bool<(sizeof(T) < 8)>) { WORK; }
template <typename T> CALL void (*(*later(T))(char))(int) { WORK; return nullptr; }
int Three[3];
template <typename T> CALL int (&array(T))[3] { WORK; return Three; }
template <typename T> struct Value {
  friend CALL bool operator==(const Value &, const Value &) requires Like<T, int> {
    WORK;
    return true;
  }
};
} // namespace ns

int main() {
  ns::asks(1);
  ns::smaller(1, {});
  return (ns::Value<int>() == ns::Value<int>()) + (ns::later(1) != nullptr) + ns::array(1)[0] == 0;
}
#else
namespace ns {
struct Value {
  using Function = void (*)(int);
  CALL operator Function() const { WORK; return nullptr; }
  using Member = void (Value::*)();
  CALL operator Member() const { WORK; return nullptr; }
};
CALL int operator""_km(unsigned long long X) { WORK; return int(X); }
template <typename T, typename U, typename V>
CALL decltype(auto) chosen(T X, const U &, const V &) { WORK; return X; }
} // namespace ns
template <typename T> CALL bool operator<(const T &, const T &) { WORK; return true; }

extern "C" {
CALL void method(void) __asm__("main.(*Type).Method");
CALL void other(void) __asm__("world.(*Type).Method");
void method(void) { WORK; }
void other(void) { WORK; }
}

int main() {
  using namespace ns;
  Value V;
  method();
  other();
  return (V < V) + chosen(1, V, V) + 3_km + (static_cast<Value::Function>(V) != nullptr) +
         (static_cast<Value::Member>(V) != nullptr) == 0;
}
#endif
