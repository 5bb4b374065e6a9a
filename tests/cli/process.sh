#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --pid: the variables of a service count, and not those of the shell.
. "$(dirname "$0")/common.bash"

mkdir -p "$work/venv/lib/python3.11/site-packages/torch" "$work/folder"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$work/venv/pyvenv.cfg"
printf "__version__ = '2.6.0+cpu'\n" >"$work/venv/lib/python3.11/site-packages/torch/version.py"

# The service: a process of this test alone, ended at its end.
(cd "$work/folder" && exec env -i PATH="$PATH" VIRTUAL_ENV="$work/venv" CUDA_LAUNCH_BLOCKING=1 sleep 60) &
service=$!
trap 'kill "$service" 2>/dev/null; finish' EXIT
for _ in $(seq 100); do
  grep -qz '^CUDA_LAUNCH_BLOCKING=1' "/proc/$service/environ" 2>/dev/null && break
  sleep 0.05
done

expect 0 check --pid "$service" --fail-on never
out_has "CUDA_LAUNCH_BLOCKING=1"
expect 0 facts --pid "$service"
out_has "2.6.0+cpu" "the environment of the service"

expect 0 check --fail-on never
if grep -q CUDA_LAUNCH_BLOCKING "$work/out"; then fault "the shell has the variables of the service"; fi

# refused ARGUMENT…
refused() {
  expect 2 "$@"
  out_empty "$*"
  [ -s "$work/err" ] || fault "no complaint: $*"
}
refused check --pid 0
refused check --pid 4194999
refused check --pid word
refused check --pid "$service" --root /
refused check --pid "$service" --from "$src/tests/machines/ubuntu2204-rtx4090-sound.toml"
end
