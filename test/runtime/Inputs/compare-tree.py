# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the rows that DuckDB reads from a tree of `patchbay dump --parquet=TREE` with
the rows in files of `patchbay dump --parquet`.

    compare-tree.py TREE FILES

Prints the number of equal rows, the number of files, and the hosts and days.
"""
import sys

import duckdb

TREE, FILES = sys.argv[1:]
columns = ("host, coalesce(build_id, ''), program, pid, tid, thread, epoch_ns(time), start_ns, duration_ns, "
           "elapsed_ns, kind, depth, function, module")
duckdb.sql(f"""
    create view tree as select * from read_parquet(
        '{TREE}/*/*/*/*.parquet', hive_partitioning = true, filename = true,
        hive_types = {{'host': varchar, 'day': date, 'build_id': varchar}});
    create view files as select * from read_parquet('{FILES}')""")


def rows(query):
    return duckdb.sql(query).fetchall()


found, expected = (rows(f"select {columns} from {of} order by all")
                   for of in ("tree", "files"))
if found != expected:
    differ = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    sys.exit(f"{len(found)} and {len(expected)} rows, of which differ: {differ[:3]}")
if wrong := rows("""select day, epoch_ns(time) from tree
                    where day - '1970-01-01'::date <> epoch_ns(time) // 86400000000000"""):
    sys.exit(f"day and time differ: {wrong[:3]}")
(files, hosts, days), = rows("""
    select count(distinct filename), string_agg(distinct host, ', ' order by host),
           string_agg(distinct day::varchar, ', ' order by day::varchar) from tree""")
print(f"{len(found)} rows agree, in {files} files, of {hosts} on {days}")
