// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of libc++'s type std::string are shown. libc++ need not be installed: the
// test defines the type's memory layout and debug information. Short strings are inside
// the object.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration --args 'takes(text, holder->name, retval)' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s
// CHECK-DAG: takes(text="short", holder->name="a text that is longer than what the object has room for") = 1{{$}}
// CHECK-DAG: takes(text="", holder->name="22 bytes are the most..") = 1{{$}}
// Several options that need the same argument cause only one request.
// RUN: cd %t && %patchbay record -t function_duration --args 'takes(*)' --args 'takes(text, holder->number)' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: takes(text="short", holder=0x{{[0-9a-f]+}}, holder->number=1) = 1{{$}}
// RUN: cd %t && %patchbay record -t function_duration --args 'takes(text)' --when 'text == "short"' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=ONE --implicit-check-not='text=""'
// ONE: takes(text="short")
//
// In a running process, arguments are looked up in its mapped files.
// DEFINE: %{running} = %python %S/../Inputs/while-running.py
// RUN: cd %t && %{running} ./prog loops -- sh -c '%patchbay record -p PID -t function_duration --args "takes(text, retval)" -o visit -''- sleep 0.3'
// RUN: %patchbay dump %t/visit | FileCheck %s --check-prefix=VISIT
// VISIT: takes(text="short") = 1{{$}}
//
// Under an earlier seccomp filter, the runtime makes no system call to read memory.
// RUN: cd %t && %python %S/../Inputs/filtered.py %patchbay record -t function_duration --args "takes(text, retval)" -o filtered -- ./prog
// RUN: %patchbay dump %t/filtered | FileCheck %s --check-prefix=FILTERED
// FILTERED: takes(text=<not read>) = 1{{$}}
#include "../Inputs/check.h"

#include <cstring>
#include <unistd.h>

namespace std {
inline namespace __1 {
template <typename C> struct char_traits {};
template <typename C> struct allocator {};
template <typename C, typename T = char_traits<C>, typename A = allocator<C>>
struct basic_string {
  union {
    struct {
      unsigned long room, size;
      const C *data;
    } large;
    struct {
      unsigned char size;
      C data[23];
    } small;
  };
  basic_string(const C *text) {
    unsigned long length = strlen(text);
    memset(static_cast<void *>(this), 0, sizeof(*this));
    if (length < sizeof(small.data)) {
      small.size = static_cast<unsigned char>(length << 1);
      memcpy(small.data, text, length);
    } else {
      large.room = 64 | 1;
      large.size = length;
      large.data = text;
    }
  }
};
using string = basic_string<char>;
} // namespace __1
} // namespace std

struct Holder {
  long number;
  std::string name;
};

OPAQUE int takes(const std::string &text, Holder *holder) { return 1; }

int main(int argc, char **) {
  Holder first = {1, "a text that is longer than what the object has room for"};
  Holder second = {2, "22 bytes are the most.."};
  bool ready = false;
  do {
    takes("short", &first);
    takes("", &second);
    if (argc > 1) {
      if (!ready)
        puts("ready");
      fflush(stdout);
      ready = true;
      usleep(1000);
    }
  } while (argc > 1);
  return 0;
}
