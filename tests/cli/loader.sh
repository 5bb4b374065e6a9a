#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the program computes that the dynamic loader would take, against what the dynamic loader takes: libraries made for
# it, in a PyTorch made for it, with RPATH, RUNPATH, LD_LIBRARY_PATH and a cache. ldd asks the loader of this machine.
. "$(dirname "$0")/common.bash"
for tool in g++ ldd python3; do command -v $tool >"$work/which" || { echo "SKIP: no $tool"; trap - EXIT; exit 77; }; done

env=$work/venv site=$work/venv/lib/python3.11/site-packages lib=$work/venv/lib/python3.11/site-packages/torch/lib
mkdir -p "$lib" "$site/torch-2.5.1.dist-info" "$env/bin"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$env/pyvenv.cfg"
printf "__version__ = '2.5.1+cu124'\ncuda = '12.4'\nhip = None\n" >"$site/torch/version.py"
printf 'Metadata-Version: 2.1\nName: torch\nVersion: 2.5.1\n' >"$site/torch-2.5.1.dist-info/METADATA"

# library FOLDER SONAME OPTION…: a library of nothing; each has another size.
pages=0
library() {
  local path=$1/$2
  pages=$((pages + 1))
  mkdir -p "$1"
  g++ -shared -fPIC -nostdlib -Wl,--no-as-needed -Wl,-soname,"$2" -o "$path" -x c++ - -x none "${@:3}" 2>"$work/g++.err" \
    <<<"extern \"C\" const char text[$pages * 4096] = {1};" || { echo "FAULT: $(head -c 400 "$work/g++.err")"; exit 1; }
}
wheel=$site/nvidia other=$work/other cache=$work/cached
rpath="-Wl,--disable-new-dtags,-rpath,\$ORIGIN/../../nvidia/cusparse/lib:\$ORIGIN/../../nvidia/cublas/lib:\$ORIGIN"
origin="-Wl,--enable-new-dtags,-rpath,\$ORIGIN"
old_origin="-Wl,--disable-new-dtags,-rpath,\$ORIGIN"

library "$wheel/nvjitlink/lib" libnvJitLink.so.12
library "$wheel/cublas/lib" libcublasLt.so.12
library "$other" libnvJitLink.so.12
library "$other" libcublasLt.so.12
library "$other" libcusparse.so.12
library "$other" libcublas.so.12

# make_torch CUSPARSE-OPTION CUBLAS-OPTION TORCH-OPTION
make_torch() {
  # shellcheck disable=SC2086
  library "$wheel/cusparse/lib" libcusparse.so.12 "$wheel/nvjitlink/lib/libnvJitLink.so.12" ${1:+"$1"}
  library "$wheel/cublas/lib" libcublas.so.12 "$wheel/cublas/lib/libcublasLt.so.12" ${2:+"$2"}
  library "$lib" libtorch_cuda.so "$wheel/cusparse/lib/libcusparse.so.12" "$wheel/cublas/lib/libcublas.so.12" ${3:+"$3"}
}

# What the loader says, and what the program says: "SONAME PATH" of each, links resolved; PATH is "missing" where there is none.
by_loader() {
  LD_LIBRARY_PATH=$1 ldd "$lib/libtorch_cuda.so" | sed -nE 's/^\s*(libnv\S+|libcu\S+) => (not found|\S+).*/\1 \2/p' | while read -r name path; do
    if [ "$path" = "not found" ]; then echo "$name missing"; else echo "$name $(readlink -f "$path")"; fi
  done | sort
}
by_program() {
  LD_LIBRARY_PATH=$1 "$bin" facts --env "$env" --format json >"$work/facts.json" 2>"$work/err" || LD_LIBRARY_PATH=$1 "$bin" check --env "$env" --format json >"$work/facts.json" 2>"$work/err"
  python3 -c 'import json, sys
facts = json.load(open(sys.argv[1]))
for entity in facts.get("facts", facts) if isinstance(facts, dict) else facts:
    if entity["kind"] != "link": continue
    name, chosen = entity["facts"]["soname"]["value"], entity["facts"]["chosen"]
    if name != "libcuda.so.1": print(name, chosen.get("value", "missing" if chosen["state"] == "absent" else chosen["state"]))' "$work/facts.json" | sort
}
same() {
  local loader program
  loader=$(by_loader "$2") program=$(by_program "$2")
  [ "$loader" = "$program" ] || fault "$1: $(diff <(echo "$loader") <(echo "$program"))"
  [ -n "$loader" ] || fault "$1: the loader said nothing"
}

