#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs Patchbay on a fresh Debian (12, 13 or unstable). `bootstrap.sh help`
# lists the verbs. A verb first runs the missing steps that it depends on. Verbs can be
# repeated, interrupted and resumed. Only the installation of missing packages needs root
# or sudo.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay
test_lists="test-packages.txt docs-packages.txt ${PATCHBAY_LONG:+long-packages.txt}"
known_llvm=$(grep -x '[0-9]*' "$root/cmake/llvm-versions")
default_llvm=$(printf '%s\n' "$known_llvm" | head -n 1)
llvm=${PATCHBAY_LLVM_VERSION_MAJOR:-$default_llvm}
llvm_config=${PATCHBAY_LLVM_CONFIG:-llvm-config-$llvm}
# Each LLVM has its own build folders.
build=$root/build/release
packages=$root/build/package
dist=$root/build/dist
if [ "$llvm" != "$default_llvm" ]; then
	build=$build-llvm$llvm
	packages=$packages-llvm$llvm
	dist=$dist-llvm$llvm
fi

# "22 or 23"
one_of() {
	printf '%s' "$1"
	shift
	[ $# -eq 0 ] || printf ' or %s' "$@"
}

usage() {
	cat <<-END
	usage: sh cmake/bootstrap.sh VERB

	  deps     install the packages that builds, tests and documents need
	  source   fetch the source of LLD, and the tests of LLVM that are run
	  build    deps, source, then build into ${build#"$root/"}
	  test     build, then run the tests, but long ones only as set below
	  demo     build, then count and change the calls of a real program
	  package  make Debian packages of it in ${packages#"$root/"}/deb
	  docs     make HTML of the manual and of the pages it links to in build/docs
	  release  build, package, then make a tarball that works in any folder, a
	           Debian repository and the manual in ${dist#"$root/"}
	  help     print this

	environment:
	  XDG_CACHE_HOME        downloads go to patchbay/ there (~/.cache)
	  PATCHBAY_LLVM_VERSION_MAJOR  the LLVM to build with: $(one_of $known_llvm) ($default_llvm).
	                        Any but $default_llvm builds into build/release-llvmN
	  PATCHBAY_LLVM_CONFIG  the llvm-config of that LLVM (llvm-config-$llvm)
	  PATCHBAY_LLD_SOURCE   a folder with lld/, cmake/, llvm/test and clang/test of
	                        that version of llvm-project, instead of a download
	  PATCHBAY_UPSTREAM     1: also test LLD's suite and Linux 6.12 (15 minutes)
	  PATCHBAY_ALL_KERNELS  1: also test Linux 7.2 (30 minutes)
	  PATCHBAY_LONG         1: also run a million changes, and rebuild SQLite
	END
}

say() {
	printf '== %s\n' "$*" >&2
}

die() {
	printf 'bootstrap: %s\n' "$*" >&2
	exit 1
}

is_installed() {
	status=$(dpkg-query -W -f ' ${db:Status-Status} ' "$1" 2>/dev/null) || status=
	case $status in
	*' installed '*) ;;
	*) false ;;
	esac
}

# Prints the lines of the given lists in cmake/ of which no alternative is installed.
missing_packages() {
	for word in $(cd "$root/cmake" && sed "s/#.*//; s/[[:space:]].*//; s/@LLVM@/$llvm/g" "$@"); do
		found=
		for package in $(printf %s "$word" | tr '|' ' '); do
			! is_installed "$package" || found=$package
		done
		[ -n "$found" ] || printf '%s ' "$word"
	done
}

# Prints for each word (a|b|c) the first alternative that apt can install, or the whole word
# if apt can install none. Asks apt about all words at once, because each call of apt is slow.
choose() {
	known=$(printf '%s\n' "$@" | tr '|' '\n' | LC_ALL=C xargs apt-cache policy 2>/dev/null |
		awk '/^[^ ]/ { name = $1; sub(/:$/, "", name) }
			$1 == "Candidate:" && $2 != "(none)" { print name }')
	for word; do
		chosen=$word
		for package in $(printf %s "$word" | tr '|' ' '); do
			if printf '%s\n' "$known" | grep -Fqx -e "$package"; then
				chosen=$package
				break
			fi
		done
		printf '%s ' "$chosen"
	done
}

# Installs the missing packages of the given lists in cmake/.
deps() {
	command -v dpkg-query >/dev/null ||
		die "not a Debian system (dpkg-query not found): install what cmake/packages.txt lists, then use the CMake preset 'release'"
	missing=$(missing_packages "$@")
	missing=${missing% }
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -eq 0 ]; then
		as_root='env'
	elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
		as_root='sudo env'
	else
		die "packages are missing and neither root nor sudo is at hand: install $missing"
	fi
	apt="$as_root DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0"
	$apt update >&2 || die "apt-get update failed, its messages are above"
	missing=$(choose $missing)
	missing=${missing% }
	say "installing $missing"
	$apt install --no-install-recommends $missing >&2 ||
		die "apt-get could not install $missing; its messages are above"
}

# Refuses a version that the pass and the linker do not support.
check_llvm() {
	printf '%s\n' "$known_llvm" | grep -Fqx -e "$llvm" ||
		die "LLVM $llvm is not known: set PATCHBAY_LLVM_VERSION_MAJOR to $(one_of $known_llvm)"
}

# Sets llvm_version. Refuses an LLVM of another major version.
find_llvm() {
	llvm_version=$($llvm_config --version 2>/dev/null) ||
		die "found no LLVM ($llvm_config does not run), LLVM $llvm is needed: install llvm-$llvm-dev or set PATCHBAY_LLVM_CONFIG"
	case $llvm_version in
	"$llvm".*) ;;
	*) die "found LLVM $llvm_version ($llvm_config), LLVM $llvm is needed: set PATCHBAY_LLVM_CONFIG, or PATCHBAY_LLVM_VERSION_MAJOR to $(one_of $known_llvm)" ;;
	esac
}

