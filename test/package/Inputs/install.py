#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the packages into a clean system, uses them as README.Debian describes, upgrades and
removes them. Prints a line for each step. A failure ends the script with the output of the
failed command.

    install.py ARCHIVE DEBS EXAMPLES WORK
"""
import base64
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

ARCHIVE, DEBS, EXAMPLES, WORK = map(Path, sys.argv[1:])
ROOT = WORK / "root"
PROGRAM = """\
#include <stdio.h>
__attribute__((noinline)) int leaf(int a) { return printf("leaf %d\\n", a); }
__attribute__((noinline)) int twice(int a) { return leaf(a) + leaf(a + 1); }
int main(void) { return twice(1) == 0; }
"""
# Files that apt and the shell change, whatever packages are installed.
VOLATILE = re.compile(r"var/(lib/(dpkg|apt)|log|cache)/|tmp/|root/|debs/|proc/|dev/|etc/ld.so.cache")


def inside(command, may_fail=False):
    """Runs a shell command in the tree. Mounts are removed after the command."""
    script = f'mount -t proc proc "{ROOT}/proc" && exec chroot "{ROOT}" sh -ec "$1"'
    done = subprocess.run(
        ["unshare", "--mount", "--propagation=private", "sh", "-ec", script, "sh", command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=300, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                          "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode and not may_fail:
        sys.exit(f"$ {command}\n{done.stdout[-4000:]}")
    return done


def files():
    """Returns the names of the files in the tree."""
    names = set()
    for folder, _, entries in os.walk(ROOT):
        relative = os.path.relpath(folder, ROOT)
        names.update(f"{relative}/{name}".removeprefix("./") for name in entries)
        if not entries:
            names.add(f"{relative}/".removeprefix("./"))
    return {name for name in names if not VOLATILE.match(name)}


def use():
    """Runs the commands of README.Debian in a clean folder."""
    shutil.rmtree(ROOT / "root" / "use", ignore_errors=True)
    (ROOT / "root" / "use").mkdir()
    (ROOT / "root" / "use" / "prog.c").write_text(PROGRAM)
    readme = (ROOT / "usr/share/doc/patchbay/README.Debian").read_text()
    commands = [line.strip() for line in readme.splitlines()
                if re.match(r"  (clang|patchbay)\S* ", line)]
    output = inside("cd /root/use\n" + "\n".join(commands)).stdout
    page = (ROOT / "root/use/page.html").read_text()
    print(f"{len(commands)} commands")
    print("calls of leaf:", *re.findall(r"^ *(\d+) .* leaf$", output, re.MULTILINE))
    data = re.search(r'id="data"[^>]*>([^<]*)<', page)[1].strip()
    packed = base64.b64decode(data[1:])
    names = zlib.decompress(packed) if data[0] == "z" else packed
    print("page of", "leaf" if b'"leaf"' in names and "<html" in page else "nothing")


def newer():
    """Makes copies of the packages with a later version number."""
    folder = ROOT / "debs" / "newer"
    folder.mkdir()
    for deb in sorted((ROOT / "debs").glob("*.deb")):
        tree = WORK / "repack"
        subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
        control = tree / "DEBIAN" / "control"
        text = control.read_text()
        version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]
        text = text.replace(f"= {version})", f"= {version}+1)")
        control.write_text(text.replace(f"Version: {version}\n", f"Version: {version}+1\n"))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree,
                        folder / deb.name.replace(version, f"{version}+1")],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(tree)


def versions():
    return inside("dpkg-query -W -f '${Version} ${Status}\\n' '*patchbay*' | sort | uniq -c"
                  ).stdout.split("\n")


def main():
    ROOT.mkdir(parents=True)
    subprocess.run(["tar", "-xf", ARCHIVE, "-C", ROOT, "--exclude=./dev/*"], check=True)
    for name, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
        subprocess.run(["mknod", "-m", "666", ROOT / "dev" / name, "c", "1", str(minor)],
                       check=True)
    shutil.copytree(DEBS, ROOT / "debs", ignore=lambda _, names: [
        name for name in names if not name.endswith(".deb")])
    before = files()
    apt = "apt-get -q -y --no-install-recommends "

    inside(f"{apt} install $(ls /debs/*.deb | grep -v patchbay-live)")
    print("without patchbay-live, --live and -p:", *(
        "refused" if "such as patchbay-live" in inside(command, may_fail=True).stdout else "taken"
        for command in ("patchbay record --live -- true",
                        "sleep 9 & patchbay record -p $! -- true; kill $!")))
    inside(f"{apt} install /debs/*.deb")
    print("installed", len(list((ROOT / "debs").glob("*.deb"))), "packages")
    use()
    shutil.copy(EXAMPLES / "static_call.c", ROOT / "root")
    inside("cd /root && $(pkg-config --variable=linker patchbay) --version && "
           "$(ls /usr/bin/clang-[0-9]*) --config=$(pkg-config --variable=config patchbay) "
           "-O2 static_call.c -o static_call -lpatchbay && ./static_call")
    print("a static call, by the linker of the packages")
    inside("test ! -e /usr/bin/ld.lld")

    newer()
    refused = inside(f"{apt} install /debs/newer/patchbay_*.deb", may_fail=True)
    print("the new command with the old library:",
          "refused" if refused.returncode and "libpatchbay0" in refused.stdout else "taken")
    inside(f"{apt} install /debs/newer/*.deb")
    print("upgraded:", *(line.strip() for line in versions() if line))
    use()

    inside(f"{apt} purge '*patchbay*'")
    after = files()
    print("removed; left behind:", sorted(after - before) or "nothing",
          "missing:", sorted(before - after) or "nothing")


main()
