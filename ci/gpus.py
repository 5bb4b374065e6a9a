#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the table of GPUs against lists that NVIDIA and distributions ship.

ci/gpus.py GPU.json DRIVER.json FILE ...   the two are what `gpudoctor matrix gpu|driver --format json` prints

FILE is a driver's supported-gpus.json (or .gz), a list of ids of Debian's nvidia-detect (nvidia-legacy-390xx.ids), or
pci.ids. Prints what disagrees and a count for each file; ends with 1 where anything disagrees."""
import gzip
import json
import os
import re
import sys

gpu = json.load(open(sys.argv[1]))["lists"]
driver = json.load(open(sys.argv[2]))["lists"]
nvidia = {one["row"]["id"].upper(): one["row"] for one in gpu["nvidia"]["rows"] if one["row"].get("id")}
amd = {one["row"]["id"].lower(): one["row"] for one in gpu["amd"]["rows"] if one["row"].get("id")}
old = {id.upper(): one["row"] for one in gpu["old"]["rows"] for id in one["row"]["ids"]}
arch = {cc: one["row"] for one in driver["arch"]["rows"] for cc in one["row"]["cc"]}
wrong = []


def plain(name):
    return name.removeprefix("NVIDIA ")


def limits(row):
    """Module flavour, first and last branch: the device's own, else its architecture's."""
    of_arch = arch.get(row.get("cc"), {})
    open_ = row.get("open") or of_arch.get("open") or "impossible"
    return open_, int(of_arch.get("first-branch") or 0), int(row.get("last-branch") or of_arch.get("last-branch") or 9999)


def supported_gpus(path, text):
    chips = json.loads(text)["chips"]
    flavours = any("kernelopen" in chip["features"] for chip in chips)   # drivers before 515 do not tell
    unlisted, seen = set(), set()
    for chip in chips:
        id = chip["devid"][2:].upper()
        row = nvidia.get(id) or old.get(id)
        if not row:
            unlisted.add(id)
            wrong.append(f"{path}: {id} {chip['name']} is not in the table")
            continue
        seen.add(id)
        if id in nvidia and plain(chip["name"]) not in [plain(name) for name in row["names"]]:
            wrong.append(f"{path}: {id} is {chip['name']}, in the table {row['names']}")
        open_, _, last = limits(row)
        legacy = int(chip["legacybranch"].split(".")[0]) if "legacybranch" in chip else None
        if legacy and last != legacy:
            wrong.append(f"{path}: {id} {chip['name']} ends with branch {legacy}, in the table {last}")
        if not legacy and last <= 470 < 515 and flavours:
            wrong.append(f"{path}: {id} {chip['name']} is supported, in the table up to branch {last}")
        if flavours and not legacy and ("kernelopen" in chip["features"]) != (open_ != "impossible"):
            wrong.append(f"{path}: {id} {chip['name']}: open modules {'kernelopen' in chip['features']}, in the table {open_}")
    print(f"{os.path.basename(path)}: {len(seen)} devices, {len(unlisted)} not in the table")


def id_list(path, text):
    """nvidia-legacy-390xx.ids, nvidia-tesla-470.ids: what that branch serves; nvidia-open.ids: with open modules."""
    branch = re.search(r"-(\d+)(xx)?(-amd64)?\.ids$", path)
    ids = [line.strip()[4:].upper() for line in text.splitlines() if line.startswith("10DE")]
    unlisted = [id for id in ids if id not in nvidia and id not in old]
    wrong.extend(f"{path}: {id} is not in the table" for id in unlisted)
    for id in set(ids) - set(unlisted):
        open_, first, last = limits(nvidia.get(id) or old[id])
        if branch and not first <= int(branch[1]) <= last: wrong.append(f"{path}: {id} is served by {branch[1]}, in the table by {first}-{last}")
        if path.endswith("nvidia-open.ids") and open_ == "impossible": wrong.append(f"{path}: {id} has open modules, not in the table")
    print(f"{os.path.basename(path)}: {len(ids)} devices, {len(unlisted)} not in the table")


def pci_ids(path, text):
    vendor, listed, unlisted = None, 0, []
    for line in text.splitlines():
        if re.match(r"[0-9a-f]{4} ", line): vendor = line[:4]
        found = re.match(r"\t([0-9a-f]{4})  (\S+)(.*)", line)
        if not found or vendor not in ("10de", "1002"): continue
        id, chip, rest = found[1], found[2], found[3]
        row = nvidia.get(id.upper()) if vendor == "10de" else amd.get(id)
        if row:
            listed += 1
            # GK107GLM and TU102GL are GK107 and TU102, GN21-X11 is a name of a laptop; AMD: "Navi 31", "Navi31", "Aldebaran/MI200".
            words = (chip + rest).replace(" ", "").lower()
            if not words.startswith(row["chip"].replace(" ", "").lower()) and not chip.startswith("GN2"): wrong.append(f"{path}: {vendor}:{id} is {chip}{rest}, in the table {row['chip']}")
        # A chip whose CUDA is in the table, with a name that was sold (not a code of an engineering sample).
        elif vendor == "10de" and id.upper() not in old and not re.search("Audio|NVSwitch", rest) and re.match(r"G[FKMPVAHBR]\d|TU\d|AD\d", chip):
            if re.search(r"\[.*(GeForce|Quadro|Tesla|RTX|TITAN|GRID|NVS|CMP)", rest): unlisted.append(f"{id} {chip}{rest}")
    print(f"{os.path.basename(path)}: {listed} devices, {len(unlisted)} of pci.ids alone not in the table")
    if os.environ.get("VERBOSE"): print(*("  " + one for one in unlisted), sep="\n")


for path in sys.argv[3:]:
    text = (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace").read()
    name = os.path.basename(path)
    (supported_gpus if name.startswith("supported-gpus") else pci_ids if name == "pci.ids" else id_list)(path, text)
print(*wrong, sep="\n", end="\n" if wrong else "")
print(f"{len(wrong)} disagreements with the table of GPUs")
sys.exit(bool(wrong))
