# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests, with a program of one file, that run.py never reports a failure as success."""
import argparse
import contextlib
import io
import sys
import tempfile
import types
import unittest
from pathlib import Path

import run
from programs import Image, ProgramError, Test, Unit

BUILD, CC = Path(sys.argv.pop(1)), sys.argv.pop(1)
HELLO = '#include <stdio.h>\nint main(void) { puts("3 passed"); return 0; }\n'
LEFT_ALONE = "__attribute__((no_profile_instrument_function)) " + HELLO.split("\n")[1]
FAILS = "int main(void) { return 1; }\n"
WRONG_TYPE = """
long callee(long a) { return a; }
int (*volatile pointer)(void) = (int (*)(void))callee;
int main(void) { return pointer(); }
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def drive(self, text, passed=r"^(\d+) passed", command=("hello",), **more):
        source = Path(self.folder.name, "hello.c")
        source.write_text(text)
        sys.modules["programs.hello"] = types.SimpleNamespace(
            images=lambda folder, cc: [Image("hello", (Unit(source),))],
            tests=lambda folder, whole: [
                Test(command, passed, images=("hello",), armed=True)])
        options = dict(build=BUILD, cc=CC, work=Path(self.folder.name), whole=False,
                       stock=False, no_build=False, jobs=1)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            run.Driver(argparse.Namespace(**{**options, **more}), "hello").run()
        return said.getvalue()

    def refused(self, message, *arguments, **more):
        with self.assertRaisesRegex(ProgramError, message):
            self.drive(*arguments, **more)

    def test_success(self):
        said = self.drive(HELLO)
        self.assertIn("hello: hello: 1 functions verified, 0 faults\n", said)
        self.assertIn("hello: 3 passed: hello\n", said)
        self.assertIn("hello: 3 passed with all functions armed, 1 calls of 1 "
                      "functions: hello\n", said)

    def test_stock(self):
        self.assertNotIn("verified", self.drive(HELLO, stock=True))

    def test_does_not_compile(self):
        self.refused(r"-c \S+/hello\.c -o \S+: failed\n.*unknown type name", "nonsense")

    def test_function_left_alone(self):
        self.refused("^functions were left alone: .*main.*, and 0 more$",
                     "int puts(const char *);\n" + LEFT_ALONE)

    def test_fails(self):
        self.refused("hello: exit code 1", FAILS)

    def test_traps(self):
        for stock in (False, True):
            self.refused("hello: exit code -4", WRONG_TYPE, stock=stock)

    def test_nothing_passed(self):
        self.refused("^hello: no test passed; it said\n3 passed", HELLO, "^nothing")
        self.refused("^hello: no test passed; it said\n0 passed", HELLO.replace("3", "0"))

    def test_not_finished(self):
        run.SECONDS, seconds = 0.1, run.SECONDS
        self.addCleanup(setattr, run, "SECONDS", seconds)
        self.refused("sleep 60: not finished after 0.1 s", HELLO,
                     command=("/bin/sleep", "60"))


if __name__ == "__main__":
    unittest.main()
