// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thunk of a static call.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_THUNK_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_THUNK_H

#include "SyntheticSections.h"

namespace lld::elf {

class StaticCallArch;
class StaticCallIndex;
struct StaticCallMode;

// One thunk, __SCT__name. Each thunk has its own section, so that --gc-sections
// can drop the thunk. The section is synthetic, because passes that redirect
// calls or fold functions (ICF, branch-to-branch) skip synthetic sections. With
// --static-call-sites the object only describes a thunk of the input.
class StaticCallThunk final : public SyntheticSection {
public:
  StaticCallThunk(Ctx &ctx, const StaticCallMode &mode,
                  const StaticCallArch &arch, Symbol &sym);
  size_t getSize() const override { return size; }
  void writeTo(uint8_t *buf) override;
  void setSize(size_t newSize) { size = newSize; }

  StringRef getName() const { return callName; }
  std::string keyName() const { return (keyPrefix + callName).str(); }

  // The address that the indirect jump loads from: the key, or, if
  // isImported(), a pointer to the key.
  uint64_t getPointerVA() const;
  bool isImported() const { return importedKey; }

  // The target of the direct branch, if the thunk begins with one.
  enum Builtin { NotBuiltin, Return0, Return };
  std::optional<uint64_t> getTargetVA() const;

  // The thunk's symbol, its name without the prefix (as in the source), and the
  // first file that refers to it, for messages.
  Symbol *sym;
  StringRef callName, keyPrefix;
  InputFile *caller;
  // The key, set by resolveStaticCalls(): `key` if it is in this link unit,
  // otherwise `importedKey`.
  Defined *key = nullptr;
  Symbol *importedKey = nullptr;
  // The symbol that an entry of the table of branches refers to: the key, or the
  // thunk of a key that the kernel does not export.
  Symbol *keyOrThunk = nullptr;
  // The key's initial target. Null if the key is null, if only the dynamic
  // linker knows the target, or if it is not an address in this output.
  Defined *target = nullptr;
  int64_t targetAddend = 0;
  // The symbol that the key refers to, for relocations with -r.
  Symbol *targetSym = nullptr;
  // Whether the target is a function that the thunk itself implements.
  Builtin builtin = NotBuiltin;
  // ppc64: whether callers and targets share one TOC pointer, which nothing
  // saves; and the symbol for callers without a TOC pointer, or null.
  bool sameToc = false;
  Defined *notocSym = nullptr;

  // Set by resolveStaticCalls() unless there was an error. An unresolved thunk
  // traps and is in no table.
  bool isResolved = false;

private:
  void writeTraps(uint8_t *buf) const;

  const StaticCallArch &arch;
};

// Check that the thunk has a key which can be updated, and read its first
// target. Return false after an error.
bool resolveStaticCallKey(Ctx &, const StaticCallMode &, StaticCallIndex &,
                          StaticCallThunk &);
// Find the key of a thunk that the input defines. Return false after an error.
bool resolveListedKey(Ctx &, const StaticCallMode &, StaticCallThunk &);

} // namespace lld::elf

#endif
