# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-functions.py N: prints a program with the functions f0 to f(N-1). The program's argument
is the number of children. Each child calls each function once."""
import sys

nr = int(sys.argv[1])
print("#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>")
for i in range(nr):
    print(f"__attribute__((noinline, optnone)) int f{i}(int a) {{ return a + {i}; }}")
print("static int (*const all[])(int) = {", ", ".join(f"f{i}" for i in range(nr)), "};")
print("""int main(int argc, char **argv)
{
	for (int nr = atoi(argv[argc - 1]); nr; nr--) {
		if (!fork()) {
			for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
				all[i](1);
			exit(0);
		}
		wait(NULL);
	}
	return 0;
}""")
