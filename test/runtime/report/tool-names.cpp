// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each verb that accepts names finds C++ functions by their names in the source. At
// each width of a terminal all functions look different.
// REQUIRES: ncurses
// DEFINE: %{terminal} = %python %S/../Inputs/in-terminal.py
// DEFINE: %{distinct} = %python %S/../Inputs/distinct-names.py
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_graph -o all -- ./prog

// RUN: cd %t && %patchbay report --json all > json
// RUN: cd %t && %{terminal} 80 %patchbay report all | %{distinct} 80 16 json
// RUN: cd %t && %{terminal} 110 %patchbay report all | %{distinct} 110 16 json
// RUN: cd %t && %{terminal} 200 %patchbay report all | %{distinct} 200 16 json
// RUN: cd %t && %{terminal} 110 %patchbay report all | FileCheck %s --check-prefix=NARROW
//     NARROW: function{{$}}
// NARROW-DAG: {{ }}svc::Cache<string>::get{{$}}
// NARROW-DAG: {{ }}svc::Cache<int>::get{{$}}
// NARROW-DAG: {{ }}svc::Handler::handle{{$}}
// NARROW-DAG: {{ }}svc::scale(int){{$}}
// NARROW-DAG: {{ }}svc::scale(double){{$}}
// The sort column is never omitted.
// RUN: cd %t && %{terminal} 60 %patchbay report -s sub all | FileCheck %s --check-prefix=SUB
// SUB: {{function +callee with largest total$}}
// The same applies to nested calls, to tables with callers, and to comparisons.
// RUN: cd %t && %{terminal} 60 %patchbay graph all | FileCheck %s --check-prefix=GRAPH
// RUN: cd %t && %{terminal} 60 %patchbay report --by caller -f calls,name all | FileCheck %s --check-prefix=CALLER
// RUN: cd %t && %{terminal} 110 %patchbay report --diff all all | FileCheck %s --check-prefix=GRAPH
// GRAPH-DAG: {{ svc::render$}}
// GRAPH-DAG: {{ svc::scale\(int\)$}}
// GRAPH-DAG: {{ svc::scale\(double\)$}}
// GRAPH-DAG: {{ svc::Cache<int>::get(<int>)?$}}
// CALLER-DAG: {{ svc::render +main$}}
// CALLER-DAG: {{ svc::Cache<int>::get(<int>)? +main$}}
// `tui` shortens each line separately, and all functions still look different.
// DEFINE: %{screen} = %python %S/../Inputs/screen.py
// RUN: cd %t && %{screen} 80x24 "wait:h help" show key:q run %patchbay tui -i all | %{distinct} 80 16 json
// RUN: cd %t && %{screen} 50x24 "wait:h help" show key:2 "wait:tree of calls" show key:q run %patchbay tui -i all > narrow
// RUN: cd %t && sed '/tree of calls/,$d' narrow | %{distinct} 50 16 json
// RUN: cd %t && sed '1,/tree of calls/d' narrow | FileCheck %s --check-prefix=TREE
// TREE-DAG: {{ (svc::)?}}Cache<int>::get{{(<int>)?$}}
// TREE-DAG: {{ (svc::)?}}Cache<string>::get{{$}}
// The table of slow calls shortens names in the same way.
// RUN: cd %t && %patchbay record -t function_duration --why 1ns -o why -- ./prog && %{terminal} 90 %patchbay report why | sed '1,/^why calls/d' | FileCheck %s --check-prefix=WHY
// Load on the machine can widen the column of waits, which shortens namespaces.
// WHY-DAG: {{ (svc::|\.\.\.)render }}
// WHY-DAG: {{ (svc::|\.\.\.)scale\(int\) }}
// WHY-DAG: {{ (svc::|\.\.\.)scale\(double\) }}
// WHY-DAG: {{ (svc::Cache|\.\.\.Cache|\.\.\.)<int>::get }}
// RUN: cd %t && %{terminal} 300 %patchbay report all | FileCheck %s --check-prefix=WIDE --implicit-check-not="callee with"
// WIDE-DAG: {{ }}svc::render(std::string const&, svc::Options const&)

// `replay` and `list` print lines that fit, with different names for all functions.
// DEFINE: %{fits} = %python %S/../Inputs/fitting-lines.py
// RUN: cd %t && %{terminal} 80 %patchbay replay all | %{fits} 80 %t/prog %patchbay
// RUN: cd %t && %{terminal} 80 %patchbay list prog | %{fits} 80 %t/prog %patchbay
// RUN: cd %t && %patchbay record -t function_duration -o duration -- ./prog && %{terminal} 80 %patchbay replay duration | %{fits} 80 %t/prog %patchbay
// RUN: cd %t && %patchbay record -t function -o function -- ./prog && %{terminal} 80 %patchbay replay function | %{fits} 80 %t/prog %patchbay
// A wide terminal and --full-names cut no name. `replay` cuts only on terminals.
// RUN: cd %t && %patchbay replay all | FileCheck %s --check-prefix=WHOLE
// RUN: cd %t && %{terminal} 300 %patchbay replay all | FileCheck %s --check-prefix=WHOLE
// RUN: cd %t && %patchbay list --full-names prog | FileCheck %s --check-prefix=WHOLE
// RUN: cd %t && %{terminal} 60 %patchbay report --full-names all | FileCheck %s --check-prefix=WHOLE
// Without a terminal, COLUMNS is the line width, 100 by default.
// RUN: cd %t && env COLUMNS=80 %patchbay report all | %{distinct} 80 16 json
// RUN: cd %t && env COLUMNS= %patchbay report all | %{distinct} 100 16 json
// RUN: cd %t && %patchbay report all > file && %{distinct} 100 16 json < file
// RUN: cd %t && env COLUMNS=60 %patchbay report all | not %{distinct} 40 16 json
// WHOLE: svc::render(std::string const&, svc::Options const&)

