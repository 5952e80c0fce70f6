#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the files of a release from a build tree and its Debian packages:
#
#   dist.sh BUILD DEBS OUTPUT
#
#   OUTPUT/patchbay-VERSION-MACHINE.tar.xz  the installed tree, which works in any folder
#   OUTPUT/apt/                             a Debian repository of DEBS. Sign its Release file
#   OUTPUT/manual/                         HTML of the manual, if pandoc is installed
#   OUTPUT/SHA256SUMS                       sums of all files
#
# The files of the same build are identical. All files get the time SOURCE_DATE_EPOCH or, by
# default, the time of the newest commit. The name of the tarball contains the version of
# LLVM, unless the version is the first in cmake/llvm-versions.
set -eu

die() {
	printf 'dist: %s\n' "$*" >&2
	exit 1
}

[ $# -eq 3 ] || die "usage: dist.sh BUILD DEBS OUTPUT"
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
output=$3
umask 022
unset DESTDIR
export LC_ALL=C.UTF-8 TZ=UTC

# Prints the value of $1 in the build tree's cache.
cached() {
	sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || :
}

version=$(cached CMAKE_PROJECT_VERSION)
[ -n "$version" ] || die "no build tree in $build: run sh cmake/bootstrap.sh build"
ls "$2"/*.deb >/dev/null 2>&1 || die "no packages in $2: run sh cmake/bootstrap.sh package"
debs=$(cd "$2" && pwd)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) ||
		die "no commit to take the time from: set SOURCE_DATE_EPOCH"
fi
export SOURCE_DATE_EPOCH
name=patchbay-$version-$(uname -m)
llvm=$(cached PATCHBAY_LLVM_VERSION_MAJOR)
grep -x -m 1 '[0-9]*' "$root/cmake/llvm-versions" | grep -qx "$llvm" || name=$name-llvm$llvm

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
rm -rf "$output"
mkdir -p "$output"
output=$(cd "$output" && pwd)

# The installed tree, documents, and licences of the libraries linked into the command.
tree=$work/$name
cmake --install "$build" --strip --prefix "$tree" >"$work/log" 2>&1 ||
	die "cannot install $build: $(grep -m 1 'CMake Error' "$work/log" || tail -n 1 "$work/log")"
documents=$tree/share/doc/patchbay
mkdir -p "$documents/licences"
for file in CHANGELOG.md LICENSE runtime/doc; do
	[ ! -e "$root/$file" ] || cp -r "$root/$file" "$documents"
done
for package in "llvm-$llvm-dev" libstdc++-12-dev libzstd-dev zlib1g-dev; do
	[ ! -e "/usr/share/doc/$package/copyright" ] ||
		cp -L "/usr/share/doc/$package/copyright" "$documents/licences/$package"
done
chmod -R u=rwX,go=rX "$tree"
tar -C "$work" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | xz -T1 >"$output/$name.tar.xz"
printf 'made %s.tar.xz\n' "$name" >&2

# The packages need the libraries of this release of Debian, so name the suite after it.
suite=$(. /etc/os-release && printf '%s\n' "$VERSION_CODENAME")
architecture=$(dpkg --print-architecture)
index=main/binary-$architecture
mkdir -p "$output/apt/pool/main" "$output/apt/dists/$suite/$index"
cd "$output/apt"
cp "$debs"/*.deb pool/main
dpkg-scanpackages --arch "$architecture" pool/main >"dists/$suite/$index/Packages" 2>"$work/log" ||
	die "cannot list the packages: $(tail -n 1 "$work/log")"
xz -T1 -k "dists/$suite/$index/Packages"
cd "dists/$suite"
cat >"$work/Release" <<END
Origin: Patchbay
Label: Patchbay
Suite: $suite
Codename: $suite
Date: $(date -R -u -d "@$SOURCE_DATE_EPOCH" | sed 's/+0000/UTC/')
Architectures: $architecture
Components: main
Description: packages of Patchbay $version
SHA256:
END
for file in "$index/Packages" "$index/Packages.xz"; do
	printf ' %s %s %s\n' "$(sha256sum <"$file" | cut -d ' ' -f 1)" "$(wc -c <"$file")" "$file"
done >>"$work/Release"
mv "$work/Release" Release
printf 'made apt/dists/%s\n' "$suite" >&2

if command -v pandoc >/dev/null; then
	python3 "$root/cmake/docs.py" "$root" "$output/manual" >"$work/log" || exit 1
	printf 'made manual\n' >&2
else
	printf 'left out: manual (pandoc not found)\n' >&2
fi

cp "$debs"/*.tar.gz "$output" 2>/dev/null || :
cd "$output"
find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum -- >SHA256SUMS
