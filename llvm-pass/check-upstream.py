#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs LLVM's and clang's own tests of the code at a function's start
# (upstream-tests.txt) twice: without the plugin, and with a plugin that is loaded but
# idle. A test whose result differs is a failure.
#
# The tests come unchanged from the source of the installed release. SITE_CONFIG replaces
# LLVM's lit configuration, which needs a build tree of LLVM. The tools under test are
# scripts that add the plugin to the command.
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

SITE_CONFIG = """\
import lit.formats
config.name = "upstream"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = {suffixes!r}
config.test_source_root = {source!r}
config.test_exec_root = {work!r} + "/output"
config.environment["PATH"] = {work!r} + "/bin:" + {llvm!r} + "/bin:/usr/bin:/bin"
config.targets = {targets!r}
config.available_features.update(t.lower() + "-registered-target" for t in config.targets)
config.llvm_src_root = {source!r} + "/llvm"
config.target_triple = {triple!r}
config.python_executable = {python!r}
config.have_vc_rev = False
config.substitutions += [
    ("%clang_cc1", "clang -cc1 -internal-isystem {resources}/include -nostdsysteminc"),
    ("%clang", "clang"),
]
"""

SUFFIXES = {".c", ".cpp", ".ll", ".mir", ".s", ".test"}


def find_tests(source, patterns):
    """Returns the tests that the list names, relative to the source."""
    tests = set()
    for line in patterns.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        found = [path for path in source.glob(line) if path.is_file()]
        if not found:
            sys.exit(f"check-upstream: nothing in {source} matches {line}: fetch it "
                     "again with 'sh cmake/bootstrap.sh source', or correct "
                     f"{patterns}")
        tests |= {str(path.relative_to(source)) for path in found
                  if path.suffix in SUFFIXES}
    return sorted(tests)


def write_tools(folder, llvm, plugin, options):
    """Makes scripts llc and clang, which load the plugin unless options is None."""
    arguments = {"llc": [], "clang": []}
    if options is not None:
        arguments["llc"] = ["-load", str(plugin), *options]
        arguments["clang"] = [f"-fpass-plugin={plugin}"]
        arguments["clang"] += [word for o in options for word in ("-mllvm", o)]
    folder.mkdir(parents=True)
    for name, words in arguments.items():
        tool = folder / name
        # clang accepts -cc1 only as the first argument.
        cc1 = 'case $1 in -cc1) shift; set -- -cc1 {0} "$@" ;; *) set -- {0} "$@" ;; esac\n'
        tool.write_text("#!/bin/sh\n" + cc1.format(shlex.join(words)) +
                        f'exec {shlex.quote(f"{llvm}/bin/{name}")} "$@"\n')
        tool.chmod(0o755)


def run_tests(args, tests, options=None):
    """Runs the tests, with the plugin unless options is None. Returns results by name."""
    def ask(*command):
        return subprocess.run(command, check=True, text=True,
                              capture_output=True).stdout.strip()
    llvm = ask(args.llvm_config, "--prefix")
    work = args.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    try:
        write_tools(work / "bin", llvm, args.plugin.resolve(), options)
        (work / "lit.site.cfg.py").write_text(SITE_CONFIG.format(
            suffixes=SUFFIXES, source=str(args.source.resolve()), work=str(work),
            llvm=llvm, targets=ask(args.llvm_config, "--targets-built").split(),
            triple=ask(args.llvm_config, "--host-target"), python=sys.executable,
            resources=ask(f"{llvm}/bin/clang", "-print-resource-dir")))
        output = work / "results.json"
        # Ignore lit's exit code: main() compares the results.
        subprocess.run([args.lit, "-qq", f"-j{args.jobs}", "-o", output,
                        *(work / test for test in tests)],
                       stdout=subprocess.DEVNULL)
        if not output.exists():
            sys.exit("check-upstream: lit wrote no results")
        results = json.loads(output.read_text())["tests"]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return {test["name"].removeprefix("upstream :: "): test for test in results}


def main():
    parser = argparse.ArgumentParser(
        description="Compare upstream's tests with and without an idle plugin.")
    parser.add_argument("--plugin", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True,
                        help="LLVM's source: llvm/test, clang/test")
    parser.add_argument("--llvm-config", default="llvm-config")
    parser.add_argument("--lit", default="lit")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="a folder to make and delete")
    parser.add_argument("--list", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("upstream-tests.txt"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--idle", action="append", required=True, metavar="OPTIONS",
                        help="options that make the plugin idle; once per way")
    args = parser.parse_args()

    if not args.plugin.exists():
        sys.exit(f"check-upstream: no plugin {args.plugin}: build it with "
                 "'cmake --build --preset release'")
    tests = find_tests(args.source, args.list)
    stock = run_tests(args, tests)
    passed = sum(test["code"] == "PASS" for test in stock.values())
    for name, test in sorted(stock.items()):
        if test["code"] != "PASS":
            print(f"check-upstream: {name}: {test['code']} without the plugin")
    print(f"check-upstream: {passed} of {len(tests)} tests pass without the plugin")
    bad = not passed
    for options in args.idle:
        idle = run_tests(args, tests, shlex.split(options))
        differ = [name for name in sorted(stock | idle) if name not in stock or
                  name not in idle or idle[name]["code"] != stock[name]["code"]]
        for name in differ:
            codes = [runs[name]["code"] if name in runs else "not run"
                     for runs in (idle, stock)]
            print(f"check-upstream: {name}: {codes[0]}, {codes[1]} without the plugin")
        print(f"check-upstream: {len(differ)} differ with the plugin and '{options}'")
        if differ and differ[0] in idle:
            print(f"check-upstream: the first one:\n{idle[differ[0]].get('output', '')}")
        bad = bad or differ
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
