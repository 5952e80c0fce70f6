# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the harness, with scripts instead of workers."""
import os
import statistics
import sys
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from harness import BenchError, emulate, entries, functions, linking, placed, uftrace
from harness.compiler import Compiler, time_rows
from harness.emulate import ISAS, Count
from harness.paired import Case, Entry, Plan, measure, rows
from harness.report import Row
from harness.systems import systems
from harness.worker import Worker
from suites import sites, toolchain

PLAN = Plan(rounds=3, generations=2, cpu=min(os.sched_getaffinity(0)))


class Collector:
    def __init__(self):
        self.rows, self.skipped = [], []
        self.add, self.skip = self.rows.append, self.skipped.append


def worker(ready, *answers):
    """Returns a command that prints @ready, and then one of @answers per request, in turn."""
    script = (f"import itertools\nprint({ready!r}, flush=True)\n"
              f"for answer in itertools.cycle({answers!r}):\n"
              "    input()\n    print(answer, flush=True)\n")
    return (sys.executable, "-c", "try:\n" + "".join(
        f"    {line}\n" for line in script.splitlines()) + "except EOFError: pass")


def case(*entries, calls=1000, **more):
    return Case("a case", 2, calls, entries, **more)


GOOD = worker("ready 1000 0", "7 4000 2000")


class Measure(unittest.TestCase):
    def refused(self, message, *entries):
        collector = Collector()
        with self.assertRaisesRegex(BenchError, message):
            measure(case(*entries), PLAN, collector)
        self.assertEqual(collector.rows, [])

    def test_rows(self):
        collector = Collector()
        measure(case(Entry("baseline", GOOD, ()),
                     Entry("ours", worker("ready 1000 1000", "7 5000 9000"),
                           events=1, note="why"),
                     skipped=(("xray", "not here"),)), PLAN, collector)
        baseline, ours = collector.rows
        self.assertEqual(baseline, Row("a case", "baseline", 2.0, "ns/call",
                                       min=2.0, rounds=6))
        self.assertEqual(ours, Row("a case", "ours", 5.0, "ns/call", "baseline",
                                   2.5, (2.5, 2.5), 3.0, 5.0, 6, "why"))
        self.assertEqual(collector.skipped[0].reason, "not here")

    def test_ratios_are_paired(self):
        # Three rounds, in which the machine becomes slower. The ratio of the medians would be 1.3.
        one = case(Entry("baseline", (), ()), Entry("ours", ()), unit="us")
        _, ours = rows(one, [(1000, 2000, 3000), (1100, 2600, 3300)])
        self.assertAlmostEqual(ours.ratio, 1.1)
        self.assertAlmostEqual(ours.over, 0.3)
        self.assertAlmostEqual(ours.median, 2.6)
        self.assertAlmostEqual(ours.min, 1.1)
        self.assertEqual(ours.unit, "us/call")

    def test_median_of_slices(self):
        collector = Collector()
        answer = "7 9000 2000 3000"
        entry = Entry("baseline", worker("ready 1000 0", answer), ())
        measure(case(entry, of_slices=statistics.median), PLAN, collector)
        self.assertEqual(collector.rows[0].median, 3.0)

    def test_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            program = Path(folder, "program")
            program.write_text('#!/bin/sh\necho $0 $1 >> $LOG\n'
                               'echo ready 1 0\n'
                               'while read line; do echo 7 2000; done\n')
            program.chmod(0o755)
            entry = Entry("baseline", (program, "option"), (), copy=True,
                          environment={"LOG": str(log)})
            measure(case(entry), PLAN, Collector())
            runs = log.read_text().splitlines()
            self.assertEqual(len(set(runs)), PLAN.generations)
            for run in runs:
                self.assertRegex(run, "/program option$")
                self.assertNotEqual(run, f"{program} option")
            left = sorted(path.name for path in Path(folder).iterdir())
            self.assertEqual(left, ["log", "program"])

    def test_no_warm_up(self):
        # Without warm-up, the first action of a process counts; with warm-up, only later actions.
        entry = Entry("baseline", worker("ready 0 0", "7 9000", "7 2000"), ())
        for warm_up, median in ((False, 9.0), (True, 2.0)):
            collector = Collector()
            measure(replace(case(entry), slices=1, warm_up=warm_up),
                    replace(PLAN, rounds=1), collector)
            self.assertEqual(collector.rows[0].median, median)

    def test_other_number_of_calls(self):
        # A slice with a tenth of the calls computes a tenth of the sum, in a tenth of the time.
        collector = Collector()
        few = worker("ready 1000 0", "70 4000 2000")
        measure(case(Entry("baseline", worker("ready 1000 0", "700 20000 30000"), ()),
                     Entry("ours", few, calls=100)), PLAN, collector)
        self.assertEqual([row.median for row in collector.rows], [20, 20])
        with self.assertRaisesRegex(BenchError, "not the same work"):
            measure(case(Entry("baseline", worker("ready 1000 0", "701 20000 30000"), ()),
                         Entry("ours", few, calls=90)), PLAN, Collector())

    def test_control_is_compared_with_the_first(self):
        one = case(Entry("baseline", (), ()), Entry("baseline", ()))
        _, control = rows(one, [(10, 10), (30, 30)])
        self.assertEqual(control.ratio, 3)

    def test_no_time_for_the_calls(self):
        self.refused("timed nothing, 1000 calls took 0 ns",
                     Entry("baseline", worker("ready 1000 0", "7 0 0"), ()))
        self.refused("timed nothing, 1000 calls took 999 ns",
                     Entry("baseline", worker("ready 1000 0", "7 999 2000"), ()))

    def test_too_little_time_for_the_calls(self):
        fast = Entry("baseline", worker("ready 1000 0", "7 3000 3000"), ())
        with self.assertRaisesRegex(BenchError, "timed nothing, 40000 calls"):
            measure(case(fast, calls=40000), PLAN, Collector())

    def test_other_work(self):
        self.refused("a case: not the same work: baseline 7, ours 8", Entry("baseline", GOOD, ()),
                     Entry("ours", worker("ready 1000 0", "8 4000 2000")))

    def test_lost_events(self):
        self.refused("999 events of 1000 calls, expected 1 of each",
                     Entry("ours", worker("ready 1000 999", "7 2000"), (), 1))

    def test_lost_events_of_proof(self):
        self.refused("0 events of 1000 calls, expected 2 of each",
                     Entry("hooks", GOOD, (), 2, proof=GOOD))

    def test_death(self):
        self.refused("died with status 3",
                     Entry("ours", (sys.executable, "-c", "exit(3)"), ()))
        self.refused("died with status -4", Entry("ours", (
            sys.executable, "-c", "import os; print('ready 1 0', flush=True);"
            "input(); os.kill(os.getpid(), 4)"), ()))

    def test_no_worker(self):
        self.refused("not a worker, it said 'hello'",
                     Entry("ours", worker("hello"), ()))


