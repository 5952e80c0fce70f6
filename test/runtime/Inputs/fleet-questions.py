# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends the queries of fleet.md about TREE to an engine, exactly as written there.

    fleet-questions.py fleet.md TREE duckdb|chdb
    fleet-questions.py fleet.md TREE low|high

low and high use DuckDB with exact percentiles, at a slightly lower or a slightly higher rank.

Prints each answer as JSON: wall-clock time, CPU time and rows.
"""
import json
import re
import sys
import time

PAGE, TREE, ENGINE = sys.argv[1:]


def statements():
    """Returns the queries for this engine and the queries for all engines."""
    with open(PAGE, encoding="utf-8") as page:
        blocks = re.findall(r"^```sql ?(\w*)\n(.*?)^```$", page.read(), re.DOTALL | re.MULTILINE)
    wanted = {"": True, "duckdb": ENGINE != "chdb", "clickhouse": ENGINE == "chdb"}
    for kind, text in blocks:
        if wanted[kind]:
            for statement in text.replace("/mnt/calls", TREE).split(";"):
                if statement.strip():
                    yield statement


def duckdb_rows():
    import duckdb
    connection = duckdb.connect()

    def ask(statement):
        if parts := {"low": ("0.45", "0.98"), "high": ("0.55", "1.0")}.get(ENGINE):
            statement = statement.replace("approx_quantile", "quantile_disc")
            for part, other in zip(("0.5", "0.99"), parts):
                statement = statement.replace(f"(x, {part})", f"(x, {other})")
        answer = connection.sql(statement)
        return None if answer is None else [[*map(plain, row)] for row in answer.fetchall()]
    return ask


def chdb_rows():
    from chdb import session
    connection = session.Session()

    def ask(statement):
        lines = str(connection.query(statement, "JSONCompactEachRow")).splitlines()
        return [[*map(plain, json.loads(line))] for line in lines]
    return ask


def plain(value):
    """Converts numbers, because engines print them in different formats."""
    return value if isinstance(value, str) and not re.fullmatch(r"[0-9.e+]+", value) \
        else float(value)


ask = chdb_rows() if ENGINE == "chdb" else duckdb_rows()
for statement in statements():
    start, cpu = time.perf_counter(), time.process_time()
    rows = ask(statement)
    if statement.split()[0] != "create":
        print(json.dumps({"seconds": round(time.perf_counter() - start, 3),
                          "cpu": round(time.process_time() - cpu, 3), "rows": rows}))
