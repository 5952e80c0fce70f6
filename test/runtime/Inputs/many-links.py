# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-links.py N FROM TO: creates the folder TO with N links to the data file in the folder
FROM."""
import os
import sys

nr, source, target = int(sys.argv[1]), sys.argv[2], sys.argv[3]
[file] = [name for name in os.listdir(source) if name.endswith(".pbd")]
os.mkdir(target)
for i in range(1, nr + 1):
    os.link(os.path.join(source, file), os.path.join(target, f"{i}.pbd"))
