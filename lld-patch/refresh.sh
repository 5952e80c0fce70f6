#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Ports the hook patch to another release of LLD.
#
#   sh lld-patch/refresh.sh SOURCE [SERIES]
#
# SOURCE is a folder with lld/ and cmake/ of the release. SERIES, for example 22.1, is the
# patch series to start from. The default is the series of SOURCE's major and minor version
# if there is one, otherwise the newest one.
#
# The script applies the series to a copy of SOURCE, reports each offset and fuzz, and
# writes the series again, without offsets, into the folder of SOURCE's major and minor
# version. UPSTREAM there gets SOURCE's version and the hashes of the files that the patch
# touches. If a hunk does not apply, the script writes nothing and keeps the copy with its
# .rej files.
#
# PATCHBAY_LLD_PATCHES is the folder of the series; the default is lld-patch/patches.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "refresh.sh: $*" >&2; exit 1; }

[ $# -eq 1 ] || [ $# -eq 2 ] || fail "usage: refresh.sh SOURCE [SERIES]"
source=$1
version_file=$source/cmake/Modules/LLVMVersion.cmake
[ -f "$version_file" ] && [ -f "$source/lld/ELF/Driver.cpp" ] ||
	fail "$source has no lld/ and cmake/ of an LLVM release"
part() { sed -n "s/^ *set(LLVM_VERSION_$1 \([0-9]*\)).*/\1/p" "$version_file"; }
series_name=$(part MAJOR).$(part MINOR)
version=$series_name.$(part PATCH)

patches=${PATCHBAY_LLD_PATCHES:-$here/patches}
from=${2:-$series_name}
[ $# -eq 2 ] || [ -f "$patches/$from/series" ] ||
	from=$(ls "$patches" | sort -t. -k1,1n -k2,2n | tail -n 1)
[ -f "$patches/$from/series" ] || fail "no patch series ${2:+$2 }in $patches"

work=$(mktemp -d)
mkdir "$work/out"
cp -R "$source/lld" "$work/before"
chmod -R u+w "$work/before"
mkdir "$work/tree"
mv "$work/before" "$work/tree/lld"

# For each patch: save the files that it touches, apply it, diff.
grep -v '^#' "$patches/$from/series" | while read -r name; do
	patch=$patches/$from/$name
	sed -n 's/^+++ b\/\([^	 ]*\).*/\1/p' "$patch" | while read -r file; do
		mkdir -p "$work/a/$(dirname "$file")"
		[ -f "$work/tree/$file" ] ||
			fail "$file, which $name touches, is not in $source"
		cp "$work/tree/$file" "$work/a/$file"
	done
	patch -p1 --batch --forward --no-backup-if-mismatch -d "$work/tree" \
		<"$patch" >"$work/log" || {
		cat "$work/log" >&2
		fail "$name does not apply to $source; see $work/tree"
	}
	sed -n "s/^Hunk/$name: Hunk/p" "$work/log"
	# Keep the patch's description, which is above the first file.
	sed '/^--- a\//,$d' "$patch" >"$work/out/$name"
	sed -n 's/^+++ b\/\([^	 ]*\).*/\1/p' "$patch" | while read -r file; do
		diff -u --label "a/$file" --label "b/$file" \
			"$work/a/$file" "$work/tree/$file" >>"$work/out/$name" ||
			[ $? -eq 1 ]
		echo "$file" >>"$work/files"
	done
done

{
	sed -n '/^#/p' "$patches/$from/UPSTREAM"
	echo "version $version"
	sort -u "$work/files" | while read -r file; do
		echo "file $(sha256sum <"$source/$file" | cut -d' ' -f1) $file"
	done
} >"$work/UPSTREAM"
mkdir -p "$patches/$series_name"
cp "$patches/$from/series" "$work/series"
cp "$work/out"/* "$work/series" "$work/UPSTREAM" "$patches/$series_name/"
rm -rf "$work"
echo "hook patch for LLD $version in $patches/$series_name"
