#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Unpacks the headers of DPDK's library of BPF, those of the version that is
# installed, and prints the folder that they are in:
#
#   fetch-dpdk.sh
#
# Nothing is installed: the package that has the headers depends on two hundred
# others, all of DPDK and what that is built with.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay

die() {
	printf 'fetch-dpdk: %s\n' "$*" >&2
	exit 1
}

version=$(dpkg-query -W -f '${Version}\n' 'librte-bpf[0-9]*' 2>/dev/null | sort -V | tail -n 1)
[ -n "$version" ] ||
	die "no package librte-bpf is installed: see cmake/packages.txt"
store=$cache/dpdk
if [ -f "$store/include/rte_bpf.h" ] && [ "$(cat "$store/version")" = "$version" ]; then
	printf '%s\n' "$store/include"
	exit
fi

partial=$cache/partial/dpdk
rm -rf "$partial"
mkdir -p "$partial" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
(cd "$partial" && apt-get -q -o APT::Sandbox::User= download "libdpdk-dev=$version" >log 2>&1) ||
	die "cannot download libdpdk-dev $version: $(tail -n 1 "$partial/log")"
dpkg-deb -x "$partial"/libdpdk-dev_*.deb "$partial/root" ||
	die "cannot unpack libdpdk-dev $version in $partial"
# One header is in a folder of the architecture's.
mkdir "$partial/include"
cp -R "$partial"/root/usr/include/dpdk/. "$partial"/root/usr/include/*/dpdk/. "$partial/include"
[ -f "$partial/include/rte_bpf.h" ] || die "no rte_bpf.h in libdpdk-dev $version"
rm -rf "$store"
mkdir "$store"
printf '%s\n' "$version" >"$store/version"
mv "$partial/include" "$store/include"
rm -rf "$partial"
printf '%s\n' "$store/include"
