# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports rows as a table and as JSON."""
import dataclasses
import json
import os
import platform
import subprocess
import time
from dataclasses import dataclass

COLUMNS = "{:<22} {:<31} {:>9} {:<18} {:>7}  {:<9} {:<13} {:>8}"


@dataclass(frozen=True)
class Row:
    """One figure. If against is None, other rows are compared with this row."""
    case: str
    system: str
    median: float
    unit: str
    against: str = None   # the system to which ratio, spread and over refer
    ratio: float = None
    spread: tuple = None  # first and third quartile of the rounds' ratios
    over: float = None    # median of the differences, in the same unit
    min: float = None
    rounds: int = 1
    note: str = ""
    parts: dict = None    # additional figures of the same measurement, by name


@dataclass(frozen=True)
class Skipped:
    case: str
    system: str
    reason: str


def commit():
    """Returns the measured commit, followed by + if files differ from it."""
    done = subprocess.run(["git", "-C", os.path.dirname(__file__), "describe", "--always",
                           "--abbrev=12", "--exclude=*", "--dirty=+"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine(compiler, cpu):
    model = "unknown"
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {"model": model, "architecture": platform.machine(),
            "processors": os.cpu_count(), "kernel": platform.release(),
            "compiler": compiler, "pinned_to": cpu,
            "date": time.strftime("%Y-%m-%d"), "commit": commit(),
            "load": round(os.getloadavg()[0], 2)}


class Report:
    def __init__(self, suite, about):
        self.suite, self.about = suite, about
        self.rows, self.skipped = [], []
        self._case = None

    def heading(self):
        print(", ".join(f"{key} {value}" for key, value in self.about.items()))
        if self.about["load"] > 0.5:
            print("note: the machine is busy with other things; the ratios are "
                  "paired, but look at their spread")
        print(COLUMNS.format("case", "system", "median", "unit", "ratio",
                             "to", "spread", "over"))

    def add(self, row):
        self._separate(row.case)
        self.rows.append(row)
        spread = f"{row.spread[0]:.3f}-{row.spread[1]:.3f}" if row.spread else ""
        if row.parts:
            spread = "/".join("-" if part is None else str(part)
                              for part in row.parts.values())
        print(COLUMNS.format(
            row.case, row.system, f"{row.median:.2f}", row.unit,
            "" if row.ratio is None else f"{row.ratio:.3f}", row.against or "",
            spread, "" if row.over is None else f"{row.over:.2f}").rstrip(),
            flush=True)
        if row.note:
            print(f"{'':<23}({row.note})")

    def skip(self, skipped):
        self._separate(skipped.case)
        self.skipped.append(skipped)
        print(f"{skipped.case:<22} {skipped.system:<31} skipped: "
              f"{skipped.reason}", flush=True)

    def _separate(self, case):
        if case != self._case:
            print()
        self._case = case

    def write_json(self, path):
        text = json.dumps(
            {"suite": self.suite, "machine": self.about,
             "rows": [dataclasses.asdict(row) for row in self.rows],
             "skipped": [dataclasses.asdict(s) for s in self.skipped]},
            indent=1)
        with open(path, "w") as file:
            file.write(text + "\n")
