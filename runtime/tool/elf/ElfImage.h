// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an ELF file's records, function symbols and loading information. Checks all data,
// since the file is untrusted.
#pragma once

#include "patchbay/abi.h"
#include "support/MappedFile.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/ELF.h"
#include <memory>
#include <optional>
#include <vector>

// Forward declarations of LLVM's reader: compiling its header takes a second, and half of the
// command's files include this header. Users of elf() and object() include
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
  /// Does a module descriptor point to the record, so that the runtime finds it?
  bool Described;
  uint64_t Entry;
  uint64_t Site;
  patchbay_record Raw;
};

/// Does this version support the machine (EM_*)?
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
  /// Must be called once, between the last add() and the first at().
  void sort();
  /// All symbols, sorted by address.
  llvm::ArrayRef<Symbol> symbols() const { return Symbols; }
  /// The symbols at an address, the preferred symbol first.
  llvm::ArrayRef<Symbol> symbolsAt(uint64_t Address) const;
  /// The names at an address, the preferred name first.
  std::vector<llvm::StringRef> at(uint64_t Address) const;
  bool defines(llvm::StringRef Name) const;
  bool exports(llvm::StringRef Name) const;
  /// Do only exported functions have names, because there is no .symtab?
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

  /// Fails if the file is no ELF file, or if abi.h's table lacks its architecture.
  static llvm::Expected<ElfImage> open(llvm::StringRef Path);
  /// Like open(), for an open file. Path is for messages only.
  static llvm::Expected<ElfImage> read(int File, llvm::StringRef Path);
  ElfImage(ElfImage &&);
  ElfImage &operator=(ElfImage &&);
  ~ElfImage();

  const std::string &path() const { return Path; }
  uint16_t machine() const;
  llvm::StringRef machineName() const;
  llvm::ArrayRef<uint8_t> buildId() const;
  /// Is the file an executable or a shared object?
  bool isLinked() const;
  /// The loader that PT_INTERP names; std::nullopt for static programs and libraries.
  llvm::Expected<std::optional<std::string>> interpreter() const;
  /// The strings of all entries with this tag in the dynamic section, such as
  /// DT_NEEDED.
  llvm::Expected<std::vector<std::string>> dynamicStrings(int64_t Tag) const;
  /// Is the file a loader, which runs the program that its arguments name?
  llvm::Expected<bool> isLoader() const;

  /// The ABI version of the image's objects. If an object has another version than this
  /// command's, returns that version.
  llvm::Expected<uint32_t> abiVersion() const;
  /// The modes of the image's objects, a mask of 1 << PATCHBAY_MODE_*. Fails if an
  /// object has another ABI version.
  llvm::Expected<uint32_t> modes() const;
  /// The addresses of module descriptors that loaded notes point to. Several notes may point
  /// to the same descriptor. Fails if a note has another ABI version.
  llvm::Expected<std::vector<uint64_t>> modules() const;
  /// Source files that were compiled with the plugin, but whose code was
  /// generated without it (PATCHBAY_NOTE_BITCODE).
  llvm::Expected<std::vector<std::string>> sourcesWithoutSlots() const;
  /// All records, sorted by entry: records that module descriptors point to, as in the
  /// runtime, and records in sections named PATCHBAY_SITES_SECTION.
  llvm::Expected<std::vector<SiteRecord>> records() const;
  /// The image's symbols of the given types, by default functions. The names point into
  /// this image.
  llvm::Expected<SymbolNames>
  symbolNames(llvm::ArrayRef<unsigned char> Types = {
                  llvm::ELF::STT_FUNC, llvm::ELF::STT_GNU_IFUNC}) const;

  /// The sections of this name that have bytes in the file.
  llvm::Expected<std::vector<const Shdr *>>
  sectionsNamed(llvm::StringRef Name) const;
  const llvm::object::ObjectFile &object() const;
  const llvm::object::ELFFile<ELFT> &elf() const;
  /// The error for a file of another ABI version.
  llvm::Error otherVersion(uint32_t Version) const;
  /// Prefixes the error with the path of this file.
  llvm::Error error(const llvm::Twine &Message) const;
  llvm::Error error(llvm::Error E) const;

private:
  ElfImage();
  using NoteReader = llvm::function_ref<void(llvm::ArrayRef<uint8_t>, uint64_t)>;
  /// Calls Do with the descriptor and the address of each note of a type. Skips
  /// descriptors of less than MinSize bytes. Fails if a section is damaged.
  llvm::Error forEachNote(llvm::StringRef Section, unsigned Type,
                          size_t MinSize, NoteReader Do) const;
  /// Like forEachNote(), for the notes in segments that the loader maps.
  llvm::Error forEachLoadedNote(unsigned Type, size_t MinSize,
                                NoteReader Do) const;
  /// The range of a module's records; empty if its descriptor has no range.
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

/// A message about code without slots that a linker without the plugin generated from
/// bitcode; empty if all code has slots. Only Patchbay's linker warns when it generates such
/// code, which cannot be traced.
llvm::Expected<std::string> unslottedText(const ElfImage &Image);

/// The reason why an image that was compiled with the plugin has no records: code without
/// slots, or kernel mode. Empty if the plugin was not used.
llvm::Expected<std::string> whyNoRecords(const ElfImage &Image);

} // namespace patchbay