class Sites(unittest.TestCase):
    class Hot:
        table = systems("plugin")

        def program(self, *_):
            return "program"

    def test_without_uftrace(self):
        with unittest.mock.patch("shutil.which", return_value=None):
            self.assertEqual(sites.armed(self.Hot(), True).skipped,
                             (("uftrace", "no uftrace: install uftrace"),))

    @unittest.mock.patch("shutil.which", return_value="uftrace")
    def test_without_xray(self, _):
        for make in (sites.disarmed_hot, sites.armed):
            with_it, without = make(self.Hot(), True), make(self.Hot(), False)
            names = {entry.system for entry in with_it.entries}
            left = {entry.system for entry in without.entries}
            self.assertEqual(with_it.skipped, ())
            self.assertEqual(dict(without.skipped), {
                name: "no XRay runtime: install libclang-rt-dev of the compiler's version"
                for name in names - left})
            self.assertIn("xray", names - left)


class Compilers(unittest.TestCase):
    def rows(self, *scripts, rounds=2):
        """Returns the rows of Python scripts that are measured instead of compilers."""
        return list(time_rows("a file", [
            Compiler(f"system {i}", ((sys.executable, "-c", script),),
                     ("system 0",) if i else ()) for i, script in enumerate(scripts)],
            Plan(rounds, 1, PLAN.cpu)))

    def test_processor_time(self):
        # The sleeping script uses only the CPU time of Python's start: up to 0.2 s on a busy
        # machine.
        sleep = "import time; time.sleep(1)"
        burn = "import time\nwhile time.process_time() < 1: pass"
        idle, busy = self.rows(sleep, burn)
        self.assertEqual((idle.case, idle.unit, idle.rounds), ("a file, time", "ms/run", 2))
        self.assertLess(idle.median, 900)
        self.assertGreater(busy.median, 1000)
        self.assertGreater(busy.ratio, 1.1)

    def test_order(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            self.rows(*(f"open({str(log)!r}, 'a').write({letter!r})" for letter in "AB"),
                      rounds=3)
            self.assertEqual(log.read_text(), "ABBA" * 3)

    def test_compiler_fails(self):
        with self.assertRaisesRegex(BenchError, "failed\nbad file"):
            self.rows("import sys; sys.exit('bad file')")

    def test_no_valgrind(self):
        with unittest.mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(BenchError, "^cannot count instructions: "
                                                    "install valgrind$"):
                toolchain.run(unittest.mock.Mock(count=True))


class Uftrace(unittest.TestCase):
    """Tests with a script instead of uftrace, which runs the worker and reports."""

    def proof(self, report):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "uftrace")
            script.write_text('#!/bin/sh\ncase $1 in\n'
                              f'report) echo "{report}" ;;\n'
                              '*) echo "ready 1000 0" ;;\nesac\n')
            script.chmod(0o755)
            path = f"{folder}:{os.environ['PATH']}"
            with unittest.mock.patch.dict(os.environ, {"PATH": path}):
                one = Worker(uftrace.proof("program"), PLAN.cpu)
            one.stop()
            return one.proof_calls, one.proof_events

    def test_entries_and_exits(self):
        line = "  7.5 us  7.3 us  1000  hot_callee"
        self.assertEqual(self.proof(line), (1000, 2000))

    def test_not_seen(self):
        self.assertEqual(self.proof("  7.5 us  7.3 us  1000  main"), (1000, 0))


