# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the output of the verbs for selected calls with DuckDB's answers from all calls of
the recording. All calls of the recording have returned.

    compare-choice.py PATCHBAY DIR
"""
import json
import math
import subprocess
import sys
import tempfile

import duckdb

PATCHBAY, DIR = sys.argv[1:]


def patchbay(*command):
    done = subprocess.run([PATCHBAY, *command, DIR], stdout=subprocess.PIPE, check=True)
    return done.stdout


def table(name, *options):
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(patchbay("dump", "--parquet", *options))
        file.flush()
        duckdb.sql(f"""
            create or replace table {name} as
            select file_row_number n, tid, depth, function f, start_ns s, duration_ns d
            from read_parquet('{file.name}', file_row_number = true)""")


def value(query):
    return duckdb.sql(query).fetchall()[0][0]


table("every")
# For each call: all calls that contain it, and the direct caller.
duckdb.sql("""
    create table call as
    select inner_.*, outer_.n caller, outer_.f by_f
    from every inner_ asof left join every outer_
    on inner_.tid = outer_.tid and inner_.depth - 1 = outer_.depth and inner_.n > outer_.n;
    create table within as
    with recursive up as (
        select n, caller above from call where caller is not null
        union all
        select up.n, call.caller from up join call on up.above = call.n
        where call.caller is not null)
    select up.n, up.above, call.f above_f from up join call on up.above = call.n;
    create table self as
    select outer_.n, any_value(outer_.d) - coalesce(sum(inner_.d), 0) own
    from call outer_ left join call inner_ on inner_.caller = outer_.n group by outer_.n;
""")


def at(part):
    """Returns the time before which PART percent of the calls began, as an option and in ns."""
    ns = value(f"select quantile_disc(s, {part / 100}) from every")
    return f"{ns // 10**9}.{ns % 10**9:09}", ns


FROM, FROM_NS = at(40)
TO, TO_NS = at(60)
# Choose the thread with the most calls at that time. Other threads may have none.
TID = value(f"select mode(tid) from every where s >= {FROM_NS} and s < {TO_NS}")
UNDER = "(f = 'one' or n in (select n from within where above_f = 'one'))"
CASES = [
    (("--from", FROM), f"s >= {FROM_NS}"),
    (("--to", TO), f"s < {TO_NS}"),
    (("--from", FROM, "--to", TO), f"s >= {FROM_NS} and s < {TO_NS}"),
    (("--from", FROM, "--to", TO, "--tid", str(TID)),
     f"s >= {FROM_NS} and s < {TO_NS} and tid = {TID}"),
    (("-F", "p*"), "f like 'p%'"),
    (("-F", "p*", "-F", "leaf", "-N", "pong"), "f in ('ping', 'leaf')"),
    (("-N", "*leaf"), "f not like '%leaf'"),
    (("--min", "2us"), "d >= 2000"),
    (("--min", "0.5us", "--max", "1000ns"), "d between 500 and 1000"),
    (("--under", "one"), UNDER),
    (("--under", "one", "-N", "leaf", "--from", FROM, "--to", TO, "--max", "1ms"),
     f"{UNDER} and f <> 'leaf' and s >= {FROM_NS} and s < {TO_NS} and d <= 1000000"),
]


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {str(found)[:300]}, DuckDB says {str(expected)[:300]}")


def is_close(found, exact):
    return abs(found - exact) <= exact / 128 + 1


def compare_figures(options, functions, group=""):
    """Compares the figures of functions. A group distinguishes functions with the same name."""
    shown = {(row["name"], row.get(group, "")): row for row in functions}
    key = {"": "''", "thread": "tid", "caller": "coalesce(by_f, '')"}[group]
    if group == "thread":
        shown = {(name, int(of.rsplit("-")[-1])): row for (name, of), row in shown.items()}
    rows = duckdb.sql(f"""
        select f, {key}, count(*), sum(d) // count(*), max(d),
               coalesce(sum(d) filter (not again), 0), greatest(sum(own), 0), list_sort(list(d))
        from (select chosen.*, call.by_f, own, exists(
                  from within join chosen as outer_ on above = outer_.n
                  where within.n = chosen.n and outer_.f = chosen.f) again
              from chosen join self using (n) join call using (n))
        group by all""").fetchall()
    check(options, sorted(shown), sorted(row[:2] for row in rows))
    for name, of, calls, average, longest, total, own, durations in rows:
        function = shown[name, of]
        check((options, name, of),
              [function[key] for key in ("calls", "average_ns", "longest_ns", "total_ns",
                                         "self_ns")],
              [calls, average, longest, int(total), int(own)])
        for percent in (50, 95, 99):
            exact = durations[math.ceil(calls * percent / 100) - 1]
            if not is_close(function[f"p{percent}_ns"], exact):
                sys.exit(f"{options}, {name}: p{percent} is {function[f'p{percent}_ns']}, "
                         f"DuckDB says {exact}")


for options, condition in CASES:
    duckdb.sql(f"create or replace table chosen as from every where {condition}")
    count = value("select count(*) from chosen")
    if not 0 < count < value("select count(*) from every"):
        sys.exit(f"{options} is no choice: {count} calls")
    table("dumped", *options)
    columns = "tid, depth, f, s, d"
    check(options, duckdb.sql(f"select {columns} from dumped order by all").fetchall(),
          duckdb.sql(f"select {columns} from chosen order by all").fetchall())
    lines = [line for line in patchbay("replay", *options).splitlines()
             if not line.startswith(b"#") and b" } /*" not in line]
    check((options, "replay"), len(lines), count)
    compare_figures(options, json.loads(patchbay("report", "--json", "--raw", *options))["functions"])
# Groups are threads and callers. Selections: all calls, and by time, name and
# containing function.
told_apart = 0
for options, condition in [((), "true"), CASES[2], CASES[5], CASES[9]]:
    duckdb.sql(f"create or replace table chosen as from every where {condition}")
    for group in ("thread", "caller"):
        shown = json.loads(patchbay("report", "--json", "--raw", "--by", group, *options))["functions"]
        compare_figures((*options, "--by", group), shown, group)
        told_apart += len(shown)
print(f"{len(CASES)} choices agree, and {told_apart} rows by thread and by caller")
