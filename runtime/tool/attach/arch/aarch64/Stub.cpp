// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "attach/Stub.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace patchbay;

extern "C" const char pb_stub[], pb_stub_code[], pb_stub_words[],
    pb_stub_end[];

size_t patchbay::stubSize() { return pb_stub_end - pb_stub; }

size_t patchbay::stubEntry() { return pb_stub_code - pb_stub; }

bool patchbay::hasStub(StringRef Bytes) { return Bytes.contains(pb_stub); }

namespace {
// The words after pb_stub_words in Stub.S.
struct Words {
  uint64_t Area, Mark, Thread, WayBack, SveSize;
  uint64_t CreateThread, Self, Detach, ErrnoLocation, Open, Symbol, Error,
      Close;
  uint64_t X[31], Sp, Pc, Flags;
};

// The way back restores x16 last, since the stub needs x16 for the branch to the way back.
struct WayBack {
  uint32_t LandingPad; // bti jc: permits a branch through a register to here
  uint32_t Load;       // ldr x16, X16
  uint32_t Branch;     // b PC
  uint32_t Unused;
  uint64_t X16;
};
constexpr uint32_t LandingPad = 0xd50324df;
constexpr uint32_t Load =
    0x58000010 | (offsetof(WayBack, X16) - offsetof(WayBack, Load)) / 4 << 5;
constexpr uint32_t Branch = 0x14000000;
} // namespace

size_t patchbay::wayBackSize() { return sizeof(WayBack); }

static int64_t branchDistance(uint64_t WayBackAt, uint64_t Pc) {
  return int64_t(Pc - (WayBackAt + offsetof(WayBack, Branch)));
}

bool patchbay::reachesBack(uint64_t At, uint64_t Pc) {
  return isShiftedInt<26, 2>(branchDistance(At, Pc));
}

std::string patchbay::wayBackCode(uint64_t At, const ThreadRegisters &Back) {
  uint32_t Distance = uint64_t(branchDistance(At, Back.pc)) >> 2 & maskTrailingOnes<uint32_t>(26);
  WayBack W = {LandingPad, Load, Branch | Distance, 0, Back.regs[16]};
  return std::string(reinterpret_cast<const char *>(&W), sizeof(W));
}

bool patchbay::isWayBack(StringRef Bytes) {
  WayBack W;
  if (Bytes.size() < sizeof(W))
    return false;
  memcpy(&W, Bytes.data(), sizeof(W));
  return W.LandingPad == LandingPad && W.Load == Load;
}

std::string patchbay::stubCode(const StubFunctions &F, const StubUse &Use) {
  const ThreadRegisters &R = Use.Back;
  constexpr uint64_t FlagsOfUser = 0xfull << 28;
  Words W = {Use.Area, Use.Mark, Use.Thread, Use.WayBack, R.SveSize,
             F.CreateThread, F.Self, F.Detach, F.ErrnoLocation, F.Open, F.Symbol, F.Error, F.Close,
             {}, R.sp, R.pc, R.pstate & FlagsOfUser};
  for (unsigned I = 0; I != std::size(W.X); ++I)
    W.X[I] = R.regs[I];
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
  Use.WayBack = W.WayBack;
  Use.Back.sp = W.Sp;
  Use.Back.pc = W.Pc;
  return Use;
}
