#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a Debian package for each component, and SHA256SUMS, from a build tree that was
# configured with the preset `package`:
#
#   pack.sh BUILD OUTPUT
#
# control.in lists the dependencies of each package. Packages of the same build are
# identical, whatever the time, umask, time zone and folder. All files get the time of
# the newest entry in cmake/debian/changelog.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$1
output=$2
# COMPONENT=PACKAGE...
# shellcheck disable=SC2046
set -- $(cat "$build/package/packages")
umask 022
export LC_ALL=C.UTF-8 TZ=UTC

die() {
	printf 'pack: %s\n' "$*" >&2
	exit 1
}

for tool in dpkg-parsechangelog dpkg-shlibdeps dpkg-gencontrol dpkg-deb; do
	command -v "$tool" >/dev/null || die "$tool not found: install dpkg-dev"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# dpkg's tools read debian/changelog and debian/control, and package trees in debian/.
mkdir "$work/debian"
cp "$here/changelog" "$build/package/control" "$work/debian"
cd "$work"
version=$(dpkg-parsechangelog -S Version)
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
export SOURCE_DATE_EPOCH
upstream=$(cat "$build/package/version")
[ "${version%-*}" = "$upstream" ] ||
	die "cmake/debian/changelog: its newest version is $version, the project's is $upstream: add an entry"

# Installs component $1 as the tree of package $2.
stage() {
	tree=debian/$2
	doc=$tree/usr/share/doc/$2
	mkdir -p "$tree/DEBIAN" "$doc" "$tree/usr/share/lintian/overrides"
	cmake --install "$build" --component "$1" --strip --prefix "$work/$tree/usr" >log 2>&1 ||
		die "cannot install $1: $(grep -m 1 'CMake Error' log || tail -n 1 log)"
	cp "$here/copyright" "$doc"
	cp "$here/changelog" "$doc/changelog.Debian"
	cp "$here/../../CHANGELOG.md" "$doc/changelog"
	cp "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/$2"
	case $1 in
	command | pass) cp "$build/package/README.Debian" "$doc" ;;
	esac
	# Debian policy 12.1 and 12.7 require these files to be compressed.
	find "$tree/usr/share/man" "$doc" \( -name '*.1' -o -name 'changelog*' \) \
		-exec gzip -9n {} + 2>/dev/null || :
	chmod -R u=rwX,go=rX "$tree"
	# List the package's libraries: from this list dpkg-shlibdeps makes the dependencies of
	# programs that link with them.
	find "$tree/usr/lib" -maxdepth 2 -name 'lib*.so.*' -type l 2>/dev/null | sort |
		while read -r library; do
			name=${library##*/}
			printf '%s %s %s (>= %s)\n' "${name%.so.*}" "${name##*.so.}" "$2" "$upstream"
		done >"$tree/DEBIAN/shlibs"
	if [ -s "$tree/DEBIAN/shlibs" ]; then
		echo 'activate-noawait ldconfig' >"$tree/DEBIAN/triggers"
	else
		rm "$tree/DEBIAN/shlibs"
	fi
}

# Prints the programs and libraries of package $1.
binaries() {
	find "debian/$1/usr" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) | sort
}

# Stage all packages before dpkg-shlibdeps searches them for libraries.
for pair; do
	stage "${pair%%=*}" "${pair#*=}"
done
rm -rf "$output"
mkdir -p "$output"
for pair; do
	package=${pair#*=}
	tree=debian/$package
	: >substvars
	if [ "${pair%%=*}" = dev ]; then
		echo "patchbay:bpf=$([ ! -d debian/libpatchbay-bpf0 ] || echo "libpatchbay-bpf0 (= $version)")" >substvars
	fi
	files=$(binaries "$package")
	if [ -n "$files" ]; then
		# shellcheck disable=SC2086 # Our own names, without blanks.
		dpkg-shlibdeps -Tsubstvars -S"$tree" $files 2>log ||
			die "cannot tell what $package needs: $(tail -n 1 log)"
	fi
	(cd "$tree" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
	dpkg-gencontrol "-p$package" "-P$tree" -Tsubstvars -ffiles ||
		die "cannot write the control file of $package"
	find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$tree" "$output" >log ||
		die "cannot pack $package"
	printf "packed %s\n" "$package" >&2
done
cd "$output" && sha256sum -- *.deb >SHA256SUMS
