#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The report as a terminal, a pipe and a program see it; explain, facts, rules.
. "$(dirname "$0")/common.bash"
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
machines=$src/tests/machines
error=$machines/ubuntu2204-runfile-beside-packages.toml sound=$machines/ubuntu2204-rtx4090-sound.toml
escape=$'\033'
has_escape() { grep -q "$escape" "$work/out"; }

# Colour: none into a pipe, none with NO_COLOR, some when forced.
expect 1 check --from "$error"
has_escape && fault "colour into a pipe"
run env CLICOLOR_FORCE=1 "$bin" check --from "$error"
has_escape || fault "CLICOLOR_FORCE=1 has no effect"
run env CLICOLOR_FORCE=0 "$bin" check --from "$error"
has_escape && fault "CLICOLOR_FORCE=0 colours"
run env CLICOLOR_FORCE=1 NO_COLOR=1 "$bin" check --from "$error"
has_escape && fault "NO_COLOR does not win"
run env NO_COLOR=1 "$bin" check --from "$error" --color always
has_escape || fault "--color always does not win over NO_COLOR"
run env CLICOLOR_FORCE=1 "$bin" check --from "$error" --color never
has_escape && fault "--color never colours"
run env CLICOLOR_FORCE=1 "$bin" check --from "$error" --format json
has_escape && fault "colour in JSON"

# LC_ALL=C: ASCII only. And nothing but commands is wider than 80 columns.
for machine in "$machines"/*.toml; do
  run env LC_ALL=C "$bin" check --from "$machine" -v
  cp "$work/out" "$work/${machine##*/}.text"
done
LC_ALL=C grep -n '[^ -~]' "$work"/*.text >"$work/found" && fault "LC_ALL=C: not only ASCII: $(head -2 "$work/found")"
# The first line holds the caller's path, a command stands after five spaces, an address cannot be broken.
LC_ALL=C awk 'FNR > 1 && length > 80 && !/^     [^ ]/ && !/ see / && !/^ *[^ ]*$/ && !/to decide:/ { print FILENAME ": " $0 }' "$work"/*.text >"$work/wide"
[ -s "$work/wide" ] && fault "wider than 80: $(head -3 "$work/wide")"
run env -u LC_ALL LC_ALL=C.UTF-8 "$bin" check --from "$sound"
grep -q '·' "$work/out" || fault "no UTF-8 where the locale has it"

# A sound machine fits in 24 lines.
expect 0 check --from "$sound"
[ "$(wc -l <"$work/out")" -le 24 ] || fault "a sound machine takes more than 24 lines"

# The same bytes twice, but for the time.
untimed() { sed -E 's/ · [0-9]+ ms$//; s/ - [0-9]+ ms$//; /"milliseconds"/d' "$work/out"; }
for format in text json; do
  for machine in "$error" "$sound"; do
    doctor check --from "$machine" -vv --format $format && first=$(untimed) || first=$(untimed)
    doctor check --from "$machine" -vv --format $format
    [ "$first" = "$(untimed)" ] || fault "two runs of ${machine##*/} differ in $format"
  done
done

# JSON: the fields that others rely on, for every recorded machine.
if [ -n "$python" ]; then
  cat >"$work/schema.py" <<'P'
import json, sys
texts = lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
for name in sys.argv[1:]:
    report = json.load(open(name, encoding="utf-8"))
    assert isinstance(report["schema"], int) and isinstance(report["verdict"], str)
    for finding in report["findings"]:
        assert finding["severity"] in ("error", "warning", "note") and finding["certainty"] in ("certain", "likely")
        assert all(isinstance(finding[key], str) and finding[key] for key in ("id", "subject", "message")), finding
        assert all(isinstance(one[key], str) for one in finding["evidence"] for key in ("what", "source"))
        assert finding["evidence"], finding["id"]
        for effect in finding["effects"]:
            assert effect["id"] and effect["subject"] and effect["severity"] in ("error", "warning", "note")
        for fix in finding["fixes"]:
            assert fix["title"] and texts(fix["commands"]) and fix["risk"] in ("read-only", "environment", "system", "reboot"), fix
    folded = [(effect["id"], effect["subject"]) for finding in report["findings"] for effect in finding["effects"]]
    assert not any((finding["id"], finding["subject"]) in folded for finding in report["findings"])
    assert all(one["id"] and one["reason"] for one in report["undecided"])
