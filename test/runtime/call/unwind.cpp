// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trampolines are transparent to unwinders. A stack trace from a handler passes the
// trampoline and finds the traced function and its callers. An exception passes one
// armed function, and longjmp skips another. Both unwind the shadow stack correctly.
//
// RUN: %buildxx %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <csetjmp>
#include <cstring>
#include <patchbay/patchbay.h>
#include <unwind.h>

static int calls;
static bool sawTraced, sawCaller, sawOutermost;
static jmp_buf back;

extern "C" {
OPAQUE int traced(int a) {
  if (a == 1)
    throw a;
  if (a == 2)
    longjmp(back, 1);
  return a;
}
OPAQUE int caller(int a) { return traced(a) + 1; }
OPAQUE int outermost(int a) { return caller(a) + 1; }
}

static _Unwind_Reason_Code frame(_Unwind_Context *context, void *) {
  void *function = _Unwind_FindEnclosingFunction(
      reinterpret_cast<void *>(_Unwind_GetIP(context) - 1));
  sawTraced |= function == reinterpret_cast<void *>(traced);
  sawCaller |= function == reinterpret_cast<void *>(caller);
  sawOutermost |= function == reinterpret_cast<void *>(outermost);
  return _URC_NO_REASON;
}

// Frame records and back chains, on targets that have them, lead to the same callers.
#ifndef __x86_64__
#ifdef __riscv
constexpr int RecordSize = 2; // the frame pointer points to the end of the record
#else
constexpr int RecordSize = 0;
#endif

// The return address in the frame of @record, which may be signed. On ppc64le the back
// chain of @record points to the frame with the return address.
static uintptr_t returnAddress(const uintptr_t *record) {
#ifdef __powerpc64__
  return reinterpret_cast<uintptr_t *>(record[0])[2];
#elif defined(__aarch64__)
  return record[1] & 0x0000ffffffffffff;
#else
  return record[1];
#endif
}

static void walkFrameRecords() {
  void *const wanted[] = {reinterpret_cast<void *>(traced),
                          reinterpret_cast<void *>(caller),
                          reinterpret_cast<void *>(outermost)};
  auto *record =
      static_cast<uintptr_t *>(__builtin_frame_address(0)) - RecordSize;
  int found = 0;
  for (int depth = 0; found != 3 && record[0] && depth != 10; ++depth) {
    uintptr_t address = returnAddress(record);
    found += _Unwind_FindEnclosingFunction(
                 reinterpret_cast<void *>(address - 1)) == wanted[found];
    record = reinterpret_cast<uintptr_t *>(record[0]) - RecordSize;
  }
  CHECK_EQ(found, 3);
}
#else
static void walkFrameRecords() {}
#endif

static void handler(uintptr_t, uintptr_t, const patchbay_cell *,
                    patchbay_regs *) {
  ++calls;
  walkFrameRecords();
  sawTraced = sawCaller = sawOutermost = false;
  _Unwind_Backtrace(frame, nullptr);
}

int main() {
  for (unsigned flags = 0; flags <= PATCHBAY_OPS_FAST; ++flags) {
    patchbay_ops_attr attr{};
    attr.size = sizeof(attr);
    attr.flags = flags;
    attr.handler = handler;
    patchbay_ops *ops;
    CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
    CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
    calls = 0;

    CHECK_EQ(outermost(7), 9);
    CHECK(sawTraced && sawCaller && sawOutermost);

    bool caught = false;
    try {
      outermost(1);
    } catch (int value) {
      caught = value == 1;
    }
    CHECK(caught);
    if (!setjmp(back))
      outermost(2);
    CHECK_EQ(outermost(8), 10);
    CHECK_EQ(calls, 4);
    CHECK_EQ(patchbay_ops_destroy(ops), 0);
  }
  puts("done");
}
