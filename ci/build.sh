# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the other scripts, which stand in the project's folder.

# shellcheck source=ci/deps.sh
. ci/deps.sh

# build PRESET TARGET [CMAKE-OPTION …]: configures and builds into build/PRESET. What the tools say goes to
# build/PRESET.log and is shown when it fails, so that standard output stays free.
build() {
  local preset=$1 target=$2 log=build/$1.log
  shift 2
  need_build || return 1
  mkdir -p build
  if ! { cmake --preset "$preset" "$@" && cmake --build "build/$preset" --target "$target"; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "The build of '$preset' failed." >&2
    return 1
  fi
}
