# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summarizes the results of `lit --output FILE`.

Prints each skipped test with the reason, each failed test, and as the last line
"N passed, N failed, N skipped". Exits with 1 if a test failed or no test passed.
"""
import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def outcome(code):
    """Returns "passed", "skipped" or, for all other codes of lit, "failed"."""
    if code in PASSED:
        return "passed"
    return "skipped" if code in SKIPPED else "failed"


def main(paths):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        try:
            with open(path) as file:
                tests = json.load(file)["tests"]
        except (OSError, ValueError, KeyError) as error:
            print(f"test-summary: no results in {path}: {error!r}")
            count["failed"] += 1
            continue
        for test in tests:
            result = outcome(test["code"])
            count[result] += 1
            reason = " ".join(test.get("output", "").split())
            if result == "skipped":
                print(f"skipped: {test['name']}: {reason}")
            elif result == "failed":
                print(f"failed: {test['name']}: {test['code']}")
    print(", ".join(f"{number} {result}" for result, number in count.items()))
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
