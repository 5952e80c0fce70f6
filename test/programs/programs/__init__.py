# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""External programs, built from Debian's source packages.

A module of this package describes one program. images(folder, cc) unpacks the program's source
into the folder and returns its images and their files. tests(folder, whole) returns the
program's own tests, a short selection or all. workloads(folder, cc, whole) returns the commands
to trace. runs() returns the ways to start a server, and SERVER is the class that controls it.
run.py builds and tests the programs, trace.py traces them, and servers.py controls servers
while they work. The benchmark measures the size of programs, and the compile time."""
import importlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
sys.path.append(str(ROOT / "test"))
import build_tree

NAMES = ("zstd", "sqlite", "fmt", "tbb")
TRACED = ("lua", *NAMES)
SERVED = ("nginx", "redis", "postgresql")


class ProgramError(Exception):
    """A program cannot be fetched or built, or fails its tests."""


@dataclass(frozen=True)
class Unit:
    """A file to compile."""
    source: Path
    flags: tuple = ()


@dataclass(frozen=True)
class Image:
    """A program to link. The first of a program's images is its main one."""
    name: str
    units: tuple
    libraries: tuple = ()


@dataclass(frozen=True)
class Test:
    """One run of a program's own tests. `passed` matches each passed test in the output, or a
    line whose group is the number of passed tests."""
    command: tuple  # the name of an image, or a path; then arguments
    passed: str
    images: tuple = ()  # images that the command runs, unless the command is an image
    environment: tuple = ()
    # Whether to run the test again with every function armed. The test must be short enough.
    armed: bool = False


@dataclass(frozen=True)
class Workload:
    """A workload that is traced."""
    images: tuple
    command: tuple  # as in a Test
    data: tuple = ()  # an output file, and the command that prints its content
    same: bool = True  # whether all runs make the same calls
    jumps: bool = False  # whether the program calls longjmp()


def load(name):
    return importlib.import_module(f"programs.{name}")


def ignore_list(name):
    """The list of functions whose indirect calls kCFI must not check, or None."""
    path = Path(__file__).with_name(f"{name}.ignore")
    return path if path.exists() else None


def kcfi(name):
    """The flags that build this program with kCFI."""
    path = ignore_list(name)
    return ("-fsanitize=kcfi",
            *([f"-fsanitize-ignorelist={path}"] if path else []))


def unpack(package, folder):
    """The upstream source of a Debian source package."""
    run = subprocess.run(["sh", ROOT / "cmake" / "fetch-source.sh", package],
                         text=True, stdout=subprocess.PIPE)
    if run.returncode:
        raise ProgramError(f"no source of {package}: see the line above")
    tarball = Path(run.stdout.strip())
    source = folder / tarball.name.partition(".orig.")[0]
    if not source.exists():
        # Unpack under a temporary name, then rename: the folder appears only when complete.
        part = Path(tempfile.mkdtemp(dir=folder))
        subprocess.run(["tar", "-xf", tarball, "-C", part, "--no-same-owner",
                        "--strip-components=1"], check=True)
        part.chmod(0o755)
        part.rename(source)
    return source


def add_places(parser):
    """The arguments with paths and tools; see read_places()."""
    parser.add_argument("--build", type=Path, metavar="DIR", default=ROOT / "build" / "release",
                        help="where Patchbay is built (build/release)")
    parser.add_argument("--work", type=Path, metavar="DIR",
                        help="where to work (BUILD/programs)")
    parser.add_argument("--cc", help="the compiler (that of the build tree)")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="compile N files at once")


def read_places(parser):
    args = parser.parse_args()
    args.work = args.work or args.build / "programs"
    try:
        args.cc = args.cc or build_tree.compiler(args.build)
    except build_tree.NoBuildTree as error:
        parser.error(error)
    return args
