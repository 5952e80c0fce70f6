// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command reads of an ELF file: its records, the names of its
// functions, and how it is to be loaded. Nothing in the file is trusted.
#ifndef PATCHBAY_TOOL_ELFIMAGE_H
#define PATCHBAY_TOOL_ELFIMAGE_H

#include "patchbay/abi.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace patchbay {

/// A record with its references resolved to ELF addresses.
struct SiteRecord {
  uint64_t Entry;
  uint64_t Site;
  patchbay_record Raw;
};

/// Function names by address.
class SymbolNames {
public:
  /// Exported: from .dynsym, not .symtab.
  void add(uint64_t Address, llvm::StringRef Name, unsigned Binding,
           bool Exported);
  /// To be called once, between the last add() and the first at().
  void sort();
  /// The names at an address, the one to show first; none if it has no symbol.
  std::vector<llvm::StringRef> at(uint64_t Address) const;
  bool defines(llvm::StringRef Name) const;
  bool exports(llvm::StringRef Name) const;
  /// Without .symtab only exported functions have names.
  bool stripped() const;

private:
  struct Symbol {
    uint64_t Address;
    llvm::StringRef Name;
    unsigned Binding;
    bool Exported;
  };
  std::vector<Symbol> Symbols;
};

class ElfImage {
public:
  /// Fails if the file is not ELF of an architecture in abi.h's table.
  static llvm::Expected<ElfImage> open(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  uint16_t machine() const { return elf().getHeader().e_machine; }
  llvm::StringRef machineName() const;
  llvm::ArrayRef<uint8_t> buildId() const;
  /// The loader that PT_INTERP names; none if the file is static or a library.
  llvm::Expected<std::optional<std::string>> interpreter() const;

  /// Sorted by entry; an empty vector if there are no records.
  llvm::Expected<std::vector<SiteRecord>> records() const;
  /// Points into this image.
  llvm::Expected<SymbolNames> symbolNames() const;

private:
  using ELFT = llvm::object::ELF64LE;
  const llvm::object::ELFFile<ELFT> &elf() const {
    return Object->getELFFile();
  }
  llvm::Error error(const llvm::Twine &Message) const;
  llvm::Error error(llvm::Error E) const;
  llvm::Error checkNote(const ELFT::Shdr &Section) const;

  std::string Path;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::unique_ptr<llvm::object::ELFObjectFile<ELFT>> Object;
};

} // namespace patchbay

#endif
