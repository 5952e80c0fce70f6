# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check-folders.py FOLDER [OBJECTS]

FOLDER/README.md has a table of FOLDER's folders, the lowest first. A file must not include
files of folders below its own in that table. Each folder must be in the table, and includes
must not form a cycle. An object in OBJECTS must not need a symbol of a folder below its own."""
import re
import subprocess
import sys
from pathlib import Path

ROW = re.compile(r"^\| `(\w+)/` \|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include [<"]([^">]+)[">]', re.M)
SUFFIXES = {".c", ".cpp", ".h", ".S"}


def folder_of(path):
    """Returns the first folder of a path below the root; "" for a file beside
    README.md."""
    return path.parts[0] if len(path.parts) > 1 else ""


def find_cycle(edges):
    """Searches depth first for a cycle: a node that is already on the path."""
    done = set()

    def walk(name, way):
        if name in way:
            return [*way[way.index(name):], name]
        if name in done:
            return None
        done.add(name)
        for other in sorted(edges.get(name, ())):
            cycle = walk(other, [*way, name])
            if cycle:
                return cycle
        return None

    for name in sorted(edges):
        cycle = walk(name, [])
        if cycle:
            return cycle
    return None


def check_objects(root, order, objects):
    """Reads symbols. Ignores objects whose source has been moved or removed."""
    defined, needed = {}, {}
    for path in sorted(objects.rglob("*.o")):
        source = path.relative_to(objects).with_suffix("")
        if not (root / source).exists():
            continue
        needed[source] = set()
        listed = subprocess.run(["nm", path], check=True, text=True, stdout=subprocess.PIPE).stdout
        for *_, kind, symbol in map(str.split, listed.splitlines()):
            if kind in "Uw":
                needed[source].add(symbol)
            elif kind.isupper():
                defined[symbol] = source
    for source, symbols in needed.items():
        for symbol in sorted(symbols & defined.keys()):
            own, other = folder_of(source), folder_of(defined[symbol])
            if order.index(own) < order.index(other):
                yield f"{source} needs {symbol} of {defined[symbol]} below {own}/"
    if not needed:
        yield f"no objects in {objects}"


def main():
    root = Path(sys.argv[1])
    order = ROW.findall((root / "README.md").read_text())
    files = {path.relative_to(root) for path in root.rglob("*") if path.suffix in SUFFIXES}
    # Each architecture has a file with this name. Only one of these files is compiled.
    by_name = {}
    for path in sorted(files):
        by_name.setdefault(path.name, path)
    wrong, edges = [], {}
    for folder in sorted({folder_of(path) for path in files} - {"", *order}):
        wrong.append(f"{folder}/ is missing in README.md")
    for path in sorted(files):
        for name in INCLUDE.findall((root / path).read_text()):
            target = next((t for t in (path.parent / name, Path(name)) if t in files), None)
            if not target and "/" not in name:
                target = by_name.get(name)
            if not target or target.name == path.name:
                continue
            edges.setdefault(str(path), set()).add(str(target))
            own, other = folder_of(path), folder_of(target)
            if own in order and not other:
                wrong.append(f"{path} includes {target}, which is above all folders")
            elif own in order and other in order and order.index(own) < order.index(other):
                wrong.append(f"{path} includes {target} of a folder below {own}/")
    cycle = find_cycle(edges)
    if cycle:
        wrong.append("a cycle: " + " -> ".join(cycle))
    if len(sys.argv) > 2 and not wrong:
        wrong += check_objects(root, order, Path(sys.argv[2]))
    for line in wrong:
        print(line)
    print(f"{len(files)} files, {len(order)} folders")
    sys.exit(bool(wrong))


main()
