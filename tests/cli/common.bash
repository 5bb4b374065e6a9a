# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the program: $1 is the binary, $2 the source folder. All that they write lies in $work.
set -u
bin=$(realpath "$1") src=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/gpudoctor-test.XXXXXX")
faults=0

finish() {
  if [ "$faults" = 0 ]; then
    chmod -R u+rwX "$work" 2>/dev/null
    rm -rf "$work"
  else
    echo "$faults faults; left behind: $work"
  fi
}
trap finish EXIT

fault() { echo "FAULT: $*"; faults=$((faults + 1)); }

# run COMMAND…: its exit status in $status, its output in $work/out and $work/err.
run() {
  timeout -k 5 "${limit:-10}" "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}
doctor() { run "$bin" "$@"; }

# expect STATUS ARGUMENT…: runs the program.
expect() {
  local wanted=$1
  shift
  doctor "$@"
  [ "$status" = "$wanted" ] || fault "'gpudoctor $*' ended with $status, not $wanted: $(head -c 300 "$work/err")"
}

out_has() { grep -qF -- "$1" "$work/out" || fault "stdout lacks '$1'${2:+ ($2)}"; }
err_has() { grep -qF -- "$1" "$work/err" || fault "stderr lacks '$1'${2:+ ($2)}: $(head -c 300 "$work/err")"; }
out_empty() { [ ! -s "$work/out" ] || fault "stdout is not empty ($1)"; }
err_empty() { [ ! -s "$work/err" ] || fault "stderr is not empty ($1): $(head -c 300 "$work/err")"; }
no_controls() {
  if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1"; then fault "control characters in $2: $(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]' "$1" | head -3 | cat -v)"; fi
}
end() { exit $((faults > 0)); }
