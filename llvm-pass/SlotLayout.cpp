// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlotLayout.h"
#include "Targets/Targets.h"

using namespace llvm;
using namespace patchbay;

static_assert(LandingPadSize == PATCHBAY_X86_64_ENDBR64_SIZE &&
              LandingPadSize == PATCHBAY_AARCH64_BTI_SIZE &&
              LandingPadSize == PATCHBAY_RISCV64_LPAD_SIZE);

const SlotLayout *patchbay::findSlotLayout(const Triple &TT) {
  // On pauthtest addresses of functions are signed, also those of constructors.
  if (!TT.isOSBinFormatELF() || TT.isX32() ||
      TT.getEnvironment() == Triple::GNUILP32 ||
      TT.getEnvironment() == Triple::PAuthTest)
    return nullptr;
  switch (TT.getArch()) {
  case Triple::x86_64:
    return &layoutX86_64();
  case Triple::aarch64:
    return &layoutAArch64();
  case Triple::ppc64le:
    return &layoutPPC64LE();
  case Triple::riscv64:
    return &layoutRISCV64();
  default:
    return nullptr;
  }
}