class Emulated(unittest.TestCase):
    """Tests with a script instead of an emulator, which writes LOG."""
    ADDI, LD, BCTR, BLR = "38630001", "e8620000", "4e800420", "4e800020"
    LOG = (("10", ADDI), ("20", "7f5ad378"), ("30", LD), ("40", "04100002", "e5800350"),
           ("30",), ("50", BCTR), ("60", BLR), ("70", "7f7bdb78"), ("10",))

    class Tools:
        def tool(self, name):
            return name

    def run_log(self, log, says="a_call", status=0):
        with tempfile.TemporaryDirectory() as folder:
            text = ""
            for address, *words in log:
                if words:
                    text += "----------------\nIN: main\n" + "".join(
                        f"0x{int(address, 16) + 4 * i:010x}:  {word}  text of it\n"
                        for i, word in enumerate(words)) + "\n"
                text += f"Trace 0: 0x7f00 [00/{int(address, 16):016x}/01/02] main\n"
            Path(folder, "canned").write_text(text)
            script = Path(folder, "emulator")
            script.write_text(
                '#!/bin/sh\n[ "$1" != -help ] || exit\nwhile [ "$1" != -D ]; do shift; done\n'
                f'cp {folder}/canned "$2"; echo {says}; echo why >&2; exit {status}\n')
            script.chmod(0o755)
            return emulate.run(self.Tools(), replace(
                ISAS["powerpc64le"], emulator=str(script)), "program")

    def test_count(self):
        # Only code between the marks counts. A prefixed instruction counts once, repeated
        # execution counts again, and returns do not count as branches.
        self.assertEqual(self.run_log(self.LOG), {"a_call": Count(5, 3, 0, 1, 0)})

    def test_two_calls(self):
        other = (("20",), ("80", "f8410018"), ("90", "48000010"), ("70",))
        self.assertEqual(self.run_log(self.LOG + other, "a b")["b"],
                         Count(2, 0, 1, 0, 1))

    def test_other_number_of_names(self):
        with self.assertRaisesRegex(BenchError, "program: 1 pairs of marks for 2 names"):
            self.run_log(self.LOG, "a b")
        with self.assertRaisesRegex(BenchError, "program: 0 pairs of marks for 0 names"):
            self.run_log(self.LOG[:1], "")

    def test_program_fails(self):
        with self.assertRaisesRegex(BenchError, "failed with status 3\nwhy$"):
            self.run_log(self.LOG, status=3)

    def test_no_instruction(self):
        with self.assertRaisesRegex(BenchError, "llvm-mc cannot disassemble:"):
            self.run_log((self.LOG[1], ("30", "00000000"), self.LOG[7]))

    def test_unpaired(self):
        def unpaired(*executed):
            return emulate.unpaired(ISAS["powerpc64le"], executed)

        call = (0, "bl"), (8, "mflr"), (12, "bctrl"), (40, "blr"), (16, "blr"), (4, "ld")
        self.assertEqual(unpaired(*call), 0)
        # A conditional return that is not taken, then a conditional return that is taken.
        self.assertEqual(unpaired((0, "bl"), (8, "bclr"), (12, "blr"), (4, "ld")), 0)
        self.assertEqual(unpaired((0, "bl"), (8, "bclr"), (4, "ld")), 0)
        # A return to another address, a return without a call, a call without a return.
        self.assertEqual(unpaired((0, "bl"), (8, "blr"), (12, "ld")), 1)
        self.assertEqual(unpaired((0, "b"), (8, "blr"), (4, "ld")), 1)
        self.assertEqual(unpaired((0, "bl"), (8, "bctr"), (4, "ld")), 1)
        self.assertEqual(unpaired((0, "bl"), (8, "bl"), (20, "bctr"), (12, "blr"),
                                  (4, "ld")), 2)

    def test_nothing_to_emulate_with(self):
        collector = Collector()
        with unittest.mock.patch("shutil.which", return_value=None):
            placed.report(None, collector)
            entries.report(None, collector)
        self.assertEqual(collector.skipped[0].case, "ppc64le")
        self.assertEqual([skipped.reason for skipped in collector.skipped],
                         3 * ["no qemu-ppc64le: install qemu-user"] +
                         ["no qemu-aarch64: install qemu-user"] +
                         2 * ["no qemu-ppc64le: install qemu-user"])
        self.assertEqual([skipped.case for skipped in collector.skipped[4:]],
                         ["ppc64le entry, off", "ppc64le entry, on"])
        collector = Collector()
        with tempfile.TemporaryDirectory() as lib:
            entries.report(SimpleNamespace(lib=Path(lib)), collector)
        self.assertRegex(collector.skipped[1].reason, "^no ppc64le/libpatchbay.a: ")
        isa = replace(ISAS["aarch64"], name="vax", emulator="sh")
        self.assertEqual(isa.missing(), "no C library in /usr/vax-linux-gnu")


