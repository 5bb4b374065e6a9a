# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Installs what the other scripts need, and only what is missing. They source this file; run alone it installs what a build needs.

# need PACKAGE …: nothing is run when all of them are there.
need() {
  local missing=() package as_root=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "These packages are missing, and installing them needs root: ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq)
  # The lists are fetched only when the packages cannot be had from those that are there.
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 </dev/null && return 0
  "${apt[@]}" update >&2 </dev/null || true      # another source that fails is no reason to stop
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 </dev/null && return 0
  echo "Could not install ${missing[*]}. Debian 12 and Ubuntu 24.04 have them all." >&2
  return 1
}

need_build() {
  need g++ cmake ninja-build ccache libboost-dev libboost-filesystem-dev libboost-system-dev libfmt-dev libtomlplusplus-dev \
    libcli11-dev nlohmann-json3-dev liblzma-dev libre2-dev libsqlite3-dev libzstd-dev zlib1g-dev doctest-dev
}
need_test() { need_build && need strace; }                                  # ci/test.sh: what the program opens is traced
need_root() { need debootstrap ca-certificates python3; }                  # ci/real.sh root
need_wheels() { need python3 python3-pip ca-certificates; }                # ci/real.sh wheels
need_bench() { need hyperfine python3 time binutils; }                     # ci/bench.sh

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -eu
  need_build
fi
