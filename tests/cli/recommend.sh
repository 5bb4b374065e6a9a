#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `gpudoctor recommend`: the exact commands, why nothing newer, what would help, and the shape of both formats. Versions and
# tags by pytorch's RELEASE.md; floors 525.60.13 and 580.65.06 by the CUDA release notes.
. "$(dirname "$0")/common.bash"
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
machines=$src/tests/machines
mkdir "$work/empty"

# of MACHINE ARGUMENT…: on a recorded machine; on an empty root with assumptions.
of() { local machine=$1; shift; expect "${status_wanted:-0}" recommend "$@" --from "$machines/$machine.toml"; }
assumed() { expect "${status_wanted:-0}" recommend "$@" --root "$work/empty"; }
nothing_of() { status_wanted=1 of "$@"; }
nothing_assumed() { status_wanted=1 assumed "$@"; }
out_lacks() { grep -qF -- "$1" "$work/out" && fault "stdout has '$1' ($2)"; }
# The text with its line breaks taken out: sentences are wrapped.
says() { tr -s '\n ' ' ' <"$work/out" | grep -qF -- "$1" || fault "'$1' is not said${2:+ ($2)}: $(head -c 400 "$work/out")"; }
line() { grep -qxF -- "  $1" "$work/out" || fault "no line '$1': $(grep -E '^  [^ ]' "$work/out" | head -5)"; }

# torch: the local version is named, an installed +cpu build of the same release gives way, and an installed torchaudio
# comes along (2.11.0 is the last).
of ubuntu2204-rtx4090-sound torch
line 'python3 -m pip install torch==2.14.1+cu126 torchvision==0.29.1+cu126 --index-url https://download.pytorch.org/whl/cu126'
says 'needs driver 580.65.06; driver 535.183.01'
of ubuntu2204-torch-cpu-build torch
line '<your environment>/bin/python -m pip install torch==2.14.1+cu130 torchvision==0.29.1+cu130 torchaudio==2.11.0+cu130 --index-url https://download.pytorch.org/whl/cu130'
of ubuntu2204-torch-cpu-build torch --installer uv
line 'uv pip install --python <your environment>/bin/python torch==2.14.1 torchvision==0.29.1 torchaudio==2.11.0 --torch-backend=cu130'
of ubuntu2204-torch-cpu-build torch --installer uv --version 2.6.0   # which is installed as +cpu
grep -q -- '--reinstall-package torch --reinstall-package torchvision' "$work/out" || fault "uv would keep 2.6.0+cpu: $(cat "$work/out")"
of ubuntu2204-torch-cpu-build torch --version 2.9.1+cu126
line '<your environment>/bin/python -m pip install torch==2.9.1+cu126 torchvision==0.24.1+cu126 torchaudio==2.9.1+cu126 --index-url https://download.pytorch.org/whl/cu126'

# conda has builds of its own: up to 2.13 on conda-forge, with code for Pascal beside CUDA 12.9; cu118 on its old channel.
of conda-official-channel torch
line 'conda install -p <your environment> -c conda-forge pytorch-gpu=2.13.0 torchvision=0.28.0 cuda-version=13.0'
says '2.14.0–2.15.0 the matrix knows no conda build of it'
assumed torch --assume-gpu 'GTX 1080' --assume-driver 580.95.05 --installer conda
says "cuda-version=12.9 'cudnn<9.11'"
assumed torch --assume-gpu 'GTX 1080' --assume-driver 470.82.01 --installer conda --python 3.9
says 'pytorch==2.5.1 torchvision==0.20.1 torchaudio==2.5.1 pytorch-cuda=11.8 -c pytorch -c nvidia'
out_lacks 'pip install' conda

# What is wanted beside it, and what the matrix does not know.
assumed torch --assume-gpu 'RTX 4090' --assume-driver 580.95.05 --python 3.12 --with flash-attn,bitsandbytes,torchaudio,foo
line 'python3.12 -m pip install torch==2.10.0+cu130 torchvision==0.25.0+cu130 torchaudio==2.10.0+cu130 --index-url https://download.pytorch.org/whl/cu130'
line 'python3.12 -m pip install flash-attn==2.8.3 --no-build-isolation'
says 'Unknown to the matrix: foo is not in the matrix.'
says 'flash-attn 2.8.3 is for torch 2.10'
assumed torch --assume-gpu 'RTX 4090' --assume-driver 580.95.05 --python 3.11 --with xformers==0.0.30
says 'torch==2.7.0+cu126'   # cu128 was experimental in 2.7
assumed torch --assume-gpu 'RTX 4090' --assume-driver 580.95.05 --python 3.12 --with tensorflow   # built with CUDA 12
line "python3.12 -m pip install 'tensorflow[and-cuda]==2.21.*' torch==2.14.1+cu126 --extra-index-url https://download.pytorch.org/whl/cu126"

