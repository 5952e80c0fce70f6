// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of static calls to the code for an architecture, which is in
// Arch/. abi.h has the code of the thunks.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_ARCH_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_ARCH_H

#include "InputSection.h"
#include "Relocations.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::elf {

class StaticCallThunk;
struct StaticCallSite;

struct StaticCallBranch {
  // The offset of the instruction in the section.
  uint64_t offset;
  bool isTail;
  // Whether the branch goes into the middle of the thunk, which is an error.
  bool hasAddend;
};

// Whether the section has `size` bytes at `offset`. A malformed relocation may
// have any offset.
inline bool hasBytes(const InputSection &sec, uint64_t offset, uint64_t size) {
  const uint64_t end = sec.content().size();
  return offset <= end && end - offset >= size;
}

// The layout of all thunks of a link.
struct StaticCallLayout {
  uint32_t size = 0;
  uint32_t align = 0;
  // Offsets of the code that returns 0, and of the code that only returns.
  uint32_t return0Offset = 0;
  uint32_t returnOffset = 0;
  // With -r: the size of a thunk (0 if the target has no thunks with -r), and
  // the type of a 32-bit PC-relative relocation.
  uint32_t relocatableSize = 0;
  RelType offsetRel = 0;
};

class StaticCallArch {
public:
  virtual ~StaticCallArch() = default;

  const StaticCallLayout layout;

  // The longest thunk's code, with zero in the fields that depend on addresses,
  // for passes that read sections before LLD writes the output.
  ArrayRef<uint8_t> getCode() const { return code; }

  // The branch that `rel` relocates, or nullopt if `rel` relocates no branch
  // that may go to a thunk.
  virtual std::optional<StaticCallBranch>
  getBranch(const InputSection &sec, const Relocation &rel) const = 0;

  // Check the caller, and prepare the thunk for it. Return the symbol that the
  // caller must branch to, or null after an error.
  virtual Symbol *prepareBranch(Ctx &, StaticCallThunk &, const InputSection &,
                                const Relocation &) const;

  // Called if getBranch() found no branch. Whether `rel` takes an address;
  // otherwise `rel` relocates a branch that cannot be patched.
  virtual bool isAddress(const InputSection &, const Relocation &) const {
    return true;
  }

  // Called by the final link. Change the instructions after the branches.
  virtual void finishSites(Ctx &, ArrayRef<StaticCallSite>) const {}

  // Check the first target of a thunk. Return false after an error.
  virtual bool prepareTarget(Ctx &, StaticCallThunk &) const { return true; }

  // Write the thunk. Return false if its key is out of reach.
  virtual bool writeThunk(Ctx &, uint8_t *buf,
                          const StaticCallThunk &) const = 0;

  // For -r: write the thunk with zero in relocated fields, and add relocations.
  using AddRelocation = llvm::function_ref<void(
      uint64_t offset, RelType type, const Symbol &, int64_t addend)>;
  virtual void writeRelocatable(uint8_t *, const StaticCallThunk &) const {}
  virtual void addRelocations(const StaticCallThunk &, AddRelocation) const {}

  // For --emit-relocs: add the relocations that a tool needs to move the thunk.
  virtual void addEmittedRelocations(const StaticCallThunk &,
                                     AddRelocation) const {}

protected:
  explicit StaticCallArch(const StaticCallLayout &layout) : layout(layout) {}

  llvm::SmallVector<uint8_t, 0> code;
};

std::unique_ptr<StaticCallArch> makeStaticCallArchX86_64(Ctx &);
std::unique_ptr<StaticCallArch> makeStaticCallArchAArch64();
std::unique_ptr<StaticCallArch> makeStaticCallArchPPC64(bool sameToc);
std::unique_ptr<StaticCallArch>
makeStaticCallArchPPC64Kernel(StringRef tocSymbol);

} // namespace lld::elf

#endif
