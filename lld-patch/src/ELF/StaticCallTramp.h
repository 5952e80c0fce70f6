// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tramps of static calls, and what an architecture has to know of them.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_TRAMP_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_TRAMP_H

#include "Relocations.h"
#include "SyntheticSections.h"

namespace lld::elf {

class StaticCallArch;

// One tramp, __SCT__name. A section per tramp: --gc-sections can drop it, while
// ICF, branch-to-branch and thunks, which change calls and their targets, leave
// synthetic sections alone.
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

// A relocation of a branch to a tramp.
struct StaticCallBranch {
  // Where the instruction begins, in its section.
  uint64_t offset;
  bool isTail;
  // It does not go to the tramp's beginning.
  bool hasAddend;
};

// What an architecture has to know, one implementation in Arch/ for each.
class StaticCallArch {
public:
  virtual ~StaticCallArch() = default;

  // The branch that `rel` belongs to, or nullopt if it belongs to none that can
  // lead to a tramp.
  virtual std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const = 0;

  // Prepare the caller's end of a branch. Return false after an error.
  virtual bool prepareBranch(Ctx &, StaticCallTramp &, InputSection &,
                             Relocation &) const {
    return true;
  }

  // Check where a tramp goes first. Return false after an error.
  virtual bool prepareTarget(Ctx &, StaticCallTramp &) const { return true; }

  // Write the tramp. Return false if it cannot reach its key from where it is.
  virtual bool writeTramp(Ctx &, uint8_t *buf,
                          const StaticCallTramp &) const = 0;

  // For -r: the tramp without what its relocations give it, and those.
  using AddRelocation = llvm::function_ref<void(
      uint64_t offset, RelType type, const Symbol &, int64_t addend)>;
  virtual void writeRelocatable(uint8_t *, const StaticCallTramp &) const {}
  virtual void addRelocations(const StaticCallTramp &, AddRelocation) const {}

  // The bytes at the beginning of each tramp, for those who look at sections
  // before they are written.
  ArrayRef<uint8_t> header;
  uint32_t trampSize;
  uint32_t trampAlign;
  uint32_t return0Offset;
  uint32_t returnOffset;
  // For -r: the tramp's size, 0 if there is none, and the relocation of a
  // 32-bit offset.
  uint32_t relocatableSize = 0;
  RelType offsetRel = 0;

protected:
  StaticCallArch(uint32_t trampSize, uint32_t trampAlign,
                 uint32_t return0Offset, uint32_t returnOffset)
      : trampSize(trampSize), trampAlign(trampAlign),
        return0Offset(return0Offset), returnOffset(returnOffset) {}
};

std::unique_ptr<StaticCallArch> makeStaticCallArchX86_64();
std::unique_ptr<StaticCallArch> makeStaticCallArchAArch64();
std::unique_ptr<StaticCallArch> makeStaticCallArchPPC64(bool sameToc);

// Check that the tramp has a key, and one that can be updated, and read where
// it goes first. Return false after an error.
bool resolveStaticCallKey(Ctx &, StaticCallTramp &);
// Check that files that define a key that others define too agree on its
// target.
void checkStaticCallDuplicates(Ctx &, ArrayRef<StaticCallTramp *>);

} // namespace lld::elf

#endif