# Nothing fits: exit 1, why, and what would.
nothing_of debian12-rtx5090-driver-535 torch
says 'needs driver 570 or newer' && says 'would help: driver 570.86.16 or newer, with the open modules: then torch 2.11.0+cu128'
for card in 'GTX 1080' 'Tesla V100-SXM2-16GB' 'GTX 980'; do
  nothing_assumed torch --assume-gpu "$card" --assume-gpu 'RTX 5090' --assume-driver 580.95.05
  says 'no kernel module serves both' "$card"
  says "would help: leave out GPU 0 $card: then torch 2.15.0+cu132" "$card"
  says 'would help: leave out GPU 1 RTX 5090: then torch 2.14.1+cu126' "$card"
  nothing_assumed driver --assume-gpu "$card" --assume-gpu 'RTX 5090' --assume-driver 580.95.05
  says "leave out GPU 0 $card" "$card"
done
nothing_assumed torch --assume-gpu 'RTX 5090' --assume-driver 580.95.05 --python 3.7
says 'a Python of 3.11-3.15'
nothing_assumed torch --assume-gpu 'RTX 4090' --assume-driver 580.95.05 --version 9.9
says 'has no torch 9.9: not known' && says 'another release than 9.9'
nothing_assumed torch --assume-gpu 'RTX 5050' --assume-driver 570.133.07   # the first driver of that card is 575.64.03
says 'is in no driver of branch 570' && says 'driver 575.64.03 or newer'
nothing_of jetson-orin-jetpack61-sound torch
says 'https://developer.download.nvidia.com/compute/redist/jp/'
nothing_of container-ngc-pytorch torch
says "NVIDIA's own image"
nothing_of ubuntu2404-intel-only-sound torch
says 'https://download.pytorch.org/whl/cpu'

# An old driver on a data-centre GPU: forward compatibility by name; never on a GeForce, never in WSL.
assumed torch --assume-gpu A100 --assume-driver 535.183.01 --python 3.12
says 'cuda-compat-13-0' && says '/usr/local/cuda-13.0/compat'
assumed torch --assume-gpu 'RTX 3090' --assume-driver 535.183.01 --python 3.12
out_lacks cuda-compat 'a GeForce'

# The other products.
of ubuntu2204-rtx4090-sound libtorch
line "curl -fLO 'https://download.pytorch.org/libtorch/cu126/libtorch-shared-with-deps-2.14.1%2Bcu126.zip'"
of ubuntu2204-rtx4090-sound cuda   # 535 is CUDA 12.2's branch
says 'cuda-toolkit-$(echo 12.2 | tr . -)' && says '12.9.0–12.9.2 runs with limits only'
of ubuntu2204-rtx4090-sound cudnn
grep -qxE '  python3 -m pip install nvidia-cudnn-cu12==9\.[0-9.]+' "$work/out" || fault "cudnn: $(cat "$work/out")"
of ubuntu2404-rtx5090-torch-cu124 cudnn   # one torch takes one cuDNN
says 'cudnn 9.1.0.70' && says 'takes no other'
of ubuntu2204-rtx4090-sound nccl --installer uv
grep -qxE '  uv pip install --python python3 nvidia-nccl-cu12==2\.[0-9.]+' "$work/out" || fault "nccl: $(cat "$work/out")"
of ubuntu2204-rtx4090-sound tensorflow --python 3.12
line "python3.12 -m pip install 'tensorflow[and-cuda]==2.21.*'"
nothing_of ubuntu2404-rtx5090-torch-cu124 tensorflow   # TensorFlow 2.18 and later want CUDA 12.5 beside them
says 'another torch beside it (--with torch): then tensorflow 2.21'
assumed jax --assume-gpu 'GTX 1080' --assume-driver 580.95.05 --python 3.12   # the CUDA 13 plugin starts at 7.5
line "python3.12 -m pip install 'jax[cuda12]>=0.11.0'"
of ubuntu2204-rtx4090-sound vllm
says "vllm==0.19.*" && says 'vllm 0.20-0.26 is built for CUDA 13; CUDA 12.8'
of fedora40-no-driver driver
says 'akmod-nvidia'
of wsl2-sound driver
says 'In WSL the driver is the one of Windows' && out_lacks 'apt-get' 'a Linux driver in WSL'
of ubuntu2404-v100-open-module driver
line 'sudo apt-get -o DPkg::Lock::Timeout=300 install -y linux-headers-$(uname -r) nvidia-driver-580'
nothing_of debian12-rtx5090-driver-535 driver
says 'branch 570 or newer is needed'
nothing_of ubuntu2404-rx7900xtx-rocm-sound cudnn
of ubuntu2404-rx7900xtx-rocm-sound torch
says 'torch==2.14.1+rocm7.14'

