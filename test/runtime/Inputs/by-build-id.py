# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a debug file to the path where distributions keep it.

    by-build-id.py FILE FOLDER

The build ID is the first one that `readelf -n` prints for FILE.
"""
import re
import subprocess
import sys
from pathlib import Path

FILE, FOLDER = map(Path, sys.argv[1:])
notes = subprocess.run(("readelf", "-n", FILE), text=True, stdout=subprocess.PIPE,
                       check=True).stdout
build_id = re.search("Build ID: ([0-9a-f]+)", notes)[1]
to = FOLDER / build_id[:2] / f"{build_id[2:]}.debug"
to.parent.mkdir(parents=True)
to.write_bytes(FILE.read_bytes())
