#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# apply-linux.sh SOURCE SERIES DIR
#
# Applies a series of patches to a copy in DIR of the tree that unpack-linux.sh has unpacked
# into SOURCE. Prints the number of added and removed lines per patch.
set -eu
source=$1 series=$2 dir=$3
patches=$(sed "s,^,$(dirname "$series")/," "$series")
cp -r "$source" "$dir"
cd "$dir"
# Make DIR a repository. Otherwise git resolves paths in the surrounding repository.
git init -q
for patch in $patches; do
	git apply --check --whitespace=error-all "$patch"
	git apply "$patch"
	echo "$(basename "$patch"): $(git apply --numstat "$patch" |
		awk '{ added += $1; removed += $2 } END { print added, removed }')"
done
