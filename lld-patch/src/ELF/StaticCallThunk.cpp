// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallThunk.h"
#include "InputFiles.h"
#include "OutputSections.h"
#include "StaticCallArch.h"
#include "StaticCallMode.h"
#include "Symbols.h"
#include "Target.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

Symbol *StaticCallArch::prepareBranch(Ctx &, StaticCallThunk &thunk,
                                      const InputSection &,
                                      const Relocation &) const {
  return thunk.sym;
}

StaticCallThunk::StaticCallThunk(Ctx &ctx, const StaticCallMode &mode,
                                 const StaticCallArch &arch, Symbol &sym)
    : SyntheticSection(ctx, PATCHBAY_STATIC_CALL_TEXT_SECTION, SHT_PROGBITS,
                       SHF_ALLOC | SHF_EXECINSTR, arch.layout.align),
      sym(&sym), callName(sym.getName().drop_front(mode.thunkPrefix.size())),
      keyPrefix(mode.keyPrefix), caller(sym.file), arch(arch) {
  // Read before writeTo() by the search for AArch64 landing pads, and by
  // --bp-compression-sort=.
  content_ = arch.getCode().data();
  size = ctx.arg.relocatable ? arch.layout.relocatableSize : arch.layout.size;
}

uint64_t StaticCallThunk::getPointerVA() const {
  return importedKey ? importedKey->getGotVA(ctx) : key->getVA(ctx);
}

std::optional<uint64_t> StaticCallThunk::getTargetVA() const {
  if (builtin == Return0)
    return getVA(arch.layout.return0Offset);
  if (builtin == Return)
    return getVA(arch.layout.returnOffset);
  if (target)
    return target->getVA(ctx, targetAddend);
  return std::nullopt;
}

// Write code that traps, for a thunk that had an error. With --noinhibit-exec
// the linker writes the output in spite of errors.
void StaticCallThunk::writeTraps(uint8_t *buf) const {
  for (size_t i = 0; i != size; i += sizeof(ctx.target->trapInstr))
    memcpy(buf + i, ctx.target->trapInstr.data(),
           sizeof(ctx.target->trapInstr));
}

void StaticCallThunk::writeTo(uint8_t *buf) {
  if (!isResolved) {
    writeTraps(buf);
    return;
  }
  if (ctx.arg.relocatable) {
    arch.writeRelocatable(buf, *this);
    return;
  }
  // LLD has now sorted output sections into those that stay writable and those
  // that the dynamic linker makes read-only.
  if (key && key->getOutputSection()->relro)
    Err(ctx) << cast<InputSection>(key->section)->getObjMsg(key->value)
             << ": static call key '" << key
             << "' becomes read-only after relocation; remove its section "
                "attribute or const";
  if (arch.writeThunk(ctx, buf, *this))
    return;
  writeTraps(buf);
  auto diag = Err(ctx);
  if (key)
    diag << cast<InputSection>(key->section)->getObjMsg(key->value);
  else
    diag << caller;
  diag << ": static call key '" << keyName()
       << "' is out of reach of its thunk at 0x"
       << utohexstr(getVA(), /*LowerCase=*/true);
}