# Who has a path of its own: cuSPARSE, cuBLAS, torch; nothing, RUNPATH or RPATH each.
for cusparse in "" "$origin" "$old_origin"; do
  for torch in "" "$rpath" "${rpath/--disable/--enable}"; do
    make_torch "$cusparse" "$origin" "$torch"
    for variable in "" "$other" "$work/nowhere:$other:" "$wheel/nvjitlink/lib:$wheel/cusparse/lib:$wheel/cublas/lib"; do
      same "cuSPARSE '$cusparse', torch '$torch', LD_LIBRARY_PATH '$variable'" "$variable"
    done
  done
done

# Folders for processors, as far as this one has them.
make_torch "" "$origin" "$rpath"
for level in x86-64-v2 x86-64-v3 x86-64-v4; do
  library "$other/glibc-hwcaps/$level" libnvJitLink.so.12
  same "glibc-hwcaps/$level" "$other"
done
rm -r "$other/glibc-hwcaps"

# The findings: the older copy that wins is shown; an equal one and one that nothing loads are no fault.
shadowed() { LD_LIBRARY_PATH=$1 "$bin" check --env "$env" --only cuda-library-shadowed,cuda-library-missing --no-redact >"$work/out" 2>"$work/err"; }
shadowed "$other"
out_has cuda-library-shadowed
out_has "$other/libnvJitLink.so.12" "the winner"
out_has "$wheel/nvjitlink/lib/libnvJitLink.so.12" "the loser"
cp "$wheel/nvjitlink/lib/libnvJitLink.so.12" "$other/libnvJitLink.so.12"
cp "$wheel/cublas/lib/libcublasLt.so.12" "$other/libcublasLt.so.12"   # cuBLAS has RUNPATH, which comes after the variable
shadowed "$other"
! grep -q cuda-library-shadowed "$work/out" || fault "an equal copy is a fault"
library "$other" libnvJitLink.so.12
shadowed ""
grep -qF "libnvJitLink.so.12 nowhere" "$work/out" || fault "nvJitLink is in no folder that is searched: $(cat "$work/out")"
make_torch "$origin:\$ORIGIN/../../nvjitlink/lib" "$origin" "$rpath"
shadowed ""
! grep -q cuda-library- "$work/out" || fault "a sound one: $(cat "$work/out")"

# The cache of a root, made by ldconfig itself, with its folders for processors; the form of before 2.32 too.
ldconfig=$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig || true)
if [ -n "$ldconfig" ] && [ "$(id -u)" = 0 ]; then
  root=$work/root
  mkdir -p "$root/etc" "$root/usr/lib64" "$root/opt/gpu"
  echo /opt/gpu >"$root/etc/ld.so.conf"
  library "$root/opt/gpu" libcudart.so.12
  library "$root/opt/gpu" libcuda.so.1
  library "$root/opt/gpu/glibc-hwcaps/x86-64-v2" libcudart.so.12
  for format in new compat old; do
    "$ldconfig" -r "$root" -c $format 2>"$work/err" || continue
    [ -s "$root/etc/ld.so.cache" ] || continue
    rm -f "$root/etc/ld.so.conf"   # only the cache tells now
    doctor check --root "$root" --format json
    grep -q '"/opt/gpu/libcuda.so.1"' "$work/out" || fault "the copy in a cache of form $format was not found"
    echo /opt/gpu >"$root/etc/ld.so.conf"
  done
  # Broken caches end well.
  for size in 1 11 16 20 47 60 100; do
    head -c $size "$root/etc/ld.so.cache" >"$work/cut"
    cp "$work/cut" "$root/etc/ld.so.cache.new"
    cp "$root/etc/ld.so.cache" "$work/whole"
    mv "$root/etc/ld.so.cache.new" "$root/etc/ld.so.cache"
    doctor check --root "$root"
    [ "$status" -le 1 ] || fault "a cache cut at $size: status $status"
    cp "$work/whole" "$root/etc/ld.so.cache"
  done
fi
end
