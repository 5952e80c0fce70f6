#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a whole program for another architecture, with kCFI and every function patchable.
Checks the image with `patchbay verify`, and runs the traced workload in user-mode emulation."""
import argparse
import subprocess
import sys

import programs
from programs import ProgramError
from run import Driver, words

# The emulator for each architecture.
TARGETS = {"aarch64-linux-gnu": "qemu-aarch64", "powerpc64le-linux-gnu": "qemu-ppc64le",
           "riscv64-linux-gnu": "qemu-riscv64"}


class CrossDriver(Driver):
    def __init__(self, args, name):
        self.prepare(args, name)
        self.images = self.program.images(self.work, args.cc)
        self.workloads = self.program.workloads(self.work, args.cc, args.whole)

    def run(self):
        self.compile(f"--target={self.args.target}")
        for image in self.images:
            self.check(image)
        for workload in self.workloads:
            image, *arguments = workload.command
            self.output(TARGETS[self.args.target], "-L", f"/usr/{self.args.target}",
                        self.folder / image, *arguments, stderr=subprocess.STDOUT)
            print(f"{self.name}: done: {words(workload)}", flush=True)

    def left_alone(self, missed):
        """Checks the remarks. On riscv64 some local functions have arguments in registers that a
        site needs, so the pass does not instrument them."""
        for message in missed:
            if "its calling convention is not C's" not in message:
                super().left_alone([message])
        print(f"{self.name}: {len(missed)} functions left alone", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("program", choices=programs.TRACED)
    programs.add_places(parser)
    args = programs.read_places(parser)
    args.stock = args.no_build = args.whole = False
    try:
        CrossDriver(args, args.program).run()
    except (ProgramError, OSError) as error:
        sys.exit(f"cross.py: {error}")


if __name__ == "__main__":
    main()
