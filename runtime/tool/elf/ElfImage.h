// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an ELF file's records, symbols of functions, and loading information.
// Trusts nothing in the file.
#pragma once

#include "support/MappedFile.h"
#include "patchbay/abi.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Only declares names of LLVM's reader: its header takes the compiler a second per file,
// and half of the command's files include this one. Users of elf() or object() include
// llvm/Object/ELFObjectFile.h.
namespace llvm::object {
template <endianness E, bool Is64> struct ELFType;
template <class ELFT> struct Elf_Shdr_Impl;
template <class ELFT> class ELFFile;
template <class ELFT> class ELFObjectFile;
class ObjectFile;
} // namespace llvm::object

namespace patchbay {

/// A record with its references resolved to ELF addresses.
struct SiteRecord {
  /// The address of the record itself.
  uint64_t Address;
  /// Does a module descriptor point to it, so that the runtime finds it?
  bool Described;
  uint64_t Entry;
  uint64_t Site;
  patchbay_record Raw;
};

/// Does this version support it (EM_*)?
bool isKnownMachine(uint16_t Machine);

/// Function names by address.
class SymbolNames {
public:
  struct Symbol {
    uint64_t Address;
    uint64_t Size;
    llvm::StringRef Name;
    unsigned Binding;
    uint8_t Other; // st_other
    bool Exported; // from .dynsym, not .symtab
  };

  void add(const Symbol &S) { Symbols.push_back(S); }
  /// Call once, between the last add() and the first at().
  void sort();
  /// All symbols, sorted by address.
  llvm::ArrayRef<Symbol> symbols() const { return Symbols; }
  /// The symbols at an address, the preferred one first.
  llvm::ArrayRef<Symbol> symbolsAt(uint64_t Address) const;
  /// The names at an address, the preferred one first; empty if it has no symbol.
  std::vector<llvm::StringRef> at(uint64_t Address) const;
  bool defines(llvm::StringRef Name) const;
  bool exports(llvm::StringRef Name) const;
  /// Without .symtab only exported functions have names.
  bool stripped() const;
  /// Do two functions have this sourceName(), at least one of them with a suffix?
  bool isShared(llvm::StringRef SourceName) const;

private:
  llvm::StringSet<> findShared() const;

  std::vector<Symbol> Symbols;
  mutable std::optional<llvm::StringSet<>> Shared; // computed on first use
};

class ElfImage {
public:
  using ELFT = llvm::object::ELFType<llvm::endianness::little, true>; // ELF64LE
  using Shdr = llvm::object::Elf_Shdr_Impl<ELFT>;

  /// Fails if the file is no ELF file, or of no architecture in abi.h's table.
  static llvm::Expected<ElfImage> open(llvm::StringRef Path);
  /// The same for an open file. Path is for messages only.
  static llvm::Expected<ElfImage> read(int File, llvm::StringRef Path);
  ElfImage(ElfImage &&);
  ElfImage &operator=(ElfImage &&);
  ~ElfImage();

  const std::string &path() const { return Path; }
  uint16_t machine() const;
  llvm::StringRef machineName() const;
  llvm::ArrayRef<uint8_t> buildId() const;
  /// Is it an executable or a shared object?
  bool isLinked() const;
  /// The loader that PT_INTERP names; none for static programs and libraries.
  llvm::Expected<std::optional<std::string>> interpreter() const;
  /// The strings of a tag of the dynamic section, such as DT_NEEDED.
  llvm::Expected<std::vector<std::string>> dynamicStrings(int64_t Tag) const;
  /// Is it a loader itself, which takes a program as an argument?
  llvm::Expected<bool> isLoader() const;

  /// The ABI version of the image's objects. If one has another version than
  /// ours, that version. Ours if no object tells.
  llvm::Expected<uint32_t> abiVersion() const;
  /// The modes of the image's objects, a mask of 1 << PATCHBAY_MODE_*. Fails if
  /// one is of another ABI version.
  llvm::Expected<uint32_t> modes() const;
  /// The addresses of module descriptors that loaded notes point to. Several
  /// notes may point to the same one. Fails if one is of another version.
  llvm::Expected<std::vector<uint64_t>> modules() const;
  /// Source files that were compiled with the plugin, but whose code was
  /// generated without it (PATCHBAY_NOTE_BITCODE).
  llvm::Expected<std::vector<std::string>> sourcesWithoutSlots() const;
  /// All records, sorted by entry: those that module descriptors point to, as for the
  /// runtime, and those in sections of that name.
  llvm::Expected<std::vector<SiteRecord>> records() const;
  /// Symbols of functions unless other types are given. The names point into this image.
  llvm::Expected<SymbolNames>
  symbolNames(llvm::ArrayRef<unsigned char> Types = {
                  llvm::ELF::STT_FUNC, llvm::ELF::STT_GNU_IFUNC}) const;

  /// The sections of that name that have bytes in the file.
  llvm::Expected<std::vector<const Shdr *>>
  sectionsNamed(llvm::StringRef Name) const;
  const llvm::object::ObjectFile &object() const;
  const llvm::object::ELFFile<ELFT> &elf() const;
  /// An error: the file has another ABI version than ours.
  llvm::Error otherVersion(uint32_t Version) const;
  /// An error about this file.
  llvm::Error error(const llvm::Twine &Message) const;
  llvm::Error error(llvm::Error E) const;

private:
  ElfImage();
  using NoteReader = llvm::function_ref<void(llvm::ArrayRef<uint8_t>, uint64_t)>;
  /// Calls Do with the descriptor, of at least MinSize bytes, of each note of a
  /// type, and with its address. Fails if a section is damaged.
  llvm::Error forEachNote(llvm::StringRef Section, unsigned Type,
                          size_t MinSize, NoteReader Do) const;
  /// The same for notes that the loader maps, whatever their sections are.
  llvm::Error forEachLoadedNote(unsigned Type, size_t MinSize,
                                NoteReader Do) const;
  /// Where the records of a module are; none if its descriptor does not tell.
  struct RecordRange {
    uint64_t Address;
    llvm::ArrayRef<uint8_t> Bytes;
    bool Described;
    bool contains(uint64_t Other) const {
      return Other - Address < Bytes.size();
    }
  };
  llvm::Expected<std::vector<RecordRange>> describedRanges() const;
  llvm::Error addRecords(const RecordRange &Range,
                         std::vector<SiteRecord> &Records) const;

  std::string Path;
  MappedFile File;
  std::unique_ptr<llvm::object::ELFObjectFile<ELFT>> Object;
};

} // namespace patchbay