// Each spelling selects the function. Similar names do not match.
// DEFINE: %{each} = %python %S/../Inputs/name-table.py %patchbay %t/prog %t/all
// RUN: %{each} 'svc::render' 'svc::render(std::string const&, svc::Options const&)'
// RUN: %{each} 'svc::ren*' 'svc::render(std::string const&, svc::Options const&)'
// RUN: %{each} 'svc::Cache::get' 'int svc::Cache<int>::get<int>(int)' 'int svc::Cache<std::string>::get<int>(int)'
// RUN: %{each} 'svc::Cache<std::string>::get<int>' 'int svc::Cache<std::string>::get<int>(int)'
// RUN: %{each} 'svc::Cache<*>::get' 'int svc::Cache<int>::get<int>(int)' 'int svc::Cache<std::string>::get<int>(int)'
// RUN: %{each} 'svc::scale' 'svc::scale(int)' 'svc::scale(double)'
// RUN: %{each} 'svc::scale(int)' 'svc::scale(int)'
// RUN: %{each} 'svc::Options::operator()' 'svc::Options::operator()(int) const'
// RUN: %{each} 'svc::Options::operator<' 'svc::Options::operator<(svc::Options const&) const'
// RUN: %{each} '*::Handler::*' 'svc::Handler::handle(svc::Options const&)' 'svc::Handler::dispatch(svc::Options const&)'
// RUN: %{each} 'main' 'main'
// RUN: %{each} '_ZN3svc5scaleEi' 'svc::scale(int)'

// In a file columns are aligned for all names.
// RUN: cd %t && %patchbay report -f name,calls all | %python -c "import sys; print('widths:', len({len(line) for line in sys.stdin}))" | FileCheck %s --check-prefix=EVEN
// EVEN: widths: 1{{$}}

// A name without its namespace matches nothing, and the message suggests names.
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: cd %t && %{status} 3 %patchbay list -F render prog 2>&1 | FileCheck %s --check-prefix=MEANT
// RUN: cd %t && %{status} 125 %patchbay record -F 'rend?r' -- ./prog 2>&1 | FileCheck %s --check-prefix=MEANT
// RUN: cd %t && %{status} 3 %patchbay report -F render all 2>&1 | FileCheck %s --check-prefix=MEANT
// RUN: cd %t && %{status} 3 %patchbay graph -f render all 2>&1 | FileCheck %s --check-prefix=MEANT
// RUN: cd %t && %{status} 3 %patchbay outliers -f render all 2>&1 | FileCheck %s --check-prefix=MEANT
// MEANT: error: {{.*}}: did you mean 'svc::render'{{$|;}}
// RUN: cd %t && %{status} 3 %patchbay list -F get prog 2>&1 | FileCheck %s --check-prefix=GET
// GET: no function matches 'get': did you mean 'svc::Cache::get'{{$}}
// RUN: cd %t && %{status} 3 %patchbay list -F nothing prog 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: no function matches 'nothing': 'patchbay list' shows the names

#include <string>

#define CALL __attribute__((noinline))
#define WORK __asm__ volatile("")

namespace svc {
struct Options {
  int Level;
  CALL int operator()(int X) const { WORK; return X + Level; }
  CALL bool operator<(const Options &O) const { WORK; return Level < O.Level; }
};
template <typename Key> struct Cache {
  template <typename T> CALL T get(T X) { WORK; return X + sizeof(Key); }
};
struct Handler {
  CALL int handle(const Options &O) { WORK; return O(1); }
  CALL int dispatch(const Options &O) { WORK; return O.Level; }
};
CALL int scale(int X) { WORK; return 2 * X; }
CALL int scale(double X) { WORK; return int(X); }
CALL int render(const std::string &Text, const Options &O) {
  WORK;
  return int(Text.size()) + O.Level;
}
CALL int a_name_that_is_longer_than_a_line_of_a_terminal_and_begins_as_another_one() { WORK; return 1; }
CALL int a_name_that_is_longer_than_a_line_of_a_terminal_and_begins_as_another_two() { WORK; return 2; }
CALL int one_that_ends_as_another_name_which_is_longer_than_a_line_of_a_terminal() { WORK; return 3; }
CALL int two_that_ends_as_another_name_which_is_longer_than_a_line_of_a_terminal() { WORK; return 4; }
CALL int the_middle_of_this_name_has_the_1_in_which_it_is_not_as_another_one_is() { WORK; return 5; }
CALL int the_middle_of_this_name_has_the_2_in_which_it_is_not_as_another_one_is() { WORK; return 6; }
} // namespace svc

int main() {
  svc::Options O = {3};
  svc::Handler H;
  svc::Cache<int> Numbers;
  svc::Cache<std::string> Texts;
  int Sum = H.dispatch(O) + H.handle(O) + Numbers.get(1) + Texts.get(2) + svc::scale(1) + svc::scale(1.5);
  Sum += svc::render("text", O) + (O < O);
  Sum += svc::a_name_that_is_longer_than_a_line_of_a_terminal_and_begins_as_another_one();
  Sum += svc::a_name_that_is_longer_than_a_line_of_a_terminal_and_begins_as_another_two();
  Sum += svc::one_that_ends_as_another_name_which_is_longer_than_a_line_of_a_terminal();
  Sum += svc::two_that_ends_as_another_name_which_is_longer_than_a_line_of_a_terminal();
  Sum += svc::the_middle_of_this_name_has_the_1_in_which_it_is_not_as_another_one_is();
  Sum += svc::the_middle_of_this_name_has_the_2_in_which_it_is_not_as_another_one_is();
  return Sum == 0;
}
