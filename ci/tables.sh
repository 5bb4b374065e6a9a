#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Holds rows of the tables against real files. Ends with 77 where there are none.
#   ci/tables.sh PROGRAM wheel ENV …   the row that `rules draft` reads from an installed torch equals the built-in one
#   ci/tables.sh PROGRAM gpus FILE …   supported-gpus.json, ids of nvidia-detect, pci.ids: devices, names, branches, modules
#   ci/tables.sh PROGRAM nvcc [FILE]   compilers that host_config.h of an installed toolkit refuses
set -euo pipefail
program=$(readlink -f "$1") what=$2
shift 2

case $what in
  wheel)
    [ $# -gt 0 ] || { echo "SKIP: no environment was named"; exit 77; }
    draft=$(mktemp) table=$(mktemp)
    trap 'rm -f "$draft" "$table"' EXIT
    "$program" matrix torch --format json >"$table"
    failed=0
    for env in "$@"; do
      "$program" rules draft torch --env "$env" >"$draft" || { failed=1; continue; }
      python3 - "$draft" "$table" "$env" <<'PYTHON' || failed=1
import glob, json, re, sys, tomllib
mine = tomllib.load(open(sys.argv[1], "rb"))["release"][0]
rows = [one["row"] for one in json.load(open(sys.argv[2]))["lists"]["release"]["rows"]]
row = next((one for one in rows if one["torch"] == mine["torch"]), None)
if not row: sys.exit(f"torch {mine['torch']} has no row")
wrong = [(key, mine[key], row.get(key)) for key in ("default", "glibc", "vision", "audio") if key in mine and mine[key] != row.get(key)]
site = glob.glob(sys.argv[3] + "/lib*/python*/site-packages")[0]
metadata = open(glob.glob(site + "/torch-*.dist-info/METADATA")[0]).read()
wrong += [("vision", "does not ask for it", row["vision"]) for _ in glob.glob(site + "/torchvision-*") if "vision" not in mine]
if "variant" not in mine: print("torch", mine["torch"], "is a build without CUDA", *wrong)
for variant in mine.get("variant", []):
    listed = next((one for one in row["variant"] if one["tag"] == variant["tag"]), {})
    # version.py says 12.8 where the table says 12.8.1; what METADATA pins says all three.
    if not (listed.get("cuda", "") + ".").startswith(variant["cuda"] + "."): wrong.append((variant["tag"], "cuda", variant["cuda"], listed.get("cuda")))
    for key in ("cudnn", "nccl", "triton"):
        if key not in variant and f"nvidia-{key}" not in metadata: continue    # linked in statically
        if variant.get(key) != listed.get(key): wrong.append((variant["tag"], key, variant.get(key), listed.get(key)))
    for platform in variant["on"]:
        archs = variant.get("archs", {}).get(platform)
        if not archs or archs != listed.get("archs", {}).get(platform): wrong.append((variant["tag"], platform, archs, listed.get("archs", {}).get(platform)))
    for name, version in listed.get("pins", {}).items():
        found = re.findall(rf"^Requires-Dist: {name}(?:\[[^]]*\])? ?\(?==([0-9.]+)", metadata, re.M)
        if version not in found: wrong.append((variant["tag"], name, found, version))
    print("torch", mine["torch"], variant["tag"], *variant["on"], "differs: file, table:" if wrong else "equals its row", *wrong)
sys.exit(bool(wrong))
PYTHON
    done
    exit $failed ;;
  gpus)
    [ $# -gt 0 ] || { echo "SKIP: no list of devices was named"; exit 77; }
    gpu=$(mktemp) driver=$(mktemp)
    trap 'rm -f "$gpu" "$driver"' EXIT
    "$program" matrix gpu --format json >"$gpu"
    "$program" matrix driver --format json >"$driver"
    python3 "$(dirname "$(readlink -f "$0")")/gpus.py" "$gpu" "$driver" "$@" ;;
  nvcc)
    header=${1:-/usr/local/cuda/include/crt/host_config.h}
    [ -e "$header" ] || { echo "SKIP: no $header"; exit 77; }
    release=$(sed -nE 's/^#define __CUDACC_VER_M(AJOR|INOR)__ +([0-9]+).*/\2/p; s/.*CUDA_VERSION +([0-9]+).*/\1/p' "${header%/crt/*}/cuda.h" | head -n 1)
    release=$((release / 1000)).$((release % 1000 / 10))
    gcc=$(sed -nE 's/^#if __GNUC__ > ([0-9]+)$/\1/p' "$header" | head -n 1)
    clang=$(sed -nE 's/.*__clang_major__ >= ([0-9]+).*/\1/p' "$header" | head -n 1)
    "$program" matrix compiler --cuda "$release" --format json |
      python3 -c '
import json, sys
rows = [one["row"] for one in json.load(sys.stdin)["lists"]["nvcc"]["rows"]]
gcc, clang = sys.argv[2:]
ok = bool(rows) and rows[0]["gcc"]["max"] == gcc and rows[0]["clang"]["max"] == str(int(clang) - 1)
print("CUDA", sys.argv[1], "gcc <=", gcc, "clang <", clang, "equals its row" if ok else f"differs from {rows}")
sys.exit(not ok)' "$release" "$gcc" "$clang" ;;
  *) echo "ci/tables.sh: '$what' is none of wheel, gpus, nvcc" >&2; exit 2 ;;
esac
