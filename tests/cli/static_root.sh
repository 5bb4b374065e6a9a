#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# static_root.sh PROGRAM SOURCE: the one static file runs in a root that holds nothing else: no libc, no /proc, no /tmp.
# Takes PROGRAM when it is static, else SOURCE/build/static/gpudoctor when that is newer than all sources; else skips (77).
set -uo pipefail
PATH=$PATH:/usr/sbin:/sbin
program=$1 source=$2
skip() { echo "SKIP: $1"; exit 77; }
is_static() { ! LC_ALL=C grep -aqE '/lib(64)?/ld-(linux|musl)' <(head -c 4096 "$1"); }

if ! is_static "$program"; then
  program=$source/build/static/gpudoctor
  [ -x "$program" ] || skip "no static file (cmake --preset static && cmake --build build/static)"
  newer=$(find "$source"/{src,include,rules,cmake,CMakeLists.txt} -type f -newer "$program" -print -quit)
  [ -z "$newer" ] || skip "the static file is older than $newer"
  is_static "$program" || { echo "FAIL: $program asks for a loader: it is not static"; exit 1; }
fi

# Tried with a program that is known to start anywhere: an empty root in which nothing is found (127) was entered.
root=$(mktemp -d)
enter=()
for try in chroot "unshare -r chroot"; do
  read -ra words <<<"$try"
  words[0]=$(command -v "${words[0]}") || continue
  "${words[@]}" "$root" /nothing >/dev/null 2>&1
  if [ $? -eq 127 ]; then enter=("${words[@]}"); break; fi
done
[ ${#enter[@]} -gt 0 ] || { rmdir "$root"; skip "neither chroot nor a user namespace is allowed here"; }
cp "$program" "$root/gpudoctor"

failed=0
# expect CODE TEXT ARGUMENT …: the exit status, a text in the output, and nothing on standard error.
expect() {
  local wanted=$1 text=$2 code=0 out
  shift 2
  out=$(env -i PATH="$PATH" "${enter[@]}" "$root" /gpudoctor "$@" 2>"$root.err") || code=$?
  if [ "$code" -ne "$wanted" ] || ! grep -qF -- "$text" <<<"$out" || [ -s "$root.err" ]; then
    printf 'FAIL: gpudoctor %s: exit status %s, wanted %s and "%s"\n%s\n' "$*" "$code" "$wanted" "$text" "$out"
    cat "$root.err"
    failed=1
  fi
}

expect 0 gpudoctor --version
expect 0 "nothing wrong found" check
expect 0 "GPU       not known" check          # without /sys nothing is known of the bus: that is no "none"
expect 0 '"exit": 0' check --format json
expect 3 undecided check --fail-on-unknown
expect 0 "[recording]" record
expect 0 driver-reboot-pending explain driver-reboot-pending

left=$(cd "$root" && find . -mindepth 1)
[ "$left" = ./gpudoctor ] || { echo "FAIL: left behind: $left"; failed=1; }

if [ "$failed" -eq 0 ]; then rm -rf "$root" "$root.err"; else echo "Left for a look: $root"; fi
exit "$failed"
