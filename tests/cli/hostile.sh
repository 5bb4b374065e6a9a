#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Roots that mean harm: whatever lies in them, the program ends soon, with a report, and tells nothing from outside.
# With "long" as third argument: each file alone, and folders of 100,000 entries.
. "$(dirname "$0")/common.bash"
long=${3:-}
export TERM=xterm
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)

venv=opt/venv site=opt/venv/lib/python3.11/site-packages lib=usr/lib/x86_64-linux-gnu
files=(etc/os-release etc/passwd etc/ld.so.conf etc/ld.so.conf.d/cuda.conf etc/modprobe.d/nvidia.conf etc/nv_tegra_release
  etc/alternatives/x run/.containerenv var/lib/dpkg/status var/lib/dpkg/info/libcuda1:amd64.list lib/modules/6.1.0-1/updates/dkms/nvidia.ko.xz
  $lib/libcuda.so.550.54.14 $lib/libcuda.so.1 $lib/libnvidia-ml.so.1 $lib/libc.so.6 $lib/libcudnn.so.9 $lib/libnccl.so.2
  usr/local/cuda-12.4/version.json usr/local/cuda-12.4/version.txt usr/local/cuda-12.4/include/cuda.h usr/local/cuda-12.4/bin/nvcc
  usr/local/cuda-12.4/lib64/libcudart.so.12 usr/local/cuda-12.4/include/cudnn_version.h usr/local/cuda-12.4/compat/libcuda.so.1
  $venv/pyvenv.cfg $site/torch/version.py $site/torch/lib/libtorch_python.so $site/torch/lib/libtorch_cuda.so
  $site/torch-2.5.1.dist-info/METADATA $site/torch-2.5.1.dist-info/INSTALLER $site/torchvision/version.py $site/torch.egg-link
  $site/nvidia/cudnn/lib/libcudnn.so.9 $site/nvidia/nccl/lib/libnccl.so.2
  opt/conda/conda-meta/pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json opt/conda/conda-meta/python-3.11.7-h_0.json
  opt/conda/lib/python3.11/site-packages/torch/version.py root/.condarc root/.conda/environments.txt
  root/.local/share/jupyter/kernels/a/kernel.json root/.pyenv/version usr/bin/python3 bin/sh opt/libtorch/build-version
  opt/libtorch/lib/libtorch.so usr/lib/python3/dist-packages/torch/version.py)

# A machine that is in order, with all that the probes read: built once, then copied.
model=$work/model
for file in "${files[@]}"; do
  mkdir -p "$model/${file%/*}"
  : >"$model/$file"
done
printf 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\n' >"$model/etc/os-release"
echo 'root:x:0:0:root:/root:/bin/sh' >"$model/etc/passwd"
echo 'include /etc/ld.so.conf.d/*.conf' >"$model/etc/ld.so.conf"
echo /usr/local/cuda-12.4/lib64 >"$model/etc/ld.so.conf.d/cuda.conf"
printf 'Package: libcuda1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 550.54.14-1\n\n' >"$model/var/lib/dpkg/status"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$model/$venv/pyvenv.cfg"
printf "__version__ = '2.5.1+cu124'\ndebug = False\ncuda = '12.4'\nhip = None\n" >"$model/$site/torch/version.py"
printf 'Name: torch\nVersion: 2.5.1\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70\n' >"$model/$site/torch-2.5.1.dist-info/METADATA"
echo '{"cuda": {"version": "12.4.1"}}' >"$model/usr/local/cuda-12.4/version.json"
printf '#define CUDA_VERSION 12040\n' >"$model/usr/local/cuda-12.4/include/cuda.h"
rm -f "$model/etc/nv_tegra_release" "$model/run/.containerenv"
root=$work/root
sound_root() { rm -rf "$root" && cp -a "$model" "$root"; }

