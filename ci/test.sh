#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the `dev` preset and runs its tests. Arguments go to ctest: ci/test.sh -R child
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. ci/build.sh
need_test
build dev all
ctest --preset dev -j2 "$@" </dev/null
