# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linux's source with our patches, and the kernels built from it."""
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATCHES = ROOT / "runtime" / "linux" / "patches"
SELFTESTS = Path("tools/testing/selftests/ftrace")
# The kernel's names of architectures, and the images that QEMU boots.
SOURCE_ARCH = {"ppc64le": "powerpc", "x86-64": "x86"}
IMAGES = {"ppc64le": "vmlinux", "x86-64": "arch/x86/boot/bzImage"}


class KernelError(Exception):
    """The reason why a kernel could not be built."""


def run(command, log, **options):
    """Runs the command with its output in the log. An error contains the last part of the log."""
    with open(log, "ab") as file:
        file.write(f"$ {' '.join(map(str, command))}\n".encode())
        file.flush()
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file,
                                stderr=subprocess.STDOUT, check=False, **options)
    if status.returncode:
        last = log.read_text(errors="replace").splitlines()[-8:]
        raise KernelError(f"{command[0]} failed, see {log}" +
                          "".join(f"\n| {line}" for line in last))


def series(version):
    folder = PATCHES / version
    if not folder.is_dir():
        versions = sorted(path.name for path in PATCHES.iterdir())
        raise KernelError(f"no patches for Linux {version}: use {' or '.join(versions)}")
    return [folder / name for name in (folder / "series").read_text().split()]


def apply(patch, tree, log, *options):
    run(["patch", "-p1", "--fuzz=0", "-s", *options, "-d", tree, "-i", patch], log)


def source(version, out, *more, without=()):
    """Returns the patched source, with additional patches of a test. Unpacks the source at the
    first call and when a patch changes. `without`: tar patterns of files to omit."""
    patches = [*series(version), *more]
    wanted = "".join(patch.read_text() for patch in patches)
    tree, done = out / "source", out / "source" / ".patched"
    if done.exists() and done.read_text() == wanted:
        return tree
    tarball = subprocess.run(["sh", ROOT / "cmake" / "fetch-linux.sh", version],
                             stdout=subprocess.PIPE, check=False, text=True).stdout.strip()
    if not tarball:
        raise KernelError(f"no source of Linux {version}: the line above says why")
    print(f"-- unpacking Linux {version}", flush=True)
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    log = out / "source.log"
    run(["tar", "-xf", tarball, "-C", tree, "--strip-components=1", "--no-same-owner",
         "--anchored", *(f"--exclude=linux-source-{version}/{pattern}"
                         for pattern in without)], log)
    for patch in patches:
        apply(patch, tree, log)
    done.write_text(wanted)
    return tree


def other_source(ours, version, tree, patches=()):
    """Returns the source with these patches instead of ours. Unpatched files are hard links,
    which is safe because patch(1) writes new files. The source is made again when a patch
    changes."""
    wanted = "".join(path.read_text() for path in (*series(version), *patches))
    done, log = tree / ".other", tree.with_suffix(".log")
    if done.exists() and done.read_text() == wanted:
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ours, tree, symlinks=True, copy_function=os.link)
    for patch in reversed(series(version)):
        apply(patch, tree, log, "--reverse")
    for patch in patches:
        apply(patch, tree, log)
    (tree / ".patched").unlink(missing_ok=True)
    done.write_text(wanted)
    return tree


@dataclass(frozen=True)
class Tools:
    """The tools that build kernels, and make's variables for these tools."""
    plugin: Path
    linker: Path
    llvm: str               # make's LLVM=, for the plugin's clang: "-22"

    def variables(self, plugin):
        stock = {"LLVM": self.llvm, "PATCHBAY_PASS": ""}
        ours = {**stock, "PATCHBAY_PASS": self.plugin, "LD": self.linker}
        return ours if plugin else stock


@dataclass(frozen=True)
class Kernel:
    arch: str
    name: str
    source: Path
    out: Path
    tools: Tools
    plugin: bool            # built with our plugin and linker
    config: tuple           # files of config/, in addition to the common ones
    variables: tuple = ()   # more variables of make, in pairs

    @property
    def source_arch(self):
        return SOURCE_ARCH.get(self.arch, self.arch)

    @property
    def image(self):
        return self.out / IMAGES.get(self.arch, f"arch/{self.source_arch}/boot/Image")

    @property
    def log(self):
        return self.out / "make.log"

    @property
    def environment(self):
        """The environment variables that make builds reproducible in any folder."""
        return {**os.environ, "CCACHE_BASEDIR": str(self.out.parent), "CCACHE_NOHASHDIR": "1",
                "CCACHE_DEPEND": "1"}

    def command(self, *targets, **more):
        variables = self.tools.variables(self.plugin)
        if shutil.which("ccache"):
            variables["CC"] = f"ccache clang{variables['LLVM']}"
        variables["KBUILD_BUILD_TIMESTAMP"] = "@0"
        if self.arch in ("ppc64le", "riscv"):
            # On ppc64le and riscv the kernel rejects all types because of pahole 1.24's types
            # of per-CPU variables.
            variables["PAHOLE_FLAGS"] = "--btf_gen_floats --skip_encoding_btf_vars"
        variables.update(self.variables, **more)
        return ["make", "-s", f"-j{os.cpu_count()}", "-C", self.source,
                f"O={self.out}", f"ARCH={self.source_arch}",
                *(f"{name}={value}" for name, value in variables.items()), *targets]

    def make(self, *targets, **more):
        run(self.command(*targets, **more), self.log, env=self.environment)

    def configure(self):
        """Configures the kernel: allnoconfig, the options of the selftests, then ours."""
        self.out.mkdir(parents=True, exist_ok=True)
        self.log.unlink(missing_ok=True)
        parts = [self.source / SELFTESTS / "config"]
        parts += [HERE / "config" / f"{name}.config"
                  for name in ("common", self.arch, *self.config)]
        wanted = "".join(part.read_text() for part in parts)
        all_config = self.out / "all.config"
        if not (self.out / ".config").exists() or not all_config.exists() or \
                all_config.read_text() != wanted:
            all_config.write_text(wanted)
            self.make(f"KCONFIG_ALLCONFIG={all_config}", "allnoconfig")
        else:
            self.make("olddefconfig")

    def forget_configuration(self):
        """Makes the next run configure from the start."""
        (self.out / "all.config").unlink()

    def begin_as(self, other):
        """Copies another kernel's build of the same source, so that make builds only files that
        differ."""
        if not self.out.exists() and other.image.exists():
            shutil.copytree(other.out, self.out, symlinks=True)

    def build(self):
        self.configure()
        self.make(self.image.name, "modules")

    def asked(self):
        """The options in the last configuration file, and whether they are set. Kconfig
        silently drops options whose dependencies are not met."""
        lines = (HERE / "config" / f"{self.config[-1]}.config").read_text().splitlines()
        configured = "\n" + (self.out / ".config").read_text()
        for line in lines:
            if line.startswith("CONFIG_"):
                yield line, f"\n{line}\n" in configured
            elif line.endswith(" is not set"):
                yield line, not self.enabled(line[len("# CONFIG_"):].split()[0])

    def enabled(self, option):
        return f"CONFIG_{option}=y\n" in (self.out / ".config").read_text()

    def modules(self):
        return sorted(self.out.glob("**/*.ko"))
