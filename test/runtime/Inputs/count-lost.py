# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count-lost.py CALLS SAID CSV: fails unless each of the CALLS calls is recorded or counted as
lost."""
import csv
import re
import sys

calls, said, events = sys.argv[1:]
lost = int(re.search(r"(\d+) events were lost", open(said).read())[1])
recorded = sum(row["function"] == "step" for row in csv.DictReader(open(events)))
if not recorded or not lost or recorded + lost != int(calls):
    sys.exit(f"{recorded} recorded, {lost} lost, of {calls} calls")
