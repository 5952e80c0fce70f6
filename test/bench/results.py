#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes RESULTS.md: the cost of Patchbay, compared with other tracers and with figures from
Linux patch series. Runs each suite whose JSON file is not in the folder yet. Passes unknown
options, such as --quick, to run.py."""
import argparse
import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
SUITES = ("trace", "sites", "scaling", "links", "patch", "coverage", "static-calls")
BUSY = 2.0  # results are unreliable above this load, to which the suite itself contributes 1
NONE = "-"


class Results:
    """The results of all suites: rows by suite, case and system."""

    def __init__(self, folder):
        self.runs, self.rows, self.skipped = {}, {}, {}
        for suite in SUITES:
            run = json.loads((folder / f"{suite}.json").read_text(encoding="utf-8"))
            self.runs[suite] = run["machine"]
            for row in run["rows"]:
                key = suite, row["case"], row["system"]
                self.rows.setdefault((*key, row["against"]), row)
                self.rows.setdefault(key, row)
            for skipped in run["skipped"]:
                about = f"{suite}, {skipped['case']}: {skipped['system']}"
                self.skipped.setdefault(skipped["reason"], about)

    def row(self, suite, case, system, against=None):
        key = (suite, case, system)
        return self.rows.get((*key, against) if against else key)

    def figure(self, field, *key):
        found = self.row(*key)
        return NONE if found is None or found[field] is None else number(found[field])

    def over(self, suite, case, system, against="baseline"):
        """Returns the additional time of a call, in ns, compared with @against."""
        return self.figure("over", suite, case, system, against)

    def ratio(self, suite, case, system, against="baseline"):
        return self.figure("ratio", suite, case, system, against)

    def case(self, suite, start):
        """Returns the first case with this prefix, because some names end with the number of
        functions."""
        return next((case for name, case, *_ in self.rows
                     if name == suite and case.startswith(start)), start)

    def counts(self, suite, case, system):
        """Returns the number of instructions and the other counts, separated by slashes."""
        found = self.row(suite, case, system)
        if found is None:
            return NONE
        parts = (found["parts"] or {}).values()
        return "/".join(number(part) if part is not None else NONE
                        for part in (found["median"], *parts))


def number(value):
    if value == int(value) and abs(value) >= 10 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}".removesuffix(".00")


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


# Description, suite, case, system, and the system to compare with (default: baseline).
COSTS = (
    ("is not traced", "sites", "disarmed, hot", "ours"),
    ("is not traced, with cold caches", "sites", "disarmed, cold sweep", "ours", "kcfi"),
    ("has an empty handler of general registers", "sites", "armed, empty handler", "ours"),
    ("has an empty handler of any registers", "sites", "armed, empty handler",
     "ours-any-handler"),
    ("is recorded: an entry", "trace", "logged call", "ours-function"),
    ("is recorded: a duration (`record`)", "trace", "logged call", "ours"),
    ("is recorded: entry and exit", "trace", "logged call", "ours-graph"),
    ("is shorter than `--threshold`", "trace", "call below the threshold", "ours"),
    ("times and records itself (lower bound)", "trace", "logged call", "floor"),
    ("is called through a static call", "static-calls", "static call, hot", "ours"),
    ("is called through a pointer", "static-calls", "static call, hot", "pointer"),
)


def costs(results):
    return ("## Costs\n\nHow many nanoseconds longer a call of an empty function takes than a "
            "plain call, and the ratio of both.\n\n" +
            table(["the function ...", "ns", "ratio"],
                  [[text, results.over(*key), results.ratio(*key)] for text, *key in COSTS]))


# The tracers of the table, and their names in the suites.
PEERS = {"Patchbay": "ours", "XRay": "xray", "uftrace": "uftrace", "LTTng": "lttng",
         "`-finstrument-functions`": "instrument-functions", "lower bound": "floor"}
# Description, suite, case, the system to compare with, and tracers with another name or case.
PEER_CASES = (
    ("not traced", "sites", "disarmed, hot", "baseline", {}),
    ("not traced, cold caches", "sites", "disarmed, cold sweep", "kcfi", {"xray": "xray+kcfi"}),
    ("empty handler at the entry", "sites", "armed, empty handler", "baseline",
     {"ours": "ours-any-handler", "xray": "xray-entry", "uftrace": None,
      "instrument-functions": None}),
    ("empty handlers at entry and exit", "links", "hot", "baseline",
     {"ours": "session", "floor": None, "uftrace": None,
      "instrument-functions": ("sites", "armed, empty handler", "instrument-functions")}),
    ("recorded duration", "trace", "logged call", "baseline", {"xray": "xray-fdr"}),
    ("shorter than the threshold", "trace", "call below the threshold", "baseline", {}),
)


def peers(results):
    rows = []
    for text, suite, case, against, names in PEER_CASES:
        keys = [names.get(system, system) for system in PEERS.values()]
        keys = [key if isinstance(key, tuple) else (suite, case, key) for key in keys]
        rows.append([text, *(results.over(*key, against) for key in keys)])
    for text, start in (("arm 50,000 functions, ms", "arm "), ("disarm them, ms", "disarm ")):
        case = results.case("patch", start)
        rows.append([text, *(results.figure("median", "patch", case, system)
                             for system in PEERS.values())])
    return ("## Other tracers\n\nThe additional nanoseconds of a call, against a plain program in "
            "the same run. `-`: not supported, or not measured. LTTng uses the hooks of "
            "`-finstrument-functions`, which are always on. XRay records with its flight data "
            "recorder. With cold caches all programs have kCFI.\n\n" +
            table(["", *PEERS], rows))


# Numbers of relevant and irrelevant tracers, and the overhead before and after the commit, in ns.
CALL_OPS = {(1, 0): (13.37, 1.86), (1, 1): (63.73, 1.86), (1, 10): (236.92, 1.86),
            (1, 100): (1063.38, 1.87), (2, 0): (63.62, 64.08), (10, 0): (226.22, 185.87),
            (100, 0): (1031.99, 1034.56)}


def call_ops(results):
    rows = []
    for (relevant, others), (before, after) in CALL_OPS.items():
        key = "scaling", f"{relevant} and {others} others"
        rows.append([relevant, others, number(before), number(after),
                     results.over(*key, "list-walk"), results.over(*key, "ours")])
    return ("## Linux commit baaf553d3bc3: `CALL_OPS` on arm64\n\nHow many nanoseconds longer a "
            "call takes, by the number of tracers of the function and of other functions. The "
            "commit's figures are from an Apple M1. `list walk` is ftrace's method before the "
            "commit, on this machine.\n\n" +
            table(["tracers", "others", "M1 before", "M1 after", "list walk", "Patchbay"], rows))


FORMS = (("in line, the old form", "in-line"), ("`mflr` and no-op", "mflr-nop"),
         ("`mflr` and `bl`", "mflr-bl"),
         ("Patchbay", "ours"), ("Patchbay, any handler", "ours-any-handler"),
         ("Patchbay, entry and exit", "ours-exit"), ("no tracing", "baseline"))


def out_of_line(results):
    return ("## \"powerpc/ftrace: move function profile instructions out-of-line\"\n\nA whole "
            "call on ppc64le, counted in QEMU: instructions/loads/stores/indirect branches/"
            "direct branches/returns without their call. The first three entries do less work "
            "than a tracer needs.\n\n" +
            table(["entry", "off", "on"],
                  [[text, results.counts("sites", "ppc64le entry, off", system),
                    results.counts("sites", "ppc64le entry, on", system)]
                   for text, system in FORMS]))


# Million calls per second: a link to one function, a link to many functions.
MULTI = {"fentry": (107.1, 99.1), "fexit": (56.6, 55.4), "fmodret": (59.5, 56.6)}


def multi(results):
    rows = []
    for kind, (one, many) in MULTI.items():
        rows.append([kind, number(one), number(many), number(one / many)])
        for case, suffix in (("hot", ""), ("hot, BPF", "-bpf")):
            single = results.over("links", case, kind + suffix)
            several = results.over("links", case, f"{kind}-multi{suffix}")
            against = kind
            ratio = results.figure("ratio", "links", case, f"{kind}-multi{suffix}", against)
            rows[-1] += [f"{single}, {several}", ratio]
    return ("## \"bpf: tracing multi-link support\"\n\nOne link to one function, and one link to "
            "many functions (50,000 here). The series' figures are million calls per second in "
            "the kernel. Patchbay's figures are how many nanoseconds longer a call takes, and "
            "the ratio of the two calls.\n\n" +
            table(["link", "kernel, one", "many", "ratio", "ns: one, many", "ratio",
                   "with BPF, ns: one, many", "ratio to one without BPF"], rows))


def durations(results):
    rows = [["call is recorded", "11,400", results.over("trace", "logged call", "ours"),
             results.over("trace", "logged call", "uftrace")],
            ["call is filtered", "4,400",
             results.over("trace", "call below the threshold", "ours"),
             results.over("trace", "call below the threshold", "uftrace")],
            ["tracing is off", "390", results.over("sites", "disarmed, hot", "ours"), NONE]]
    buffers = []
    for text, suffix in (("all calls", ""), ("10 us or more", ", 10 us"),
                         ("100 us or more", ", 100 us")):
        case = results.case("coverage", "lua")
        buffers.append([text, *(results.figure("median", "coverage", case, system + suffix)
                                for system in ("ours", "ours-graph", "uftrace"))])
    return ("## \"function duration tracer\" (2009)\n\nHow many nanoseconds longer a call takes. "
            "The series was measured on an ARM of 2009.\n\n" +
            table(["", "series", "Patchbay", "uftrace"], rows) +
            "\nHow many milliseconds of Lua fit in a buffer of 1 MB. The series' buffer held "
            "0.38 s of all calls, 1.34 s with the graph tracer, and 2,868 s with the duration "
            "tracer for calls of 100 ms or more.\n\n" +
            table(["", "duration", "entry and exit", "uftrace"], buffers))


# Calls per millisecond on a POWER9: through a pointer and through the series' static call.
PLACES = {"kkk": (89657, 177835), "kkm": (89835, 53853), "kmk": (101808, 52280),
          "kmm": (101973, 52347), "mkk": (97621, 78044), "mkm": (97738, 38370),
          "mmk": (98839, 68436), "mmm": (98967, 68511)}


def static_calls(results):
    rows = []
    for places, measured in PLACES.items():
        rows.append([places, *map(number, measured),
                     *(results.counts("static-calls", f"ppc64le {places}", system)
                       for system in ("pointer", "linux-series-2022", "ours"))])
    return ("## \"Out-of-line static calls for powerpc64 ELF V2\"\n\nPlaces of caller, "
            "trampoline and target: `k` kernel or executable, `m` module. Calls per millisecond "
            "are from the series, on a POWER9. Counts of a call are "
            "instructions/loads/stores/indirect branches/direct branches: executed in QEMU, "
            "but for the series counted in its code.\n\n" +
            table(["places", "pointer, calls/ms", "series, calls/ms", "pointer", "series",
                   "Patchbay"], rows))


def heading(results):
    first = next(iter(results.runs.values()))
    loads = [run["load"] for run in results.runs.values()]
    busy = (f"The machine was busy (load {min(loads):.0f} to {max(loads):.0f}): times are upper "
            "bounds.\n\n" if max(loads) > BUSY else "")
    return ("# Results\n\nMade by `python3 test/bench/results.py`. [README.md](README.md) says how to "
            f"read them. {first['model']}, {first['processors']} processors, Linux "
            f"{first['kernel']}, {first['compiler']}.\n\n{busy}")


def runs(results):
    suites = {}
    for suite, run in results.runs.items():
        suites.setdefault((run["date"], run["commit"]), []).append(suite)
    return ("## Runs\n\n" +
            "".join(f"- {date}, commit {commit}: {', '.join(names)}\n"
                    for (date, commit), names in suites.items()) +
            "".join(f"\nNot measured: {about}, and others with the same reason: {reason}.\n"
                    for reason, about in results.skipped.items()))


PARTS = (costs, peers, call_ops, out_of_line, multi, durations, static_calls, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the suites' JSON files")
    parser.add_argument("-o", "--output", type=Path, default=BENCH / "RESULTS.md",
                        metavar="FILE", help="(default: RESULTS.md beside this file)")
    args, options = parser.parse_known_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for suite in SUITES:
        file = args.folder / f"{suite}.json"
        if not file.exists():
            print(f"results.py: {suite}", file=sys.stderr)
            done = subprocess.run([sys.executable, BENCH / "run.py", suite, "--json", file,
                                   *options], stdout=subprocess.DEVNULL, check=False)
            if done.returncode:
                sys.exit(f"results.py: suite {suite} failed: its message is above")
    results = Results(args.folder)
    text = heading(results) + "\n".join(part(results) for part in PARTS)
    args.output.write_text(text, encoding="utf-8")
    print(args.output)


if __name__ == "__main__":
    main()
