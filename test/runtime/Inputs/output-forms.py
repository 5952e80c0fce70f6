# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""output-forms.py PATCHBAY DATA DIR: checks that `patchbay dump -o` writes each format, with
the same content as standard output."""
import os
import re
import subprocess
import sys

patchbay, data, folder = sys.argv[1:]
os.makedirs(folder)


def dump(*words):
    result = subprocess.run([patchbay, "dump", "-i", data, *words], capture_output=True, check=False)
    if result.returncode:
        sys.exit(f"dump {' '.join(words)}: {result.stderr.decode()}")
    return result.stdout


text = dump("--help").decode()
names = re.findall(r"^  (--[a-z]+)", text.split("Format:")[1].split("\n\n")[0], re.M)
for form in names:
    # The format's option may precede or follow -o.
    for words in (form, "-o", f"{folder}/a{form}"), (f"--output={folder}/b{form}", form):
        if dump(*words):
            sys.exit(f"{words}: something is on standard output")
    written = [f"{folder}/{which}{form}" for which in "ab"]
    contents = [open(name, "rb").read() for name in written] + [dump(form)]
    assert contents[0] and contents.count(contents[0]) == 3, form
print(len(names), "forms")
