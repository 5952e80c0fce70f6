# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the figures of a page of `patchbay report --html`, as its script does.

    read-page.py PAGE check JSON [BEFORE-JSON]
        compares them with `patchbay report --json`, and the page's views with
        each other: each view counts every call once
    read-page.py PAGE print
        prints the contents of the page
    read-page.py PAGE forms
        prints the lengths of each name, one line per function
"""
import base64
import html.parser
import json
import os
import re
import sys
import zlib

SUMS = ("calls", "total", "self", "open", "cutOff")


class Page(html.parser.HTMLParser):
    """Extracts the text of the element with the figures, and checks that the page is
    well-formed."""
    VOID = {"meta", "input", "link", "br"}
    OPTIONAL = {"li", "p"}

    def __init__(self, text):
        super().__init__()
        self.open, self.data, self.policy = [], None, ""
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not any(name.startswith("on") for name in attrs), attrs
        assert not {"src", "href"} & set(attrs), attrs
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag not in self.VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == ("script", "data"):
            self.data = (self.data or "") + data


class Figures:
    def __init__(self, text):
        packed = base64.b64decode(text[1:])
        data = zlib.decompress(packed) if text[0] == "z" else packed
        size = int.from_bytes(data[:4], "little")
        self.json = json.loads(data[4:4 + size])
        self.data, self.at = data, 4 + size
        self.sides = ["after", "before"] if self.json["before"] else ["after"]
        self.forms = self.json["names"]
        self.names = [forms[0] for forms in self.forms]
        self.read_tree()
        self.activity = [self.pairs() for _ in self.names]
        self.histograms = [[self.column(self.number()) for _ in self.sides] for _ in self.names]
        self.threads = [[self.row() for _ in range(thread[4])] for thread in self.json["threads"]]
        assert self.at == len(data), (self.at, len(data))

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def column(self, size):
        return [self.number() for _ in range(size)]

    def pairs(self):
        at, found = 0, {}
        for _ in range(self.number()):
            at += self.number()
            found[at] = self.number()
            at += 1
        return found

    def read_tree(self):
        size = self.number()
        self.depths, deepest = [], 0
        for less in self.column(size):
            self.depths.append(deepest - less)
            deepest = self.depths[-1] + 1
        self.of = [n - 2 for n in self.column(size)]
        self.paths = self.column(size)
        self.tree = {side: {key: self.column(size) for key in SUMS} for side in self.sides}

    def row(self):
        size = self.number()
        gaps, lengths, calls, of = (self.column(size) for _ in range(4))
        idle = self.column(size)
        within = self.pairs()
        start, spans = 0, []
        for i in range(size):
            start += gaps[i]
            spans.append({"start": start, "length": lengths[i], "calls": calls[i] // 4, "flags": calls[i] % 4,
                          "function": of[i], "busy": lengths[i] - idle[i], "within": within.get(i, 0)})
            start += lengths[i]
        return spans


def summed(report):
    """Compares two recordings by name."""
    functions = {}
    for f in report["functions"]:
        functions.setdefault(f["name"], []).append(f)
    return functions


def compare(figures, side, report):
    columns, of_name = figures.json[side], summed(report)
    for i, name in enumerate(figures.names):
        known = of_name.pop(name, [])
        assert columns["calls"][i] == sum(f["calls"] for f in known), name
        if not known or "total_ns" not in known[0] or len(known) > 1:
            continue
        f = known[0]
        timed = columns["average"][i] is not None
        for key, at in {"total": "total_ns", "self": "self_ns", "average": "average_ns", "longest": "longest_ns",
                        "p50": "p50_ns", "p95": "p95_ns", "p99": "p99_ns"}.items():
            if columns[key][i] is None:
                assert not f.get(at), (name, key, f)
            else:
                assert columns[key][i] == f[at], (name, key, columns[key][i], f[at])
        assert columns["unfinished"][i] == f.get("open", 0) + f.get("cut_off", 0), name
        bars = figures.histograms[i][figures.sides.index(side)]
        assert [n for n in bars if n] == [b["calls"] for b in f["histogram"]], name
        assert not timed or sum(bars) + columns["unfinished"][i] == columns["calls"][i], name
    assert not any(f["calls"] for known in of_name.values() for f in known), of_name


def check_forms(figures):
    """Checks the lengths of names: each is shorter than the previous one, and only the last may
    be ambiguous."""
    of_form = {}
    for name, forms in zip(figures.names, figures.forms):
        assert len(forms) > 1 and name, forms
        for form in forms[:-1]:
            assert of_form.setdefault(form, name) == name, (form, name, of_form[form])
        sizes = [len(form.encode()) for form in forms[:-1]]
        assert sizes == sorted(set(sizes), reverse=True), forms


def check(figures, *reports):
    check_forms(figures)
    for side, report in zip(figures.sides, reports):
        with open(report, encoding="utf-8") as file:
            compare(figures, side, json.load(file))
    calls = figures.json["after"]["calls"]
    if figures.json["noCalls"]:
        return
    for side in figures.sides:
        tree, all_calls = figures.tree[side], figures.json[side]["calls"]
        assert sum(tree["calls"][1:]) == sum(all_calls), side
        for i, n in enumerate(all_calls):
            in_tree = sum(c for c, f in zip(tree["calls"], figures.of) if f == i)
            assert in_tree == n or (in_tree < n and -1 in figures.of), (side, figures.names[i], in_tree, n)
    for thread, rows in zip(figures.json["threads"], figures.threads):
        assert sum(s["calls"] + s["within"] for row in rows for s in row) == thread[2], thread
        for row in rows:
            for one, other in zip(row, row[1:]):
                assert one["start"] + one["length"] <= other["start"], (one, other)
    assert [sum(parts.values()) for parts in figures.activity] == calls


def say(figures):
    spans = [s for rows in figures.threads for row in rows for s in row]
    print("functions", len(figures.names))
    print("calls", sum(figures.json["after"]["calls"]))
    print("nodes", len(figures.of), "with others" if -1 in figures.of else "all apart")
    print("calls of threads", sum(thread[2] for thread in figures.json["threads"]))
    print("rows", max((thread[4] for thread in figures.json["threads"]), default=0))
    print("spans", "bounded" if len(spans) <= 400000 else len(spans))
    print("summed" if any(s["calls"] > 1 for s in spans) else "each apart")
    print("deeper", sum(s["within"] for s in spans))
    print("size", "bounded" if os.path.getsize(sys.argv[1]) < 5_000_000 else os.path.getsize(sys.argv[1]))


def main(path, what, *reports):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    # The page may use only its own script and style. The only address in it is the SVG namespace.
    assert re.fullmatch(r"default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; "
                        r"base-uri 'none'; form-action 'none'", page.policy), page.policy
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
    figures = Figures(page.data)
    if what == "check":
        check(figures, *reports)
        print("same")
    elif what == "forms":
        check_forms(figures)
        for forms in figures.forms:
            print(" or ".join(forms))
    else:
        say(figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
