# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Environments in which a tracer logs a program's calls. As a program, this module is a worker
that proves that calls are logged: it runs a program under the tracer, reads the log with the
tracer's own tool, and prints "ready CALLS EVENTS"."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The size of the ring buffer, which drops the oldest events, like XRay's flight data recorder and
# the ring of the floor.
BUFFER = "256K"


def ours(tools, tracer, folder, options=""):
    return {"LD_PRELOAD": str(tools.product("libpatchbay-trace.so")),
            "PATCHBAY": f"tracer={tracer},filter=hot_callee,buffer={BUFFER},"
                        f"overwrite=1,output={folder}{options}"}


def xray(folder):
    return {"XRAY_OPTIONS": f"patch_premain=false xray_logfile_base={folder}/log."}


def proof(reader, tool, folder, *command):
    """Returns the command of the proof. The proof replaces @folder by its own temporary folder."""
    return (sys.executable, __file__, reader, tool, folder, *command)


def read_ours(folder, _program, tool):
    report = subprocess.run((tool, "report", "--json", folder), check=True,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return sum(function["calls"] for function in json.loads(report.stdout)["functions"]
               if function["name"] == "hot_callee")


def read_xray(folder, program, tool):
    """Returns the number of events: entries and exits."""
    log = max(Path(folder).glob("log.*"), key=lambda path: path.stat().st_size)
    account = subprocess.run((tool, "account", log, f"--instr_map={program}", "-k",
                              "-f", "csv"), check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return sum(2 * int(row["count"]) for row in csv.DictReader(io.StringIO(account.stdout))
               if row["function"] == "hot_callee")


def main(reader, tool, instead_of, *command):
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value.replace(instead_of, folder)
                       for name, value in os.environ.items()}
        worker = subprocess.run(command, check=True, text=True, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        events = globals()[f"read_{reader}"](folder, command[0], tool)
    calls = re.search(r"^ready (\d+) ", worker.stdout, re.MULTILINE)
    print("ready", calls[1], events)


if __name__ == "__main__":
    main(*sys.argv[1:])
