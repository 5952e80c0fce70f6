#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build-fuzzer.sh CXX SOURCE-TREE OUTPUT [OPTION...]
#
# OPTIONs are passed to the compiler. -O1 makes each input six times as fast, for runs of
# millions of inputs. -O1 also compiles for one more minute, which is too long for some
# thousand inputs.
#
# Only the reader of recordings is compiled again, with sanitizers; LLVM's library is not.
# Code that interprets the bytes has coverage counters, which guide the fuzzer. Code that
# prints is executed without counters: the fuzzer would check its thousands of branches after
# each input.
set -e
cxx=$1 source=$2 output=$3
shift 3
llvm=$(dirname "$("$cxx" --print-prog-name=llvm-config)")/llvm-config
# Remove objects of other versions of this script, because all objects are linked.
rm -rf "$output.d"
mkdir -p "$output.d"

more=$*
sanitize() {
	"$cxx" -std=c++17 -O0 -gline-tables-only -fno-exceptions -fno-rtti \
		-fsanitize=address,undefined -fno-sanitize=vptr,function \
		-fno-sanitize-recover=undefined \
		-isystem "$("$llvm" --includedir)" \
		-D_GNU_SOURCE -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
		-D__STDC_LIMIT_MACROS \
		-I "$source/runtime" -I "$source/runtime/include" \
		-I "$source/runtime/tool" \
		$more "$@"
}

# Compiles many files as one, because headers and templates take most of the time.
together() {
	name=$1
	shift
	printf '#include "%s.cpp"\n' "$@" >"$output.d/$name.cpp"
}

together guided reading/CallStream reading/DataBlocks reading/DataFile \
	reading/DataReader reading/DataSlow reading/EventWindows reading/Trace \
	reading/TypedText showing/WhySlow elf/Unwinder
sanitize -fsanitize=fuzzer-no-link -c "$output.d/guided.cpp" -o "$output.d/guided.o"

# A file is compiled alone if it shares a file-local name with another file or a header.
together names support/Diagnostics elf/Bolt elf/DynamicTable elf/ElfImage elf/LoadMap \
	names/FunctionNames names/NameArchive names/NameFilter names/NameForms \
	names/ShortNames names/SymbolFiles reading/TracedNames support/PlainText
together reading reading/CallPass reading/Parallel support/MappedFile \
	analysis/CallTree analysis/Comparison analysis/Durations \
	showing/Losses showing/ReportTable showing/Table \
	arguments/DwarfFunctions showing/TracingCost showing/Values \
	export/PerfettoExport
together export export/Export
together files reading/DataFiles
together output live/ThreadStatus recording/OutputDir
together terminal support/Terminal
for part in names reading export files output terminal; do
	sanitize -c "$output.d/$part.cpp" -o "$output.d/$part.o"
done
for part in name_forms name_parts; do
	sanitize -x c -std=c11 -DPB_LIBC_MEMORY -c "$source/runtime/trace/format/$part.c" -o "$output.d/$part.o"
done
sanitize -fsanitize=fuzzer -o "$output" \
	"$source/test/runtime/Inputs/fuzz-data-file.cpp" "$output.d"/*.o \
	-L "$("$llvm" --libdir)" -lLLVM -Wl,-rpath,"$("$llvm" --libdir)"
