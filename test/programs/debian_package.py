# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rebuilds Debian's package of SQLite by its own rules with the plugin, installs it, records
its stripped program, and reads that where the program is not.

    debian_package.py --build BUILD --dsc FILE --work DIR --cc CLANG [--debs DIR]

--debs: of packages that were built before. Installed is it in a copy of this system that
lasts as long as the recording (overlayfs), so what reads is another root file system, with
another libsqlite3 or none. Prints a line for what was done; what fails ends it.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INPUTS = Path(__file__).resolve().parent.parent / "runtime" / "Inputs"
ROWS = 500
QUERY = ("create table t(a, b); "
         f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {ROWS}) "
         "insert into t select i, hex(randomblob(4)) from n; "
         "select count(*), max(length(b)) from t where b > '3'; ")
# In the library: exported, hidden, and static in their files; and in the program.
EXPECTED = {"sqlite3_prepare_v2", "sqlite3_step", "sqlite3RunParser", "sqlite3VdbeExec",
            "hexFunc", "shell_exec"}


def run(*command, said=None, **more):
    done = subprocess.run([*map(str, command)], text=True, input=said, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def build(dsc, work, plugin, cc):
    """The packages, without a change to the source or its rules, which are not made for
    several jobs: what includes sqlite3.h may be compiled before that is there."""
    source = work / "source"
    run("dpkg-source", "--no-check", "-x", dsc, source)
    environment = dict(os.environ, CC=cc, DEB_BUILD_OPTIONS="nocheck",
                       DEB_CFLAGS_APPEND=f"-fplugin={plugin}", LC_ALL="C.UTF-8")
    for name in ("CFLAGS", "LDFLAGS", "MAKEFLAGS"):
        environment.pop(name, None)
    run("dpkg-buildpackage", "-b", "-us", "-uc", cwd=source, env=environment)
    return work


# In a mount namespace of its own: a copy of the root file system, in which packages are
# installed; of what is mounted on it, only what is given.
INSTALLED = """
mount -t tmpfs none "$ROOT"
mkdir "$ROOT/upper" "$ROOT/work" "$ROOT/all"
mount -t overlay -o "lowerdir=/,upperdir=$ROOT/upper,workdir=$ROOT/work" none "$ROOT/all"
for at in /proc /dev "$BUILD" "$WORK"; do
    mkdir -p "$ROOT/all$at"
    mount --rbind "$at" "$ROOT/all$at"
done
exec chroot "$ROOT/all" sh -euc "$1"
"""


def record(build_tree, work, debs):
    """Prints what was answered."""
    root = work / "root"
    root.mkdir()
    wanted = [deb for deb in sorted(debs.glob("*.deb"))
              if re.match(r"(sqlite3|libsqlite3-0)_", deb.name)]
    command = (f"cd '{work}'; dpkg --force-depends -i {' '.join(map(str, wanted))} >log; "
               "readelf -SW /usr/bin/sqlite3 | grep -c -F .symtab >symtab || true; "
               f"'{build_tree}/bin/patchbay' record -t function_duration --buffer 64M "
               f"-o data -- /usr/bin/sqlite3 :memory: \"$QUERY\"")
    return run("unshare", "--mount", "--propagation=private", "sh", "-euc", INSTALLED, "sh",
               command, env=dict(os.environ, ROOT=str(root), BUILD=str(build_tree),
                                 WORK=str(work), QUERY=QUERY))


def names(patchbay, data, *options, before=()):
    """Those of functions that were called, and of all how many are just addresses."""
    done = subprocess.run([*map(str, (*before, patchbay, "report", "--json", *options, data))],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"report: {done.stderr}")
    shown = [function["name"] for function in json.loads(done.stdout)["functions"]]
    return set(shown), sum(name.startswith("0x") for name in shown) / len(shown)


def check(how, found):
    shown, unknown = found
    if not EXPECTED <= shown or unknown > 0.01:
        sys.exit(f"{how}: no {sorted(EXPECTED - shown)}, and {unknown:.0%} of {len(shown)} "
                 "are addresses")
    print(f"{how}: names")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "dsc", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--debs", type=Path)
    args = parser.parse_args()
    work, tree = args.work.resolve(), args.build.resolve()
    work.mkdir(parents=True)
    patchbay = tree / "bin" / "patchbay"
    debs = args.debs or build(args.dsc, work, tree / "lib" / "patchbay-pass.so", args.cc)
    print("packaged:", *sorted(re.match("[^_]*", deb.name)[0] for deb in debs.glob("*.deb")
                               if re.match(r"(lib)?sqlite3(-0)?(-dbgsym)?_", deb.name)))

    answer = record(tree, work, debs)
    if not re.search(rf"^[1-9]\d*\|8$", answer, re.MULTILINE):
        sys.exit(f"SQLite answers {answer}")
    print("recorded:", "stripped" if (work / "symtab").read_text() == "0\n" else "not stripped")
    data = work / "data"
    shown, unknown = names(patchbay, data)
    # What is there by these paths, if anything, are other builds.
    if unknown < 0.99:
        sys.exit(f"without anything: {EXPECTED & shown}, and {unknown:.0%} are addresses")
    print("without anything: addresses")

    # As the packages of debug symbols have it, in a folder that is no root.
    symbols = work / "symbols"
    for deb in debs.glob("*-dbgsym_*.deb"):
        if re.match(r"(lib)?sqlite3(-0)?-dbgsym_", deb.name):
            run("dpkg-deb", "-x", deb, symbols)
    check("--symfs of the debug packages", names(patchbay, data, "--symfs", symbols))
    served = INPUTS / "debuginfod.py"
    check("debuginfod", names(patchbay, data,
                              before=(sys.executable, served, symbols, work / "cache")))
    print(run(patchbay, "archive", "--symfs", symbols, data).strip()
          .replace(str(data), "data"))
    moved = work / "elsewhere"
    shutil.move(data, moved)
    shutil.rmtree(symbols)
    check("an archive", names(patchbay, moved))


main()
