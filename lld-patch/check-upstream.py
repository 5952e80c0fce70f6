#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs LLD's own ELF test suite with this linker and compares the result of each test, by
# name, with that of the unpatched build (patches/X.Y/upstream-suite.txt).
#
# The suite is in the LLD source that the linker is built from. The tests write 2 GB, which
# the script deletes at the end.
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SITE_CONFIG = """\
import lit.llvm
config.llvm_src_root = {source!r} + "/llvm"
config.llvm_obj_root = {llvm!r}
config.llvm_tools_dir = {llvm!r} + "/bin"
config.llvm_libs_dir = {llvm!r} + "/lib"
config.llvm_shlib_dir = {llvm!r} + "/lib"
config.llvm_shlib_ext = ".so"
config.lit_tools_dir = ""
config.lld_obj_root = {work!r}
config.lld_libs_dir = {llvm!r} + "/lib"
config.lld_tools_dir = {work!r} + "/bin"
config.host_triple = config.target_triple = {triple!r}
config.python_executable = {python!r}
config.errc_messages = ""
config.sizeof_void_p = 8
config.have_zlib = config.have_zstd = config.enable_threads = True
config.has_plugins = True
config.enable_backtrace = config.have_libxml2 = False
config.have_dia_sdk = config.build_examples = False
config.ld_lld_default_mingw = config.linked_bye_extension = False
lit.llvm.initialize(lit_config, config)
lit_config.load_config(config, {source!r} + "/lld/test/lit.cfg.py")
"""


def read_baseline(path):
    """Returns the number of tests and the names of those that do not pass."""
    total, codes = None, {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        code, name = line.split(" ", 1)
        if code == "TOTAL":
            total = int(name)
        else:
            codes[name] = code
    return total, codes


def read_twice(source):
    """Returns the tests that upstream marks as not passing when a link runs twice."""
    mark = re.compile(r"(XFAIL|UNSUPPORTED): main-run-twice")
    tests = source / "lld" / "test"
    found = ((path, mark.search(path.read_bytes().decode(errors="replace")))
             for path in (tests / "ELF").rglob("*") if path.is_file())
    return {str(path.relative_to(tests)): match[1] for path, match in found if match}


def write_baseline(path, results):
    header = [line for line in path.read_text().splitlines()
              if line.startswith("#")] if path.exists() else []
    rest = sorted(f"{code} {name}" for name, code in results.items()
                  if code != "PASS")
    path.write_text("\n".join(header + [f"TOTAL {len(results)}"] + rest) + "\n")


def compare(results, total, codes):
    """Returns one line for each test that is worse than in the baseline."""
    bad = []
    for name, code in sorted(results.items()):
        expected = codes.get(name, "PASS")
        # A PASS is never worse: the baseline's machine may lack what a test requires.
        if code != expected and code != "PASS":
            bad.append(f"{name}: {code}, {expected} without the hook patch")
    missing = sorted(codes.keys() - results.keys())
    bad += [f"{name}: not run" for name in missing]
    if len(results) != total:
        bad.append(f"{len(results)} tests were run, the suite has {total}")
    return bad


def run_suite(args, work):
    # The suite also runs LLD's other drivers, which come from the distribution's LLVM.
    bin_dir = work / "bin"
    bin_dir.mkdir(parents=True)
    for name in ("ld.lld", "lld"):
        (bin_dir / name).symlink_to(args.lld.resolve())
    llvm = pathlib.Path(subprocess.run(
        [args.llvm_config, "--prefix"], check=True, text=True,
        capture_output=True).stdout.strip())
    triple = subprocess.run([args.llvm_config, "--host-target"], check=True,
                            text=True, capture_output=True).stdout.strip()
    for name in ("lld-link", "ld64.lld", "wasm-ld"):
        (bin_dir / name).symlink_to(llvm / "bin" / name)
    test_dir = work / "test"
    test_dir.mkdir()
    (test_dir / "lit.site.cfg.py").write_text(SITE_CONFIG.format(
        source=str(args.source), llvm=str(llvm), work=str(work), triple=triple,
        python=sys.executable))
    output = work / "results.json"
    command = [args.lit, "-q", "--no-progress-bar", f"-j{args.jobs}", "-o", output,
               test_dir / "ELF"]
    if args.filter:
        command += ["--filter", args.filter]
    if args.twice:
        command += ["--param", "RUN_LLD_MAIN_TWICE=1"]
    # Ignore lit's exit code: compare() expects some tests to fail.
    subprocess.run(command)
    if not output.exists():
        sys.exit("check-upstream: lit wrote no results")
    tests = json.loads(output.read_text())["tests"]
    return {test["name"].removeprefix("lld :: "): test["code"] for test in tests}


def main():
    parser = argparse.ArgumentParser(
        description="Compare LLD's ELF tests with those of the unpatched build.")
    parser.add_argument("--lld", type=pathlib.Path, required=True,
                        help="the linker to test")
    parser.add_argument("--source", type=pathlib.Path, required=True,
                        help="LLVM's source: lld/test, llvm/utils/dtlto")
    parser.add_argument("--llvm-config", default="llvm-config")
    parser.add_argument("--lit", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="a folder to make and delete, for 2 GB")
    parser.add_argument("--baseline", type=pathlib.Path, required=True,
                        help="patches/X.Y/upstream-suite.txt")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--twice", action="store_true",
                        help="run each link twice in one process")
    parser.add_argument("--filter", help="only tests that match; no baseline")
    parser.add_argument("--update", action="store_true",
                        help="write the baseline; --lld is an unpatched linker")
    args = parser.parse_args()

    for needed in ("lld/test/lit.cfg.py", "llvm/utils/dtlto"):
        if not (args.source / needed).exists():
            sys.exit(f"check-upstream: no {needed} in {args.source}")
    if not (args.update or args.filter or args.baseline.exists()):
        sys.exit(f"check-upstream: no results of an unpatched build in {args.baseline}: "
                 "make them with --update and such a linker as --lld")
    work = args.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    try:
        results = run_suite(args, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)

    if args.update:
        write_baseline(args.baseline, results)
        return
    if args.filter:
        bad = [f"{name}: {code}" for name, code in sorted(results.items())
               if code == "FAIL"]
    else:
        total, codes = read_baseline(args.baseline)
        if args.twice:
            codes |= read_twice(args.source)
        bad = compare(results, total, codes)
    for line in bad:
        print(f"check-upstream: {line}")
    passed = sum(code == "PASS" for code in results.values())
    print(f"check-upstream: {passed} of {len(results)} tests pass, {len(bad)} differ")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
