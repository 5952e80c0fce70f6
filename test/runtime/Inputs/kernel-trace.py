# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-trace.py REPLAY: prints a trace in the kernel's format, with one call in each call of
leaf() in the function_graph output of `patchbay replay`."""
import re
import sys

LEAF = re.compile(r"^ *(\d+)\.(\d{6})\d* \|(.*)-(\d+) \|.*\| +leaf\(\);$")
print("# tracer: function_graph\n#\n"
      "#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
      "#      |          |     |    |           |   |                     |   |   |   |")
for line in sys.stdin:
    found = LEAF.match(line)
    if found:
        seconds, micros, comm, tid = found.groups()
        print(f"{seconds}.{micros} |   0) {comm.strip()}-{tid} |   0.001 us    |  in_kernel();")
