# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rebuilds Debian's package of bzip2 or SQLite with the plugin, by the package's own rules, and
installs it. Records its stripped program, and reads the recording where the program is missing.

    debian_package.py --build BUILD --dsc FILE --work DIR --cc CLANG [--debs DIR]

`sh cmake/fetch-package-source.sh bzip2` fetches a package and prints its FILE.

--debs: packages that were built before. The package is installed in a copy of this system
(overlayfs) that exists only during the recording. The reader uses another root file system, with
another build of the library or none. Prints a line for each step, and stops at the first error.
"""
import argparse
import bz2
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INPUTS = Path(__file__).resolve().parent.parent / "runtime" / "Inputs"
# Larger than one of bzip2's blocks, so that both of its sorting algorithms run.
DATA = bytes(i * i >> 7 & 0xff for i in range(1_000_000))
QUERY = """create table t(a, b);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
    insert into t select i, hex(randomblob(4)) from n;
select count(*), max(length(b)) from t where b > '3';
"""


@dataclasses.dataclass(frozen=True)
class Package:
    """The program of a source package, its input, and function names that the report must show:
    names that the library exports, and others, including names of the program."""
    debs: tuple
    program: str
    given: bytes
    exported: frozenset
    others: frozenset
    is_right: object

    def has(self, deb, suffix):
        """Is the file a package named in debs, plus the regular expression suffix?"""
        return re.match(f"({'|'.join(map(re.escape, self.debs))}){suffix}_", deb.name)


PACKAGES = {
    "bzip2": Package(
        ("bzip2", "libbz2-1.0"), "bzip2 -c", DATA,
        frozenset({"BZ2_bzWrite", "BZ2_compressBlock"}),
        frozenset({"handle_compress", "default_bzalloc", "compress"}),
        lambda said: bz2.decompress(said) == DATA),
    "sqlite3": Package(
        ("sqlite3", "libsqlite3-0"), "sqlite3 :memory:", QUERY.encode(),
        frozenset({"sqlite3_prepare_v2", "sqlite3_step"}),
        frozenset({"sqlite3RunParser", "sqlite3VdbeExec", "hexFunc", "shell_exec"}),
        lambda said: re.fullmatch(rb"[1-9]\d*\|8\n", said)),
}


def run(*command, said=None, **more):
    done = subprocess.run([*map(str, command)], text=True, input=said, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def build(dsc, work, plugin, cc):
    """Builds the packages without changing the source or its rules. bzip2's rules set CC, so pass it
    as a make variable, too. The rules run dwz 0.15, which cannot read clang's DWARF 5."""
    source = work / "source"
    run("dpkg-source", "--no-check", "-x", dsc, source)
    environment = dict(os.environ, CC=cc, MAKEFLAGS=f" -- CC={cc}", DEB_BUILD_OPTIONS="nocheck",
                       DEB_CFLAGS_APPEND=f"-fplugin={plugin} -gdwarf-4", LC_ALL="C.UTF-8")
    for name in ("CFLAGS", "LDFLAGS"):
        environment.pop(name, None)
    # Build only programs, because building the documentation needs more packages.
    run("dpkg-buildpackage", "-B", "-us", "-uc", cwd=source, env=environment)
    return work


# Runs in a private mount namespace: makes a copy of the root file system and installs the
# packages in the copy. Only the given mounts are visible in the copy.
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


def record(package, build_tree, work, debs):
    """Records the program, which makes WORK/said."""
    root = work / "root"
    root.mkdir()
    wanted = [deb for deb in sorted(debs.glob("*.deb")) if package.has(deb, "")]
    program = f"/usr/bin/{package.program}"
    command = (f"cd '{work}'; dpkg --force-depends -i {' '.join(map(str, wanted))} >log; "
               f"readelf -SW {program.split()[0]} | grep -c -F .symtab >symtab || true; "
               f"'{build_tree}/bin/patchbay' record -t function_duration --buffer 64M "
               f"-o data -- {program} <given >said")
    (work / "given").write_bytes(package.given)
    run("unshare", "--mount", "--propagation=private", "sh", "-euc", INSTALLED, "sh",
               command, env=dict(os.environ, ROOT=str(root), BUILD=str(build_tree), WORK=str(work)))


def names(patchbay, data, *options, before=()):
    """Returns the names of called functions, and the number of those with only an address."""
    done = subprocess.run([*map(str, (*before, patchbay, "report", "--json", *options, data))],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"report: {done.stderr}")
    shown = [function["name"] for function in json.loads(done.stdout)["functions"]]
    return set(shown), sum(name.startswith("0x") for name in shown) / len(shown)


def check(how, package, found):
    shown, unknown = found
    wanted = package.exported | package.others
    if not wanted <= shown or unknown > 0.01:
        sys.exit(f"{how}: no {sorted(wanted - shown)}, and {unknown:.0%} of "
                 f"{len(shown)} are addresses")
    print(f"{how}: names")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "dsc", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--debs", type=Path)
    args = parser.parse_args()
    work, tree = args.work.resolve(), args.build.resolve()
    package = PACKAGES.get(args.dsc.name.split("_")[0])
    if not package:
        parser.error(f"{args.dsc}: use one of {', '.join(PACKAGES)}")
    work.mkdir(parents=True)
    patchbay = tree / "bin" / "patchbay"
    debs = args.debs or build(args.dsc, work, tree / "lib" / "patchbay-pass.so", args.cc)
    print("packaged:", *sorted(re.match("[^_]*", deb.name)[0] for deb in debs.glob("*.deb")
                               if package.has(deb, "(-dbgsym)?")))

    record(package, tree, work, debs)
    if not package.is_right((work / "said").read_bytes()):
        sys.exit("the program's answer is wrong, see " + str(work / "said"))
    print("recorded:", "stripped" if (work / "symtab").read_text() == "0\n" else "not stripped")
    data = work / "data"
    shown, unknown = names(patchbay, data)
    # The recording has the names from the stripped files. The paths here lead to other
    # builds, or do not exist.
    if not package.exported <= shown or package.others & shown or unknown < 0.3:
        sys.exit(f"without anything: no {sorted(package.exported - shown)}, but "
                 f"{sorted(package.others & shown)}, and {unknown:.0%} are addresses")
    print("without anything: exported names")

    # A folder with the layout of Debian's packages of debug symbols.
    symbols = work / "symbols"
    for deb in debs.glob("*-dbgsym_*.deb"):
        if package.has(deb, "-dbgsym"):
            run("dpkg-deb", "-x", deb, symbols)
    check("--symfs of the debug packages", package, names(patchbay, data, "--symfs", symbols))
    served = INPUTS / "debuginfod.py"
    check("debuginfod", package, names(patchbay, data,
                                       before=(sys.executable, served, symbols, work / "cache")))
    print(run(patchbay, "archive", "--symfs", symbols, data).strip()
          .replace(str(data), "data"))
    moved = work / "elsewhere"
    shutil.move(data, moved)
    shutil.rmtree(symbols)
    check("an archive", package, names(patchbay, moved))


main()
