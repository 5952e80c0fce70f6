# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the format of a benchmark's JSON and prints the keys of its rows."""
import json
import sys

with open(sys.argv[1]) as file:
    result = json.load(file)
assert set(result) == {"suite", "machine", "rows", "skipped"}, result.keys()
assert set(result["machine"]) >= {"model", "compiler", "commit", "date", "load"}
print("suite", result["suite"])
for skipped in result["skipped"]:
    print(f"{skipped['case']}: {skipped['system']} skipped: {skipped['reason']}")
for row in result["rows"]:
    about = f"{row['case']}: {row['system']} {row['unit']} to {row['against']}"
    assert isinstance(row["median"], float), about
    if row["unit"] in ("ns/call", "ms/run", "us/run", "ms/batch", "us/function",
                       "us/thread"):
        assert 0 < row["min"] <= row["median"], about
        assert row["rounds"] > 1, about
        assert (row["against"] is None) == (row["ratio"] is None), about
    if row["unit"] == "instructions/call":
        assert row["parts"].keys() >= {"loads", "stores", "indirect", "direct"}, about
    if row["spread"]:
        low, high = row["spread"]
        assert 0 < low <= row["ratio"] <= high, about
    print(about)
