#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random code of llvm-stress and csmith for each target with the machine
verifier on, and checks each site with `patchbay verify`. Nothing runs, so this needs no
emulator. 500 seeds of llvm-stress and 200 of csmith are a thorough test.
"""
import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from toolchain import SOURCE, TARGETS, Configuration, SetupError, Toolchain

# Registers for arguments and results that the baseline CPU lacks.
FLAVOURS = {"x86_64": [("-march=x86-64-v4",), ("-fcf-protection=full",)],
            "aarch64": [("-march=armv9-a",), ("-mbranch-protection=standard",)],
            "powerpc64le": [("-mcpu=pwr10",)],
            "riscv64": [("-march=rv64gcv",)]}


def succeeds(command, limit):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    return ended.returncode == 0, ended.stdout + ended.stderr


class Stress:
    def __init__(self, build, limit):
        self.limit = limit
        self.tools = Toolchain(build)
        self.linker = self.tools._text(self.tools.cc, "-print-prog-name=ld.lld").strip()
        self.llvm_stress = str(Path(self.linker).with_name("llvm-stress"))
        if not shutil.which(self.llvm_stress):
            raise SetupError(f"no {self.llvm_stress}: install LLVM's tools")

    def generate(self, generator, seed, folder):
        """Returns the source and its compiler options."""
        if generator == "llvm-stress":
            source = folder / "stress.ll"
            command = [self.llvm_stress, f"-seed={seed}", "-size=200", "-o", source]
            # Optimization removes most of llvm-stress's code.
            options = ("-fPIC", "-Xclang", "-disable-llvm-passes")
        else:
            source = folder / "csmith.c"
            command = [self.tools.csmith, "--seed", str(seed), "--concise",
                       "--max-funcs", "5", "-o", source]
            options = ("-fPIC",)
        # csmith writes a file into its working folder.
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        return source, options

    def test(self, generator, seed, target):
        """Returns counts, and a line for each failure."""
        counts, lines = Counter(), []
        flavours = [(), *FLAVOURS[target.name]]
        with TemporaryDirectory() as name:
            folder = Path(name)
            source, options = self.generate(generator, seed, folder)
            for opt in ("O0", "O2"):
                configuration = Configuration(target, opt, generator == "csmith",
                                              flavours[seed % len(flavours)] + options)
                try:
                    result, output = self.compile(configuration, source, folder)
                except subprocess.TimeoutExpired as error:
                    result = "FAIL"
                    output = f"{Path(error.cmd[0]).name}: no end after {self.limit} s"
                counts[result] += 1
                if result == "FAIL":
                    flags = " ".join(configuration.flavour)
                    lines.append(f"FAIL {generator} seed {seed}: {configuration} {flags}: "
                                 f"{output.strip().partition(chr(10))[0]}")
        return counts, lines

    def compile(self, configuration, source, folder):
        object, image = folder / "code.o", folder / "code"
        done, output = succeeds(
            self.tools.compile_command(configuration, source, object, True), self.limit)
        if not done:
            stock, _ = succeeds(
                self.tools.compile_command(configuration, source, object, False), self.limit)
            return ("FAIL" if stock else "STOCK"), output
        done, output = succeeds(
            [self.linker, "-shared", "-z", "undefs", object, "-o", image], self.limit)
        if done:
            done, output = succeeds(self.tools.verify_command(image), self.limit)
        return ("images" if done else "FAIL"), output


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    for generator in ("llvm-stress", "csmith"):
        parser.add_argument(f"--{generator}", type=int, default=0, metavar="N",
                            help="how many seeds for each target")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first one")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N",
                        help="start no seed later; the last line says where to continue")
    parser.add_argument("--targets", default=",".join(TARGETS), metavar="A,B",
                        help="default: %(default)s")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS",
                        help="for one command; more is a failure (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release",
                        metavar="DIR", help="build tree (default: build/release)")
    args = parser.parse_args()
    deadline = time.monotonic() + 60 * args.minutes
    numbers = {"llvm-stress": args.llvm_stress, "csmith": args.csmith}
    targets = args.targets.split(",")
    tested = {(name, generator): Counter() for name in targets for generator in numbers}
    skipped = None
    try:
        stress = Stress(args.build, args.limit)
        tasks = [(generator, seed, TARGETS[name])
                 for seed in range(args.seed, args.seed + max(numbers.values()))
                 for generator, number in numbers.items() if seed < args.seed + number
                 for name in targets]

        def test(task):
            return stress.test(*task) if time.monotonic() < deadline else None

        with ThreadPoolExecutor(args.jobs) as pool:
            for (generator, seed, target), result in zip(tasks, pool.map(test, tasks)):
                if not result:
                    skipped = skipped or seed
                    continue
                counts, lines = result
                tested[target.name, generator] += counts
                tested[target.name, generator]["seeds"] += 1
                for line in lines:
                    print(line, flush=True)
    except (SetupError, OSError) as error:
        sys.exit(f"stress.py: {error}")
    for (name, generator), counts in tested.items():
        if counts:
            print(f"{name} {generator}: {counts['seeds']} seeds, {summary(counts)}")
    total = sum(tested.values(), Counter())
    print(summary(total))
    if skipped:
        print(f"continue with --seed {skipped}")
    return 0 if total["images"] and not total["FAIL"] else 1


def summary(counts):
    return (f"{counts['images']} images, {counts['STOCK']} that stock clang refuses, "
            f"{counts['FAIL']} failures")


if __name__ == "__main__":
    sys.exit(main())
