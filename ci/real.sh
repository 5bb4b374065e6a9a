#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Holds the program against real packages, as distributions and PyTorch publish them.
#   ci/real.sh PROGRAM root [SUITE [PACKAGE …]]   a Debian root with NVIDIA's driver packages, made by debootstrap
#   ci/real.sh PROGRAM broken-root [SUITE [PACKAGE …]]   the same broken in known ways: each gives exactly its finding
#   ci/real.sh PROGRAM broken-envs                wheels of one PyTorch, whole and broken in known ways
#   ci/real.sh PROGRAM wheels [TORCH …]           PyTorch wheels with the NVIDIA wheels they name, in virtual environments
#   ci/real.sh PROGRAM torch [TORCH[:aarch64] …]  the torch wheel alone, with the torchvision and torchaudio of its row: what it
#                                                 says of itself is what rules/tables/torch.toml says of it
#   ci/real.sh PROGRAM gpus [SUITE …]             Debian's lists of devices: nvidia-driver's supported-gpus.json, nvidia-detect, pci.ids
# What must be seen stands in ci/real/. GPUDOCTOR_REAL_DATA=DIR keeps what was fetched there; a temporary folder otherwise.
# Ends with 77 where it cannot be tried: root is needed for a root, and Debian sources.
set -euo pipefail
top=$(dirname "$(readlink -f "$0")")/..
. "$top/ci/deps.sh"

program=$(readlink -f "$1") what=$2
shift 2

data=${GPUDOCTOR_REAL_DATA:-}
if [ -z "$data" ]; then
  data=$(mktemp -d "${TMPDIR:-/tmp}/gpudoctor-real.XXXXXX")
  trap 'rm -rf --one-file-system "$data"' EXIT
fi
mkdir -p "$data"
failed=0

# expect NAME ARGUMENT …: a report must meet ci/real/NAME; findings are no failure of the run (exit 1), trouble is.
expect() {
  local name=$1 code=0
  shift
  echo "== $name: gpudoctor check $*"
  "$program" check --format json "$@" >"$data/$name.json" || code=$?
  if [ "$code" -gt 1 ]; then echo "exit status $code"; failed=1; fi
  python3 "$top/ci/expect.py" "$top/ci/real/$name" <"$data/$name.json" || failed=1
}

# What was fetched goes as soon as it was looked at, unless it is to be kept.
done_with() {
  if [ -z "${GPUDOCTOR_REAL_DATA:-}" ]; then rm -rf --one-file-system "$1" "$1.done"; fi
}

# The Debian mirror that this machine itself uses, from apt's own view of its sources.
debian_mirror() {
  # shellcheck disable=SC2016
  local format='$(ORIGIN) $(REPO_URI)'
  apt-get indextargets --format "$format" 'Created-By: Packages' | sed -nE 's!^Debian (.*/debian)/?$!\1!p' | head -n 1
}

