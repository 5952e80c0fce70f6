// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The x86-64 tramp, 16 bytes (abi.h has the offsets and what the run time may
// rely on):
//
//        direct                      indirect
//    +0  e9 rel32  jmp target        a9 imm32  test $imm,%eax
//    +5  3e ff 25 rel32   notrack jmp *key.func(%rip)
//   +12  0f b9 cc         ud1 %esp,%ecx
//   +15  cc               int3
//
// The two forms differ in the first byte alone: in the indirect one the
// displacement is the immediate of an instruction whose result nobody uses (the
// flags are dead at a function's entry), and control falls through to the jump.
// So either form can be made from the other, and the displacement exchanged
// while the indirect form is there, without a thread ever seeing half an
// instruction.
//
// `notrack`, because with IBT a target need not begin with endbr64: it is an
// address that the program's code takes, but only for the key. The callers
// reach the tramp by direct calls and tail jumps, so the tramp needs no endbr64
// either. The last four bytes are never executed; the kernel puts the same
// three there to recognise a tramp.

#include "StaticCalls.h"
#include "patchbay/abi.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld;
using namespace lld::elf;

namespace {
class StaticCallArchX86_64 final : public StaticCallArch {
public:
  StaticCallArchX86_64()
      : StaticCallArch(PATCHBAY_X86_64_TRAMP_SIZE, PATCHBAY_X86_64_TRAMP_ALIGN,
                       /*wordSize=*/8) {}
  bool writeTramp(uint8_t *buf, uint64_t tramp, uint64_t func,
                  std::optional<uint64_t> target) const override;
};
} // namespace

bool StaticCallArchX86_64::writeTramp(uint8_t *buf, uint64_t tramp,
                                      uint64_t func,
                                      std::optional<uint64_t> target) const {
  const uint8_t inst[] = {
      PATCHBAY_X86_64_TRAMP_INDIRECT,
      0,
      0,
      0,
      0, // test $0,%eax
      0x3e,
      0xff,
      0x25,
      0,
      0,
      0,
      0, // notrack jmp *func(%rip)
      0x0f,
      0xb9,
      0xcc, // ud1 %esp,%ecx
      0xcc, // int3
  };
  static_assert(sizeof(inst) == PATCHBAY_X86_64_TRAMP_SIZE);
  memcpy(buf, inst, sizeof(inst));

  // Displacements count from the end of their instruction.
  int64_t funcDisp = func - (tramp + PATCHBAY_X86_64_TRAMP_SIGNATURE_OFFSET);
  if (!isInt<32>(funcDisp))
    return false;
  write32le(buf + PATCHBAY_X86_64_TRAMP_SIGNATURE_OFFSET - 4, funcDisp);

  if (target) {
    int64_t disp = *target - (tramp + PATCHBAY_X86_64_TRAMP_JMP_OFFSET);
    if (isInt<32>(disp)) {
      buf[0] = PATCHBAY_X86_64_TRAMP_DIRECT;
      write32le(buf + 1, disp);
    }
  }
  return true;
}

std::unique_ptr<StaticCallArch> elf::makeStaticCallArchX86_64() {
  return std::make_unique<StaticCallArchX86_64>();
}
