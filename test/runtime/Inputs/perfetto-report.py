# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the figures of `patchbay report` as Perfetto's trace processor computes them.

    perfetto-report.py PAGE TRACE
"""
import sys

import trace_processor

page, trace = sys.argv[1:]
processor = trace_processor.start(page)
with open(trace, "rb") as file:
    processor.load(file)
for row in processor.query("""
        select count(*) as calls, sum(dur) as total, avg(dur) as average,
               max(dur) as longest, name
        from slice group by name order by total desc"""):
    print(*row)
# Reap the process, so that its CPU time is counted (wait4(2)).
processor.transport.process.stdin.close()
processor.transport.process.wait()
