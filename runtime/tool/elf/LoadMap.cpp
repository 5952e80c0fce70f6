// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadMap.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace patchbay;

// Does the range contain the part? Cannot overflow.
static bool contains(uint64_t Address, uint64_t Size, uint64_t PartAddress,
                     uint64_t PartSize) {
  return PartAddress >= Address && PartSize <= Size &&
         PartAddress - Address <= Size - PartSize;
}

Expected<LoadMap> LoadMap::create(const ElfImage &Image) {
  LoadMap Map;
  auto Headers = Image.elf().program_headers();
  if (!Headers)
    return Image.error(Headers.takeError());
  uint64_t End = 0;
  for (const ElfImage::ELFT::Phdr &Header : *Headers) {
    if (Header.p_type != ELF::PT_LOAD)
      continue;
    auto Bytes = Image.elf().getSegmentContents(Header);
    if (!Bytes)
      return Image.error(Bytes.takeError());
    uint64_t Size = std::max<uint64_t>(Header.p_memsz, Bytes->size());
    // ELF requires segments sorted by address.
    if (Header.p_vaddr < End || Header.p_vaddr > UINT64_MAX - Size)
      return Image.error("segments overlap or are not sorted by address, so the loader's "
                         "mapping is uncertain");
    End = Header.p_vaddr + Size;
    Map.Segments.push_back(
        {Header.p_vaddr, *Bytes, (Header.p_flags & ELF::PF_X) != 0});
  }

  auto Sections = Image.elf().sections();
  if (!Sections)
    return Image.error(Sections.takeError());
  constexpr uint64_t Code = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  for (const ElfImage::ELFT::Shdr &Section : *Sections)
    if ((Section.sh_flags & Code) == Code && Section.sh_type != ELF::SHT_NOBITS)
      Map.CodeSections.push_back({Section.sh_addr, Section.sh_size});
  // Without section headers, treat whole executable segments as code.
  if (Sections->empty())
    for (const Segment &S : Map.Segments)
      if (S.Executable)
        Map.CodeSections.push_back({S.Address, S.Bytes.size()});
  return Map;
}

const LoadMap::Segment *LoadMap::find(uint64_t Address, uint64_t Size) const {
  auto I = llvm::find_if(Segments, [&](const Segment &S) {
    return contains(S.Address, S.Bytes.size(), Address, Size);
  });
  return I == Segments.end() ? nullptr : &*I;
}

ArrayRef<uint8_t> LoadMap::bytes(uint64_t Address, uint64_t Size) const {
  const Segment *S = find(Address, Size);
  return S ? S->Bytes.slice(Address - S->Address, Size) : ArrayRef<uint8_t>();
}

bool LoadMap::isCode(uint64_t Address, uint64_t Size) const {
  const Segment *S = find(Address, Size);
  return S && S->Executable &&
         llvm::any_of(CodeSections, [&](const CodeSection &C) {
           return contains(C.Address, C.Size, Address, Size);
         });
}
