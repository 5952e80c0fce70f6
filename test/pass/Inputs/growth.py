#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how much an object file grows by the plugin, at -O0 and -O2:
growth.py PLUGIN COMPILER [OPTION ...] SOURCE
"""
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Growth:
    def __init__(self, plugin, *compile):
        self.plugin, self.compile = plugin, compile
        self.size, self.readelf = (
            output(compile[0], f"-print-prog-name=llvm-{tool}").strip()
            for tool in ("size", "readelf"))

    def measure(self, *options):
        """Returns functions, bytes of the file, of text and data, and section headers."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "code.o"
            output(*self.compile, *options, "-c", "-o", str(path))
            # Returns the size of text, read-only data and unwind tables, and the size of data.
            text, data = map(int, output(self.size, str(path)).splitlines()[1].split()[:2])
            symbols = output(self.readelf, "-sW", str(path))
            headers = re.search(r"Number of section headers:.*?(\d+)\)?$",
                                output(self.readelf, "-h", str(path)), re.MULTILINE)
            return (len(re.findall(r" FUNC .* (?!UND)\S+ \S+$", symbols, re.MULTILINE)),
                    path.stat().st_size, text + data, int(headers[1]))

    def row(self, level):
        functions, file, loaded, headers = self.measure(level)
        _, file_ours, loaded_ours, headers_ours = self.measure(level, f"-fplugin={self.plugin}")
        return (f"{level}: {functions} functions, object {100 * file_ours / file - 100:+.0f} %, "
                f"text and data {100 * loaded_ours / loaded - 100:+.0f} %, "
                f"section headers {headers}, then {headers_ours}")


def main():
    growth = Growth(*sys.argv[1:])
    for level in ("-O0", "-O2"):
        print(growth.row(level), flush=True)


main()
