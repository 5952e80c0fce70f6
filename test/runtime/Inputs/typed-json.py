# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""typed-json.py JSON: checks that values of trace-typed.cpp have the same types in JSON as in the
program. Each value is written once, with all digits."""
import json
import sys

WANTED = [
    ("numbers", {"b": True, "c": "x", "s": -2, "u": 65535, "l": -5, "color": "Green",
                 "access": "Read|Write", "p": None}, -7),
    ("numbers", {"b": False, "c": 10, "s": 3, "u": 1, "l": -2**63, "color": 7,
                 "access": "None", "p": "0x1000"}, 0),
    ("texts", {"c": "plain", "s": "a std::string of some length, so not within itself",
               "v": "short", "n": None}, "made"),
    ("texts", {"c": 'quote" and\nline', "s": 64 * "x" + "...", "v": "",
               "n": 64 * "y" + "..."}, "made"),
    ("handle", {"r->uri": "/index", "r->peer->port": 8080, "r->kind": "Put",
                "r->name": 40 * "a", "r->raw": "abc", "r->flags": 6}, 404),
    ("handle", {"r->uri": None, "r->peer->port": None, "r->kind": "Get", "r->name": "",
                "r->raw": "12345678", "r->flags": 0}, 404),
    ("many", {"a": 1, "g": 7, "h": 0.5}, None),
    ("floats", {"x": 1.5, "y": -0.25, "n": 3}, 4.25),
    ("special", {"inf": "-inf", "most": 2**64 - 1}, 2**64 - 1),
    ("changes", {"text": "before"}, "after"),
    ("svc::Cache<int>::get", {"this->size": 3, "key": "k"}, 3),
    ("pair", {"p.first": 1, "p.second": 2}, None),
    ("throws", {"n": 4}, None),
    ("large", {"n": 5}, {"retval.b": 6}),
    ("wrong", {"r->uri": {"unknown": "unreadable"}, "p": {"unknown": "unreadable: 0x10"}},
     None),
]


def shown(value):
    """Returns a value that includes the type. Otherwise 1, 1.0 and True would be equal."""
    if isinstance(value, dict):
        return {key: shown(of) for key, of in value.items()}
    return type(value).__name__, value


def constant(text):
    sys.exit(f"{text} is not JSON")


with open(sys.argv[1], encoding="utf-8") as file:
    calls = [json.loads(line, parse_constant=constant) for line in file]
found = [(c["function"].split("(")[0].split("[")[0], shown(c["args"]), shown(c.get("result")))
         for c in calls if "args" in c]
for name, args, result in WANTED:
    wanted = (name, shown(args), shown(result))
    if wanted not in found:
        sys.exit(f"{wanted} is none of\n" + "\n".join(str(f) for f in found if f[0] == name))
print(len(WANTED), "calls have their values")
