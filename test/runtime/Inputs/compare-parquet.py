# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the rows that DuckDB reads from `patchbay dump --parquet` with --csv.

    compare-parquet.py PARQUET CSV
"""
import sys

import duckdb

parquet, table = (f"'{path}'" for path in sys.argv[1:])
columns = ("host, pid, tid, thread, start_ns, duration_ns, kind, depth, "
           "function, module, build_id, elapsed_ns")
# Rows have the order of the file, also across row groups.
sides = [duckdb.sql(f"select {columns} from {source}").fetchall()
         for source in (parquet, f"read_csv({table}, header = true, "
                        "types = {'build_id': 'varchar'})")]
if sides[0] != sides[1]:
    differ = [pair for pair in zip(*sides) if pair[0] != pair[1]]
    sys.exit(f"{len(sides[0])} and {len(sides[1])} rows, of which differ: {differ[:3]}")
(groups, offsets, age), = duckdb.sql(f"""
    select (select count(distinct row_group_id) from parquet_metadata({parquet})),
           count(distinct epoch_ns(time) - start_ns),
           epoch_ns(now()) - max(epoch_ns(time)) between 0 and 3600 * 10::bigint ** 9
    from {parquet}""").fetchall()
total = duckdb.sql(f"select num_rows from parquet_file_metadata({parquet})").fetchall()
if total != [(len(sides[0]),)]:
    sys.exit(f"{len(sides[0])} rows, but the footer says {total}")
# Within one recording the offset between the clocks is constant.
print(f"{len(sides[0])} rows agree, {groups} row groups, {offsets} clock offset, "
      f"{'of now' if age else 'of another time'}")
