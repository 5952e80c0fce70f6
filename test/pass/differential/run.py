#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential test of the pass. Random programs, with half of their functions instrumented,
must behave as without the plugin: on each target, at each optimization level, with and without
kCFI.

Each image must also have records of exactly the functions that should be instrumented, and a
call through a pointer of the wrong type must trap. Programs depend only on the seed. 400
programs are a thorough test, a few are a quick one.
"""
import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from differ import Run, require, test_control, test_program
from toolchain import SOURCE, TARGETS, Configuration, SetupError, Toolchain


def arguments():
    def one_of(choices):
        def parse(text):
            words = text.split(",")
            for word in words:
                if word not in choices:
                    raise argparse.ArgumentTypeError(
                        f"unknown '{word}': use {','.join(choices)}")
            return words
        return parse

    def positive(text):
        number = int(text)
        if number < 1:
            raise argparse.ArgumentTypeError("must be positive")
        return number

    every = {"targets": [*TARGETS], "opts": ["O0", "O2", "Os"], "cfi": ["no-cfi", "kcfi"]}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--programs", type=positive, default=4, metavar="N",
                        help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="of the first program; others follow (default: %(default)s)")
    parser.add_argument("--targets", type=one_of(every["targets"]), default=every["targets"],
                        metavar="A,B", help=f"default: {','.join(every['targets'])}")
    parser.add_argument("--opts", type=one_of(["O0", "O1", "O2", "O3", "Os", "Oz"]),
                        default=every["opts"], metavar="A,B",
                        help=f"default: {','.join(every['opts'])}")
    parser.add_argument("--cfi", type=one_of(every["cfi"]), default=every["cfi"],
                        metavar="A,B", help=f"default: {','.join(every['cfi'])}")
    parser.add_argument("--jobs", "-j", type=positive, default=os.cpu_count(), metavar="N",
                        help="programs at a time (default: %(default)s)")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS",
                        help="start no program after that")
    parser.add_argument("--keep-failures", type=Path, metavar="DIR",
                        help="sources and scripts go there (default: "
                             "differential-failures in the build tree)")
    parser.add_argument("--build", type=Path, metavar="DIR",
                        default=SOURCE / "build" / "release",
                        help="build tree (default: build/release)")
    args = parser.parse_args()
    args.keep_failures = args.keep_failures or args.build / "differential-failures"
    return args


def main():
    args = arguments()
    try:
        tools = Toolchain(args.build)
        run_ = Run(tools, args.keep_failures, args.time_limit)
        targets = [TARGETS[name] for name in args.targets]
        for target in targets:
            require(tools, target)
        configurations = [Configuration(target, opt, cfi == "kcfi") for target in targets
                          for opt in args.opts for cfi in args.cfi]
        controls = [configuration for configuration in configurations if configuration.kcfi]
        seeds = range(args.seed, args.seed + args.programs)
        with ThreadPoolExecutor(args.jobs) as pool:
            tasks = [pool.submit(test_control, run_, control) for control in controls]
            tasks += [pool.submit(test_program, run_, configurations, seed)
                      for seed in seeds]
            try:
                for task in tasks:
                    task.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    except (SetupError, OSError) as error:
        sys.exit(f"run.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    counts = run_.counts
    print(f"{counts['programs']} of {args.programs} programs, {counts['images']} images, "
          f"{counts['controls']} controls, {counts['STOCK']} differences of stock clang, "
          f"{counts['FAIL']} failures, {run_.seconds:.0f} s")
    if not counts["images"]:
        sys.exit("run.py: nothing was tested")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
