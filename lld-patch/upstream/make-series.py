#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make the series that offers --static-calls to LLD.

usage: make-series.py LLVM OUT

LLVM is the source of a release that has a folder in lld-patch/patches. OUT becomes a git
repository with LLVM's lld/ and a commit for each step. OUT/series gets the patches for
`git am`.

The script makes the series from src/, patches/ and test/lld, so that upstream gets the code
that runs here. The script adds LLVM's file headers, StaticCallAbi.h (the declarations of
static calls in abi.h), and the tests for upstream's lit.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PART = HERE / "static-calls"
LLD = HERE.parent
ROOT = LLD.parent
ABI = ROOT / "runtime" / "include" / "patchbay" / "abi.h"

# Tests that need a second, unpatched linker, or tools that are not LLVM's.
NOT_UPSTREAM = {"static-calls-off.s", "static-calls-kernel-objects.test",
                "aarch64-static-calls-emit-relocs.s", "static-calls-options.test"}
# Words in the hook patch's lines that have nothing to do with static calls.
OTHERS = ("LtoCache", "PluginsToLtoCacheKey", "PluginLtoCache", "PatchbayNotes",
          "Patchbay", "PATCHBAY_VERSION")


def die(text):
    sys.exit(f"make-series.py: {text}")


def banner(name):
    # The first line of a file of LLVM, in 80 columns.
    ending = "*- C++ -*-===//" if name.endswith(".h") else "===//"
    first = f"//===- {name} "
    return (first + "-" * (80 - len(first) - len(ending)) + ending + """
//
// Part of the LLVM Project, under the Apache License v2.0 with LLVM Exceptions.
// See https://llvm.org/LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
""")


def upstream_words(text):
    """Replaces Patchbay's words by LLD's: thunk instead of tramp, no prefix PATCHBAY_.

    Linux's names (struct static_call_tramp_key and the section of that name) stay."""
    text = text.replace("patchbay/abi.h", "abi.h").replace("PATCHBAY_LLD_ELF_", "LLD_ELF_")
    text = re.sub(r"\babi\.h\b", "StaticCallAbi.h", text)
    text = text.replace("patchbay_static_calls", "static_call_tables")
    text = re.sub(r"\bPATCHBAY_(ABI_VERSION|NOTE_\w+)", r"STATIC_CALL_\1", text)
    text = text.replace("PATCHBAY_", "").replace("_TRAMP_", "_THUNK_")
    text = re.sub(r"tramp(?:oline)?(s?)\b(?!_key)", r"thunk\1", text)
    return re.sub(r"\bTramp(?:oline)?(s?)\b", r"Thunk\1", text)


def source(path):
    spdx, rest = path.read_text().split("\n", 1)
    if "SPDX" not in spdx:
        die(f"{path} does not begin with its licence")
    return upstream_words(banner(path.name) + rest.removeprefix("//\n"))


def abi_header():
    """Returns what abi.h says about static calls: comments, constants and structures."""
    abi = ABI.read_text()

    def between(first, last):
        begin = abi.index(first)
        return abi[begin:abi.index(last, begin)]

    def constant(name):
        return re.search(rf"^#define {name}\b.*\n", abi, re.M)[0]

    drawings = between("/*\n * Static calls: PATCHBAY_SCK_PREFIX", "#ifndef __ASSEMBLER__")
    keys = between("/*\n * struct static_call_key", "#ifndef __KERNEL__")
    structures = between("struct static_call_key {", "#endif /* __ASSEMBLER__ */")
    text = (drawings + constant("PATCHBAY_NOTE_NAME") + constant("PATCHBAY_ABI_VERSION")
            + "\n" + keys + structures.replace("#endif\n", ""))
    text = re.sub(r"PATCHBAY_STATIC_ASSERT\((.*)\);", r"static_assert(\1);", text)
    return (banner("StaticCallAbi.h") + "\n#ifndef LLD_ELF_STATIC_CALL_ABI_H\n"
            "#define LLD_ELF_STATIC_CALL_ABI_H\n\n#include <cstddef>\n#include <cstdint>\n\n"
            + upstream_words(text).rstrip() + "\n\n#endif\n")


def hunks(patch):
    """Yields (file, hunk) for each hunk of a patch."""
    name = None
    for piece in re.split(r"(?m)^(?=--- a/|@@ )", patch):
        if piece.startswith("--- a/"):
            name = piece.split("\n", 1)[0].removeprefix("--- a/")
        elif piece.startswith("@@ "):
            yield name, piece


