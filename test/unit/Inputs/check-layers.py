# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check-layers.py README CORE OBJECTS

Checks the folders of CORE, "rooms", against the table of rooms in README, highest
room first. Reports
- an include of a file in a higher room;
- an undefined symbol of an object in OBJECTS that a higher room defines;
- files that include each other, and objects that need each other, in a cycle;
- a room that is only in README or only in CORE, and a file that is in no room.

The rooms "arch" and "call" call each other: assembly and C. Each room may call "arch", declared
in arch.h. Objects in CIRCLES may need each other.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOM = re.compile(r"^\| `(\w+)/` \|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
CIRCLES = {"arch", "call", "quiesce"}


class Checker:
    def __init__(self, readme, core):
        self.core = core
        self.rooms = ROOM.findall(readme.read_text())
        self.wrong = []
        folders = {path.name for path in core.iterdir() if path.is_dir()}
        for room in sorted(folders ^ set(self.rooms)):
            self.wrong.append(f"{room}/ is not both in README and a folder")

    def is_above(self, target, source):
        return (target.parts[0] in self.rooms and source.parts[0] in self.rooms and
                self.rooms.index(target.parts[0]) < self.rooms.index(source.parts[0]))

    def includes(self):
        files = sorted(path.relative_to(self.core) for path in self.core.rglob("*")
                       if path.suffix in (".c", ".h", ".S"))
        edges = {}
        for path in files:
            if len(path.parts) == 1:
                self.wrong.append(f"{path} is in no room")
                continue
            edges[str(path)] = set()
            for name in INCLUDE.findall((self.core / path).read_text()):
                target = Path(name)
                # This is an architecture's own header; its folder is in the include
                # path.
                if len(target.parts) == 1:
                    target = (path.parent if path.parts[0] == "arch" else
                              Path("arch/any")) / name
                if self.is_above(target, path):
                    self.wrong.append(f"{path} includes {target}")
                edges[str(path)].add(str(target))
        self.find_circle(edges)
        return len(files)

    def objects(self, folder):
        defined, wanted, edges = {}, {}, {}
        for path in sorted(folder.rglob("*.o")):
            name = path.relative_to(folder)
            wanted[name] = set()
            listed = subprocess.run(["nm", path], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            for *_, kind, symbol in map(str.split, listed.splitlines()):
                if kind in "Uw":
                    wanted[name].add(symbol)
                elif kind.isupper():
                    defined[symbol] = name
        for name, symbols in wanted.items():
            for symbol in sorted(symbols & defined.keys()):
                target = defined[symbol]
                if target.parts[0] == "arch":
                    continue
                if (self.is_above(target, name) and
                        (name.parts[0], target.parts[0]) != ("arch", "call")):
                    self.wrong.append(f"{name} needs {symbol} of {target}")
                if name.parts[0] not in CIRCLES:
                    edges.setdefault(str(name), set()).add(str(target))
        self.find_circle(edges)
        return len(wanted)

    def find_circle(self, edges):
        """Searches depth first for a cycle: a node that is already on the path."""
        done = set()

        def walk(name, way):
            if name in way:
                circle = [*way[way.index(name):], name]
                self.wrong.append("a circle: " + " -> ".join(circle))
            if name in way or name in done:
                return
            for other in sorted(edges.get(name, set()) - {name}):
                walk(other, [*way, name])
            done.add(name)

        for name in sorted(edges):
            walk(name, [])


def main():
    readme, core, objects = map(Path, sys.argv[1:])
    checker = Checker(readme, core)
    nr_files = checker.includes()
    nr_objects = checker.objects(objects)
    for line in sorted(set(checker.wrong)):
        print(line)
    print(f"{nr_files} files, {nr_objects} objects, {len(checker.rooms)} rooms")
    sys.exit(bool(checker.wrong))


main()
