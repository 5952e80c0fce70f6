# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check-layers.py README SOURCES OBJECTS

Checks the includes of SOURCES, and the undefined symbols of the object files in OBJECTS,
against the layers in README. No reference leads to a higher layer, and
references within a layer form no cycle, except those that README permits."""
import re
import subprocess
import sys
from pathlib import Path

LAYER = re.compile(r"^\d+\. \*\*(\w+)\*\*: (.*):$")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
CIRCLES = re.compile(r"but for (.*?),\s", re.S)


def read_layers(readme):
    """By name, with suffix or without: the number of the layer."""
    text = readme.read_text()
    layers, names = {}, []
    for line in text.splitlines():
        found = LAYER.match(line)
        if not found:
            continue
        names.append(found[1])
        for file in re.findall(r"`([^`]+)`", found[2]):
            if file in layers:
                sys.exit(f"{readme}: {file} is listed twice")
            layers[file] = len(names) - 1
    circles = {names.index(name) for name in
               re.findall(r"\*(\w+)\*", CIRCLES.search(text)[1])}
    return layers, names, circles


class Checker:
    def __init__(self, readme):
        self.layers, self.names, self.circles = read_layers(readme)
        self.wrong, self.edges = [], {}

    def layer(self, path):
        """The layer of a source file, or of its object file."""
        name = path.name.removesuffix(".o")
        number = self.layers.get(name, self.layers.get(Path(name).stem))
        if number is None:
            self.wrong.append(f"{name} is in no layer")
        return number

    def add(self, source, target, why):
        low, high = self.layer(target), self.layer(source)
        if low is not None and high is not None and low > high:
            self.wrong.append(
                f"{source.name} ({self.names[high]}) {why} {target.name} "
                f"({self.names[low]})")

    def includes(self, folder):
        files = [path for path in folder.rglob("*") if path.suffix in (".c", ".h", ".S")]
        known = {path.name: path for path in files}
        for path in sorted(files):
            for name in INCLUDE.findall(path.read_text()):
                target = known.get(Path(name).name)
                if target:
                    self.add(path, target, "includes")
        return len(files)

    def objects(self, folder):
        defined, wanted = {}, {}
        for path in sorted(folder.rglob("*.o")):
            wanted[path] = set()
            listed = subprocess.run(["nm", path], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            for *_, kind, symbol in map(str.split, listed.splitlines()):
                if kind in "Uw":
                    wanted[path].add(symbol)
                elif kind.isupper():
                    defined[symbol] = path
        for path, symbols in wanted.items():
            for symbol in sorted(symbols & defined.keys()):
                target = defined[symbol]
                self.add(path, target, f"needs {symbol} of")
                if target != path and self.layer(path) not in self.circles:
                    self.edges.setdefault(str(path.relative_to(folder)), set()).add(
                        str(target.relative_to(folder)))
        return len(wanted)

    def find_circle(self):
        """Depth first: a node that is already on the path closes a cycle."""
        done = set()

        def walk(name, way):
            if name in way:
                circle = [*way[way.index(name):], name]
                self.wrong.append("a circle: " + " -> ".join(circle))
            if name in way or name in done:
                return
            for other in sorted(self.edges.get(name, ())):
                walk(other, [*way, name])
            done.add(name)

        for name in sorted(self.edges):
            walk(name, [])


def main():
    readme, sources, objects = map(Path, sys.argv[1:])
    checker = Checker(readme)
    nr_files = checker.includes(sources)
    nr_objects = checker.objects(objects)
    checker.find_circle()
    for line in sorted(set(checker.wrong)):
        print(line)
    print(f"{nr_files} files, {nr_objects} objects, {len(checker.names)} layers")
    sys.exit(bool(checker.wrong))


main()
