# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""zstd: C, tables of function pointers, threads, and a function in assembly."""
import os
import sys

from . import Image, Test, Unit, Workload, unpack

# The flags of tests/Makefile. Level 1 enables assertions; the Makefile's 2 also prints
# traces.
DEFINES = ("-DZSTD_MULTITHREAD", "-DZSTD_LEGACY_SUPPORT=4", "-DDEBUGLEVEL=1",
           "-DZSTD_WINDOW_OVERFLOW_CORRECT_FREQUENTLY=1", "-DXXH_NAMESPACE=ZSTD_",
           "-DZSTD_GZCOMPRESS", "-DZSTD_GZDECOMPRESS")
FOLDERS = ("lib", "lib/common", "lib/compress", "lib/decompress",
           "lib/dictBuilder", "lib/legacy", "programs")
# A test since 1.5.7 that fails as root, because zstd can then enter each folder.
NOT_FOR_ROOT = "file-stat/compress-file-to-dir-without-write-perm.sh"


def images(folder, cc):
    source = unpack("libzstd", folder)
    flags = (*DEFINES, *(f"-I{source / f}" for f in FOLDERS),
             "-Wno-deprecated-declarations")

    # A pattern may match no file: releases before 1.5.6 have no lorem.c.
    def units(*patterns):
        return tuple(Unit(path, flags) for pattern in patterns
                     for path in sorted(source.glob(pattern)))

    library = units("lib/*/*.c", "lib/*/*.S")
    library = tuple(u for u in library if "deprecated" not in u.source.parts)
    tools = units("programs/datagen.c", "programs/util.c", "programs/timefn.c")
    included = source / "lib" / "compress" / "zstd_compress.c"
    return [
        Image("zstd", library + units("programs/*.c"), ("-pthread", "-lz")),
        Image("fuzzer", library + tools + units("tests/fuzzer.c"), ("-pthread",)),
        Image("zstreamtest", library + tools + units(
            "tests/seqgen.c", "tests/zstreamtest.c",
            "tests/external_matchfinder.c"), ("-pthread",)),
        Image("fullbench", library + tools + units(
            "programs/benchfn.c", "programs/lorem.c", "tests/fullbench.c"), ("-pthread",)),
        Image("decodecorpus", tuple(
            u for u in library if u.source != included) + units(
                "programs/util.c", "programs/timefn.c", "tests/decodecorpus.c"),
              ("-pthread", "-lm")),
        Image("invalidDictionaries", library + units(
            "tests/invalidDictionaries.c"), ("-pthread",)),
        Image("legacy", library + units("tests/legacy.c"), ("-pthread",)),
        Image("poolTests", library + units(
            "programs/util.c", "programs/timefn.c", "tests/poolTests.c"),
              ("-pthread",)),
        Image("datagen", units("programs/datagen.c", "programs/lorem.c",
                               "tests/datagencli.c", "tests/loremOut.c")),
    ]


def leave_out(scripts):
    """Removes the script of a CLI test that fails as root, because upstream's run.py has no
    option to skip a test. The expected output stays, so the test counts as missing."""
    script = scripts / "cli-tests" / NOT_FOR_ROOT
    if os.geteuid() == 0 and script.with_name(f"{script.name}.stderr.exact").exists():
        script.unlink(missing_ok=True)
        print(f"zstd: left out: {NOT_FOR_ROOT}: root can enter every folder", flush=True)


def tests(folder, whole):
    scripts = unpack("libzstd", folder) / "tests"
    leave_out(scripts)
    # Lines that test programs print for each passed test, or at the end for all.
    printed = r"^test.*: *OK *$|^SUCCESS|(\d+) (?:fuzzer )?tests completed|^OK$"

    def test(*command, passed=printed, **more):
        return Test(command, passed, **more)

    cli = test(sys.executable, str(scripts / "cli-tests" / "run.py"),
               "--zstd={images}/zstd", "--datagen={images}/datagen",
               passed=r"^PASS:", images=("zstd", "datagen"))
    quick = [cli, test("poolTests"), test("legacy"),
             # Prints nothing on success.
             test("invalidDictionaries", passed=r"\A\Z"),
             test("fuzzer", "-s1", "-t1", "-i30", armed=True)]
    if not whole:
        return [*quick, test("fuzzer", "-s1", "-v", "-i1")]
    # Upstream's run times, see tests/Makefile.
    return [
        *quick,
        test("fuzzer", "-v", "-T200s"),
        test("zstreamtest", "-v", "-T90s"),
        test("zstreamtest", "--newapi", "-t1", "-T90s"),
        test("decodecorpus", "-t", "-T30"),
        test("fullbench", "-i1", passed=r"^ *\d+#.*MB/s"),
        test("fullbench", "-i1", "-P0", passed=r"^ *\d+#.*MB/s"),
        test("/bin/sh", str(scripts / "playTests.sh"), passed=r"^===> ",
             images=("zstd", "datagen"),
             environment=(("ZSTD_BIN", "{images}/zstd"),
                          ("DATAGEN_BIN", "{images}/datagen"))),
    ]


def workloads(folder, cc, whole):
    tools = tuple(image for image in images(folder, cc) if image.name in ("zstd", "datagen"))
    data = ("data", ("datagen", f"-g{200 if whole else 4}MB"))

    def zstd(*arguments, **more):
        return Workload(tools, ("zstd", "-q", "-f", *arguments), data, **more)

    return [zstd("--single-thread", "--no-asyncio", "-3", "data", "-o", "data.zst"),
            zstd("--no-asyncio", "-d", "data.zst", "-o", "data.again"),
            # The calls differ between runs: threads look for work a varying number of times.
            zstd("-T3", "-3", "data", "-o", "data.zst", same=False)]
