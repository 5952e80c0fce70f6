// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package main

/*
#cgo CFLAGS: -O2
static __attribute__((noinline)) int words_in(const char *text)
{
	int words = 0;

	for (int inside = 0; *text; text++) {
		words += !inside && *text != ' ';
		inside = *text != ' ';
	}
	return words;
}
*/
import "C"
import "fmt"

func main() {
	fmt.Println(C.words_in(C.CString("one two")) + C.words_in(C.CString("three")))
}
