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

// One thunk, __SCT__name. A section per thunk: --gc-sections can drop it, while
// ICF, branch-to-branch and thunks, which change calls and their targets, leave
// synthetic sections alone. With --static-call-sites it stands for a thunk of
// the input, and is no part of the output.
class StaticCallThunk final : public SyntheticSection {
public:
  StaticCallThunk(Ctx &ctx, const StaticCallMode &mode,
                  const StaticCallArch &arch, Symbol &sym);
  size_t getSize() const override { return size; }
  void writeTo(uint8_t *buf) override;
  void setSize(size_t newSize) { size = newSize; }

  StringRef getName() const { return callName; }
  // The symbol of its key.
  std::string keyName() const { return (keyPrefix + callName).str(); }

  // Where the indirect form finds the address to go to, and whether what is
  // there is not the key but its address.
  uint64_t getPointerVA() const;
  bool isImported() const { return importedKey; }

  // Where the direct form goes, if the thunk begins with it.
  enum Builtin { NotBuiltin, Return0, Return };
  std::optional<uint64_t> getTargetVA() const;

  // The symbol, and its name without the prefix: what the program calls it. The
  // first file that refers to it, for messages.
  Symbol *sym;
  StringRef callName, keyPrefix;
  InputFile *caller;
  // The key, from resolveStaticCalls() on: in this link unit or in another.
  Defined *key = nullptr;
  Symbol *importedKey = nullptr;
  // What a table with relocations calls the key: its symbol, or, in a module
  // that does not know it, the thunk's, from which the kernel finds it.
  Symbol *keyOrThunk = nullptr;
  // The function that the key names first, or null if the key has none, if it
  // is known only to the dynamic linker, or if it is no address in this output.
  Defined *target = nullptr;
  int64_t targetAddend = 0;
  // What the key refers to, whatever that is: -r does not know more.
  Symbol *targetSym = nullptr;
  // The function is one that the thunk does the work of.
  Builtin builtin = NotBuiltin;
  // ppc64: neither thunk nor caller saves the TOC pointer; the symbol that
  // callers without a TOC pointer call, or null.
  bool sameToc = false;
  Defined *notocSym = nullptr;

  // Set by resolveStaticCalls() if there was no error. If not, the thunk traps
  // and is in no table.
  bool isResolved = false;

private:
  void writeTraps(uint8_t *buf) const;

  const StaticCallArch &arch;
};

// Check that the thunk has a key, and one that can be updated, and read where
// it goes first. Return false after an error.
bool resolveStaticCallKey(Ctx &, const StaticCallMode &, StaticCallIndex &,
                          StaticCallThunk &);
// The same for a thunk of the input, of which only the key has to be known.
bool resolveListedKey(Ctx &, const StaticCallMode &, StaticCallThunk &);

} // namespace lld::elf

#endif
