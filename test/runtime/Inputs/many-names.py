# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-names.py N: prints C++ with N functions in one namespace, with names of at least 100
bytes. The program calls the first one, the last one and one in another namespace. With the
argument "wait" the program first prints "ready" and waits for a line. With any other argument
it also runs itself in a child."""
import sys

number = int(sys.argv[1])
print("#include <cstdio>\n#include <string>\n#include <sys/wait.h>\n#include <unistd.h>")
print("namespace service_with_a_name_of_usual_length {")
for i in range(number):
    print(f"__attribute__((noinline)) int function_with_quite_a_long_name_{i:05}"
          f"(int first, const std::string &second) {{ return first + {i}; }}")
print("}")
print("namespace other { __attribute__((noinline)) int apart(int n) { return n + 1; } }")
print("int main(int argc, char **argv) {")
print("  if (argc > 1 && *argv[1] != 'w' && !fork()) execl(*argv, *argv, nullptr);")
print("  wait(nullptr);")
print("  if (argc > 1 && *argv[1] == 'w') { puts(\"ready\"); fflush(stdout); getchar(); }")
print("  std::string text = \"text\"; int sum = 0;")
print("  using namespace service_with_a_name_of_usual_length;")
for i in 0, number - 1:
    print(f"  sum += function_with_quite_a_long_name_{i:05}({i}, text);")
print("  return other::apart(sum) == 0;\n}")
