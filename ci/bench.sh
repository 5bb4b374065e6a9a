#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures, side by side in one run: `gpudoctor check` on a machine with a toolkit and five environments against the start
# of Python; its peak memory; and, with a library's path as argument, the arch list of that library.
#   ci/bench.sh [LIBTORCH_CUDA_SO]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. ci/build.sh
[ $# -eq 0 ] || [ -r "$1" ] || { echo "ci/bench.sh: cannot read $1" >&2; exit 2; }
need_bench
build release gpudoctor_program
build static gpudoctor_program

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for i in 1 2 3 4 5; do
  site=$home/venv$i/lib/python3.11/site-packages
  mkdir -p "$site/torch/lib" "$site/torch-2.9.$i.dist-info" "$home/venv$i/bin"
  printf 'home = /usr/bin\nversion = 3.11.2\n' >"$home/venv$i/pyvenv.cfg"
  printf "__version__ = '2.9.%s+cu128'\ncuda: str = '12.8'\nhip = None\n" "$i" >"$site/torch/version.py"
  for package in numpy-2.1.0 nvidia_cudnn_cu12-9.10.2.21 nvidia_nccl_cu12-2.27.5 triton-3.5.0; do mkdir "$site/$package.dist-info"; done
done

# Two runs of everything first: the figures are of a warm cache, as on a machine in use.
args=()
for i in 1 2 3 4 5; do args+=(--env "$home/venv$i"); done
for preset in release static; do
  hyperfine -N --warmup 5 --runs 60 --export-json "$home/$preset.json" \
    "build/$preset/gpudoctor check ${args[*]} --fail-on never" "/usr/bin/python3 -c pass" >/dev/null
  python3 - "$home/$preset.json" "$preset" <<'PY'
import json, sys
ours, python = (r["median"] for r in json.load(open(sys.argv[1]))["results"])
print(f"{sys.argv[2]}: gpudoctor check {1000 * ours:.1f} ms, python3 -c pass {1000 * python:.1f} ms, ratio {ours / python:.2f}")
PY
  /usr/bin/time -f "$preset: peak memory %M kB" "build/$preset/gpudoctor" check "${args[@]}" --fail-on never >/dev/null
done

if [ $# -gt 0 ]; then
  mkdir -p "$home/venv1/lib/python3.11/site-packages/torch/lib"
  ln -s "$(readlink -f "$1")" "$home/venv1/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so"
  with() { hyperfine -N --warmup 3 --runs 30 --export-json "$home/$1.json" "build/static/gpudoctor check --env $home/venv1 --fail-on never" >/dev/null; }
  with one
  rm "$home/venv1/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so"
  with none
  python3 - "$home" "$1" <<'PY'
import json, os, sys
one, none = (json.load(open(f"{sys.argv[1]}/{n}.json"))["results"][0]["median"] for n in ("one", "none"))
print(f"arch list of {os.path.basename(sys.argv[2])} ({os.path.getsize(sys.argv[2]) / 1e6:.0f} MB): {1000 * (one - none):.1f} ms more")
PY
fi