# Prints the SHA-256 sum of an upstream tarball that was built and tested. For other versions
# prints nothing: apt checks a tarball against Debian's signed index.
known_sum() {
	case $1 in
	22.1.8) echo b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe ;;
	23.1.1) echo 0a5838b993f406534db7e6dc7df66e295354a1e9a23bb21e5739cf5df5bc7689 ;;
	esac
}

# Prints patterns of the files to unpack from LLVM's tarball, for LLD's build and tests and
# for the tests of the pass. `*` matches no slash.
wanted_parts() {
	printf '%s\n' lld cmake llvm/utils/dtlto
	sed '/^#/d; /^$/d' "$root/llvm-pass/upstream-tests.txt"
}

# Sets lld_source. The rename at the end makes the folder appear in one step. .complete
# lists the patterns that were unpacked: a checkout with more patterns fetches again.
source_lld() {
	find_llvm
	if [ -n "${PATCHBAY_LLD_SOURCE:-}" ]; then
		[ -f "$PATCHBAY_LLD_SOURCE/lld/ELF/Driver.cpp" ] ||
			die "no LLD source in PATCHBAY_LLD_SOURCE=$PATCHBAY_LLD_SOURCE (lld/ELF/Driver.cpp not found): set it to a folder with lld/ and cmake/, or unset it"
		lld_source=$PATCHBAY_LLD_SOURCE
		return
	fi
	lld_source=$cache/lld-$llvm_version
	if [ -f "$lld_source/.complete" ] &&
		! wanted_parts | grep -qFxvf "$lld_source/.complete"; then
		return
	fi
	say "fetching the source of LLD $llvm_version"
	sum=$(known_sum "$llvm_version")
	[ -n "$sum" ] ||
		say "the sum of LLVM $llvm_version is not known here, Debian's signed index is trusted alone"
	tarball=$(sh "$root/cmake/fetch-source.sh" -v "$llvm_version" ${sum:+-s "$sum"} \
		"llvm-toolchain-$llvm" bookworm-security trixie trixie-security forky sid) || {
		[ -f "$lld_source/.complete" ] ||
			die "no LLD source: see the line above, or set PATCHBAY_LLD_SOURCE to a folder with lld/ and cmake/ of LLVM $llvm_version"
		say "using $lld_source as it is: it lacks tests that this checkout runs"
		return
	}
	unpacked=$lld_source.$$
	trap 'rm -rf "$unpacked"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir -p "$unpacked"
	wanted_parts | sed 's,^,*/,' |
		tar -xf "$tarball" -C "$unpacked" --strip-components=1 --no-same-owner \
			--wildcards --no-wildcards-match-slash -T - ||
		die "cannot unpack $tarball into $cache"
	wanted_parts >"$unpacked/.complete"
	rm -rf "$lld_source"
	mv -T "$unpacked" "$lld_source"
	trap - EXIT HUP INT TERM
	rm -f "$tarball"
}