class Linking(unittest.TestCase):
    def test_no_valgrind(self):
        with unittest.mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(BenchError, "^cannot count instructions: "
                                                    "install valgrind$"):
                linking.report(unittest.mock.Mock(count=True))

    def test_no_libraries(self):
        bench = unittest.mock.Mock(count=False, quick=False)
        bench.tools.tool.return_value = "/nonexistent/bin/ld.lld"
        linking.report(bench)
        (skipped,), _ = bench.report.skip.call_args
        self.assertEqual(skipped.reason, "no libraries of LLVM: install "
                                         "llvm-dev of the compiler's version")


class Functions(unittest.TestCase):
    def test_copies(self):
        self.assertEqual(functions.copies(50000), (25, 2000))
        self.assertEqual(functions.copies(500), (1, 500))

    def test_bad_number(self):
        for number in (0, -1, 2001):
            with self.assertRaisesRegex(BenchError, f"cannot make {number} "):
                functions.copies(number)

    def test_same_source_every_time(self):
        with tempfile.TemporaryDirectory() as folder:
            a = functions.write(Path(folder, "a.c"), 20).read_text()
            b = functions.write(Path(folder, "b.c"), 20).read_text()
        self.assertEqual(a, b)
        self.assertEqual(a.count("static unsigned int f"), 20)


if __name__ == "__main__":
    unittest.main()
