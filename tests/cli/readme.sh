#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# README.md's example is what the program says of that machine, word for word but for the time it took.
. "$(dirname "$0")/common.bash"

command=$(grep -oE -m 1 'gpudoctor check --from [^`]+' "$src/README.md")
[ -n "$command" ] || { fault "README.md names no recorded machine"; end; }
awk '/gpudoctor check --from/ { seen = 1 } seen && /^```/ { if (inside) exit; inside = 1; next } inside' "$src/README.md" >"$work/wanted"
read -ra words <<<"$command"

cd "$src" || exit 1
LC_ALL=C.UTF-8 run "$bin" "${words[@]:1}"
without_time() { sed -E 's/ [0-9]+ ms$/ TIME/' "$1"; }
diff <(without_time "$work/wanted") <(without_time "$work/out") || fault "README.md shows what '$command' does not say (- README, + program)"
end
