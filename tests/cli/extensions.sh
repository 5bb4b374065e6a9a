#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Native extensions as a compiler makes them, against a small PyTorch made for it: each broken one gives exactly its
# finding, a sound one none. Nothing of them is ever run.
. "$(dirname "$0")/common.bash"
command -v g++ >"$work/which" || { echo "SKIP: no g++"; trap - EXIT; exit 77; }
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || { echo "SKIP: no python3"; trap - EXIT; exit 77; }

env=$work/venv site=$work/venv/lib/python3.11/site-packages lib=$work/venv/lib/python3.11/site-packages/torch/lib
mkdir -p "$lib" "$site/torch-2.7.1+cu128.dist-info" "$env/bin"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$env/pyvenv.cfg"
printf "__version__ = '2.7.1+cu128'\ncuda = '12.8'\nhip = None\n" >"$site/torch/version.py"
printf 'Metadata-Version: 2.1\nName: torch\nVersion: 2.7.1\n' >"$site/torch-2.7.1+cu128.dist-info/METADATA"

# compile OUTPUT OPTION…: a shared library from standard input; undefined names are allowed, as in an extension.
compile() {
  local out=$1
  shift
  mkdir -p "$(dirname "$out")"
  g++ -shared -fPIC -O1 -nostartfiles -Wl,--no-as-needed -o "$out" -x c++ - -x none "$@" 2>"$work/g++.err" ||
    { echo "FAULT: g++ failed for $out: $(head -c 500 "$work/g++.err")"; exit 1; }
}

# A libc10 and a libtorch_cpu with a few of the real names; newer GNU linkers make only DT_GNU_HASH, older ones both.
c10='#include <string>
namespace c10 { struct SourceLocation { const char *a, *b; unsigned c; };
  struct Error { Error(SourceLocation, std::string); }; Error::Error(SourceLocation, std::string) {}
  namespace detail { void torchCheckFail(const char*, const char*, unsigned, const std::string&) {} } }'
torch='#include <string>
namespace torch { namespace jit { int parseSchema(const std::string&) { return 0; } } }
namespace at { struct Tensor { long size(long) const; }; long Tensor::size(long) const { return 0; } }'
# make_torch ABI HASH: PyTorch with that std::string and that hash table.
make_torch() {
  compile "$lib/libc10.so" -D_GLIBCXX_USE_CXX11_ABI="$1" -Wl,--hash-style="$2" -Wl,-soname,libc10.so <<<"$c10"
  compile "$lib/libtorch_cpu.so" -D_GLIBCXX_USE_CXX11_ABI="$1" -Wl,--hash-style="$2" -Wl,-soname,libtorch_cpu.so <<<"$torch"
}
make_torch 1 gnu
for major in 11.0 12; do compile "$work/stubs/libcudart.so.$major" -Wl,-soname,libcudart.so.$major <<<'extern "C" int cudaFree(void*) { return 0; }'; done
compile "$lib/libtorch_cuda.so" -Wl,-soname,libtorch_cuda.so "$work/stubs/libcudart.so.12" <<<'namespace at { namespace cuda { int f() { return 0; } } }'
compile "$work/stubs/libnewer.so" -Wl,-soname,libnewer.so -Wl,--version-script=<(echo 'GLIBC_2.99 { newer; };') <<<'extern "C" int newer() { return 0; }'

# What an extension uses of it.
uses='#include <string>
namespace c10 { struct SourceLocation { const char *a, *b; unsigned c; }; struct Error { Error(SourceLocation, std::string); }; }
namespace torch { namespace jit { int parseSchema(const std::string&); } }
namespace at { struct Tensor { long size(long) const; }; }
int run(at::Tensor& t) { c10::Error e({"", "", 0}, "x"); return torch::jit::parseSchema("y") + (int)t.size(0); }'

# extension FILE OPTION…: the only extension of the environment, with its RECORD.
extension() {
  local file=$1
  shift
  rm -rf "$site/my_ops" "$site/my_ops-1.0.dist-info"
  mkdir -p "$site/my_ops" "$site/my_ops-1.0.dist-info"
  compile "$site/my_ops/$file" "$lib/libc10.so" "$lib/libtorch_cpu.so" "$@"
  printf 'my_ops/__init__.py,,0\nmy_ops/%s,sha256=x,1\nmy_ops-1.0.dist-info/RECORD,,\n' "$file" >"$site/my_ops-1.0.dist-info/RECORD"
  printf 'pip\n' >"$site/my_ops-1.0.dist-info/INSTALLER"
}

found() {
  "$python" -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(" ".join(sorted([f["id"] for f in report["findings"] if f["id"].startswith(("extension-", "libtorch-"))] +
                      ["undecided:" + u["id"] for u in report["undecided"] if u["id"].startswith("extension-")])))' "$work/out"
}
# gives WHAT ID…: judges the environment live, and from a recording of it; both must find exactly these.
gives() {
  local what=$1
  shift
  judge=(check --env "$env" --format json --assume-gpu "NVIDIA GeForce RTX 5090" --assume-driver 580.95.05)
  doctor "${judge[@]}"
  [ "$(found)" = "$*" ] || fault "$what: '$(found)', not '$*'"
  doctor record --env "$env" -o "$work/recording.toml"
  doctor "${judge[@]}" --from "$work/recording.toml"
  [ "$(found)" = "$*" ] || fault "$what, recorded: '$(found)', not '$*'"
}

