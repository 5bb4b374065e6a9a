#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Holds rows of the tables against real files. Ends with 77 where there are none.
#   ci/tables.sh PROGRAM wheel ENV …   the row that `rules draft` reads from an installed torch equals the built-in one
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
    for env in "$@"; do
      "$program" rules draft torch --env "$env" >"$draft"
      python3 - "$draft" "$table" <<'PYTHON'
import json, sys, tomllib
mine = tomllib.load(open(sys.argv[1], "rb"))["release"][0]
rows = [one["row"] for one in json.load(open(sys.argv[2]))["lists"]["release"]["rows"]]
row = next(one for one in rows if one["torch"] == mine["torch"])
wrong = [(key, mine[key], row.get(key)) for key in ("default", "glibc", "vision") if key in mine and key in row and mine[key] != row[key]]
for variant in mine.get("variant", []):
    listed = next(one for one in row["variant"] if one["tag"] == variant["tag"])
    for key in ("cuda", "cudnn", "nccl", "triton"):
        if key in variant and key in listed and variant[key] != listed[key]: wrong.append((variant["tag"], key, variant[key], listed[key]))
    for platform, archs in variant.get("archs", {}).items():
        if archs != listed["archs"].get(platform): wrong.append((variant["tag"], platform, archs, listed["archs"].get(platform)))
print("torch", mine["torch"], "differs: file, table:" if wrong else "equals its row", *wrong)
sys.exit(bool(wrong))
PYTHON
    done ;;
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
  *) echo "ci/tables.sh: '$what' is neither wheel nor nvcc" >&2; exit 2 ;;
esac
