# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SQLite: one file of a quarter of a million lines, and its tests in Tcl."""
import os
import shlex
import subprocess
from pathlib import Path

from . import Image, ProgramError, Test, Unit, Workload, unpack

DEFINES = ("-DHAVE_USLEEP=1", "-DSQLITE_THREADSAFE=1", "-DNDEBUG",
           "-DSQLITE_ENABLE_MATH_FUNCTIONS", "-DSQLITE_HAVE_ZLIB=1",
           "-DSQLITE_NO_SYNC=1", "-DSQLITE_TEMP_STORE=1")
# Scripts of the suite "veryquick" that are fast and call most of SQLite.
SHORT = ("select*", "join[2-9].test", "trigger*", "fts3a*", "rtree[1-9]*",
         "wal.test", "window1.test", "json101.test", "vtab1.test", "alter.test",
         "vacuum*", "capi*")
ARMED = ("select1.test", "join.test", "trigger1.test", "capi3.test")
# Tests to skip as root, because they expect files that cannot be opened.
OMIT = (("QUICKTEST_OMIT", "^attach.test,^backup2.test,^delete.test,^extension01.test,"
         "^oserror.test,^pager1.test,^temptable.test,^tkt3457.test,^wal2.test"),
        ) if os.geteuid() == 0 else ()


def make(folder, cc, *words):
    """Upstream's makefile for builds without configure. In older versions the makefile is
    main.mk itself, which calls the compiler BCC, and TCC with flags."""
    top = unpack("sqlite3", folder)
    generic = top / "Makefile.linux-generic"
    makefile = generic if generic.exists() else top / "main.mk"
    run = subprocess.run(["make", "-s", "-f", makefile, f"TOP={top}", f"CC={cc}",
                          f"BCC={cc}", "TCC=", *words],
                         cwd=folder, text=True, stdout=subprocess.PIPE)
    if run.returncode:
        raise ProgramError(f"make {shlex.join(words)} in {folder}: exit code "
                           f"{run.returncode}")
    return run.stdout


def images(folder, cc):
    top = unpack("sqlite3", folder)
    make(folder, cc, "sqlite3.c")
    headers = sorted(Path("/usr/include").glob("tcl8.[0-9]"))
    if not headers:
        raise ProgramError("no headers of Tcl 8: install tcl-dev")
    tcl = headers[-1]

    def variable(name):
        return shlex.split(make(folder, cc, f"--eval=print:;@echo '$({name})'", "print"))

    # Only one of these variables exists, depending on the version.
    includes = [*variable("TCCX"), *variable("CFLAGS.intree_includes")]
    flags = [*includes, *DEFINES, *variable("TESTFIXTURE_FLAGS")]
    flags = tuple(f"-I{folder}" if flag == "-I." else flag for flag in flags)
    # The parts of amalgamation-testfixture, without duplicate sources.
    sources = dict.fromkeys([folder / "sqlite3.c", *map(Path, variable("TESTSRC")),
                             top / "src" / "tclsqlite.c"])
    units = tuple(Unit(source, (*flags, f"-I{tcl}")) for source in sources)
    return [Image("testfixture", units, (f"-l{tcl.name}", "-lm", "-lz", "-pthread"))]


def tests(folder, whole):
    script = unpack("sqlite3", folder) / "test" / "permutations.test"

    def suite(*patterns, armed=False):
        return Test(("testfixture", str(script), "veryquick", *patterns,
                     "--verbose=file", "--output=test-out.txt"),
                    r"^0 errors out of (\d+) tests", environment=OMIT, armed=armed)

    return [suite() if whole else suite(*SHORT), suite(*ARMED, armed=True)]


def speed_test(folder, cc):
    """Builds speedtest1 as users build SQLite, instead of with the tests' options."""
    top = unpack("sqlite3", folder)
    make(folder, cc, "sqlite3.c")
    flags = ("-DNDEBUG", "-DSQLITE_THREADSAFE=1", f"-I{folder}")
    return Image("speedtest1", (Unit(folder / "sqlite3.c", flags),
                                Unit(top / "test" / "speedtest1.c", flags)),
                 ("-lm", "-pthread"))


def workloads(folder, cc, whole):
    size = "5" if whole else "1"
    return [Workload((speed_test(folder, cc),),
                     ("speedtest1", "--memdb", "--size", size))]
