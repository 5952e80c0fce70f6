# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truth: durations that `report` prints for functions with many calls, with and without the cost
of recording, compared with durations in the untraced program."""
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from harness import BenchError
from harness.report import Row
from harness.systems import systems

PROGRAMS = ("text", "recursion", "leaves")
KINDS = ("raw", "compensated")
TRACERS = ("function_duration", "function_graph")
FLAGS = ("-x", "c++", "-std=c++17", "-O2")


def run(bench):
    tools = bench.tools
    flags = systems(tools.product("patchbay-pass.so"))["ours-without-kcfi"].flags
    rounds = 20 if bench.quick else 60
    turns = 3 if bench.quick else 11
    for name in PROGRAMS:
        program = tools.program(f"truth-{name}",
                                [tools.object(f"truth_{name}.cpp", (*flags, *FLAGS))],
                                ("-lstdc++",))
        truth, marked, errors = {}, set(), {}
        figures = {tracer: {} for tracer in TRACERS}
        # Alternate traced and untraced runs, because the load of the machine varies.
        for _ in range(turns):
            for line in output(program, rounds).splitlines():
                function, took = line.split()
                truth.setdefault(function, []).append(int(took))
            for tracer in TRACERS:
                traced(tools.product("bin/patchbay"), tracer, program, rounds,
                       truth, figures[tracer], marked, errors)
        for function, took in truth.items():
            true = statistics.median(took) / 1000
            bench.report.add(Row(function, "untraced", true, "us"))
            for tracer in TRACERS:
                for kind in KINDS:
                    shown = [ns / 1000 for ns in figures[tracer][function, kind]]
                    ratio = statistics.median(shown) / true
                    mark = " ~" if (function, kind) in marked else ""
                    note = ""
                    if kind == "compensated" and abs(ratio - 1) > 0.15:
                        error = statistics.median(errors[tracer, function]) / 1000
                        is_within = abs(ratio - 1) * true <= error
                        note = (f"states +-{error:.2f} us" +
                                ("" if is_within else ", which is too little"))
                    bench.report.add(Row(function, f"{tracer}, {kind}{mark}",
                                         statistics.median(shown), "us", "untraced", ratio,
                                         note=note))


def output(*command):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True)
    if done.returncode or "lost" in done.stderr:
        raise BenchError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                         f"{done.stderr.strip()}")
    return done.stdout


def traced(tool, tracer, program, rounds, wanted, figures, marked, errors):
    """Records the program. Adds each function's median duration to figures and its error per call
    to errors, both in ns as in `report`. Adds functions that `report` marks with ~ to marked.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        output(tool, "record", "-t", tracer, "--buffer", "2G", "-o", data, "--", program,
               rounds)
        for kind, options in zip(KINDS, (["--raw"], [])):
            report = json.loads(output(tool, "report", "--json", *options, data))
            for function in report["functions"]:
                name = function["name"]
                if name not in wanted:
                    continue
                figures.setdefault((name, kind), []).append(function["p50_ns"])
                cost = function.get("measured_ns", 0) - function["total_ns"]
                if cost > function["p50_ns"] * function["calls"]:
                    marked.add((name, kind))
                if kind == "compensated":
                    errors.setdefault((tracer, name), []).append(
                        function.get("total_error_ns", 0) / function["calls"])
