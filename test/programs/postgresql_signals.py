#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends SIGFPE to a working backend of PostgreSQL twenty times. The signal handler calls
siglongjmp(), even if the signal interrupts a tracer. All work of the backend must be recorded,
or counted as missed: the twenty interrupted queries, and 1,000 later queries."""
import argparse
import ctypes
import json
import os
import random
import signal
import sys
import time
from collections import Counter

import programs
from programs import ProgramError
from programs.postgresql import Connection
from programs.serving import Run
from servers import PR_SET_CHILD_SUBREAPER, Serving, Started

SIGNALS, QUERIES = 20, 1000
# Space for all events before the first signal.
TRACERS = {"function_duration": ("--threshold", "2us"), "function_graph": ("--buffer", "4G"),
           "function": ("--buffer", "4G")}
# With all functions traced, rewriting a view takes longer than the threshold.
LONG = "SELECT sum(i * i % 7) FROM pg_user, generate_series(1, 100000000) i"
SHORT = "SELECT {} FROM pg_user LIMIT 1"


class Interrupted:
    def __init__(self, serving, tracer):
        self.serving, self.tracer = serving, tracer
        self.record = (serving.patchbay, "record", "-t", tracer, *TRACERS[tracer])

    def run(self):
        run = Run("signals", False, self.tracer)
        with Started(self.serving, self.serving.folder, run, self.record) as started:
            connection = Connection(started.server)
            for _ in range(SIGNALS):
                connection.send(LONG)
                time.sleep(random.uniform(0.02, 0.1))
                os.kill(connection.pid, signal.SIGFPE)
                if b"22P01" not in (said := connection.answer()):
                    raise ProgramError(f"SIGFPE was to end a query, but it said {said}")
            for i in range(QUERIES):
                if f"{i}".encode() not in connection.ask(SHORT.format(i)):
                    raise ProgramError("a query was answered by something else")
            connection.close()
            started.stop()
            self.found(started.data)

    def found(self, data):
        said = json.loads(self.serving.output(self.serving.patchbay, "report", "--json", "-i",
                                              data))
        calls = Counter({f["name"]: f["calls"] for f in said["functions"]})
        named = said["lost"] + said.get("missed", 0) + said.get("cut_off", 0)
        total = SIGNALS + QUERIES
        print(f"{self.tracer}: {calls['pg_rewrite_query']} pg_rewrite_query, "
              f"{calls['exec_simple_query']} exec_simple_query, of {total}; "
              f"{calls.total()} calls, {named} named as lost, missed or cut off", flush=True)
        for name in ("pg_rewrite_query", "exec_simple_query"):
            if not total - named <= calls[name] <= total:
                raise ProgramError(f"{name} was called {total} times, and recorded "
                                   f"{calls[name]} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    parser.add_argument("--tracer", choices=TRACERS, action="append", help="(all)")
    programs.add_places(parser)
    args = programs.read_places(parser)
    args.stock = False
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        serving = Serving(args, "postgresql")
        if not args.no_build:
            serving.compile()
        for tracer in args.tracer or TRACERS:
            Interrupted(serving, tracer).run()
    except (ProgramError, OSError) as error:
        sys.exit(f"postgresql_signals.py: {error}")


if __name__ == "__main__":
    main()
