#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Everything that is large: roots of three Debian releases (one with the CUDA toolkit), sound and broken in known ways;
# wheels of four PyTorch releases with what they need and of sixteen alone; an environment broken in known ways; Debian's
# lists of devices; the chooser on 20,000 machines; recordings broken at random and hostile roots under the sanitizers. An
# hour and tens of gigabytes; run it before an issue is called done. GPUDOCTOR_REAL_DATA=DIR keeps what was fetched.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. ci/build.sh
build release all || exit 1
build asan all || exit 1
passed=0 failed=0 skipped=0

run() {
  echo "== $*"
  "$@" </dev/null
  case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)); echo "FAILED: $*" ;;
  esac
}

program=build/release/gpudoctor
run ci/real.sh $program root bookworm libcuda1 nvidia-driver-libs nvidia-smi nvidia-kernel-dkms nvidia-cuda-toolkit
run ci/real.sh $program root bullseye
run ci/real.sh $program root trixie
run ci/real.sh $program broken-root trixie
run ci/real.sh $program broken-root bookworm libcuda1 nvidia-driver-libs nvidia-smi nvidia-kernel-dkms nvidia-cuda-toolkit
run ci/real.sh $program broken-envs
for torch in 1.13.1 2.6.0 2.9.1 2.11.0; do run ci/real.sh $program wheels $torch; done
for torch in 1.13.1 2.0.1 2.1.2 2.3.1 2.4.1 2.5.1 2.6.0 2.7.1 2.8.0 2.9.1 2.10.0 2.11.0 2.12.1 2.13.0 2.14.1 2.15.0 2.11.0:aarch64 2.14.1:aarch64 2.15.0:aarch64; do
  run ci/real.sh $program torch $torch
done
run ci/real.sh $program gpus
run ci/tables.sh $program nvcc
run env GPUDOCTOR_PROPERTY=20000 build/release/tests/unit_tests "--source-file=*property_test.cpp"
run python3 ci/fuzz.py build/asan/gpudoctor tests/machines 120
for script in tests/cli/*.sh; do run bash "$script" "$PWD/build/asan/gpudoctor" "$PWD" long; done

printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
