// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "attach/Stub.h"
#include <cassert>

using namespace llvm;
using namespace patchbay;

extern "C" const char pb_stub[], pb_stub_code[], pb_stub_words[],
    pb_stub_end[];

size_t patchbay::stubSize() { return pb_stub_end - pb_stub; }

size_t patchbay::stubEntry() { return pb_stub_code - pb_stub; }

// x86-64 needs no way back: the stub jumps through an address in memory.
size_t patchbay::wayBackSize() { return 0; }
bool patchbay::reachesBack(uint64_t, uint64_t) { return true; }
std::string patchbay::wayBackCode(uint64_t, const ThreadRegisters &) { return ""; }
bool patchbay::isWayBack(StringRef) { return false; }

bool patchbay::hasStub(StringRef Bytes) { return Bytes.contains(pb_stub); }

namespace {
// The words after pb_stub_words in Stub.S.
struct Words {
  uint64_t Area, Mark, Thread;
  uint64_t CreateThread, Self, Detach, ErrnoLocation, Open, Symbol, Error,
      Close;
  uint64_t Rax, Rbx, Rcx, Rdx, Rsi, Rdi, Rbp, Rsp, R8, R9, R10, R11, R12, R13,
      R14, R15, Rip, Flags;
};
} // namespace

std::string patchbay::stubCode(const StubFunctions &F, const StubUse &Use) {
  const ThreadRegisters &R = Use.Back;
  const Words W = {Use.Area, Use.Mark, Use.Thread, F.CreateThread, F.Self,
                   F.Detach, F.ErrnoLocation, F.Open, F.Symbol, F.Error,
                   F.Close,  R.rax, R.rbx, R.rcx, R.rdx, R.rsi, R.rdi, R.rbp,
                   R.rsp,    R.r8,  R.r9,  R.r10, R.r11, R.r12, R.r13, R.r14,
                   R.r15,    R.rip, R.eflags};
  std::string Code(pb_stub, stubSize());
  assert(size_t(pb_stub_end - pb_stub_words) == sizeof(W));
  memcpy(Code.data() + (pb_stub_words - pb_stub), &W, sizeof(W));
  return Code;
}

StubUse patchbay::readStub(StringRef Code) {
  Words W;
  memcpy(&W, Code.data() + (pb_stub_words - pb_stub), sizeof(W));
  StubUse Use;
  Use.Area = W.Area;
  Use.Mark = W.Mark;
  Use.Thread = W.Thread;
  Use.Back.rsp = W.Rsp;
  Use.Back.rip = W.Rip;
  Use.Back.orig_rax = ~0ull;
  return Use;
}
