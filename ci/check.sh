#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds gpudoctor and checks this machine. Arguments go to `gpudoctor check`, and its exit status comes back.
set -euo pipefail
top=$(dirname "$(readlink -f "$0")")/..
(cd "$top" && . ci/build.sh && build release gpudoctor_program) || exit 4    # 1, 2 and 3 are the program's own
exec "$top/build/release/gpudoctor" check "$@"
