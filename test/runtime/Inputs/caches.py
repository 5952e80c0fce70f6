# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: caches.py CLANG SOURCE PREFIX WORK

Compiles with ccache, changes the plugin, a function list or an option, and compiles again.
Prints one line for each way to pass the options, each mode of ccache and each change. "fresh"
means that the object equals the one that the compiler makes without ccache after the change.
The object before the change differs, and the second request for it was a cache hit.

PREFIX is where Patchbay is installed. The script replaces the plugin there."""
import os
import pathlib
import shutil
import subprocess
import sys

clang, source, prefix, work = sys.argv[1:]
source, prefix, work = map(pathlib.Path, (source, prefix, work))
plugin = prefix / "lib" / "patchbay-pass.so"
first_plugin = plugin.read_bytes()
names = work / "list"
work.mkdir()

# The ways in which ccache detects the dependencies of an object.
MODES = {
    "direct": {},
    "preprocessed": {"CCACHE_NODIRECT": "1"},
    "depend": {"CCACHE_DEPEND": "1"},
}
# Ignore the user's ccache configuration.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")}


def run(*command, env=CLEAN):
    done = subprocess.run([str(c) for c in command], cwd=work, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}")
    return done.stdout


def install(content):
    """Installs a plugin and the files that describe it."""
    plugin.unlink()
    plugin.write_bytes(content)
    run("cmake", f"-DPLUGIN={plugin}", f"-DHEADER={prefix}/lib/patchbay/plugin-id.h",
        "-P", source / "cmake" / "WritePluginId.cmake")


def exclude(function):
    names.write_text(f"[never]\nfun:{function}\n")


def change_plugin():
    # The second plugin gives the section of records another name.
    changed = first_plugin.replace(b"patchbay_sites", b"patchbay_other")
    assert changed != first_plugin
    install(changed)


def change_list():
    exclude("two")


def change_option():
    return "-patchbay-mode=kernel"


CHANGES = {"plugin": change_plugin, "list": change_list, "option": change_option}


def start():
    install(first_plugin)
    exclude("one")


def pkg_config(variable):
    return run("pkg-config", f"--variable={variable}", "patchbay",
               env={**CLEAN, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}).split()


LOADING = {
    "config": [f"--config={prefix}/lib/patchbay/patchbay.cfg"],
    "pkg-config": pkg_config("cflags_instrument"),
}


def compile_with(form, option, output, *launcher, env=CLEAN):
    flags = []
    for each in (f"-patchbay-attr-list={names}", option):
        flags += pkg_config("cflags_option") + [each] if each else []
    run(*launcher, clang, *LOADING[form], *flags, f"-fsanitize-blacklist={names}", "-O1",
        "-MD", "-MF", "deps", "-c", "main.c", "-o", output, env=env)
    return (work / output).read_bytes()


def check_commands(form, mode, change):
    cache = {**CLEAN, **MODES[mode], "CCACHE_DIR": str(work / "cache")}
    shutil.rmtree(work / "cache", ignore_errors=True)
    start()
    before = compile_with(form, None, "main.o", "ccache", env=cache)
    again = compile_with(form, None, "main.o", "ccache", env=cache)
    stats = dict(line.split("\t") for line in
                 run("ccache", "--print-stats", env=cache).splitlines())
    hits = int(stats["direct_cache_hit"]) + int(stats["preprocessed_cache_hit"])
    option = CHANGES[change]()
    after = compile_with(form, option, "main.o", "ccache", env=cache)
    truth = compile_with(form, option, "truth.o")
    verdict = "fresh" if after == truth else "stale"
    if before != again or hits != 1 or before == truth:
        verdict = f"no use: {hits} hits"
    print(form, mode, change, verdict)


def check_cmake(change):
    """Builds twice with a build system that calls the compiler through the cache."""
    def build(name, *launcher, option=""):
        tree = work / name
        run("cmake", "-S", work, "-B", tree, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={clang}", f"-DOPTION={option}", *launcher)
        log = run("cmake", "--build", tree,
                  env={**CLEAN, "CCACHE_DIR": str(work / "cache")})
        return (next(tree.rglob("main.c.o")).read_bytes(),
                (tree / "program").read_bytes(), log)

    launcher = "-DCMAKE_C_COMPILER_LAUNCHER=ccache"
    for name in ("cache", "tree", "truth"):
        shutil.rmtree(work / name, ignore_errors=True)
    start()
    before = build("tree", launcher)
    if "no work to do" not in build("tree", launcher)[2]:
        print("cmake builds again what did not change")
    option = CHANGES[change]() or ""
    after = build("tree", launcher, option=option)
    truth = build("truth", option=option)
    verdict = "fresh" if after[:2] == truth[:2] else "stale"
    if before[0] == truth[0]:
        verdict = "no use"
    print("cmake", change, verdict)


(work / "main.c").write_text("""\
int one(int a) { return a; }
int two(int a) { return a; }
int main(int argc, char **argv) { return one(argc) != two(argc); }
""")
(work / "CMakeLists.txt").write_text("""\
cmake_minimum_required(VERSION 3.25)
project(Caches C)
find_package(patchbay REQUIRED)
add_executable(program main.c)
patchbay_instrument(program OPTIONS ${OPTION} ATTR_LISTS list)
""")
for change in CHANGES:
    for form in LOADING:
        for mode in MODES:
            check_commands(form, mode, change)
    check_cmake(change)
