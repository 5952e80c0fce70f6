#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports what breaks with another LLVM, for example a snapshot of the next version.

Builds the plugin, the command and, if LLD's source is given, the linker with that LLVM.
Continues after errors, to find all files that do not compile. Ports a copy of the hook
patch, and changes no source file here. Then runs the tests of the parts that were built.
Prints a line for each finished part, followed by its failures. Logs are in the work folder.
Exits with 1 on any failure.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAILED = re.compile(r"^FAILED: (?:\[code=\d+\] )?(\S+)")
ERROR = re.compile(r"^(?:\S+?/)?([^/\s]+:\d+):\d+: (?:fatal )?error: (.*)")
PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
NOT_RUN = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


class Trial:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        self.build = self.work / "build"
        self.version = self.ask("--version")
        self.major = self.version.partition(".")[0]
        self.failed = False
        self.began = time.monotonic()

    def ask(self, option):
        try:
            return subprocess.run([self.options.llvm_config, option], check=True, text=True,
                                  capture_output=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"next-llvm: {self.options.llvm_config} does not run: {error}")

    def row(self, part, works, total, details=()):
        self.failed |= works != total or not total
        print(f"{part:14} {works:>5} {total:>5} {time.monotonic() - self.began:>6.0f} s",
              flush=True)
        for line in details:
            print(f"  {line}", flush=True)

    def run(self, log, *command, **environment):
        """Returns the status and the output. The log also has the output."""
        path = self.work / f"{log}.log"
        with open(path, "w") as file:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file,
                                    stderr=subprocess.STDOUT, cwd=ROOT,
                                    env={**os.environ, **environment}).returncode
        return status, path.read_text(errors="replace")

    def carry_over(self):
        """Copies the hook patch into the work folder. Returns whether it applies."""
        patches = self.work / "patches"
        shutil.rmtree(patches, ignore_errors=True)
        shutil.copytree(ROOT / "lld-patch" / "patches", patches)
        status, text = self.run("patch", "sh", ROOT / "lld-patch" / "refresh.sh",
                                self.options.lld_source, PATCHBAY_LLD_PATCHES=str(patches))
        hunks = re.findall(r"Hunk #\d+ (?:FAILED|succeeded).*", text)
        bad = [hunk for hunk in hunks if "FAILED" in hunk]
        guessed = [hunk for hunk in hunks if "fuzz" in hunk]
        total = sum(name.read_text().count("\n@@ ")
                    for name in sorted(patches.iterdir())[-1].glob("*.patch"))
        works = 0 if status and not bad else total - len(bad)
        self.row("hook patch", works, total,
                 bad + guessed or (text.splitlines()[-1:] if status else ()))
        return status == 0

    def configure(self, linker):
        more = ([f"-DPATCHBAY_LLD_SOURCE={self.options.lld_source}",
                 f"-DPATCHBAY_LLD_PATCHES={self.work / 'patches'}",
                 f"-DPATCHBAY_LLD_BUILD={self.options.lld_build}"] if linker else
                ["-DPATCHBAY_LLD_BUILD=none"])
        status, text = self.run(
            "configure", "cmake", "--preset", "release", "-B", self.build,
            f"-DLLVM_DIR={self.ask('--cmakedir')}", f"-DPATCHBAY_LLVM_VERSION_MAJOR={self.major}",
            # A precompiled header that includes a removed LLVM header would stop all files.
            "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", *more)
        if status:
            self.row("configure", 0, 1, text.strip().splitlines()[-8:])
        return status == 0

    def compile(self, part, target):
        """Builds the target as far as possible. Prints the first error in each file."""
        status, text = self.run(f"build-{target}", "ninja", "-C", self.build, "-k", "0",
                                f"-j{self.options.jobs}", target)
        bad, current = {}, None
        for line in text.splitlines():
            if match := FAILED.match(line):
                current = Path(match[1]).name
                bad[current] = ""
            elif current and not bad[current] and (match := ERROR.match(line)):
                bad[current] = f" {match[1]}: {match[2]}"
        files = sum(target in entry.get("output", entry["command"])
                    for entry in json.loads((self.build / "compile_commands.json").read_text()))
        failed = len(bad) or int(status != 0)
        self.row(part, max(files - failed, 0), files,
                 [f"{name}:{error}" for name, error in bad.items()] or
                 (text.splitlines()[-3:] if status else ()))
        return status == 0

    def test(self, folder):
        results = self.work / f"{folder}.json"
        results.unlink(missing_ok=True)
        self.run(f"test-{folder}", Path(self.ask("--bindir")) / "lit", "-v",
                 f"-j{self.options.jobs}", "--output", results, self.build / "test" / folder)
        try:
            tests = json.loads(results.read_text())["tests"]
        except OSError:
            self.row(f"test/{folder}", 0, 1, [f"lit did not run: see {self.work}/test-{folder}.log"])
            return
        ran = [test for test in tests if test["code"] not in NOT_RUN]
        bad = [test["name"].removeprefix("Patchbay :: ") for test in ran
               if test["code"] not in PASSED]
        self.row(f"test/{folder}", len(ran) - len(bad), len(ran), sorted(bad))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("llvm_config", metavar="LLVM-CONFIG",
                        help="that of the LLVM, such as llvm-config-24")
    parser.add_argument("--lld-source", type=Path, metavar="DIR",
                        help="lld/ and cmake/ of the same version, for the linker")
    parser.add_argument("--lld-build", choices=("partial", "full"), default="partial",
                        help="partial needs its liblldELF.a (partial)")
    parser.add_argument("--work", type=Path, metavar="DIR", default=ROOT / "build" / "next-llvm",
                        help="where to work (build/next-llvm)")
    parser.add_argument("--no-tests", action="store_true", help="stop when all is compiled")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", default=os.cpu_count(),
                        help="do N things at once")
    options = parser.parse_args()
    if options.lld_source:
        options.lld_source = options.lld_source.resolve()

    trial = Trial(options)
    trial.work.mkdir(parents=True, exist_ok=True)
    print(f"LLVM {trial.version}, logs in {trial.work}\n"
          f"{'':14} works    of  after", flush=True)
    linker = bool(options.lld_source) and trial.carry_over()
    if not trial.configure(linker):
        sys.exit(1)
    plugin = trial.compile("plugin", "patchbay-pass")
    linker = linker and trial.compile("linker", "lld-patchbay")
    command = trial.compile("command", "patchbay-tool")
    if plugin and command and not options.no_tests:
        trial.run("build-rest", "ninja", "-C", trial.build, "-k", "0",
                  f"-j{options.jobs}", "patchbay-test-deps")
        trial.test("pass")
        if linker:
            trial.test("lld")
    sys.exit(trial.failed)


if __name__ == "__main__":
    main()
