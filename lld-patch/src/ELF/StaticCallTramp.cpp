// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallTramp.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "StaticCallArch.h"
#include "Symbols.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

Symbol *StaticCallArch::prepareBranch(Ctx &, StaticCallTramp &tramp,
                                      const InputSection &,
                                      const Relocation &) const {
  return tramp.sym;
}

StaticCallTramp::StaticCallTramp(Ctx &ctx, const StaticCallArch &arch,
                                 Symbol &sym)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_TEXT_SECTION, SHT_PROGBITS,
                       SHF_ALLOC | SHF_EXECINSTR, arch.layout.align),
      sym(&sym),
      callName(sym.getName().drop_front(strlen(PATCHBAY_SCT_PREFIX))),
      caller(sym.file), arch(arch) {
  // Some look at it before it is written: AArch64, whether a thunk to it needs
  // a landing pad, and --bp-compression-sort=.
  content_ = arch.getCode().data();
  size = ctx.arg.relocatable ? arch.layout.relocatableSize : arch.layout.size;
}

std::string StaticCallTramp::keyName() const {
  return (PATCHBAY_SCK_PREFIX + callName).str();
}

uint64_t StaticCallTramp::getPointerVA() const {
  return importedKey ? importedKey->getGotVA(ctx) : key->getVA(ctx);
}

std::optional<uint64_t> StaticCallTramp::getTargetVA() const {
  if (builtin == Return0)
    return getVA(arch.layout.return0Offset);
  if (builtin == Return)
    return getVA(arch.layout.returnOffset);
  if (target)
    return target->getVA(ctx, targetAddend);
  return std::nullopt;
}

void StaticCallTramp::writeTo(uint8_t *buf) {
  if (ctx.arg.relocatable) {
    arch.writeRelocatable(buf, *this);
    return;
  }
  // Only now have output sections been sorted into what is writable to the end
  // and what the dynamic linker makes read-only.
  if (key && key->getOutputSection()->relro) {
    ErrAlways(ctx)
        << cast<InputSection>(key->section)->getObjMsg(key->value)
        << ": static call key '" << key
        << "' becomes read-only after relocation; remove its section "
           "attribute or const";
    return;
  }
  if (arch.writeTramp(ctx, buf, *this))
    return;
  auto diag = ErrAlways(ctx);
  if (key)
    diag << cast<InputSection>(key->section)->getObjMsg(key->value);
  else
    diag << caller;
  diag << ": static call key '" << keyName()
       << "' is out of reach of its tramp at 0x"
       << utohexstr(getVA(), /*LowerCase=*/true);
}
