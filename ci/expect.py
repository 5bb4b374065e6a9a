#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a JSON report against expectations: gpudoctor check --format json | ci/expect.py FILE-OF-EXPECTATIONS

One expectation a line, in words as a shell splits them; * and ? match anything:
  fact KIND KEY NAME VALUE    an entity of this kind and key has this fact; a list is joined by spaces, and a fact that
                              is not known is given by its state, absent or unknown
  none KIND KEY               no such entity
  verdict TORCH GPU STATE WHY the verdict of a torch (by its shown name) on a GPU
  finding ID / silent ID      it was raised, as a finding or as an effect of one; it was not
  only ID …                   the findings above a note are exactly these
"""
import json
import shlex
import sys
from fnmatch import fnmatchcase


def text_of(fact):
    value = fact.get("value", fact.get("values", fact["state"]))
    return " ".join(value) if isinstance(value, list) else str(value)


def seen(report, kind, words):
    """What the report says on an expectation's subject: the candidates, of which one must match."""
    if kind in ("fact", "none"):
        entities = [e for e in report["facts"] if e["kind"] == words[0] and fnmatchcase(e["key"], words[1])]
        if kind == "none":
            return [e["key"] for e in entities]
        return [text_of(e["facts"].get(words[2], {"state": "(not there)"})) for e in entities]
    if kind == "verdict":
        pattern = f"*{words[0]}*on GPU*{words[1]}*"
        return [f"{v['state']} {v['why']}" for v in report["verdicts"] if fnmatchcase(v["shown"], pattern)]
    if kind == "only":
        return [f["id"] for f in report["findings"] if f["severity"] != "note"]
    if kind in ("finding", "silent"):
        return [f["id"] for f in report["findings"]] + [e["id"] for f in report["findings"] for e in f["effects"]]
    raise SystemExit(f"expect.py: '{kind}' is no kind of expectation")


def main():
    report = json.load(sys.stdin)
    failed = count = 0
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            kind, *words = shlex.split(line, comments=True) or [""]
            if not kind:
                continue
            count += 1
            candidates = seen(report, kind, words)
            if kind == "only":
                met = sorted(candidates) == sorted(words)
            elif kind == "none":
                met = not candidates
            elif kind == "silent":
                met = words[0] not in candidates
            else:
                wanted = {"fact": 3, "verdict": 2, "finding": 0}[kind]
                met = any(fnmatchcase(c, " ".join(words[wanted:])) for c in candidates)
            if not met:
                failed += 1
                print(f"NOT MET  {line.strip()}\n  seen   {candidates}")
    print(f"{count - failed} of {count} expectations met")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
