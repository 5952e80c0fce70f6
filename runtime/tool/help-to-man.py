#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the help of the command or of one of its verbs into a man page.

    help-to-man.py PATCHBAY CHANGELOG [VERB] > PAGE

The page contains the whole help, and only the help. The date is the date of the newest entry in
Debian's change log, so that builds are reproducible. EXAMPLES and DESCRIPTION come before the
options, all other sections after the options. In a section
    text at the left margin is filled,
    a term, two blanks or more and text make a row of a table,
    lines at the column of a row's text continue the row,
    all other indented lines, and all EXAMPLES, stay unchanged.
"""
import email.utils
import pathlib
import re
import subprocess
import sys
import textwrap

OPTION = re.compile(r"  (-\S.*?)(?:  +(\S.*))?$")
VALUE = re.compile(r"      (\S+)  +(.*)")
SECTION = re.compile(r"  (\S.*):$")
HEADING = re.compile(r"([A-Z][A-Z ]+(?: --\w+)?):$")
SUBCOMMAND = re.compile(r"  (\w+) +- (.*)")
ROW = re.compile(r"(\S+(?: \S+)*)  +(\S.*)")


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti").replace("`", "\\(ga")
    return "\\&" + text if text.startswith(".") else text


def option_name(text):
    """Sets "-o, --output FILE" with names in bold and the value in italics."""
    return "".join(f"\\fI{escaped(part)}\\fR" if re.match("[A-Z1]", part)
                   else f"\\fB{escaped(part)}\\fR" if part.startswith("-") else escaped(part)
                   for part in re.split(r"(--?[A-Za-z-]+|[A-Z1][A-Z/]+|N\b)", text) if part)


def option_lines(lines):
    nested = False
    for line in lines:
        value = VALUE.match(line)
        if bool(value) != nested and not line.startswith(" " * 10):
            nested = not nested
            yield ".RS" if nested else ".RE"
        if row := value or OPTION.match(line):
            name = f"\\fB{escaped(row[1])}\\fR" if value else option_name(row[1])
            yield from (".TP", name, escaped(row[2] or ""))
        elif title := SECTION.match(line):
            yield f".SS {escaped(title[1])}"
        elif line:  # the description continues
            yield escaped(line.strip())
    if nested:
        yield ".RE"


def verbatim(lines):
    yield ".nf"
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        yield escaped(line)
    yield ".fi"


def section(lines):
    column = None  # the column in which the description of the last row begins
    is_apart = is_verbatim = False
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        if not line:
            is_apart = True
            continue
        row = ROW.match(line)
        begin = len(line) - len(line.lstrip())
        goes_on = column and begin == column
        if is_verbatim and (row or not begin or goes_on):
            yield ".fi"
            is_verbatim = False
        if row:
            column = row.start(2)
            yield from (".TP", f"\\fB{escaped(row[1])}\\fR", escaped(row[2]))
        elif goes_on:
            yield escaped(line.strip())
        elif begin:
            if not is_verbatim:
                yield ".nf"
            is_verbatim = True
            yield escaped(line)
        else:
            if is_apart or column:
                yield ".PP"
            column = None
            yield escaped(line)
        is_apart = False
    if is_verbatim:
        yield ".fi"


def blocks(text):
    """Returns the lines of each heading; the first lines may have none."""
    found = [("", [])]
    for line in text:
        if match := HEADING.match(line):
            found.append((match[1], []))
        else:
            found[-1][1].append(line)
    for heading, lines in found:
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        if lines:
            yield heading, lines


def date_of(changelog):
    """Returns "2026-11-22", from the line that ends the first entry."""
    newest = re.search(r"^ -- .*>  (.*)$", pathlib.Path(changelog).read_text(), re.MULTILINE)
    return email.utils.parsedate_to_datetime(newest[1]).strftime("%Y-%m-%d")


def page(command, changelog, verb):
    overview = run(command, "--help")
    verbs = dict(SUBCOMMAND.findall(overview))
    version = run(command, "--version").split("\n")[0]
    sections = dict(blocks(run(command, *filter(None, [verb]), "--help").split("\n")))
    usage, _, what = sections.pop("")
    name = f"patchbay-{verb}" if verb else "patchbay"
    yield f'.TH {escaped(name.upper())} 1 {date_of(changelog)} "{version}" "User Commands"'
    yield from (".SH NAME", f"{escaped(name)} \\- {escaped(what[0].lower() + what[1:])}")
    yield from (".SH SYNOPSIS", f".B {escaped(usage.removeprefix('USAGE: '))}")
    first = ("SUBCOMMANDS", "EXAMPLES", "DESCRIPTION")
    for heading in sorted(sections, key=lambda h: first.index(h) if h in first else len(first)):
        lines = sections[heading]
        if heading == "SUBCOMMANDS":
            yield ".SH VERBS"
            for other, does in verbs.items():
                yield from (".TP", f".BR patchbay\\-{other} (1)", escaped(does))
            continue
        show = {"EXAMPLES": verbatim, "OPTIONS": option_lines}.get(heading, section)
        yield f".SH {escaped(heading.replace('EXIT CODES', 'EXIT STATUS'))}"
        yield from show(lines)
    others = ["patchbay"] * bool(verb) + [
        f"patchbay\\-{other}" for other in verbs if other != verb]
    yield ".SH SEE ALSO"
    for other in others[:-1]:
        yield f".BR {other} (1),"
    yield f".BR {others[-1]} (1)"


if __name__ == "__main__":
    print("\n".join(page(*sys.argv[1:3], sys.argv[3] if len(sys.argv) > 3 else "")))
