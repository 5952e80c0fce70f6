#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program of another architecture in a whole emulated system: Debian's kernel, booted in
QEMU for this one program. Unlike user-mode emulation, this executes patched text correctly.
PROGRAM may be a script for busybox's sh that runs several programs (--file) in one boot.
Standard output, standard error and exit status are those of the program; for a signal N the
status is 128 + N. Other statuses: 121 this machine lacks something, 122 the system did not
boot, 123 the system panicked or stopped while the program ran, 124 the time limit was exceeded."""
import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

from guest import ARCHES, GuestError, image, machine


def system_file(arch, name):
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(cache) / "patchbay" / "system" / arch.name / name
    if not path.exists():
        raise GuestError(GuestError.MISSING, f"no {name} for {arch.name} ({path} not found): "
                                             f"run 'sh cmake/fetch-system.sh {arch.name}'")
    return path


def run(options):
    arch = ARCHES[options.arch]
    if options.mips:
        arch = machine.with_mips(arch, options.mips)
    kernel = system_file(arch, "kernel")
    busybox = system_file(arch, "busybox").read_bytes()
    root = image.build(arch, busybox, options.program, options.args, options.file)
    with tempfile.TemporaryDirectory(prefix="patchbay-guest.") as folder:
        initramfs = Path(folder) / "initramfs"
        initramfs.write_bytes(root)
        sinks = {"stdout": sys.stdout.buffer, "stderr": sys.stderr.buffer}
        return machine.run(arch, kernel, initramfs, Path(folder) / "console", options, sinks)


def mips(word):
    if not word.isdigit() or not 1 <= int(word) <= 1000:
        raise argparse.ArgumentTypeError(f"'{word}' is not a number from 1 to 1000")
    return int(word)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arch", metavar="ARCH", choices=ARCHES, help="one of: " + " ".join(ARCHES))
    parser.add_argument("--cpus", type=int, default=2, metavar="N", help="2 by default")
    parser.add_argument("--cpu", metavar="MODEL", help="a CPU that QEMU knows, such as power10")
    parser.add_argument("--mips", type=mips, metavar="N",
                        help="1 to 1000: the guest's clock goes on with what its CPUs do, some N "
                             "million instructions a second, and at once to where something "
                             "happens if they do nothing; so it is no matter to the guest how "
                             "busy this machine is")
    parser.add_argument("--timeout", type=int, default=300, metavar="S",
                        help="seconds that the program may take, 300 by default")
    parser.add_argument("--boot-timeout", type=int, default=300, metavar="S",
                        help="seconds that it may take to get there, 300 by default")
    parser.add_argument("--kernel-args", default="", metavar="WORDS",
                        help="what the kernel is told besides")
    parser.add_argument("--file", action="append", default=[], metavar="PATH",
                        help="a file that the program needs; has the same path there")
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("args", nargs="*", metavar="ARGS")
    # SystemExit also ends QEMU, and removes temporary files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return run(parser.parse_args())
    except GuestError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return error.code


if __name__ == "__main__":
    sys.exit(main())