# Nothing of the user's own words enters a command unless it is in a table.
assumed torch --assume-gpu 'RTX 4090' --assume-driver 580.95.05 --python 3.11 --with 'foo;reboot,xformers==$(reboot)' || true
grep -E '^  [^ ]' "$work/out" | grep -q reboot && grep -E '^  (python|uv|conda|sudo)' "$work/out" | grep reboot && fault 'a word of the user in a command'

# Every product on every machine: ends with 0 or 1, in 80 columns but for commands and addresses, ASCII where asked, and
# the same exit in JSON; exit 1 always says what would help.
for machine in ubuntu2204-rtx4090-sound ubuntu2404-rtx5090-torch-cu124 debian12-rtx5090-driver-535 ubuntu2004-k80-driver-470-sound wsl2-sound \
  conda-official-channel jetson-orin-jetpack61-sound container-ngc-pytorch docker-with-gpu-sound fedora40-no-driver ubuntu2404-rx7900xtx-rocm-sound \
  ubuntu2204-rx5700xt-rocm ubuntu2404-v100-open-module ubuntu2404-intel-only-sound hostile-fifo-and-refusals; do
  for product in torch libtorch tensorflow jax vllm cuda driver cudnn nccl; do
    run env LC_ALL=C "$bin" recommend $product --from "$machines/$machine.toml" -v
    [ "$status" = 0 ] || [ "$status" = 1 ] || fault "$product on $machine ends with $status: $(head -c 200 "$work/err")"
    text_status=$status
    err_empty "$product on $machine"
    LC_ALL=C grep -n '[^ -~]' "$work/out" >/dev/null && fault "$product on $machine: not only ASCII: $(LC_ALL=C grep '[^ -~]' "$work/out" | head -1)"
    [ "$status" = 0 ] || grep -q 'would help: ' "$work/out" || fault "$product on $machine: nothing that would help"
    awk 'length > 80 && !/^  [^ ].* (install|pip|conda|dnf|apt-get|wget|curl|zypper|pacman)/ && !/^  (wget|curl|sudo|conda|uv) / && !/^ *[^ ]*$/ { print FILENAME ": " $0 }' "$work/out" >"$work/wide"
    [ -s "$work/wide" ] && fault "$product on $machine: wider than 80: $(head -1 "$work/wide")"
    run "$bin" recommend $product --from "$machines/$machine.toml" --format json
    [ "$status" = "$text_status" ] || fault "$product on $machine: JSON ends with $status, text with $text_status"
    cp "$work/out" "$work/$machine.$product.json"
  done
done
if [ -n "$python" ]; then
  cat >"$work/schema.py" <<'P'
import json, sys
texts = lambda value: isinstance(value, list) and all(isinstance(one, str) and one for one in value)
for name in sys.argv[1:]:
    said = json.load(open(name, encoding="utf-8"))
    assert isinstance(said["schema"], int) and said["product"] and said["matrix"] and texts(said["machine"]) and texts(said["notes"]), name
    if said["found"]:
        assert said["version"] and said["certainty"] in ("certain", "likely") and texts(said["commands"]), name
    else:
        assert said["why"] and texts(said["help"]) and said["help"], name
    for no in said["refused"]:
        assert no["why"] and no["row"] and no["because"] in ("release", "python", "platform", "glibc", "gpu", "driver", "package", "status", "limits"), (name, no)
P
  "$python" "$work/schema.py" "$work"/*.json 2>"$work/err" || fault "JSON: $(tail -3 "$work/err")"
fi

# Usage.
expect 2 recommend
expect 2 recommend pytorch
expect 2 recommend torch --installer poetry
expect 2 recommend torch --assume-gpu 'no such card'
end
