#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A recording judges as the machine did, and is safe to post. With "long" as third argument: every recorded machine.
. "$(dirname "$0")/common.bash"
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)

# This very machine, with a user, a host and an environment whose names would tell.
user=zaphod-b home=$work/home/zaphod-b
mkdir -p "$home/venv/lib/python3.11/site-packages/torch-2.5.1+cpu.dist-info" "$home/venv/lib/python3.11/site-packages/torch" "$home/venv/bin"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$home/venv/pyvenv.cfg"
printf "__version__ = '2.5.1+cpu'\ncuda = None\n" >"$home/venv/lib/python3.11/site-packages/torch/version.py"
uuid=0c9bf9a4-1b2c-4d5e-8f90-a1b2c3d4e5f6
mkdir "$home/$uuid"
as() { run env HOME="$home" USER=$user LOGNAME=$user VIRTUAL_ENV="$home/venv" CUDA_VISIBLE_DEVICES="GPU-$uuid" "$bin" "$@"; }

as record
[ "$status" = 0 ] || fault "record ended with $status: $(cat "$work/err")"
err_empty record
cp "$work/out" "$work/machine.toml"
no_controls "$work/machine.toml" "a recording"
host=$(cat /proc/sys/kernel/hostname)
for secret in $user $uuid "$host"; do
  [ "${#secret}" -lt 3 ] || [ "$secret" = localhost ] || ! grep -qwF -- "$secret" "$work/machine.toml" || fault "the recording holds '$secret'"
done
as record -o "$work/second.toml"
[ "$status" = 0 ] || fault "record -o ended with $status"
out_empty "record -o"
err_has second.toml
same() { grep -v '^now = ' "$1"; }
[ "$(same "$work/machine.toml")" = "$(same "$work/second.toml")" ] || echo "note: two recordings differ (a busy machine): $(diff "$work/machine.toml" "$work/second.toml" | head -4 | cut -c1-300)"
as record --no-redact -o "$work/plain.toml"
grep -qF $user "$work/plain.toml" || fault "--no-redact redacts"

# Judged again: the same findings, undecided checks, and verdicts.
judged() {
  "$python" -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(report["verdict"], report["exit"])
for finding in report["findings"]: print(finding["id"], finding["severity"], finding["certainty"], [e["id"] for e in finding["effects"]], sorted(e["fact"] for e in finding["evidence"]))
for one in report["undecided"]: print(one["id"])
print([(one["state"], one["why"], one["active"]) for one in report["verdicts"]])' "$work/out"
}
if [ -n "$python" ]; then
  as check --format json
  live=$(judged)
  for recording in machine plain; do
    doctor check --from "$work/$recording.toml" --format json
    [ "$live" = "$(judged)" ] || fault "$recording.toml judges otherwise: $(diff <(echo "$live") <(judged) | head -6)"
  done
  run "$bin" check --from - --format json
  [ "$status" = 2 ] || fault "an empty standard input ended with $status"
  timeout 10 "$bin" check --from - --format json <"$work/machine.toml" >"$work/out" 2>"$work/err"
  [ "$live" = "$(judged)" ] || fault "standard input judges otherwise"
fi

# A report is safe to paste; JSON keeps exact paths.
as check -vv
! grep -qwF -e $user -e $uuid "$work/out" || fault "the report holds a name: $(grep -wF -e $user -e $uuid "$work/out" | head -2)"
as facts -vv
! grep -qwF -e $user -e $uuid "$work/out" || fault "the facts hold a name: $(grep -wF -e $user -e $uuid "$work/out" | head -2)"
as check --format json
grep -qF "$home/venv" "$work/out" || fault "JSON lacks the exact path"

# Each recorded machine survives being recorded: what is recorded of a recording judges alike.
seen=0
for machine in "$src"/tests/machines/*.toml; do
  [ "${3:-}" = long ] || [ $((seen++ % 8)) = 0 ] || continue
  doctor check --from "$machine" --format json
  [ -z "$python" ] || first=$(judged)
  run "$bin" record --from "$machine" -o "$work/again.toml"
  [ "$status" = 0 ] || fault "record --from ${machine##*/} ended with $status"
  doctor check --from "$work/again.toml" --format json
  [ -z "$python" ] || [ "$first" = "$(judged)" ] || fault "recorded again, ${machine##*/} judges otherwise: $(diff <(echo "$first") <(judged) | head -4)"
done
end
