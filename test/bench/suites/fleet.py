# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fleet: many hosts add their recordings to one directory tree (runtime/doc/fleet.md). The suite
runs three queries on the tree."""
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from harness import BenchError
from harness.hosts import become, nanoseconds
from harness.report import Row, Skipped
from harness.systems import systems
from harness.toolchain import SOURCE

CALLS = 10**6
HOSTS = 1000
DAYS = 5
FIRST_DAY, NS_PER_DAY = "2026-03-01T10:00", 24 * 3600 * 10**9
BUILDS = "0123abcd", "4567cdef" # as in fleet.md
RECORDINGS = 4                  # recordings per build
SLOW_HOST, FACTOR = 700, 10 # more than the slowdown by a busy machine
QUESTIONS = ("what takes the time", "what became slower", "which hosts are slow")
# The script that installs the engines.
FETCH = SOURCE / "cmake" / "fetch-python.sh"
ASK = SOURCE / "test" / "runtime" / "Inputs" / "fleet-questions.py"


def run(bench):
    hosts = 20 if bench.quick else HOSTS
    # Use the folder of the programs, because /tmp may be in memory.
    with tempfile.TemporaryDirectory(dir=bench.tools.cache) as folder:
        folder = Path(folder)
        fill(bench, folder, hosts)
        for engine in bench.engines:
            ask(bench, engine, folder / "tree", hosts)


def recordings(tools, folder):
    """Makes a few recordings, each for many hosts."""
    flags = systems(tools.product("patchbay-pass.so"))["ours-without-kcfi"].flags
    loaded = tools.object("reading_calls.c", flags)
    for build in BUILDS:
        program = tools.program(f"fleet-{build}", [loaded], [f"-Wl,--build-id=0x{build}"])
        of_build = []
        for number in range(RECORDINGS):
            data = folder / f"{build}-{number}"
            command(tools.product("bin/patchbay"), "record", "-t", "function_duration",
                    "--buffer", "1G", "-o", data, "--", program, CALLS)
            of_build.append(data)
        yield of_build


def command(*words):
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True)
    if done.returncode or "lost" in done.stderr:
        raise BenchError(f"{' '.join(map(str, words))}: status {done.returncode}\n"
                         f"{done.stderr.strip()}")
    return done.stderr + done.stdout


def fill(bench, folder, hosts):
    """Fills the tree. Each day a fifth of the hosts adds recordings; on the last two days of the
    new build. Exported files do not contain host and day, so most files are copies."""
    old, new = recordings(bench.tools, folder)
    tool, tree = bench.tools.product("bin/patchbay"), folder / "tree"
    times, sizes, calls, made = [], [0] * DAYS, 0, {}
    for host in range(hosts):
        day = host * DAYS // hosts
        data = (new if day >= DAYS - 2 else old)[host % RECORDINGS]
        is_slow = host == slow_host(hosts)
        into = tree / f"host=web-{host}"
        if (day, data) in made and not is_slow:
            of, counted = made[day, data]
            shutil.copytree(of, into)
        else:
            file, = data.glob("*.pbd")
            become(file, f"web-{host}", nanoseconds(FIRST_DAY) + day * NS_PER_DAY,
                   FACTOR if is_slow else 1)
            start = time.perf_counter()
            said = command(tool, "dump", f"--parquet={tree}", data)
            times.append(1000 * (time.perf_counter() - start))
            counted = int(next(word for word in said.split() if word.isdigit()))
            if not is_slow:
                made[day, data] = into, counted
        calls += counted
        sizes[day] += sum(path.stat().st_size for path in into.rglob("*.parquet"))
    about = f"{hosts} hosts, {calls} calls"
    recorded = file.stat().st_size / counted
    bench.report.add(Row(f"{about}, a host adds its own", "ours",
                         statistics.median(times), "ms", min=min(times),
                         rounds=len(times)))
    bench.report.add(Row(f"{about}, growth", "recording", recorded, "bytes/call"))
    bench.report.add(Row(f"{about}, growth", "tree", sum(sizes) / calls, "bytes/call",
                         "recording", sum(sizes) / calls / recorded,
                         note=f"by day: {', '.join(f'{of / 1e6:.0f}' for of in sizes)} MB"))
    for data in (*old, *new):
        shutil.rmtree(data)


def slow_host(hosts):
    return min(SLOW_HOST, hosts - 1)


def ask(bench, engine, tree, hosts):
    fetched = subprocess.run(["sh", str(FETCH), engine], text=True, capture_output=True)
    if fetched.returncode:
        for question in QUESTIONS:
            bench.report.skip(Skipped(question, engine, fetched.stderr.strip()))
        return
    page = SOURCE / "runtime" / "doc" / "fleet.md"
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([fetched.stdout.strip(), ASK, page, tree, engine],
                                   stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise BenchError(f"{engine}: status {process.returncode}")
        said.seek(0)
        answers = [json.loads(line) for line in said]
    peak = usage.ru_maxrss // 1024
    for question, answer in zip(QUESTIONS, answers, strict=True):
        if not answer["rows"]:
            raise BenchError(f"{engine}: {question}: no answer")
        bench.report.add(Row(question, engine, answer["seconds"], "s",
                             parts={"processor seconds": answer["cpu"], "MiB": peak}))
    slowest = answer["rows"][0]
    if slowest[0] != f"web-{slow_host(hosts)}":
        raise BenchError(f"{engine}: the slowest host is {slowest}")
