#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# system-programs.sh DIR LIB RUN CC CXX HARDEN STATIC [LEFT_OUT]
#
# Builds the runtime tests for another architecture in DIR with the libpatchbay in LIB,
# and runs all of them in one boot of an emulated guest. RUN, CC and CXX are commands
# with options. HARDEN has options for programs with landing pads and similar. STATIC
# has options for a static executable, position-independent if the C library permits.
# "life fork-in-signal" is not run, because its signals arrive faster than an emulated
# guest forks. The programs named in LEFT_OUT are not run either; it may name
# main-thread, unwind-step and fork-storm. stress runs for PATCHBAY_STRESS_SECONDS (3).
set -eu
dir=$1 lib=$2 run=$3 cc=$4 cxx=$5 harden=$6 pie=$7 left_out=${8-}
tests=$(dirname "$0")/..
dynamic="-L $lib -lpatchbay -Wl,-rpath,$lib -lpthread"
static="-static $lib/libpatchbay.a -lpthread"

for program in arm several registers vectors toggle life dso fork foreign \
	filter batch ops inspect torture process file flips \
	sandbox many check exit-timed storm left nested jump fork-storm \
	shared; do
	$cc "$tests"/*/"$program".c -o "$dir/$program" $dynamic
done
$cc "$tests"/*/inject.c -o "$dir/inject" \
	-Wl,--wrap=pb_malloc,--wrap=pb_calloc,--wrap=pb_realloc,--wrap=pb_free \
	"$lib/libpatchbay.a" -lpthread
for program in link link-errors link-selftests link-future; do
	$cc "$tests"/*/"$program".c -o "$dir/$program" -lpatchbay-link $dynamic
done
$cxx "$tests"/*/link-matrix.cpp -o "$dir/link-matrix" -lpatchbay-link $dynamic
$cxx $harden -O0 "$tests"/*/link-matrix.cpp -o "$dir/link-matrix.hard" \
	-lpatchbay-link $dynamic
for program in life dso ops torture file many link-future storm fork-storm \
	shared; do
	$cc -DLIBRARY -shared -fPIC "$tests"/*/"$program".c -o "$dir/$program.so"
done
for program in args unwind exit exit-model; do
	$cxx "$tests"/*/"$program".cpp -o "$dir/$program" $dynamic
done
$cxx -std=c++20 "$tests"/*/odd.cpp -o "$dir/odd" $dynamic
$cxx -std=c++20 -O0 $harden "$tests"/*/odd.cpp -o "$dir/odd.hard" $dynamic
$cxx $harden "$tests"/*/unwind.cpp -o "$dir/unwind.hard" $dynamic
$cxx $harden -O0 "$tests"/*/exit.cpp -o "$dir/exit.hard" $dynamic
$cxx -static-libgcc -static-libstdc++ "$tests"/*/exit.cpp \
	-o "$dir/exit.unwinder" $dynamic
$cc $harden "$tests"/*/arm.c -o "$dir/arm.hard" $dynamic
$cc $harden -O0 "$tests"/*/registers.c -o "$dir/registers.hard" $dynamic
$cc -fno-sanitize=kcfi -fsanitize=function -fsanitize-trap=function \
	"$tests"/*/arm.c -o "$dir/arm.function" $dynamic
$cc $harden "$tests"/*/registers.c -o "$dir/registers.static" $static
# These programs define their own allocators.
$cc -fno-builtin "$tests"/*/ends.c -o "$dir/ends" $dynamic
$cxx -fno-builtin "$tests"/*/stress.cpp -o "$dir/stress" $dynamic
$cxx -DLIBRARY -shared -fPIC "$tests"/*/stress.cpp -o "$dir/stress.so"
$cxx -DLIBRARY -DUNWINDER -shared -fPIC -static-libgcc -static-libstdc++ \
	-Wl,--exclude-libs,ALL "$tests"/*/stress.cpp -o "$dir/stress-unwinder.so"
case $left_out in
*unwind-step*) ;;
*) $cc $harden "$tests"/*/unwind-step.c -o "$dir/unwind-step.hard" $static ;;
esac
$cc $pie "$tests"/*/static.c -o "$dir/static" \
	"$lib/libpatchbay.a" -lpthread
# The verifier and the engine of BPF programs. libpatchbay-bpf is not tested here: libbpf
# and libelf are not installed for other architectures.
unit=$tests/../unit
bpf=$tests/../../runtime/bpf
$cc -O1 -std=gnu11 -D_GNU_SOURCE "$unit/bpf-fuzz.c" "$unit"/Inputs/bpf-fuzz/*.c \
	"$bpf"/engine.c "$bpf"/flow.c "$bpf"/hash.c "$bpf"/helpers.c \
	"$bpf"/interpret.c "$bpf"/map.c "$bpf"/ringbuf.c "$bpf"/state.c \
	"$bpf"/verify*.c -I "$bpf" -I "$unit/Inputs/bpf-fuzz" -o "$dir/bpf-fuzz"
# Put the linker for static calls first in PATH.
case $left_out in
*main-thread*) ;;
*) $cc --ld-path="$(command -v ld.lld)" -Wl,--static-calls \
	"$tests"/*/main-thread.c -o "$dir/main-thread" $dynamic ;;
esac

case $left_out in
*fork-storm*) rm "$dir/fork-storm" ;;
esac

files="--file $lib/libpatchbay.so.0 --file $lib/libpatchbay-link.so.0"
for file in "$dir"/*; do
	files="$files --file $file"
done
seconds=${PATCHBAY_STRESS_SECONDS:-3}
$run --timeout $((2400 + 10 * seconds)) $files -- "$tests/Inputs/system-guest.sh" "$dir" "$seconds"
