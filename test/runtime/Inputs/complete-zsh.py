# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the list that zsh shows when the user presses TAB after LINE.

    complete-zsh.py FOLDER-WITH-_patchbay FOLDER-WITH-patchbay LINE
"""
import os
import pty
import re
import select
import sys
import tempfile

functions, programs, line = sys.argv[1:]
SETUP = f"""
unsetopt PROMPT_SP ALWAYS_LAST_PROMPT ZLE_BRACKETED_PASTE
unset zle_bracketed_paste
stty cols 300 rows 200
PS1='READY> ' LISTMAX=0
fpath=({functions} $fpath)
autoload -Uz compinit && compinit -u -D
bindkey '^I' list-choices
"""

with tempfile.TemporaryDirectory() as home:
    with open(os.path.join(home, ".zshrc"), "w", encoding="utf-8") as file:
        file.write(SETUP)
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(PATH=f"{programs}:{os.environ['PATH']}", TERM="dumb",
                          ZDOTDIR=home, HOME=home)
        os.execlp("zsh", "zsh", "-d", "-i")

    def said(until, limit=20):
        text = ""
        while until not in text and select.select([terminal], [], [], limit)[0]:
            try:
                text += os.read(terminal, 65536).decode().replace("\r", "")
            except OSError:
                break
        return text

    said("READY> ")
    os.write(terminal, f"{line}\t".encode())
    # zsh handles keys in order, so it handles this key after it has printed the list.
    os.write(terminal, b"\x15print -n list is; print ' over'\n")
    text = said("list is over\n").partition("\n")[2].partition("list is over")[0]
    os.write(terminal, b"exit\n")
    os.waitpid(pid, 0)

# After a list, zsh prints the command line once more.
for row in text.split("READY> ")[0].splitlines() if "READY> " in text else ():
    for word in re.sub(r" +-- .*", "", row).split():
        print(word)