prepare() {
	deps packages.txt
	source_lld
}

# build_preset PRESET FOLDER [TARGET]
build_preset() {
	say "building in $2"
	cd "$root"
	cmake --preset "$1" -B "$2" -DLLVM_DIR="$($llvm_config --cmakedir)" \
		-DPATCHBAY_LLD_SOURCE="$lld_source" >&2 ||
		die "cmake could not configure the build, its messages are above"
	cmake --build "$2" ${3:+--target "$3"} >&2 || die "the build failed, its messages are above"
}

build() {
	prepare
	build_preset release "$build"
}

# Makes the packages, their checksums and, in a git checkout, the source archive.
make_packages() {
	build_preset package "$packages" deb
	cd "$packages/deb"
	version=$(cat "$packages/package/version")
	if git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		[ -z "$(git -C "$root" status --porcelain)" ] ||
			say "there are changes that are not committed: they are in the packages, but not in the source archive"
		git -C "$root" archive --format=tar --prefix="patchbay-$version/" HEAD |
			gzip -9n >"patchbay-$version.tar.gz"
		sha256sum -- "patchbay-$version.tar.gz" >>SHA256SUMS
	fi
}

package() {
	prepare
	make_packages
	printf '%s\n' "$packages/deb"
}

docs() {
	deps docs-packages.txt
	rm -rf "$root/build/docs"
	python3 "$root/cmake/docs.py" "$root" "$root/build/docs" >&2 || exit 1
	printf '%s\n' "$root/build/docs/index.html"
}

# Makes the files of a release, for one LLVM. Says how to make a release for the others.
release() {
	prepare
	deps docs-packages.txt
	make_packages
	build_preset release "$build"
	sh "$root/cmake/dist.sh" "$build" "$packages/deb" "$dist" || exit 1
	for other in $known_llvm; do
		[ "$other" = "$llvm" ] ||
			say "left out: LLVM $other, whose release PATCHBAY_LLVM_VERSION_MAJOR=$other makes"
	done
	printf '%s\n' "$dist"
}

# Fetches the sources that tests build. Reports sources that cannot be fetched.
fetch_programs() {
	for package in lua5.4 libzstd sqlite3 fmtlib googletest onetbb nginx redis \
		jemalloc mimalloc google-perftools; do
		sh "$root/cmake/fetch-source.sh" "$package" >/dev/null ||
			say "no source of $package: tests that need it are skipped"
	done
	for package in bzip2 ${PATCHBAY_LONG:+sqlite3}; do
		sh "$root/cmake/fetch-package-source.sh" "$package" >/dev/null ||
			say "no Debian package of $package: the test that builds it is skipped"
	done
}

