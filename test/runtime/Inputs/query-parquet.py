# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints DuckDB's answer to QUERY, one line per row.

    query-parquet.py QUERY
"""
import sys

import duckdb

for row in duckdb.sql(sys.argv[1]).fetchall():
    print(*row)