# survives WHAT ARGUMENT…: the program ends by itself with 0 or 1, its report is whole, nothing steers the terminal.
survives() {
  local what=$1
  shift
  doctor check "$@" -vv --format json
  case $status in 0 | 1) ;; *) fault "$what: ended with $status: $(head -c 500 "$work/err")" ;; esac
  err_empty "$what"
  if grep -q canary-outside "$work/out" || grep -qF -e 9.8.7 -e 987.65.43 "$work/out"; then fault "$what: tells what lies outside"; fi
  if [ -n "$python" ] && ! "$python" -c 'import json,sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$work/out"; then
    fault "$what: no valid JSON"
  fi
  doctor check "$@" -vv
  case $status in 0 | 1) ;; *) fault "$what: text ended with $status: $(head -c 500 "$work/err")" ;; esac
  no_controls "$work/out" "$what"
}

outside=$work/outside
mkdir "$outside" "$outside/torch"
printf "__version__ = '9.8.7+cu124'\ncuda = '9.8.7'\n# canary-outside\n" | tee "$outside/version.py" >"$outside/torch/version.py"
printf 'Package: libcuda1\nStatus: install ok installed\nVersion: 987.65.43-1\n\n' >"$outside/status"
printf 'ID=canary-outside\nNAME=canary-outside\n' >"$outside/os-release"
printf 'home = /canary-outside\nversion = 9.8.7\n' >"$outside/pyvenv.cfg"
echo '{"cuda": {"version": "9.8.7"}}' >"$outside/version.json"
echo 'canary-outside:x:0:0:x:/home/canary-outside:/bin/sh' >"$outside/passwd"
up=../../../../../../../../../../../../../..

make_fifo() { mkfifo "$1"; }
make_folder() { mkdir "$1" && : >"$1/file"; }
make_sparse() { truncate -s 10G "$1"; }
make_sparse_elf() { head -c 65536 "$bin" >"$1" && truncate -s 10G "$1"; }
make_random() { head -c 70000 /dev/urandom >"$1"; }
make_escapes() { printf '\033]0;x\007\033[31m__version__ = "\033[2J1.0"\n\x9b31m\u202e\xff\xfe home = \033c\nID=\033[5m\n' >"$1"; }
make_long() { head -c 60000 /dev/zero | tr '\0' 'A' >"$1"; }
make_digits() { printf "__version__ = '%s'\ncuda = '%s'\nID=1\n" "$(printf '9%.0s' {1..30000})" "$(printf '9.%.0s' {1..15000})9" >"$1"; }
make_loop() { ln -s "${1##*/}" "$1"; }
make_mirror() { ln -s / "$1"; }
make_out() { ln -s "$outside/${1##*/}" "$1"; }
make_climb() { ln -s "$up$outside/${1##*/}" "$1"; }
make_zero() { ln -s /dev/zero "$1"; }
make_elf() { cp "$bin" "$1" 2>/dev/null; }
kinds=(fifo folder sparse sparse_elf random escapes long digits loop mirror out climb zero)

for kind in "${kinds[@]}"; do
  sound_root
  rm -f "${files[@]/#/$root/}"
  for file in "${files[@]}"; do "make_$kind" "$root/$file"; done
  survives "every file a $kind" --root "$root"
done

