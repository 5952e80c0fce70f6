// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls C every millisecond, and sleeps in between.
package main

/*
__attribute__((noinline)) int work_in_c(int x) { return x + 1; }
*/
import "C"
import (
	"fmt"
	"time"
)

func main() {
	fmt.Println("ready")
	for n := 0; ; n++ {
		C.work_in_c(C.int(n))
		time.Sleep(time.Millisecond)
	}
}
