# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares each figure of `patchbay report --json` with the value that DuckDB computes from
`patchbay dump --parquet` of the same recording. All calls of the recording have returned.

    compare-report.py PARQUET JSON
"""
import json
import sys

import duckdb

PARQUET, JSON = sys.argv[1:]

# The parent of a row is the nearest row above it with a smaller depth.
duckdb.sql(f"""
    create table row as
    select file_row_number n, pid, tid, depth, function f, module m, duration_ns d
    from read_parquet('{PARQUET}', file_row_number = true);
    create table call as
    select inner_.*, outer_.n caller, outer_.f by_f
    from row inner_ asof left join row outer_
    on inner_.pid = outer_.pid and inner_.tid = outer_.tid
       and inner_.depth - 1 = outer_.depth and inner_.n > outer_.n;
    -- Each call with all that it is within.
    create table within as
    with recursive up as (
        select n, f, by_f, caller above from call where caller is not null
        union all
        select up.n, up.f, up.by_f, call.caller
        from up join call on up.above = call.n where call.caller is not null)
    select up.*, call.f above_f, call.by_f above_by
    from up join call on up.above = call.n;
    create table recursive_ as
    select distinct n from within where f = above_f;
    create table nested as -- the same callee of the same function
    select distinct n from within where f = above_f and by_f = above_by;
    create table inside as
    select caller n, sum(d) inner_d from call where caller is not null group by caller;
""")

FIGURES = """
    select f, m, count(*) calls, sum(d) // count(*) average_ns, max(d) longest_ns,
           coalesce(sum(d) filter (n not in (from recursive_)), 0) total_ns,
           greatest(sum(d - coalesce(inner_d, 0)), 0) self_ns
    from call left join inside using (n) group by f, m"""
SUBS = """
    select f, count(*) calls,
           coalesce(sum(d) filter (n not in (from nested)), 0) total_ns
    from call where by_f = ? group by f"""


def computed(function, module, row):
    figures = dict(zip(("calls", "average_ns", "longest_ns", "total_ns", "self_ns"),
                       map(int, row)))
    counts = {}
    for (duration,) in duckdb.execute("select d from call where f = ? and m = ?",
                                      (function, module)).fetchall():
        least = 1 << duration.bit_length() - 1 if duration > 1 else 0
        counts[least] = counts.get(least, 0) + 1
    figures["histogram"] = [{"at_least_ns": least, "calls": counts[least]}
                            for least in sorted(counts)]
    subs = duckdb.execute(SUBS, (function,)).fetchall()
    # If several functions took equally long, accept any of these.
    most = max((total for _, _, total in subs), default=None)
    return figures, [{"name": name, "calls": calls, "total_ns": int(total)}
                     for name, calls, total in subs if total == most]


if duckdb.sql("select 1 from row where d is null").fetchall():
    sys.exit("some calls did not return")
with open(JSON) as file:
    shown = {(function["name"], function["module"]): function
             for function in json.load(file)["functions"]}
rows = duckdb.sql(FIGURES).fetchall()
if shown.keys() != {row[:2] for row in rows}:
    sys.exit(f"functions differ: {sorted(shown)}, {sorted(row[:2] for row in rows)}")
for name, module, *row in rows:
    function = shown[name, module]
    figures, subs = computed(name, module, row)
    for key, value in figures.items():
        if function[key] != value:
            sys.exit(f"{name}: {key} is {function[key]}, DuckDB says {value}")
    if function.get("sub", subs) not in (subs or [subs]):
        sys.exit(f"{name}: sub is {function.get('sub')}, DuckDB says {subs}")
recursions = duckdb.sql("select count(*) from recursive_").fetchall()[0][0]
print(f"{len(rows)} functions agree, of {sum(row[2] for row in rows)} calls, "
      f"{recursions} within one of the same function")
