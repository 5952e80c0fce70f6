// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MappedNotes.h"
#include "patchbay/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace patchbay;

// Above any process's number, and low enough for a short search.
static constexpr uint64_t MaxNotes = 1 << 16;
// Limits the bytes of all headers and notes of a process, which may map the
// same file tens of thousands of times.
static constexpr uint64_t MaxBytes = 1 << 26;

std::optional<MappedImage> MappedImage::at(const ProcessMemory &Memory,
                                           const ProcessMemory::Mapping &M) {
  ELF::Elf64_Ehdr Header;
  if (M.Offset || !Memory.read(M.Start, Header) || !Header.checkMagic() ||
      Header.getFileClass() != ELF::ELFCLASS64 ||
      Header.getDataEncoding() != ELF::ELFDATA2LSB ||
      Header.e_phentsize != sizeof(ELF::Elf64_Phdr))
    return std::nullopt;
  MappedImage Image{M.Path, Header.e_machine, 0, {}};
  Image.Headers.resize(Header.e_phnum);
  if (!Memory.read(M.Start + Header.e_phoff, Image.Headers.data(),
                   Image.Headers.size() * sizeof(ELF::Elf64_Phdr)))
    return std::nullopt;
  for (const ELF::Elf64_Phdr &P : Image.Headers)
    if (P.p_type == ELF::PT_LOAD && P.p_offset == 0) {
      Image.Base = M.Start - P.p_vaddr;
      return Image;
    }
  return std::nullopt;
}

bool MappedImage::contains(uint64_t Address) const {
  return any_of(Headers, [&](const ELF::Elf64_Phdr &P) {
    return P.p_type == ELF::PT_LOAD && Address - Base - P.p_vaddr < P.p_memsz;
  });
}

// Returns the address of a note's descriptor in the process, or 0 if the note is not
// among these.
static uint64_t findNote(const ProcessMemory &Memory, uint64_t Address,
                         uint64_t Size, uint32_t Type, uint64_t MinSize) {
  std::vector<uint8_t> Notes(std::min(Size, MaxNotes));
  if (!Memory.read(Address, Notes.data(), Notes.size()))
    return 0;
  const StringRef Owner(PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME));
  for (uint64_t At = 0; At + sizeof(ELF::Elf64_Nhdr) <= Notes.size();) {
    ELF::Elf64_Nhdr Note;
    memcpy(&Note, &Notes[At], sizeof(Note));
    uint64_t Name = At + sizeof(Note);
    uint64_t Desc = Name + alignTo(uint64_t(Note.n_namesz), 4);
    uint64_t End = Desc + alignTo(uint64_t(Note.n_descsz), 4);
    if (End > Notes.size())
      return 0;
    if (Note.n_type == Type && Note.n_descsz >= MinSize &&
        StringRef(reinterpret_cast<char *>(&Notes[Name]), Note.n_namesz) ==
            Owner)
      return Address + Desc;
    At = End;
  }
  return 0;
}

Error patchbay::forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    function_ref<Error(const MappedImage &, uint64_t)> Found) {
  uint64_t Bytes = 0;
  for (const ProcessMemory::Mapping &M : Memory.mappings()) {
    std::optional<MappedImage> Image = MappedImage::at(Memory, M);
    if (!Image)
      continue;
    Bytes += Image->Headers.size() * sizeof(ELF::Elf64_Phdr);
    for (const ELF::Elf64_Phdr &P : Image->Headers) {
      // The segment has an alignment of 8 if any of its notes does:
      // core/system/elf_note.h.
      if (P.p_type != ELF::PT_NOTE || P.p_align > 8)
        continue;
      Bytes += std::min<uint64_t>(P.p_memsz, MaxNotes);
      if (Bytes > MaxBytes)
        return Memory.error("it has mapped more than " + Twine(MaxBytes >> 20) +
                            " MiB of ELF headers and notes, which are not "
                            "read");
      uint64_t Note = findNote(Memory, Image->Base + P.p_vaddr, P.p_memsz,
                               Type, MinSize);
      if (!Note)
        continue;
      if (Error E = Found(*Image, Note))
        return E;
    }
  }
  return Error::success();
}
