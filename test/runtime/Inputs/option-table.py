# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""option-table.py PATCHBAY DATA: checks that an option has the same meaning in every
verb, and that all verbs report invalid durations in the same words. DATA has
durations."""
import re
import subprocess
import sys

patchbay = sys.argv[1]

# The arguments that each option may have in any verb; "" means none.
MEANING = {
    "-p": {"PID"}, "--live": {"", "PID"}, "-i": {"DIR"}, "-o": {"DIR", "FILE"}, "-t": {"TRACER"},
    "-F": {"GLOB", "FUNCTION"}, "-N": {"GLOB", "FUNCTION"}, "-s": {"KEY"},
    "-f": {"KEYS", "FUNCTION"}, "--thread": {"GLOB"}, "--tid": {"TID"},
    "--threshold": {"DURATION"}, "--slower": {"DURATION"}, "--symfs": {"DIR"},
    "--color": {"[=WHEN]"}, "--no-pager": {""}, "--json": {""},
    "--max-depth": {"N"}, "--depth": {"N"}, "--min": {"DURATION"}, "--max": {"DURATION"},
}
READ = ("archive", "dump", "graph", "info", "outliers", "replay", "report")
SELECT = ("dump", "graph", "list", "live", "outliers", "record", "replay", "report")
# The verbs that must have each option.
IN = {
    "-i": READ, "--input": READ, "-F": SELECT, "-N": SELECT, "--filter": SELECT,
    "--notrace": SELECT, "-o": ("dump", "import", "record"),
    "--output": ("dump", "import", "record"),
    "-p": ("attach", "list", "live", "record", "status"), "-t": ("record",),
    "--tracer": ("record",), "-D": ("graph", "record", "replay"),
    "--color": ("dump", "graph", "info", "list", "outliers", "replay", "report", "status"),
    "--no-pager": ("dump", "graph", "info", "list", "outliers", "replay", "report"),
    "--symfs": READ, "--help": None,
}
# Options that accept durations, with the other arguments that these verbs need.
PROGRAM = ("--", "/bin/true")
DURATIONS = {
    ("record", "--threshold"): ("-t", "function_duration"), ("record", "--why"): ("-t", "function_duration"),
    ("record", "--rotate-every"): ("-t", "function"), ("record", "--delay"): (), ("record", "--for"): (),
    ("live", "--threshold"): ("-p", "4194305"),
    ("live", "--slower"): ("-p", "4194305", "--watch", "none"),
    ("live", "--every"): ("-p", "4194305", "--watch", "none"), ("status", "--wait"): ("4194305",),
    ("tui", "-d"): ("-p", "4194305"), ("outliers", "--slower"): ("-f", "main"),
    **{(verb, option): () for option in ("--min", "--max")
       for verb in ("dump", "graph", "outliers", "replay", "report", "tui")},
}

# Options can be repeated: the last value counts, or all values do.
SAME = [
    ("report -s calls -s name", "report -s name"), ("report -s calls --sort name", "report -s name"),
    ("report -f calls -f name,total", "report -f name,total"), ("report -i none -i DATA", "report -i DATA"),
    ("report --min 1h --min 0", "report --min 0"), ("report --by caller --by thread", "report --by thread"),
    ("report --color=always --color=never", "report --color=never"), ("report --json --json", "report --json"),
    ("dump --json --json", "dump --json"), ("dump --csv --csv", "dump --csv"),
    ("replay -D 1 --max-depth 2", "replay -D 2"), ("graph --max 1ns --max 1h", "graph --max 1h"),
    ("outliers -f none -f 0x1030", "outliers -f 0x1030"),
    ("report -F 0x1010 -F 0x1030", "report -F 0x1030 --filter 0x1010"),
    ("report -F 0x1010 -F 0x1030", "report -N 0x1040"), ("report -N 0x1010 -N 0x1030", "report -F 0x1040"),
    ("report --thread main --thread wor*", "report"), ("report --tid 100 --tid 101", "report --tid 100,101"),
]
# Contradictory options, and the message for each.
OPPOSITE = {
    "dump --json --csv": "several formats are given: choose one",
    "dump --json --parquet": "several formats are given: choose one",
    "report --json --html=none": "--json has no effect with --html: leave it out",
    "report --json --histogram": "--json prints all values: leave out -f and --histogram",
    "report --json -f calls": "--json prints all values: leave out -f and --histogram",
    "report --diff=none --json": "--json has no effect with --diff: leave it out",
    "live -p 1 --everywhere --under x": "--everywhere undoes --under: choose one",
    "report --from 2s --to 1s": "--to: 1s is not later than --from 2s",
    "report --min 2us --max 1us": "--max: 1us is less than --min 2us",
    "list -p 1 none": "give either BIN or -p PID: see 'patchbay list --help'",
    "tui -p 1 none": "a recording and a process are given: leave out none or -p",
}

# Options of perf and uftrace, and the message for each.
ELSEWHERE = {
    "top": "unknown subcommand 'top': use 'patchbay tui -p PID': see 'patchbay --help'",
    "diff a b": "unknown subcommand 'diff': use 'patchbay report --diff BEFORE AFTER': see 'patchbay --help'",
    "recrod ls": "unknown subcommand 'recrod', did you mean 'record': see 'patchbay --help'",
    "annotate": "unknown subcommand 'annotate': see 'patchbay --help'",
    "replay -t 1us": "unknown option '-t': use --min: see 'patchbay replay --help'",
    "record -A x ls": "unknown option '-A': use --args: see 'patchbay record --help'",
    "record --time-filter=1us ls": "unknown option '--time-filter': use --threshold: see 'patchbay record --help'",
    "record -e cycles ls": "unknown option '-e': see 'patchbay record --help'",
    "status --pid 1": "unknown option '--pid': use -p: see 'patchbay status --help'",
}


def check_twice(data):
    def said(line):
        words = line.replace("DATA", data).split()
        if "-i" not in words:
            words += ["-i", data]
        result = run(*words)
        return result.returncode, result.stdout
    for twice, once in SAME:
        assert said(twice) == said(once) and said(once)[1], \
            f"{twice}: {said(twice)}\n{once}: {said(once)}"
    for line, wanted in OPPOSITE.items():
        words = line.split() + ([] if line.split()[0] in ("live", "list", "tui") else ["-i", data])
        result = run(*words)
        said_last = result.stderr.splitlines()[-1]
        assert (result.returncode, said_last) == (2, f"patchbay: error: {wanted}"), f"{line}: {result}"
    for line, wanted in ELSEWHERE.items():
        assert run(*line.split()).stderr == f"patchbay: error: {wanted}\n", f"{line}: {run(*line.split())}"
    return len(SAME) + len(OPPOSITE) + len(ELSEWHERE)


def run(*words):
    return subprocess.run([patchbay, *words], text=True, capture_output=True, check=False)


def check_duration(verb, option, data):
    """Checks that a duration needs a unit, except 0, and that the message shows what to
    type."""
    def said(value):
        beside = DURATIONS[verb, option]
        if option in ("--min", "--max"):
            beside += ("-i", data, *(("-f", "main") if verb == "outliers" else ()))
        result = run(verb, *beside, option, value, *(PROGRAM if verb == "record" else ()))
        # `patchbay` may first report what is missing in the recording, so use the last line.
        return result.returncode, (result.stderr.splitlines() or [""])[-1]
    wrong = 125 if verb == "record" else 2
    assert said("10") == (wrong, f"patchbay: error: {option}: '10' has no unit: write 10ns, 10us, 10ms or 10s"), \
        f"{verb} {option} 10: {said('10')}"
    for value in ("10x", "us", "1e3us", "-1us", "10 us", "10min"):
        assert said(value) == (wrong, f"patchbay: error: {option}: '{value}' is not a duration, a number "
                               "with one of the units ns, us, ms, s, m, h"), f"{verb} {option} {value}: {said(value)}"
    for value in ("0", "100ms", "100.5ms", "1s", "2m", "1h", "1000000us", "100000000ns"):
        assert "unit" not in said(value)[1], f"{verb} {option} {value}: {said(value)}"


verbs = re.findall(r"^  ([a-z]+) +- ", run("--help").stdout, re.M)
assert len(verbs) > 10, verbs
checked = 0
data = sys.argv[2]
with_duration = set()
for verb in verbs:
    text = re.search(r"^OPTIONS:\n(.*?)^[A-Z][A-Z ]+:$", run(verb, "--help").stdout, re.M | re.S)[1]
    for names, value in re.findall(r"^  (--?[A-Za-z][A-Za-z, -]*?)(?: ([A-Z1/]+)|(?=\[)|$|(?=  ))", text, re.M):
        for option in names.split(", "):
            if option in MEANING and option != "--color":
                assert value in MEANING[option], f"{verb} {option} {value}"
                checked += 1
    for option, about in re.findall(r"^  (-[a-z-]+).*? DURATION\b\s+((?:.*\n {20})*.*)", text, re.M):
        assert re.search(r"\b[0-9]+(us|ms|s)\b", about), f"{verb} {option}: no example with a unit"
        with_duration.add((verb, option))
        check_duration(verb, option, data)
        checked += 1
    # The values of these options are points in time, not durations.
    others = set(re.findall(r"^  (--?[a-z-]+) (?:TIME|SECONDS|MS)\b", text, re.M))
    assert others <= {"--from", "--to"}, f"{verb}: {others}"
assert with_duration == set(DURATIONS), with_duration ^ set(DURATIONS)
for option, wanted in IN.items():
    for verb in wanted or verbs:
        # An unknown option must be reported as unknown. A known option causes a different
        # error, or none.
        words = [option] if option in ("--help", "--no-pager") else [option, "1"]
        said = run(verb, *words, "--nosuch-option")
        assert any(word in said.stderr for word in ("--nosuch-option", f"for the {option} option")) or option == "--help", \
            f"{verb} {option}: {said.stderr}"
        checked += 1
checked += check_twice(data)
print(f"{len(verbs)} verbs, {checked} options")
