# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""{fmt} and GoogleTest: C++ templates, virtual functions, and exceptions."""
from . import Image, Test, Unit, Workload, unpack

# The tests in test/CMakeLists.txt that link with the library.
TESTS = ("format-test", "args-test", "assert-test", "chrono-test", "color-test",
         "core-test", "gtest-extra-test", "ostream-test", "compile-test",
         "printf-test", "ranges-test", "scan-test", "std-test", "xchar-test",
         "os-test")
# The tests that compile quickly.
SHORT = ("args-test", "gtest-extra-test", "os-test")


def images(folder, cc):
    fmt = unpack("fmtlib", folder)
    google = unpack("googletest", folder)
    flags = ("-std=c++17", f"-I{fmt / 'include'}", "-pthread")
    for part in ("googletest", "googlemock"):
        flags += (f"-I{google / part / 'include'}", f"-I{google / part}")

    def units(folder, *names):
        return tuple(Unit(folder / name, flags) for name in names)

    common = units(google, "googletest/src/gtest-all.cc",
                   "googlemock/src/gmock-all.cc")
    common += units(fmt, "src/format.cc", "src/os.cc", "test/test-main.cc",
                    "test/gtest-extra.cc", "test/util.cc")
    more = {"ranges-test": ("test/ranges-odr-test.cc",)}
    return [Image(name, common + units(fmt, f"test/{name}.cc", *more.get(name, ())),
                  ("-lstdc++", "-lm", "-pthread")) for name in TESTS]


def tests(folder, whole):
    return [Test((name,), r"^\[  PASSED  \] (\d+) tests", armed=True)
            for name in (TESTS if whole else SHORT)]


def workloads(folder, cc, whole):
    wanted = ("format-test", "os-test", "chrono-test") if whole else ("os-test",)
    # Each run draws other random numbers, and prints elapsed times.
    return [Workload((image,), (image.name,), same=False)
            for image in images(folder, cc) if image.name in wanted]
