# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truth: the times in `report` of functions that make many calls, as measured and without
the cost of recording, compared with their times without tracing."""
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from harness import BenchError
from harness.report import Row
from harness.systems import systems

PROGRAMS = ("text", "recursion", "leaves")
TRACERS = ("function_duration", "function_graph")
FLAGS = ("-x", "c++", "-std=c++17", "-O2")


def run(bench):
    tools = bench.tools
    flags = systems(tools.product("patchbay-pass.so"))["ours-without-kcfi"].flags
    rounds = 20 if bench.quick else 60
    turns = 3 if bench.quick else 7
    for name in PROGRAMS:
        program = tools.program(f"truth-{name}",
                                [tools.object(f"truth_{name}.cpp", (*flags, *FLAGS))],
                                ("-lstdc++",))
        truth = {}
        figures = {tracer: {} for tracer in TRACERS}
        rough = set()
        # In turn, because the load of the machine varies.
        for _ in range(turns):
            for line in output(program, rounds).splitlines():
                function, took = line.split()
                truth.setdefault(function, []).append(int(took))
            for tracer in TRACERS:
                traced(tools.product("bin/patchbay"), tracer, program, rounds,
                       truth, figures[tracer], rough)
        for function, took in truth.items():
            true = statistics.median(took) / 1000
            bench.report.add(Row(function, "untraced", true, "us"))
            for tracer in TRACERS:
                for kind in ("raw", "compensated"):
                    shown = statistics.median(figures[tracer][function, kind]) / 1000
                    mark = " ~" if (function, kind) in rough else ""
                    bench.report.add(Row(function, f"{tracer}, {kind}{mark}", shown, "us",
                                         "untraced", shown / true))


def output(*command):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True)
    if done.returncode or "lost" in done.stderr:
        raise BenchError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                         f"{done.stderr.strip()}")
    return done.stdout


def traced(tool, tracer, program, rounds, wanted, figures, rough):
    """Adds the median of each function's calls, in ns, and what has the mark ~ in `report`."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        output(tool, "record", "-t", tracer, "--buffer", "2G", "-o", data, "--", program,
               rounds)
        for kind, options in ("raw", ["--raw"]), ("compensated", []):
            report = json.loads(output(tool, "report", "--json", *options, data))
            for function in report["functions"]:
                if function["name"] in wanted:
                    figures.setdefault((function["name"], kind), []).append(
                        function["p50_ns"])
                    cost = function.get("measured_ns", 0) - function["total_ns"]
                    if cost > function["p50_ns"] * function["calls"]:
                        rough.add((function["name"], kind))