# make_root SUITE FOLDER COMPONENTS PACKAGE …
make_root() {
  local suite=$1 folder=$2 components=$3 mirror
  shift 3
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then apt-get -qq update </dev/null >&2 || true; mirror=$(debian_mirror); fi
  if [ -z "$mirror" ]; then echo "SKIP: this machine has no Debian among its package sources"; exit 77; fi
  rm -rf --one-file-system "$folder"
  debootstrap --variant=minbase --components="$components" "$suite" "$folder" "$mirror" >"$data/$suite.log" 2>&1
  apt-config dump | grep '^Acquire::.*[pP]roxy' >"$folder/etc/apt/apt.conf.d/99host" || true
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"    # starts no service
  chmod +x "$folder/usr/sbin/policy-rc.d"
  local get="DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o APT::Sandbox::User=root -y -q"
  # nvidia-cudnn is an installer: an empty package. Some releases of it fetch at once, which may fail and is no matter here. It wants the toolkit before it
  # (8 GB), which is left out unless it was asked for.
  chroot "$folder" /bin/sh -ec "$get update; $get install --no-install-recommends $*; $get install wget
    if [ -n \"\$(apt-cache policy nvidia-cudnn)\" ]; then
      cd /tmp; $get download nvidia-cudnn; DEBIAN_FRONTEND=noninteractive dpkg --force-depends -i nvidia-cudnn_*.deb || true; rm nvidia-cudnn_*.deb
    fi; apt-get clean" >>"$data/$suite.log" 2>&1 </dev/null
}

real_root() {
  local suite=${1:-bookworm} components=main,contrib,non-free
  [ $# -eq 0 ] || shift
  if [ "$(id -u)" -ne 0 ]; then echo "SKIP: debootstrap needs root"; exit 77; fi
  need_root
  [ "$suite" = bullseye ] || components+=,non-free-firmware
  [ $# -gt 0 ] || set -- libcuda1 nvidia-driver-libs nvidia-smi nvidia-kernel-dkms
  if [ ! -e "$data/$suite.done" ]; then
    make_root "$suite" "$data/$suite" "$components" "$@" || { tail -n 40 "$data/$suite.log"; exit 1; }
    touch "$data/$suite.done"
  fi
  expect "root-$suite" --root "$data/$suite"
  done_with "$data/$suite"
}

# make_env FOLDER ARCHITECTURE PACKAGE==VERSION …: a virtual environment by its files alone; nothing of it is run.
make_env() {
  local folder=$1 arch=$2 site=$1/lib/python3.11/site-packages
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$site"
  printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n' >"$folder/pyvenv.cfg"
  python3 -m pip download -q --no-deps --no-cache-dir --disable-pip-version-check --retries 5 -d "$folder.wheels" \
    --only-binary :all: --implementation cp --python-version 3.11 --abi cp311 --abi abi3 --abi none \
    --platform "manylinux_2_28_$arch" --platform "manylinux_2_27_$arch" --platform "manylinux2014_$arch" \
    --platform "manylinux_2_18_$arch" --platform "manylinux1_$arch" --platform "linux_$arch" "$@" </dev/null
  for wheel in "$folder.wheels"/*.whl; do python3 -m zipfile -e "$wheel" "$site"; done
  rm -rf "$folder.wheels"
}

real_wheels() {
  need_wheels
  [ $# -gt 0 ] || set -- 1.13.1 2.11.0
  local torch
  for torch in "$@"; do
    local folder=$data/torch-$torch wheels
    # The first line of an expectation names the wheels.
    wheels=$(sed -n '1s/^# wheels: //p' "$top/ci/real/torch-$torch")
    # shellcheck disable=SC2086
    if [ ! -e "$folder.done" ]; then
      make_env "$folder" x86_64 $wheels
      touch "$folder.done"
    fi
    # No driver that the machine may have shall matter.
    expect "torch-$torch" --env "$folder" --all-envs --assume-gpu "RTX 5090" --assume-gpu "GTX 1080" --assume-driver 535.183.01
    done_with "$folder"
  done
}

# lists_of SUITE FOLDER: the packages with lists of devices, unpacked; nothing is installed and apt's own state is not touched.
lists_of() {
  local suite=$1 folder=$2 components="main contrib non-free" mirror packages="nvidia-driver nvidia-detect"
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then echo "SKIP: this machine has no Debian among its package sources"; exit 77; fi
  [ "$suite" != sid ] || packages=pci.ids
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder"/apt/lists/partial "$folder"/apt/cache/archives/partial "$folder"/files
  printf 'deb %s %s %s\n' "$mirror" "$suite" "$components" >"$folder/apt/sources.list"
  local here=(-o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/apt/lists"
              -o "Dir::Cache=$folder/apt/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Acquire::Retries=3)
  # shellcheck disable=SC2086
  (cd "$folder" && apt-get "${here[@]}" -qq update && apt-get "${here[@]}" -qq download $packages) >"$data/lists-$suite.log" 2>&1 </dev/null
  local package
  for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/files"; done
}

real_gpus() {
  [ $# -gt 0 ] || set -- bullseye bookworm trixie sid
  local suite
  for suite in "$@"; do
    local folder=$data/lists-$suite
    if [ ! -e "$folder.done" ]; then
      lists_of "$suite" "$folder" || { tail -n 20 "$data/lists-$suite.log"; exit 1; }
      touch "$folder.done"
    fi
    find "$folder/files" \( -name 'supported-gpus.json*' -o -name 'nvidia*.ids' -o -name pci.ids \) -type f -print0 | sort -z |
      xargs -0 "$top/ci/tables.sh" "$program" gpus || failed=1
    done_with "$folder"
  done
}

# The packages of a row; torchvision before 0.15 and torchaudio before 2.0 are not on PyPI for this Python.
row_of() {
  "$program" matrix torch "$1" --format json | python3 -c '
import json, sys
row = next(one["row"] for one in json.load(sys.stdin)["lists"]["release"]["rows"] if one["row"]["torch"] == sys.argv[1])
print(" ".join(["torch==" + row["torch"]] + (["torchvision==" + row["vision"], "torchaudio==" + row["audio"]] if row["torch"][0] != "1" else [])))' "$1"
}

real_torch() {
  need_wheels
  [ $# -gt 0 ] || set -- 2.15.0
  local one
  for one in "$@"; do
    local torch=${one%:*} arch=x86_64 packages
    [ "$one" = "$torch" ] || arch=${one#*:}
    local folder=$data/alone-$torch-$arch
    packages=$(row_of "$torch")
    # shellcheck disable=SC2086
    if [ ! -e "$folder.done" ]; then
      make_env "$folder" "$arch" $packages
      touch "$folder.done"
    fi
    "$top/ci/tables.sh" "$program" wheel "$folder" || failed=1
    done_with "$folder"
  done
}

# broken NAME ARGUMENT …: what was broken gives exactly the finding that ci/real/broken-NAME names.
broken() {
  local name=$1
  shift
  expect "broken-$name" "$@"
}

# A Debian root broken in four known ways, each mended again before the next. With a toolkit in it (`real.sh … broken-root
# bookworm …`) also by a compiler that nvcc does not take.
broken_root() {
  local suite=${1:-trixie}
  real_root "$@"
  [ -d "$data/$suite" ] || exit 1
  local root=$data/broken-$suite
  rm -rf --one-file-system "$root"
  cp -a "$data/$suite" "$root"
  local libraries=$root/usr/lib/x86_64-linux-gnu/nvidia/current version modules=$root/lib/modules/9.9.9-test/updates/dkms object=$data/nvidia.ko
  version=$(basename "$libraries"/libcuda.so.*.*)
  version=${version#libcuda.so.}
  module() { printf '__attribute__((section(".modinfo"), used)) static const char info[] = "version=%s\\0license=NVIDIA\\0vermagic=9.9.9-test SMP";\n' "$1" | gcc -x c -c - -o "$object" && cp "$object" "$modules/nvidia-current.ko"; }

  mkdir -p "$modules" "$root/lib/modules/9.9.9-test/kernel"
  module "$version"
  expect sound-root --root "$root"

  # A second branch unpacked over the first: both files are there, the links lead to the new one.
  cp "$libraries/libcuda.so.$version" "$libraries/libcuda.so.470.256.02"
  ln -sf libcuda.so.470.256.02 "$libraries/libcuda.so.1"
  broken second-branch --root "$root"
  ln -sf "libcuda.so.$version" "$libraries/libcuda.so.1"
  rm "$libraries/libcuda.so.470.256.02"

  module 470.256.02
  broken module --root "$root"
  module "$version"

  cp "$root/var/lib/dpkg/status" "$data/status"
  sed -i '/^Package: nvidia-kernel-dkms$/,/^$/s/^Status: .*/Status: install ok half-configured/' "$root/var/lib/dpkg/status"
  broken half --root "$root"
  cp "$data/status" "$root/var/lib/dpkg/status"

  mkdir "$data/modprobe.d"
  find "$root/etc/modprobe.d" "$root/usr/lib/modprobe.d" -name '*nouveau*' -exec mv -t "$data/modprobe.d" {} +
  broken nouveau --root "$root"
  mv "$data/modprobe.d"/* "$root/etc/modprobe.d/"
  rmdir "$data/modprobe.d"

  if [ -e "$root/usr/lib/nvidia-cuda-toolkit/bin/gcc" ]; then
    ln -sf /usr/bin/gcc-12 "$root/usr/lib/nvidia-cuda-toolkit/bin/gcc"
    broken compiler --root "$root"
  fi
  rm -rf --one-file-system "$root"
}

# All the wheels that PyTorch 2.6.0 asks for, broken in known ways. Copies are hard links: files are added and removed, never
# changed.
broken_envs() {
  need_wheels
  local whole=$data/whole-2.6.0 env=$data/broken-env
  local site=$env/lib/python3.11/site-packages
  # Neither the driver nor the toolkits that this machine may have shall matter.
  judge() { "$@" --env "$env" --all-envs --skip toolkit --assume-gpu "RTX 4090" --assume-driver 580.95.05; }
  anew() { rm -rf "$env"; cp -al "$whole" "$env"; }
  add() { make_env "$env.more" x86_64 "$@" && cp -a "$env.more/lib/python3.11/site-packages/." "$site/" && rm -rf "$env.more"; }
  if [ ! -e "$whole.done" ]; then
    make_env "$whole" x86_64 torch==2.6.0 torchvision==0.21.0 numpy==2.2.6 triton==3.2.0 nvidia-cublas-cu12==12.4.5.8 nvidia-cuda-cupti-cu12==12.4.127 nvidia-cuda-nvrtc-cu12==12.4.127 \
      nvidia-cuda-runtime-cu12==12.4.127 nvidia-cudnn-cu12==9.1.0.70 nvidia-cufft-cu12==11.2.1.3 nvidia-curand-cu12==10.3.5.147 nvidia-cusolver-cu12==11.6.1.9 nvidia-cusparse-cu12==12.3.1.170 \
      nvidia-cusparselt-cu12==0.6.2 nvidia-nccl-cu12==2.21.5 nvidia-nvjitlink-cu12==12.4.127 nvidia-nvtx-cu12==12.4.127
    touch "$whole.done"
  fi
  anew
  judge expect sound-env

  anew
  rm -rf "$site"/torchvision*
  add torchvision==0.20.1
  judge broken torchvision

  anew
  rm -rf "$site"/nvidia/nccl
  add nvidia-nccl-cu11==2.19.3
  judge broken nccl-cu11

  anew
  add onnxruntime==1.20.0 onnxruntime-gpu==1.20.0
  judge broken onnxruntime

  anew
  rm -rf "$site"/nvidia/cublas "$site"/nvidia_cublas*
  judge broken cublas
  rm -rf "$env"
  done_with "$whole"
}

case $what in
  broken-root) broken_root "$@" ;;
  broken-envs) broken_envs ;;
  root) real_root "$@" ;;
  wheels) real_wheels "$@" ;;
  torch) real_torch "$@" ;;
  gpus) real_gpus "$@" ;;
  *) echo "ci/real.sh: '$what' is none of root, broken-root, wheels, broken-envs, torch, gpus" >&2; exit 2 ;;
esac
exit "$failed"
