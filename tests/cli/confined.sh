#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the program touches, as the kernel sees it: with --root nothing outside the root, no program at all; on the live
# machine no file is opened for writing.
. "$(dirname "$0")/common.bash"
calls=open,openat,openat2,creat,execve,execveat,mkdir,mkdirat,unlink,unlinkat,rename,renameat2,link,symlink,connect,socket,chmod,fchmod
strace -f -o "$work/probe" true 2>/dev/null && grep -q execve "$work/probe" || { echo "strace does not work here"; exit 77; }
# A sanitizer needs more files, and does not live with a tracer.
if grep -q __asan_init "$bin"; then echo "not with a sanitizer"; exit 77; fi
limit=60

root=$work/root site=opt/venv/lib/python3.11/site-packages
mkdir -p "$root"/{etc/ld.so.conf.d,var/lib/dpkg,usr/local/cuda-12.4/bin,usr/lib/x86_64-linux-gnu,bin,root} "$root/$site/torch/lib"
printf 'ID=debian\n' >"$root/etc/os-release"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$root/opt/venv/pyvenv.cfg"
printf "__version__ = '2.5.1+cu124'\ncuda = '12.4'\n" >"$root/$site/torch/version.py"
printf '#!/bin/sh\necho RUN >%s/ran\n' "$work" | tee "$root/usr/local/cuda-12.4/bin/nvcc" >"$root/bin/nvidia-smi"
chmod +x "$root/usr/local/cuda-12.4/bin/nvcc" "$root/bin/nvidia-smi"
ln -s /etc/hostname "$root/usr/lib/x86_64-linux-gnu/libcuda.so.1"
ln -s / "$root/root/.venvs"

# trace NAME STRACE-OPTION… -- ARGUMENT…
trace() {
  local name=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  # -y prints the path behind each descriptor.
  run strace -f -y -qq -o "$work/$name" -e "trace=$calls" "${options[@]}" "$bin" "$@"
}

# outside NAME: calls after start-up that are neither relative to a descriptor below the root nor the root itself.
outside() {
  sed -E 's/^[0-9]+ +//' "$work/$1" | awk -v root="$root" '
    /^execve/ { if (++started > 1) print; next }
    /^[a-z0-9]+\([0-9]+<[^>]*>, "[^"]*"/ {                     # relative to a descriptor
      match($0, /<[^>]*>/); below = substr($0, RSTART + 1, RLENGTH - 2)
      if (below == root || index(below, root "/") == 1) next
    }
    /^[a-z]+\((AT_FDCWD<[^>]*>, )?"[^"]*"/ {
      match($0, /"[^"]*"/); path = substr($0, RSTART + 1, RLENGTH - 2)
      if (path == root || path ~ /^\/(usr\/)?lib|^\/etc\/ld\.so|locale|^\/proc\/(self|sys\/vm)|gconv/) next
    }
    { print }'
}

for command in check facts record 'explain torch-cpu-only'; do
  name=${command%% *}
  # shellcheck disable=SC2086
  trace "$name" -- $command --root "$root"
  [ "$status" = 0 ] || fault "$command ended with $status: $(head -c 300 "$work/err")"
  [ -z "$(outside "$name")" ] || fault "$command --root goes outside: $(outside "$name" | head -5)"
  # A result that lies outside the root, by whatever way.
  grep -E 'openat2?\(.*= [0-9]+<' "$work/$name" | sed -E 's/.*= [0-9]+<([^>]*)>.*/\1/' | grep -v -e "^$root" | grep -Ev '^/(usr/)?lib|^/etc/ld\.so|locale|^/proc/(self|sys/vm)|gconv' >"$work/opened"
  [ ! -s "$work/opened" ] || fault "$command --root opens $(head -3 "$work/opened")"
done
[ ! -e "$work/ran" ] || fault "a program of the root was run"
doctor check --root "$root" --format json && grep -v milliseconds "$work/out" >"$work/with"

# Where the kernel lacks openat2 the walk says the same and stays inside.
trace walk -e inject=openat2:error=ENOSYS -- check --root "$root" --format json
if grep -q 'ENOSYS' "$work/walk"; then
  grep -v milliseconds "$work/out" | diff - "$work/with" >"$work/diff" || fault "without openat2 another report: $(head -5 "$work/diff")"
  [ -z "$(outside walk)" ] || fault "without openat2 it goes outside: $(outside walk | head -5)"
fi

# Live: nothing is written, made, removed; no socket.
for command in check facts; do
  trace live -- $command
  grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|creat\(|mkdir|unlink|rename|symlink|chmod|socket\(|connect\(| link\(' "$work/live" | grep -v -e '"/dev/null"' -e ENOENT | grep -v '"/dev/tty"' >"$work/writes"
  [ ! -s "$work/writes" ] || fault "$command writes: $(head -3 "$work/writes")"
done
# A recording: no other program, nothing beside the file.
trace from -- check --from "$src/tests/machines/ubuntu2204-rtx4090-sound.toml"
[ "$(grep -c execve "$work/from")" = 1 ] || fault "check --from runs a program"
end
