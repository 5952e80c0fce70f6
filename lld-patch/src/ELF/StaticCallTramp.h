// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tramp of a static call.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_TRAMP_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_TRAMP_H

#include "SyntheticSections.h"

namespace lld::elf {

class StaticCallArch;
class StaticCallIndex;
struct StaticCallMode;

// One tramp, __SCT__name. A section per tramp: --gc-sections can drop it, while
// ICF, branch-to-branch and thunks, which change calls and their targets, leave
// synthetic sections alone. With --static-call-sites it stands for a tramp of
// the input, and is no part of the output.
class StaticCallTramp final : public SyntheticSection {
public:
  StaticCallTramp(Ctx &ctx, const StaticCallArch &arch, Symbol &sym);
  size_t getSize() const override { return size; }
  void writeTo(uint8_t *buf) override;
  void setSize(size_t newSize) { size = newSize; }

  StringRef getName() const { return callName; }
  // The symbol of its key.
  std::string keyName() const;

  // Where the indirect form finds the address to go to, and whether what is
  // there is not the key but its address.
  uint64_t getPointerVA() const;
  bool isImported() const { return importedKey; }

  // Where the direct form goes, if the tramp begins with it.
  enum Builtin { NotBuiltin, Return0, Return };
  std::optional<uint64_t> getTargetVA() const;

  // The symbol, and its name without the prefix: what the program calls it. The
  // first file that refers to it, for messages.
  Symbol *sym;
  StringRef callName;
  InputFile *caller;
  // The key, from resolveStaticCalls() on: in this link unit or in another.
  Defined *key = nullptr;
  Symbol *importedKey = nullptr;
  // What a table with relocations calls the key: its symbol, or, in a module
  // that does not know it, the tramp's, from which the kernel finds it.
  Symbol *keyOrTramp = nullptr;
  // The function that the key names first, or null if the key has none, if it
  // is known only to the dynamic linker, or if it is no address in this output.
  Defined *target = nullptr;
  int64_t targetAddend = 0;
  // What the key refers to, whatever that is: -r does not know more.
  Symbol *targetSym = nullptr;
  // The function is one that the tramp does the work of.
  Builtin builtin = NotBuiltin;
  // ppc64: nobody saves and restores the TOC pointer; there are callers that
  // have none, and the symbol they call.
  bool sameToc = false;
  Defined *notocSym = nullptr;

private:
  const StaticCallArch &arch;
};

// Check that the tramp has a key, and one that can be updated, and read where
// it goes first. Return false after an error.
bool resolveStaticCallKey(Ctx &, const StaticCallMode &, StaticCallIndex &,
                          StaticCallTramp &);
// The same for a tramp of the input, of which only the key has to be known.
bool resolveListedKey(Ctx &, const StaticCallMode &, StaticCallTramp &);
// Check that files that define a key that others define too agree on its
// target.
void checkStaticCallDuplicates(Ctx &, StaticCallIndex &,
                               ArrayRef<StaticCallTramp *>);

} // namespace lld::elf

#endif
