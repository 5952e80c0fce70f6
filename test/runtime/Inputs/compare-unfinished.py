# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `patchbay report --json` with DuckDB's answers from `patchbay dump --parquet` of the
same recording. Some calls of the recording did not return.

    compare-unfinished.py PARQUET JSON
"""
import json
import sys

import duckdb

PARQUET, JSON = sys.argv[1:]
rows = duckdb.sql(f"""
    select function, count(*), count(*) filter (kind = 'unfinished'),
           coalesce(sum(duration_ns) // count(duration_ns), 0),
           coalesce(max(duration_ns), 0)
    from read_parquet('{PARQUET}') group by function order by function""").fetchall()
with open(JSON, encoding="utf-8") as file:
    report = json.load(file)
shown = sorted((of["name"], of["calls"], of.get("open", 0) + of.get("cut_off", 0),
                of["average_ns"], of["longest_ns"]) for of in report["functions"])
if shown != (found := [(row[0], *map(int, row[1:])) for row in rows]):
    sys.exit(f"the report says {shown}, DuckDB {found}")
kinds = dict(duckdb.sql(f"select kind, count(*) from '{PARQUET}' group by kind").fetchall())
told = {"unfinished": report["open"] + report["cut_off"], "jumped": report["jumped"]}
if told != {kind: kinds.get(kind, 0) for kind in told}:
    sys.exit(f"the report says {told}, DuckDB {kinds}")
print(f"{len(rows)} functions agree, with {told['unfinished']} calls that are unfinished "
      f"and {told['jumped']} that were jumped out of")