# Compressed modules: zeros that unpack to gigabytes, and cut ones.
if command -v zstd >/dev/null && command -v xz >/dev/null; then
  dkms=$root/lib/modules/6.1.0-1/updates/dkms
  for packer in "zstd zst" "xz xz" "gzip gz"; do
    read -r tool ending <<<"$packer"
    sound_root && rm -f "$dkms"/*
    head -c 400M /dev/zero | "$tool" -1 -c >"$dkms/nvidia.ko.$ending"
    survives "a bomb of $tool" --root "$root"
    head -c 3000 "$dkms/nvidia.ko.$ending" >"$dkms/cut" && mv "$dkms/cut" "$dkms/nvidia.ko.$ending"
    survives "a cut file of $tool" --root "$root"
  done
fi

# Links: folders that hold themselves, links to links, a folder of packages that is the root.
sound_root
for place in opt/self home/self usr/local/cuda-self usr/lib/self lib/modules/self root/.pyenv/versions/self usr/lib/x86_64-linux-gnu/self; do
  mkdir -p "$root/${place%/*}" && ln -s . "$root/$place"
done
for place in opt/top home/top usr/local/cuda-top lib/modules/top "$site/torch-9.9.dist-info" root/miniconda3 root/.venvs var/lib/dkms; do ln -s / "$root/$place"; done
survives "folders that lead back" --root "$root"
survives "folders that lead back, deep" --root "$root" --deep
sound_root
rm -rf "$root/lib" && ln -s lib "$root/lib" && rm -rf "$root/$venv/lib" && ln -s lib "$root/$venv/lib"
survives "lib is lib" --root "$root"
for folder in etc usr opt var root; do
  sound_root && rm -rf "${root:?}/$folder" && ln -s "$outside" "$root/$folder"
  survives "$folder leads out" --root "$root"
  rm "$root/$folder" && ln -s "$up$outside" "$root/$folder"
  survives "$folder climbs out" --root "$root"
done
ln -sfn "$outside" "$work/way-in" && sound_root && rm -rf "${root:?}/$site" && ln -s "$work/way-in" "$root/$site"
survives "packages lead out" --root "$root"
survives "--env leads out" --root "$root" --env "$outside" --env "$up$outside"

# The loader's configuration, including itself.
sound_root
for ((i = 0; i < 4000; ++i)); do echo 'include /etc/ld.so.conf.d/*.conf'; done >"$root/etc/ld.so.conf"
cp "$root/etc/ld.so.conf" "$root/etc/ld.so.conf.d/again.conf"
survives "ld.so.conf includes itself" --root "$root"
ln -s / "$root/a" && ln -s / "$root/b" && ln -s / "$root/c"
echo 'include /*/*/*/*/*/*/*/*/*/*/*/*/*.conf' >"$root/etc/ld.so.conf"
survives "an include that matches everything" --root "$root"
for ((i = 0; i < 16000; ++i)); do echo "/opt/f$i"; done >"$root/etc/ld.so.conf"
survives "many folders of the loader" --root "$root"

# Names.
sound_root
long_name=$(printf 'n%.0s' {1..240})
for name in $'new\nline' "quo'te" 'quo"te' '$(touch x)' '`touch x`' $'esc\033[31m\007' $'bad\xff\xfe' "$long_name" '-rf' '{package}' $'rtl\u202e' ' '; do
  for place in opt home usr/local lib/modules root/.venvs root/.pyenv/versions $site opt/libtorch/lib; do
    mkdir -p "$root/$place/$name" 2>/dev/null
    printf 'home = /usr/bin\nversion = 3.11.2\n' >"$root/$place/$name/pyvenv.cfg"
    mkdir -p "$root/$place/$name/lib/python3.11/site-packages/torch"
    cp "$model/$site/torch/version.py" "$root/$place/$name/lib/python3.11/site-packages/torch/"
  done
  for place in usr/local/cuda- opt/cuda; do
    mkdir -p "$root/$place$name/bin" 2>/dev/null && echo '{"cuda": {"version": "12.4.1"}}' >"$root/$place$name/version.json"
  done
  mkdir -p "$root/$site/torch-1.0${name:0:200}.dist-info" "$root/$site/nvidia_cudnn_cu12-1${name:0:200}.dist-info"
  : >"$root/$lib/libcuda.so.${name:0:200}"
done
survives "hostile names" --root "$root"
survives "hostile names, deep" --root "$root" --deep --all-envs
run "$bin" facts --root "$root" -vv
no_controls "$work/out" "facts of hostile names"
run "$bin" record --root "$root"
[ "$status" = 0 ] || fault "record of hostile names ended with $status"
no_controls "$work/out" "the recording of hostile names"
cp "$work/out" "$work/names.toml"
survives "the recording of hostile names" --from "$work/names.toml"

# Nothing that a file says becomes part of a command.
for version in '1.0; $(touch /tmp/x)' '2.5.1+$(touch${IFS}x)' '2.5.1+cu118;touch' '2.5.1+cpu`touch`' $'2.5.1+cpu\ntouch' '2.5.1 -r /etc/passwd' '--index-url=http://x' '2.5.1+cpu&&touch'; do
  sound_root
  printf "__version__ = '%s'\ncuda = None\n" "$version" >"$root/$site/torch/version.py"
  mv "$root/$site/torch-2.5.1.dist-info" "$root/$site/torch-${version//\//_}.dist-info"
  mkdir -p "$root/$site/torch-2.4.0.dist-info" "$root/$site/torchvision-0.1+${version//\//_}.dist-info" "$root/$site/torchaudio-${version//\//_}.dist-info"
  printf 'Package: nvidia-driver-550;touch\nStatus: install ok half-installed\nVersion: 1$(touch)\n\nPackage: nvidia-$(touch)\nStatus: install ok unpacked\nVersion: 5`touch`\n\n' >"$root/var/lib/dpkg/status"
  printf 'ID="debian$(touch)"\nVERSION_ID="12;touch"\n' >"$root/etc/os-release"
  doctor check --root "$root" --assume-gpu sm_120 --assume-driver 580.95.05 --format json
  if [ -n "$python" ]; then
    "$python" - "$work/out" <<'P' || fault "version $version: in a command"
import json, sys
report = json.load(open(sys.argv[1]))
commands = [c for s in report["plan"] for c in s["commands"]]
for finding in report["findings"]:
    for fix in finding["fixes"]:
        commands += fix["commands"] + fix.get("undo", []) + [fix.get("verify", "")]
hits = [c for c in commands if "touch" in c or "passwd" in c or "http://x" in c or "IFS" in c]
print(*hits, sep="\n", end="")
sys.exit(bool(hits))
P
  fi
done

if [ "$long" = long ]; then
  limit=60
  sound_root
  for kind in "${kinds[@]}"; do
    for file in "${files[@]}"; do
      rm -rf "${root:?}/$file" && "make_$kind" "$root/$file"
      survives "$file a $kind" --root "$root"
      rm -rf "${root:?}/$file"
      [ ! -e "$model/$file" ] || cp -a "$model/$file" "$root/$file"
    done
  done
  # Folders of 100,000 entries: each alone.
  many() { seq 1 100000 | sed "s|.*|$1|" | (cd "$root/$2" && xargs "${@:3}"); }
  crowd() { sound_root && mkdir -p "$root/$2" && many "$@" && survives "100,000 of $1 in $2" --root "$root"; }
  crowd 'package_&-1.0.dist-info' "$site" mkdir
  crowd 'torch-1.0.&.dist-info' "$site" mkdir
  crowd 'nvidia_cudnn_cu12-9.1.&.dist-info' "$site" mkdir
  crowd '__editable__torch&.pth' "$site" touch
  crowd 'thing&' usr/local mkdir
  crowd 'cuda-13.& cuda-13.&/bin' usr/local mkdir
  crowd 'cuda-13.& cuda-13.&/bin' opt mkdir
  crowd 'env&' opt mkdir
  crowd 'libtorch&' opt mkdir
  crowd 'user&' home mkdir
  crowd '6.1.&-1' lib/modules mkdir
  crowd 'libcuda.so.550.&.14' $lib touch
  crowd 'libcudnn.so.9.1.&' $lib touch
  crowd 'pytorch-2.5.&-py3.11_cuda12.4_cudnn9.1.0_0.json' opt/conda/conda-meta touch
  crowd 'x&.conf' etc/ld.so.conf.d touch
  crowd 'x&.conf' etc/modprobe.d touch
  crowd '550.&' var/lib/dkms/nvidia mkdir
  crowd 'nvidia&-1.0-1' var/lib/pacman/local mkdir
  sound_root && many '&' opt mkdir && many '&/pyvenv.cfg' opt touch && survives "100,000 environments" --root "$root"
  sound_root
  seq 1 100000 | sed 's|.*|u&:x:&:&:u:/home/u&:/bin/sh|' >"$root/etc/passwd"
  survives "100,000 users" --root "$root"
  seq 1 100000 | sed 's|.*|Package: nvidia-driver-&\nStatus: install ok half-installed\nVersion: &\n|' >"$root/var/lib/dpkg/status"
  survives "100,000 packages" --root "$root"
  seq 1 50000 | sed 's|.*|/opt/e&|' >"$root/root/.conda/environments.txt"
  survives "50,000 environments of conda" --root "$root"
  printf 'envs_dirs:\n%s\n' "$(seq 1 20000 | sed 's|.*|  - /*/*/*/*/*/*/&|')" >"$root/root/.condarc"
  survives "20,000 folders of environments" --root "$root"
fi
end
