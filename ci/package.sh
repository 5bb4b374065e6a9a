#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/gpudoctor-VERSION-linux-ARCHITECTURE.tar.gz (the static program, LICENSE, README) and its .sha256.
# The same sources give the same bytes: times are those of the last commit, or SOURCE_DATE_EPOCH.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. ci/build.sh
build static gpudoctor_program
program=build/static/gpudoctor
bash tests/cli/static_root.sh "$program" "$PWD" || [ $? -eq 77 ]

version=$("$program" --version | cut -d' ' -f2)
name=gpudoctor-$version-linux-$(uname -m)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/$name"
strip -o "$folder/$name/gpudoctor" "$program"
cp LICENSE README.md "$folder/$name/"
chmod -R u=rwX,go=rX "$folder/$name"

mkdir -p dist
tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$name" | gzip -9n >"dist/$name.tar.gz"
(cd dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
ls -l "dist/$name.tar.gz" "dist/$name.tar.gz.sha256"
