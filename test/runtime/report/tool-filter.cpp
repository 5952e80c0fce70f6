// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -F accepts C++ names as in the source: without parameters, and template functions
// without the result type that precedes their demangled names.
// RUN: %buildxx %s -o %t %link
// RUN: %patchbay list --full-names -F 'Cache::*' %t | FileCheck %s --check-prefix=CLASS
//      CLASS: entry
// CLASS-NEXT: Cache::hits() const{{$}}
// CLASS-NEXT: int Cache::get<int>(int){{$}}
// CLASS-NEXT: int Cache::pair<int, Cache::Of<int>>(Cache::Of<int> const&){{$}}
//  CLASS-NOT: {{.}}
// RUN: %patchbay list --full-names -F 'Cache::hits' %t | FileCheck %s --check-prefix=BARE
//      BARE: entry
// BARE-NEXT: Cache::hits() const{{$}}
//  BARE-NOT: {{.}}
// RUN: %patchbay list --full-names -F 'int Cache::get<int>(int)' -F '_ZNK5Cache4*' -F 'Cache::pair*' %t | FileCheck %s --check-prefix=CLASS
// RUN: not %patchbay list --full-names -F 'Cache' -F '' %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: no function matches 'Cache', ''
// RUN: %patchbay record -t count -F 'Cache::*' -o %t.data -- %t
// RUN: %patchbay report --full-names %t.data | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: 1 {{ *}}Cache::hits() const
// COUNTS-DAG: 1 {{ *}}int Cache::get<int>(int)
//
// Spaces between types and punctuation are optional.
// RUN: %patchbay list --full-names -F 'Cache::pair<int,Cache::Of<int>>' %t | FileCheck %s --check-prefix=PAIR
// RUN: %patchbay list --full-names -F 'int Cache::pair< int , Cache::Of<int> >( Cache::Of<int> const & )' %t | FileCheck %s --check-prefix=PAIR
//      PAIR: entry
// PAIR-NEXT: int Cache::pair<int, Cache::Of<int>>(Cache::Of<int> const&){{$}}
//  PAIR-NOT: {{.}}
// RUN: not %patchbay list --full-names -F 'Cachepair<int,Cache::Of<int>>' -F 'intCache::get<int>(int)' %t 2>&1 | FileCheck %s --check-prefix=NO-PAIR
// NO-PAIR: no function matches 'Cachepair<int,Cache::Of<int>>', 'intCache::get<int>(int)'
// RUN: %patchbay record -t count -F 'Cache::pair<int,Cache::Of<int>>' -o %t.data -- %t
// RUN: %patchbay report --full-names -F 'Cache::pair<int,*>' %t.data | FileCheck %s --check-prefix=PAIRS
// PAIRS: 1 {{ *}}int Cache::pair<int, Cache::Of<int>>(Cache::Of<int> const&)
//
// -N and --args accept the same names.
// RUN: %patchbay record -t function_duration -F 'Cache::*' -N 'Cache::get< int >' -N 'Cache::pair<int,*' -o %t.data -- %t
// RUN: %patchbay dump %t.data | FileCheck %s --check-prefix=NOT
//      NOT: returned Cache::hits() const
//  NOT-NOT: {{.}}
// RUN: %patchbay record -t function_duration -F main --args 'Cache::*' -o %t.data -- %t
// RUN: %patchbay dump %t.data | FileCheck %s --check-prefix=ARGS
// ARGS-DAG: returned int Cache::get<int>({{.*}}, 1) = 1
// ARGS-DAG: returned Cache::hits() const
// ARGS-DAG: returned main
// RUN: not %patchbay record -t function --args 'cash::*' -o %t.none -- %t 2>&1 | FileCheck %s --check-prefix=NO-ARGS
// NO-ARGS: no function matches 'cash::*': 'patchbay list' shows the names, {{.*}} loads or starts later{{$}}

struct Cache {
	int hits() const;
	template <typename T> T get(T key);
	template <typename T> struct Of {
		T key;
	};
	template <typename T, typename U> T pair(const U &key);
};

__attribute__((noinline)) int Cache::hits() const
{
	__asm__ volatile("");
	return 1;
}

template <typename T> __attribute__((noinline)) T Cache::get(T key)
{
	__asm__ volatile("");
	return key;
}

template int Cache::get<int>(int);

template <typename T, typename U>
__attribute__((noinline)) T Cache::pair(const U &key)
{
	__asm__ volatile("");
	return key.key;
}

int main()
{
	Cache cache;

	return cache.hits() - cache.get(1) + cache.pair<int>(Cache::Of<int>{ 0 });
}