fetch_kernels() {
	for arch in aarch64 ppc64le riscv64 x86_64; do
		sh "$root/cmake/fetch-system.sh" "$arch" >/dev/null ||
			say "no system of $arch: tests that need it are skipped"
	done
	for version in 6.12 7.2 7.3; do
		sh "$root/cmake/fetch-linux.sh" "$version" >/dev/null ||
			say "no source of Linux $version: tests that need it are skipped"
	done
}

# Installs the tests' packages, then fetches tools, which needs these packages.
fetch_tools() {
	(deps $test_lists) || say "tests that need these packages are skipped"
	sh "$root/cmake/fetch-root.sh" "$llvm" >/dev/null ||
		say "no clean system: packages are not installed and tried"
	sh "$root/cmake/fetch-root.sh" trixie >/dev/null ||
		say "no minimal Debian 13: the tarball is not tried there"
	for package in chdb duckdb opentelemetry-proto perfetto viztracer; do
		sh "$root/cmake/fetch-python.sh" "$package" >/dev/null ||
			say "no Python package $package: tests that need it are skipped"
	done
}

# Runs the fetches in parallel: some wait for the network while others unpack.
fetch_test_inputs() {
	fetch_programs &
	fetch_kernels &
	fetch_tools
	wait
}

# Builds the plugin and runs its quick tests, so that a user sees first results after a
# minute. Ignores failures, because the full test suite runs these tests again.
first_results() {
	build_preset release "$build" patchbay-pass
	say "first results: the plugin's tests for this machine; all tests follow the build"
	"$($llvm_config --bindir)/lit" -v --filter-out 'features|whole-build' \
		"$build/test/pass/X86" "$build/test/abi" || true
}

# Builds and tests. The last line of the output is "N passed, N failed, N skipped".
run_tests() {
	deps packages.txt
	# Ask for a password now, because later steps run in the background.
	[ "$(id -u)" -eq 0 ] || [ -z "$(missing_packages $test_lists)" ] || sudo -v || true
	source_lld
	sh "$root/cmake/fetch-llvm.sh" aarch64 "$llvm" >/dev/null ||
		say "no LLVM for aarch64: the command is not tried there"
	# Download while the compiler uses the CPUs.
	fetch_test_inputs &
	fetching=$!
	trap 'kill $fetching 2>/dev/null' EXIT
	trap 'exit 1' HUP INT TERM
	first_results
	build_preset release "$build"
	build_preset package "$packages" deb
	sh "$root/cmake/dist.sh" "$build" "$packages/deb" "$dist" ||
		say "no tarball: its tests are skipped"
	wait "$fetching" || die "what the tests read could not be fetched"
	trap - EXIT HUP INT TERM
	say "testing"
	results=$build/test/results.json
	rm -f "$results"
	# One more worker than CPUs, because some tests sleep or wait for another process.
	"$($llvm_config --bindir)/lit" -v -j "$(($(nproc) + 1))" \
		${PATCHBAY_UPSTREAM:+--param upstream=1} \
		${PATCHBAY_ALL_KERNELS:+--param kernels=1} ${PATCHBAY_LONG:+--param long=1} \
		--output "$results" "$build/test" || true
	python3 "$root/cmake/test-summary.py" "$results"
}

case $#:${1:-} in
1:deps | 1:source | 1:build | 1:test | 1:demo | 1:package | 1:release) check_llvm ;;
esac
case $#:${1:-} in
1:deps) deps packages.txt $test_lists ;;
1:docs) docs ;;
1:source) source_lld ;;
1:build) build ;;
1:test) run_tests ;;
1:package) package ;;
1:release) release ;;
1:demo)
	build
	python3 "$root/test/examples/lua_demo.py" --build "$build"
	;;
0: | 1:help | 1:--help | 1:-h) usage ;;
*)
	printf "bootstrap: unknown verb '%s': use deps, source, build, test, demo, package, docs, release or help\n" "$*" >&2
	exit 2
	;;
esac