P
  for machine in "$machines"/*.toml; do
    doctor check --from "$machine" --format json
    cp "$work/out" "$work/$(basename "$machine").json"
  done
  "$python" "$work/schema.py" "$work"/*.toml.json 2>"$work/err" || fault "JSON: $(tail -3 "$work/err")"
  for words in 'facts --format json' 'rules list --format json'; do
    # shellcheck disable=SC2086
    expect 0 $words && "$python" -c 'import json,sys; json.load(open(sys.argv[1]))' "$work/out" || fault "'$words' is no JSON"
  done
fi

# explain: the sentence, every condition with its value, and what came of it.
expect 0 explain driver-duplicate-install --from "$error"
out_has raised && out_has holds && out_has 'driver.'
expect 0 explain driver-reboot-pending --from "$sound"
out_has 'not raised' && out_has 'does not hold'
doctor rules list
ids=$(awk '{print $1}' "$work/out")
[ "$(wc -w <<<"$ids")" -gt 40 ] || fault "rules list is short"
for id in $ids; do
  expect 0 explain "$id" --from "$sound"
  out_has "$id"
done

for machine in "$error" "$sound"; do
  expect 0 explain driver-duplicate-install --from "$machine" --format json
  [ -z "$python" ] || "$python" -c 'import json,sys; said = json.load(open(sys.argv[1])); assert said["id"] and said["means"] and all(one["conditions"] for one in said["trials"])' "$work/out" || fault "explain --format json"
done

# matrix: the main list, the others on request, this machine's rows; what no row holds is a usage error.
expect 0 matrix torch 2.7.1 --from "$sound"
out_has '* 2.7.1  cu126' && out_has '--list conda-forge, rocm'
expect 0 matrix cuda --list major --from "$sound"
out_has 525.60.13
expect 0 matrix driver 535 --from "$sound"
grep -q '^\* 535 ' "$work/out" || fault "the branch of the driver here is not marked"
expect 0 matrix driver --list arch Ada --from "$sound"
grep -q '^\* Ada ' "$work/out" || fault "the architecture of the GPU here is not marked"
for words in 'torch no-such-word' 'torch --cuda 99.9' 'torch --cuda x' 'torch --list nonsense' 'nonsense' 'gpu no-such-card --format json'; do
  # shellcheck disable=SC2086
  expect 2 matrix $words --from "$sound"
  out_empty "matrix $words"
done
for table in $("$bin" matrix); do
  run env LC_ALL=C "$bin" matrix "$table" --list all --from "$sound"
  [ "$status" = 0 ] || fault "matrix $table --list all ends with $status"
  LC_ALL=C awk 'length > 80' "$work/out" | grep -v '^Also' >"$work/wide"
  [ -s "$work/wide" ] && fault "matrix $table is wider than 80: $(head -1 "$work/wide")"
  expect 0 matrix "$table" --format json --from "$sound"
  [ -z "$python" ] || "$python" -c 'import json,sys; assert json.load(open(sys.argv[1]))["lists"]' "$work/out" || fault "matrix $table --format json"
done

# facts: with their sources.
expect 0 facts --from "$sound"
out_has /proc/driver/nvidia/version
out_has version

# rules: a folder of the user's own.
cp -r "$src/rules" "$work/rules"
expect 0 rules verify "$work/rules"
sed -i '/^\[driver-duplicate-install\]/,/^\[/s/^title *=.*/title = "A title of the test"/' "$work/rules/findings.toml"
grep -q 'A title of the test' "$work/rules/findings.toml" || fault "the test did not find the title to change"
expect 1 check --from "$error" --rules "$work/rules" --format json
out_has 'A title of the test'
expect 0 rules list --rules "$work/rules"
out_has 'A title of the test'
for broken in 'this is = = no TOML' '[[rule]]' '[[rule]]
finding = "nonsense"' '[[rule]]
finding = "driver-reboot-pending"
each = "host"
when = ["host.nonsense == 1"]'; do
  echo "$broken" >"$work/rules/zz.toml"
  expect 2 check --from "$sound" --rules "$work/rules"
  grep -Eq 'zz\.toml:[0-9]+:[0-9]+: ' "$work/err" || fault "no file:line:column of a broken rule: $(cat "$work/err")"
  out_empty "a broken rule"
done
doctor rules verify "$work/rules"
[ "$status" = 1 ] || [ "$status" = 2 ] || fault "rules verify accepts a broken rule"
rm "$work/rules/zz.toml" && mkfifo "$work/rules/fifo.toml" && mkdir "$work/rules/folder.toml"
expect 0 check --from "$sound" --rules "$work/rules"
end