extension _C.so "$work/stubs/libcudart.so.12" <<<"$uses"
gives "a sound one"
extension _C.abi3.so "$work/stubs/libcudart.so.12" -Wl,--hash-style=sysv <<<"$uses"
gives "a sound one with the old hash table"
extension _C.cpython-311-x86_64-linux-gnu.so -s <<<"$uses"
gives "a sound one, stripped"
extension _C.so -D_GLIBCXX_USE_CXX11_ABI=0 <<<"$uses"
gives "the other std::string" extension-abi-mismatch
out_has _ZN3c105ErrorC1ENS_14SourceLocationESs "the name that the loader would miss"
extension _C.so <<<"$uses
namespace c10 { void only_in_2_9(int); } void more() { c10::only_in_2_9(1); }"
gives "a name of another release" extension-torch-mismatch
out_has _ZN3c1011only_in_2_9Ei
extension _C.so <<<"$uses
namespace c10 { __attribute__((weak)) void maybe(int); } void more() { if (c10::maybe) c10::maybe(1); }"
gives "a weak name"
extension _C.so "$work/stubs/libcudart.so.11.0" <<<"$uses"
gives "another CUDA" extension-cuda-mismatch
extension _C.cpython-310-x86_64-linux-gnu.so <<<"$uses"
gives "another Python" extension-python-mismatch
extension _C.so "$work/stubs/libnewer.so" <<<"$uses
extern \"C\" int newer(); int ask() { return newer(); }"
gives "a newer C library" extension-glibc-too-old
compile "$work/stubs/libamdhip64.so.6" -Wl,-soname,libamdhip64.so.6 <<<'extern "C" int hipFree(void*) { return 0; }'
extension _C.so "$work/stubs/libamdhip64.so.6" <<<"$uses"
gives "another vendor" extension-wrong-vendor

# Kernels: one fatbin of one cubin. The header is 16 bytes, an entry's 64; the architecture is at 28 (see src/elf/fatbin.hpp).
fatbin() {
  "$python" -c 'import struct, sys
entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, 8, 8, 0, 8, 1, int(sys.argv[1]), 0, 0, 0x11, 0, 16) + b"\xcc" * 8
sys.stdout.buffer.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry)' "$1" >"$work/$1.fatbin"
  echo "asm(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\n.incbin \\\"$work/$1.fatbin\\\"\\n.text\");"
}
extension _C.so "$work/stubs/libcudart.so.12" <<<"$uses
$(fatbin 90)"
gives "kernels for an older GPU" extension-gpu-not-in-build
extension _C.so "$work/stubs/libcudart.so.12" <<<"$uses
$(fatbin 120)"
gives "kernels for this GPU"

# A PyTorch of before 2.7 with the old std::string: now the other one is wrong.
make_torch 0 both
extension _C.so -D_GLIBCXX_USE_CXX11_ABI=0 <<<"$uses"
gives "the old std::string beside the old"
extension _C.so -D_GLIBCXX_USE_CXX11_ABI=1 <<<"$uses"
gives "the new std::string beside the old" extension-abi-mismatch

# A name that another library of the package defines, and damage.
make_torch 1 gnu
extension _C.so <<<"$uses
namespace torch { namespace my_ops { int own(); } } int more() { return torch::my_ops::own(); }"
compile "$site/my_ops/libown.so" <<<'namespace torch { namespace my_ops { int own() { return 0; } } }'
echo 'my_ops/libown.so,,1' >>"$site/my_ops-1.0.dist-info/RECORD"
gives "a name of its own"
for size in 0 40 64 500 3000; do
  head -c $size "$site/my_ops/_C.so" >"$work/cut"
  cp "$work/cut" "$site/my_ops/_C.so.tmp" && mv "$site/my_ops/_C.so.tmp" "$site/my_ops/_C.so"
  doctor check --env "$env" --format json
  [ "$status" -le 1 ] || fault "cut at $size: status $status"
done
rm "$site/my_ops/_C.so"
mkfifo "$site/my_ops/_C.so"
limit=5 expect "$(doctor check --env "$env"; echo "$status")" check --env "$env"

# LibTorch and a plugin that was linked to it with the other std::string.
mkdir -p "$work/app/libtorch/lib" "$work/app/build"
echo 2.6.0+cpu >"$work/app/libtorch/build-version"
compile "$work/app/libtorch/lib/libc10.so" -D_GLIBCXX_USE_CXX11_ABI=0 -Wl,-soname,libc10.so <<<"$c10"
compile "$work/app/libtorch/lib/libtorch_cpu.so" -D_GLIBCXX_USE_CXX11_ABI=0 -Wl,-soname,libtorch_cpu.so <<<"$torch"
compile "$work/app/libtorch/lib/libtorch.so" -Wl,-soname,libtorch.so <<<''
for abi in 0 1; do
  compile "$work/app/build/libplugin.so" -D_GLIBCXX_USE_CXX11_ABI=$abi "$work/app/libtorch/lib/libc10.so" "$work/app/libtorch/lib/libtorch_cpu.so" \
    -Wl,--enable-new-dtags,-rpath,"$work/app/libtorch/lib" <<<"$uses"
  wanted=; [ $abi = 0 ] || wanted=libtorch-abi-mismatch
  (cd "$work/app" && "$bin" check --only libtorch-abi-mismatch --format json >"$work/out" 2>"$work/err")
  [ "$(found)" = "$wanted" ] || fault "a program of ABI $abi beside LibTorch: '$(found)', not '$wanted'"
done
end