def stays_here(line):
    return line.startswith("+") and any(word in line for word in OTHERS)


def about_static_calls(piece):
    """Returns the hunk without the lines of OTHERS, or None if no change is left."""
    lines = piece.split("\n")
    kept = [line for line in lines if not stays_here(line)]
    if len(kept) != len(lines) and any(line.startswith("-") for line in lines):
        return None  # A replacement: the --version string.
    if not any(line.startswith(("+", "-")) for line in kept[1:]):
        return None
    return "\n".join(kept)


def apply(tree, patch):
    # git apply, because patch(1) applies a hunk with less context after the change than
    # before it only at the end of the file.
    run = subprocess.run(["git", "apply", "--whitespace=nowarn", "-"],
                         cwd=tree, input=patch, text=True, capture_output=True)
    if run.returncode:
        die(f"a hook does not fit: {run.stdout}{run.stderr}")


def recount(piece):
    """Recomputes a hunk's header after lines were removed."""
    head, body = piece.split("\n", 1)
    start = re.match(r"@@ -(\d+)", head)[1]
    lines = [line for line in body.split("\n") if line[:1] in (" ", "+", "-")]
    old = sum(line[0] != "+" for line in lines)
    new = sum(line[0] != "-" for line in lines)
    return f"@@ -{start},{old} +{start},{new} @@\n" + "\n".join(lines) + "\n"


def patch_of(pieces):
    """Joins the pieces to one patch. An empty line gets the space of a context line."""
    text, last = "", None
    for name, piece in pieces:
        if name != last:
            text += f"--- a/{name}\n+++ b/{name}\n"
            last = name
        text += recount("\n".join(line or " " for line in piece.rstrip("\n").split("\n")))
    return text


def test(path):
    """Adapts a test of Patchbay's to upstream's lit: tool names, REQUIRES of targets."""
    text = path.read_text()
    text = text.replace("%ld.lld", "ld.lld").replace("%stock_lld", "ld.lld")
    sign = "; " if path.suffix == ".ll" else "# "
    needs = sorted({word for word, hint in
                    {"x86": "x86_64", "aarch64": "aarch64", "ppc": "powerpc64le"}.items()
                    if hint in text})
    lines = [line for line in text.split("\n")
             if "SPDX-License-Identifier" not in line and "REQUIRES: qemu" not in line]
    while lines and lines[0].strip() in ("", "#", ";", "//"):
        del lines[0]
    return f"{sign}REQUIRES: {', '.join(needs)}\n" + "\n".join(lines)


def tests(tree, wanted):
    for path in sorted((ROOT / "test" / "lld").glob("*static-call*")):
        arch = next((a for a in ("aarch64", "ppc64") if path.name.startswith(a)), None)
        text = path.read_text()
        # A test of several architectures goes into the last of the commits it needs.
        arch = arch or ("ppc64" if "powerpc64le" in text else
                        "aarch64" if "aarch64" in text else "x86-64")
        if arch == wanted and path.name not in NOT_UPSTREAM:
            (tree / "lld/test/ELF" / path.name).write_text(test(path))


def edit(path, before, after):
    text = path.read_text()
    if text.count(before) != 1:
        die(f"{path.name} has changed, not found: {before!r}")
    path.write_text(text.replace(before, after))


def add_sources(tree, names, behind):
    edit(tree / "lld/ELF/CMakeLists.txt", f"  {behind}.cpp\n",
         f"  {behind}.cpp\n" + "".join(f"  {name}.cpp\n" for name in names))


def architectures(tree, known):
    """Writes makeArch() with the architectures that the series has so far."""
    text = source(LLD / "src/ELF/StaticCalls.cpp")
    if "PPC64" not in known:
        text = re.sub(r"  if \(ctx.arg.emachine == EM_PPC64 && ctx.arg.isLE\)\n"
                      r"    return [^;]*;\n", "", text)
    if "AArch64" not in known:
        text = re.sub(r"  if \(ctx.arg.emachine == EM_AARCH64 [^\n]*\n    return [^;]*;\n",
                      "", text)
    (tree / "lld/ELF/StaticCalls.cpp").write_text(text)
    header = source(LLD / "src/ELF/StaticCallArch.h").split("\n")
    header = [line for line in header
              if not (m := re.search(r"makeStaticCallArch(AArch64|PPC64)", line))
              or m[1] in known]
    (tree / "lld/ELF/StaticCallArch.h").write_text("\n".join(header))


