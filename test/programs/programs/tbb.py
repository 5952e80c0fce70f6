# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneTBB: C++ templates in threads, and exceptions that tasks pass to the threads that
wait for them."""
from . import Image, Test, Unit, Workload, unpack

# Tests that throw, in up to four threads. The last test has one thread per CPU.
TESTS = ("test_task_group", "test_eh_flow_graph", "test_eh_algorithms")


def images(folder, cc):
    source = unpack("onetbb", folder)
    flags = ("-std=c++17", f"-I{source / 'include'}", "-pthread")
    # The flags of src/tbb/CMakeLists.txt for a static library.
    inside = (*flags, "-D__TBB_BUILD", "-D__TBB_DYNAMIC_LOAD_ENABLED=0",
              "-D__TBB_SOURCE_DIRECTLY_INCLUDED=1", "-D__TBB_USE_ITT_NOTIFY", "-mrtm",
              "-mwaitpkg")
    library = tuple(Unit(path, inside) for path in sorted((source / "src/tbb").glob("*.cpp")))
    return [Image(name, (*library, Unit(source / "test/tbb" / f"{name}.cpp",
                                        (*flags, f"-I{source}", f"-I{source / 'test'}"))),
                  ("-lstdc++", "-lm", "-pthread")) for name in TESTS]


def tests(folder, whole):
    return [Test((name,), r"^\[doctest\] test cases: +\d+ \| +(\d+) passed", armed=True)
            for name in (TESTS if whole else TESTS[:1])]


def workloads(folder, cc, whole):
    # Calls differ between runs, because the assignment of tasks to threads varies.
    return [Workload((image,), (image.name, "--test-case=*exception*"), same=False)
            for image in images(folder, cc)[:3 if whole else 1]]
