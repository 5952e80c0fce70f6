#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds real programs as a whole, with kCFI and every function patchable. Runs their own
tests: with no function armed, and with every function armed."""
import argparse
import json
import os
import re
import subprocess
import sys
import time

import programs
from programs import ProgramError
from programs.build import Build

SECONDS = 7200  # time limit of a run of tests


class Driver:
    def __init__(self, args, name):
        self.prepare(args, name)
        images = self.program.images(self.work, args.cc)
        self.tests = self.program.tests(self.work, args.whole)
        wanted = {name for test in self.tests for name in test.images or test.command[:1]}
        self.images = [image for image in images if image.name in wanted]

    def prepare(self, args, name):
        self.args, self.name = args, name
        self.program = programs.load(name)
        self.work = args.work.resolve() / name
        self.work.mkdir(parents=True, exist_ok=True)
        self.build = args.build.resolve()
        self.patchbay = self.build / "bin" / "patchbay"
        variant = "kcfi" if args.stock else "patchbay"
        self.folder = self.work / variant

    def run(self):
        if not self.args.no_build:
            self.compile()
        if not self.args.stock:
            for image in self.images:
                self.check(image)
        for test in self.tests:
            print(f"{self.name}: {self.passed(test)} passed: {words(test)}", flush=True)
        if not self.args.stock:
            for test in self.tests:
                if test.armed:
                    self.armed(test)

    def compile(self, *target):
        flags = [*target, *programs.kcfi(self.name)]
        if not self.args.stock:
            flags += [f"-fplugin={self.build / 'lib' / 'patchbay-pass.so'}",
                      "-Rpass-missed=patchbay"]
        build = Build(self.args.cc, self.folder, tuple(flags),
                      (*target, f"--ld-path={self.build / 'bin' / 'ld.lld'}"), self.args.jobs)
        start = time.monotonic()
        units = build(self.images)
        print(f"{self.name}: {units} files compiled, {len(self.images)} images linked, "
              f"{time.monotonic() - start:.0f} s", flush=True)
        missed = [message for text in build.messages for message in text.splitlines()
                  if "[-Rpass-missed=patchbay]" in message]
        self.left_alone(missed)

    def left_alone(self, missed):
        if missed:
            raise ProgramError(f"functions were left alone: {missed[0]}, and "
                               f"{len(missed) - 1} more")

    def check(self, image):
        said = self.output(self.patchbay, "verify", self.folder / image.name)
        print(f"{self.name}: {image.name}: {said}", end="", flush=True)

    def passed(self, test, *before):
        """Runs a test and returns the number of tests that passed."""
        folder = self.work / "run"
        folder.mkdir(exist_ok=True)
        # An image is given by name. An absolute path is used unchanged.
        image, *arguments = [word.format(images=self.folder) for word in test.command]
        command = [*before, self.folder / image, *arguments]
        environment = {key: value.format(images=self.folder)
                       for key, value in test.environment}
        output = self.output(*command, cwd=folder, env={**os.environ, **environment},
                             stderr=subprocess.STDOUT, timeout=SECONDS)
        number = sum(int(match[1]) if match.lastindex else 1
                     for match in re.finditer(test.passed, output, re.MULTILINE))
        if not number:
            raise ProgramError(f"{words(test)}: no test passed; it said\n{output[-2000:]}")
        return number

    def armed(self, test):
        data = self.work / "patchbay.data"
        number = self.passed(test, self.patchbay, "record", "-t", "count", "-F", "*", "-o", data, "--")
        report = json.loads(self.output(self.patchbay, "report", "--json", "-i", data))
        calls = sum(function["calls"] for function in report["functions"])
        print(f"{self.name}: {number} passed with all functions armed, {calls} calls of "
              f"{len(report['functions'])} functions: {words(test)}", flush=True)

    def output(self, *command, **options):
        command = [str(word) for word in command]
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 text=True, errors="replace", **options)
        except subprocess.TimeoutExpired:
            raise ProgramError(f"{' '.join(command)}: not finished after {SECONDS} s")
        if run.returncode:
            raise ProgramError(f"{' '.join(command)}: exit code {run.returncode}\n"
                               f"{run.stdout[-2000:]}")
        return run.stdout


def words(test):
    """The command without folders."""
    return " ".join(re.sub(r"\S*/", "", word) for word in test.command)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="+", choices=programs.NAMES)
    parser.add_argument("--whole", action="store_true",
                        help="all images, all tests: minutes, not seconds")
    parser.add_argument("--stock", action="store_true",
                        help="without Patchbay: what kCFI alone does to the program")
    parser.add_argument("--no-build", action="store_true", help="test what is built")
    programs.add_places(parser)
    args = programs.read_places(parser)
    try:
        for name in args.program:
            Driver(args, name).run()
    except (ProgramError, OSError) as error:
        sys.exit(f"run.py: {error}")


if __name__ == "__main__":
    main()