def git(tree, *args):
    identity = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Patchbay"), ("EMAIL", "patchbay@example.invalid"),
                               ("DATE", "2026-01-01T00:00:00Z"))}
    return subprocess.run(["git", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false",
                           "-c", "commit.gpgsign=false", *args], cwd=tree, check=True,
                          env={**os.environ, **identity}, text=True, capture_output=True).stdout


def commit(tree, message):
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", message)


def release(llvm):
    """Returns X.Y from the source's own version file."""
    said = llvm / "cmake/Modules/LLVMVersion.cmake"
    parts = dict(re.findall(r"set\(LLVM_VERSION_(\w+) (\d+)\)", said.read_text())) \
        if said.exists() else {}
    if not {"MAJOR", "MINOR"} <= parts.keys():
        die(f"{said} says no version of LLVM")
    return f"{parts['MAJOR']}.{parts['MINOR']}"


def make(llvm, patches, out):
    shutil.copytree(llvm / "lld", out / "lld", symlinks=True)
    git(out, "init", "-q")
    commit(out, "LLD as it was released")

    hooks = list(hunks((patches / "hooks.patch").read_text()))
    # The stub to a far static call thunk belongs to the PPC64 commit.
    thunks = [(name, piece) for name, piece in hooks if name == "lld/ELF/Thunks.cpp"]
    offered = [(name, kept) for name, piece in hooks if (name, piece) not in thunks
               and (kept := about_static_calls(piece))]
    apply(out, patch_of(offered))
    elf = out / "lld/ELF"
    shared = sorted(p for p in (LLD / "src/ELF").iterdir() if p.name.startswith("StaticCall"))
    for path in shared:
        (elf / path.name).write_text(source(path))
    (elf / "StaticCallAbi.h").write_text(abi_header())
    add_sources(out, [p.stem for p in shared if p.suffix == ".cpp"], "ScriptParser")
    arch = LLD / "src/ELF/Arch"

    def add_arch(names, behind):
        for name in names:
            path = arch / name
            (elf / "Arch" / name).write_text(source(path))
        add_sources(out, [f"Arch/{pathlib.Path(n).stem}" for n in names
                          if n.endswith(".cpp")], f"Arch/{behind}")

    add_arch(["StaticCallsX86_64.cpp"], "SPARCV9")
    architectures(out, {"X86_64"})
    edit(out / "lld/docs/ld.lld.1", ".It Fl -strip-all , Fl s\n",
         (PART / "ld.lld.1.part").read_text() + ".It Fl -strip-all , Fl s\n")
    notes = out / "lld/docs/ReleaseNotes.rst"
    edit(notes, "ELF Improvements\n----------------\n\n",
         "ELF Improvements\n----------------\n\n" + (PART / "ReleaseNotes.rst.part").read_text())
    tests(out, "x86-64")
    commit(out, (PART / "1-x86-64.txt").read_text())

    add_arch(["StaticCallsAArch64.cpp"], "SPARCV9")
    architectures(out, {"X86_64", "AArch64"})
    tests(out, "aarch64")
    commit(out, (PART / "2-aarch64.txt").read_text())

    add_arch(["StaticCallsPPC64.h", "StaticCallsPPC64.cpp", "StaticCallsPPC64Kernel.cpp"],
             "StaticCallsAArch64")
    apply(out, patch_of(thunks))
    architectures(out, {"X86_64", "AArch64", "PPC64"})
    tests(out, "ppc64")
    commit(out, (PART / "3-ppc64.txt").read_text())

    git(out, "format-patch", "-q", "--cover-letter", "--zero-commit", "--no-signature",
        "-o", "series", "HEAD~3")
    letter = next((out / "series").glob("0000-*"))
    subject, body = (PART / "cover-letter.md").read_text().split("\n\n", 1)
    letter.write_text(letter.read_text().replace("*** SUBJECT HERE ***", subject)
                      .replace("*** BLURB HERE ***", body))


def main():
    if len(sys.argv) != 3:
        die("usage: make-series.py LLVM OUT")
    llvm, out = (pathlib.Path(a).absolute() for a in sys.argv[1:])
    if not (llvm / "lld/ELF/Driver.cpp").exists():
        die(f"{llvm} has no lld/ELF/Driver.cpp")
    if out.exists():
        die(f"{out} is there already")
    patches = LLD / "patches" / release(llvm)
    if not patches.is_dir():
        die(f"{llvm} is LLVM {patches.name}, of which there is no folder in {LLD / 'patches'}")
    out.mkdir(parents=True)
    make(llvm, patches, out)
    for path in sorted((out / "series").iterdir()):
        print(path)


if __name__ == "__main__":
    main()
