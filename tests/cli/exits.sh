#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The exit status, the same in every format, and what goes where: stdout the report, stderr the complaint.
. "$(dirname "$0")/common.bash"
machines=$src/tests/machines
error=$machines/debian12-nouveau.toml warning=$machines/ubuntu2204-two-cudnn-reachable.toml
note=$machines/ubuntu2204-cuda-12.4-sound.toml sound=$machines/ubuntu2204-rtx4090-sound.toml
unknown=$machines/hostile-fifo-and-refusals.toml

# status, recording, options
while read -r wanted machine options; do
  for format in text json; do
    # shellcheck disable=SC2086
    expect "$wanted" check --from "${!machine}" $options --format $format
    err_empty "$machine $options"
    [ -s "$work/out" ] || fault "no report of $machine $options $format"
  done
done <<'TABLE'
0 sound
0 sound --fail-on note
0 sound --fail-on-unknown --fail-on note
0 sound --require-gpu
1 error
1 error --fail-on warning
1 error --fail-on note
1 error --fail-on-unknown
0 error --fail-on never
3 error --fail-on never --fail-on-unknown
0 error --skip driver-missing,driver
0 warning
1 warning --fail-on warning
1 warning --fail-on note
0 note
0 note --fail-on warning
1 note --fail-on note
1 note --require-gpu
0 note --require-gpu --fail-on never
3 note --fail-on-unknown
0 unknown
3 unknown --fail-on-unknown
3 unknown --fail-on-unknown --fail-on note
TABLE

# A GPU that cannot be looked for does not pass where one is required; an assumed one does.
mkdir "$work/empty"
expect 0 check --root "$work/empty"
expect 1 check --root "$work/empty" --require-gpu
expect 0 check --root "$work/empty" --require-gpu --assume-gpu "NVIDIA L4"

# refused WHAT ARGUMENT…: status 2, the complaint on stderr only, and no report.
refused() {
  local says=$1
  shift
  expect 2 "$@"
  out_empty "$*"
  err_has "$says" "$*"
}
mkfifo "$work/fifo"
: >"$work/empty.toml"
printf '[recording]\nformat = [\n' >"$work/broken.toml"
for format in text json; do
  refused --nonsense check --nonsense --format $format
  refused nonsense nonsense
  refused bad check --fail-on bad --format $format
  refused bad check --format bad
  refused nonsense check --only nonsense --format $format
  refused nonsense check --skip nonsense --format $format
  refused "$work/none" check --from "$work/none" --format $format
  refused "$work/none" check --root "$work/none" --format $format
  refused "$work/empty.toml" check --root "$work/empty.toml" --format $format
  refused 'not a regular file' check --from "$work/fifo" --format $format
  refused 'a folder' check --from "$work" --format $format
  refused 'empty' check --from "$work/empty.toml" --format $format
  refused broken.toml:2: check --from "$work/broken.toml" --format $format
  refused excludes check --root / --from "$sound" --format $format
  refused 'GPU' check --from "$sound" --assume-gpu 'no such GPU' --format $format
done
refused nonsense explain nonsense
refused id explain
refused subcommand rules
refused "$work/none" check --rules "$work/none"
refused "$work/none" record -o "$work/none/file"
if [ "$(id -u)" != 0 ]; then
  mkdir -m 000 "$work/closed"
  refused 'ermission denied' check --root "$work/closed"
  printf '[recording]\n' >"$work/closed.toml" && chmod 000 "$work/closed.toml"
  refused 'ermission denied' check --from "$work/closed.toml"
fi
printf '[recording]\n"\\u001b[31m\\u0007" = 1\n' >"$work/escape.toml"
refused escape.toml:2: check --from "$work/escape.toml"
no_controls "$work/err" "a complaint about a file"

# What is not a complaint goes to stdout and ends with 0.
for words in --help --version 'check --help' 'record --help' 'explain --help' 'facts --help' 'rules --help' 'rules list --help' 'rules list'; do
  # shellcheck disable=SC2086
  expect 0 $words
  err_empty "$words"
  [ -s "$work/out" ] || fault "'$words' says nothing"
done
expect 0 --version
grep -Eqx 'gpudoctor [0-9]+\.[0-9]+\.[0-9]+' "$work/out" || fault "--version says: $(cat "$work/out")"
expect 0 --help
for word in check record explain facts rules 'Exit status'; do out_has "$word" --help; done

# Without a subcommand it checks; options may stand before it.
untimed() { sed -E 's/ · [0-9]+ ms$//; /"milliseconds"/d' "$work/out"; }
expect 1 --from "$error" && alone=$(untimed)
expect 1 check --from "$error"
[ "$alone" = "$(untimed)" ] || fault "without a subcommand the report is another one"
expect 1 --from "$error" check
[ "$alone" = "$(untimed)" ] || fault "options before the subcommand are lost"

# A report that cannot be written is not a success.
if [ -w /dev/full ]; then
  timeout 10 "$bin" check --from "$sound" >/dev/full 2>"$work/err"
  [ $? = 4 ] || fault "a full disk is no error"
  err_has 'cannot be written' "a full disk"
fi
# Closed descriptors are nothing that it stumbles over.
timeout 10 "$bin" check --from "$error" <&- >"$work/out" 2>&-
[ $? = 1 ] || fault "closed stdin and stderr change the status"
end
