# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that recording.py rejects contradictory recordings."""
import sys
import tempfile
import unittest
from pathlib import Path

import recording

sys.path.append(str(Path(__file__).parent.parent / "runtime" / "Inputs"))
import pbd_chunks as pbd  # noqa: E402


def entry(start, function, frame):
    return pbd.record(start, function, frame, 0x1234, pbd.ENTRY)


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, *records, tracer="function_graph", cut=False, lost=0, error=0):
        half = len(records) // 2
        pbd.write(self.folder.name, "42", pbd.pbd([
            pbd.module(3, "/module"), pbd.session(tracer=tracer),
            pbd.functions(3, [0x10, 0x20, 0x30], 5),
            # The second block comes first in the file; the number seq gives the order of time.
            pbd.block(1, 100, records[half:], seq=2, lost=lost),
            pbd.block(1, 100, records[:half], seq=1)], errno=error))
        recordings = recording.check(self.folder.name, cut)
        return recordings[0].threads[1], recording.summary(recordings), recordings[0]

    def refused(self, message, *records, **more):
        with self.assertRaisesRegex(recording.Damage, message):
            self.check(*records, **more)

    def test_nested(self):
        thread, said, whole = self.check(
            entry(10, 5, 9), entry(20, 6, 8), pbd.record(20, 6, 8, 5),
            entry(30, 6, 8), pbd.record(30, 6, 8, 10, pbd.UNWOUND), pbd.record(10, 5, 9, 50),
            entry(70, 7, 9))
        self.assertEqual(said, "3 calls of 1 threads in 1 processes, 1 unwound, 4 "
                               "entries, 0 cut off, 1 unfinished")
        # A nanosecond has two ticks.
        self.assertEqual((thread.outermost, thread.own), (100, 100))
        self.assertEqual(whole.ns(thread.first), 10**9 + 10)
        self.assertEqual(whole.ns(thread.last), 10**9 + 60)
        self.assertEqual(whole.calls(), {("/module", 0x10): 1, ("/module", 0x20): 2,
                                         ("/module", 0x30): 1})

    def test_durations(self):
        thread, said, _ = self.check(
            pbd.record(20, 6, 8, 5), pbd.record(25, 6, 8, 0), pbd.record(10, 5, 9, 50),
            pbd.record(60, 5, 9, 5), tracer="function_duration")
        self.assertEqual(said, "4 calls of 1 threads in 1 processes")
        self.assertEqual(thread.outermost, 110)

    def test_exit_without_entry(self):
        self.refused("thread 1, main: function 6, .* has an exit and no entry",
                     entry(10, 5, 9), pbd.record(20, 6, 8, 5), pbd.record(10, 5, 9, 50))

    def test_exit_twice(self):
        self.refused("has an exit and no entry", entry(10, 5, 9),
                     pbd.record(10, 5, 9, 5), pbd.record(10, 5, 9, 50))

    def test_cut(self):
        records = entry(10, 5, 9), entry(20, 6, 8), pbd.record(10, 5, 9, 50)
        self.refused("main: 1 calls have an entry and no exit", *records)
        thread, _, _ = self.check(*records, cut=True)
        self.assertEqual((thread.cut, thread.unfinished), (1, 0))

    def test_ends_within(self):
        self.refused("ends within one from", pbd.record(20, 6, 8, 50),
                     pbd.record(10, 5, 9, 30), tracer="function_duration")

    def test_begins_within(self):
        self.refused("begins within one from", pbd.record(10, 6, 8, 20),
                     pbd.record(20, 5, 9, 30), tracer="function_duration")

    def test_lost(self):
        self.refused("7 events were lost", pbd.record(20, 6, 8, 5), lost=7,
                     tracer="function_duration")

    def test_error(self):
        self.refused("the tracer met error 28", pbd.record(20, 6, 8, 5), error=28,
                     tracer="function_duration")

    def test_thread_goes_on_in_block(self):
        # Another thread's number and tid, then its name. A record of an earlier pass is
        # ignored.
        follows = (pbd.thread_follows(2, 101, b"a-long-name-123"),
                   pbd.thread_follows(3, 102, b"gone", passed=1))
        records = [pbd.record(10, 5, 9, 50), *follows,
                   pbd.record(20, 6, 8, 50), pbd.record(80, 6, 8, 5)]
        for flags in 0, recording.OVERWRITE:
            pbd.write(self.folder.name, "42", pbd.pbd([
                pbd.module(3, "/module"), pbd.session(flags=flags),
                pbd.functions(3, [0x10, 0x20], 5), pbd.block(1, 100, records)]))
            whole = recording.Recording(Path(self.folder.name) / "42.pbd")
            self.assertEqual(len(whole.threads), 1 + flags)
        whole.check()
        self.assertEqual([(thread.tid, thread.name, thread.calls)
                          for thread in whole.threads.values()],
                         [(100, "main", {5: 1}), (101, "a-long-name-123", {6: 2})])

    def test_forked(self):
        # After the fork the parent assigned a number to another function.
        known = [pbd.module(3, "/module"), pbd.functions(3, [0x10])]
        size = 48 + len(pbd.session()) + sum(map(len, known))
        pbd.write(self.folder.name, "42", pbd.pbd([
            pbd.session(), *known, pbd.functions(3, [0x20], 1)]))
        pbd.write(self.folder.name, "43", pbd.pbd([
            pbd.session(), pbd.parent("42.pbd", size), pbd.module(4, "/own"),
            pbd.functions(4, [0x30], 1),
            pbd.block(1, 100, [pbd.record(10, 0, 9, 5), pbd.record(20, 1, 9, 5)])],
            pid=43, version=2))
        child = recording.check(self.folder.name)[1]
        self.assertEqual(child.calls(), {("/module", 0x10): 1, ("/own", 0x30): 1})
        pbd.write(self.folder.name, "42", pbd.pbd([pbd.session(), *known], pid=5))
        with self.assertRaisesRegex(recording.Damage, "of another process"):
            recording.check(self.folder.name)

    def test_nothing(self):
        self.refused("no call was recorded")


if __name__ == "__main__":
    unittest.main()
