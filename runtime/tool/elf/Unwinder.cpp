// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Unwinder.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFCFIProgram.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFDataExtractorSimple.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFUnwindTable.h"
#include <string>
#include <utility>

using namespace llvm;
using namespace patchbay;

// Limits the time for which a thread in a deep recursion is stopped.
static constexpr unsigned MaxFrames = 4096;
// Limits the size of a table's entry, and of the data for one frame.
static constexpr uint64_t MaxEntry = 1 << 16;
// Limits the memory for a hostile table, since LLVM keeps all rows of an entry with all
// registers. Compilers emit some hundred instructions.
static constexpr unsigned MaxInstructions = 2048;

namespace {

/// A function's entry in .eh_frame (FDE), with its common part (CIE), which several entries
/// share.
struct Entry {
  uint64_t CodeAlign = 1;
  int64_t DataAlign = 1;
  uint64_t Start = 0, Size = 0;
  std::string Common, Own; // instructions of the CIE and of the FDE
};

class FrameTable {
public:
  FrameTable(const UnwindSource &Memory, const RegisterNumbers &Numbers,
             uint64_t Header)
      : Memory(Memory), Numbers(Numbers), Header(Header) {}
  std::optional<Entry> find(uint64_t Code) const;

private:
  struct Bytes {
    std::string Text;
    uint64_t Address;
  };
  std::optional<Bytes> readEntry(uint64_t Address) const;
  bool readCommon(uint64_t Address, Entry &To, uint8_t &Encoding,
                  bool &HasAugmentation) const;

  const UnwindSource &Memory;
  const RegisterNumbers &Numbers;
  uint64_t Header;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

// Reads an entry without its length field.
std::optional<FrameTable::Bytes> FrameTable::readEntry(uint64_t Address) const {
  uint32_t Length;
  if (!Memory.read(Address, Length) || Length < 8 || Length > MaxEntry)
    return std::nullopt;
  Bytes B{std::string(Length, '\0'), Address + sizeof(Length)};
  if (!Memory.read(B.Address, B.Text.data(), Length))
    return std::nullopt;
  return B;
}

bool FrameTable::readCommon(uint64_t Address, Entry &To, uint8_t &Encoding,
                            bool &HasAugmentation) const {
  auto B = readEntry(Address);
  if (!B)
    return false;
  DataExtractor Data = littleEndian(B->Text);
  DataExtractor::Cursor At(0);
  uint32_t Id = Data.getU32(At);
  uint8_t Version = Data.getU8(At);
  StringRef Augmentation = Data.getCStrRef(At);
  To.CodeAlign = Data.getULEB128(At);
  To.DataAlign = Data.getSLEB128(At);
  uint64_t ReturnAddress =
      Version == 1 ? Data.getU8(At) : Data.getULEB128(At);
  HasAugmentation = Augmentation.consume_front("z");
  uint64_t Size = HasAugmentation ? Data.getULEB128(At) : 0;
  uint64_t Instructions = At.tell() + Size;
  bool Understood = true;
  Encoding = dwarf::DW_EH_PE_absptr;
  for (char C : Augmentation) {
    if (C == 'R') {
      Encoding = Data.getU8(At);
    } else if (C == 'L') {
      Data.getU8(At);
    } else if (C == 'P') {
      uint8_t Personality = Data.getU8(At);
      // Compilers emit only absolute addresses (0) and addresses of four bytes.
      Data.skip(At, (Personality & 7) ? 4 : 8);
    } else if (C != 'B') {
      // 'S' marks the frame of a signal handler, which may have interrupted any code.
      Understood = false;
    }
  }
  if (Error E = At.takeError()) {
    consumeError(std::move(E));
    return false;
  }
  To.Common = B->Text.substr(std::min<size_t>(Instructions, B->Text.size()));
  return Understood && !Id && ReturnAddress == Numbers.ReturnAddress &&
         (Version == 1 || Version == 3);
}

// Finds an entry by a binary search in .eh_frame_hdr, a table sorted by address. All
// linkers use the same format for the table's numbers.
std::optional<Entry> FrameTable::find(uint64_t Code) const {
  struct Head {
    uint8_t Version, FramesEncoding, CountEncoding, TableEncoding;
    int32_t Frames;
    uint32_t Count;
  } H;
  struct Place {
    int32_t Function, Entry;
  } P;
  if (!Header || !Memory.read(Header, H) || H.Version != 1 ||
      (H.FramesEncoding & 0xf) != dwarf::DW_EH_PE_sdata4 ||
      H.CountEncoding != dwarf::DW_EH_PE_udata4 ||
      H.TableEncoding !=
          (dwarf::DW_EH_PE_datarel | dwarf::DW_EH_PE_sdata4))
    return std::nullopt;
  auto ReadPlace = [&](uint64_t I) {
    return Memory.read(Header + sizeof(H) + I * sizeof(P), P);
  };
  uint64_t Low = 0, High = H.Count;
  while (Low < High) {
    uint64_t Middle = (Low + High) / 2;
    if (!ReadPlace(Middle))
      return std::nullopt;
    if (Header + int64_t(P.Function) <= Code)
      Low = Middle + 1;
    else
      High = Middle;
  }
  if (!Low || !ReadPlace(Low - 1))
    return std::nullopt;

  auto B = readEntry(Header + int64_t(P.Entry));
  if (!B)
    return std::nullopt;
  DataExtractor Data = littleEndian(B->Text);
  DataExtractor::Cursor At(0);
  uint32_t Back = Data.getU32(At);
  Entry E;
  uint8_t Encoding;
  bool HasAugmentation;
  if (!Back || !readCommon(B->Address - Back, E, Encoding, HasAugmentation) ||
      Encoding != (dwarf::DW_EH_PE_pcrel | dwarf::DW_EH_PE_sdata4)) {
    consumeError(At.takeError());
    return std::nullopt;
  }
  E.Start = B->Address + At.tell();
  E.Start += int64_t(int32_t(Data.getU32(At)));
  E.Size = Data.getU32(At);
  if (HasAugmentation)
    Data.skip(At, Data.getULEB128(At));
  uint64_t Instructions = At.tell();
  if (Error Wrong = At.takeError()) {
    consumeError(std::move(Wrong));
    return std::nullopt;
  }
  if (Code - E.Start >= E.Size)
    return std::nullopt;
  E.Own = B->Text.substr(Instructions);
  return E;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Executes Instructions, starting with Row. Row becomes the last row, and Passed gets all
// earlier rows. Initial: the registers after the instructions of the CIE; nullptr for these
// instructions themselves.
static bool execute(StringRef Instructions, const RegisterNumbers &Numbers, const Entry &E,
                    dwarf::UnwindRow &Row, const dwarf::RegisterLocations *Initial,
                    dwarf::UnwindTable::RowContainer &Passed) {
  dwarf::CFIProgram Program(E.CodeAlign, E.DataAlign,
                            Numbers.hasLink() ? Triple::aarch64 : Triple::x86_64);
  DWARFDataExtractorSimple Data(Instructions, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  uint64_t At = 0;
  if (Error Wrong = Program.parse(Data, &At, Instructions.size())) {
    consumeError(std::move(Wrong));
    return false;
  }
  if (Program.size() > MaxInstructions)
    return false;
  auto Rows = expectedToOptional(dwarf::parseRows(Program, Row, Initial));
  if (!Rows)
    return false;
  Passed = std::move(*Rows);
  return true;
}

// The row of the table that applies at Code.
static std::optional<dwarf::UnwindRow> rowAt(const RegisterNumbers &Numbers, const Entry &E,
                                             uint64_t Code) {
  dwarf::UnwindRow Last;
  dwarf::UnwindTable::RowContainer Rows;
  if (!execute(E.Common, Numbers, E, Last, /*Initial=*/nullptr, Rows))
    return std::nullopt;
  dwarf::RegisterLocations Initial = Last.getRegisterLocations();
  Last.setAddress(E.Start);
  if (!execute(E.Own, Numbers, E, Last, &Initial, Rows))
    return std::nullopt;
  Rows.push_back(Last);
  while (!Rows.empty() && Rows.back().getAddress() > Code)
    Rows.pop_back();
  if (Rows.empty())
    return std::nullopt;
  return Rows.back();
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

// Changes Registers from a frame to its caller. Fails for DWARF expressions. The PLT, for
// example, has an expression for the CFA, but threads leave the PLT soon.
static bool toCaller(const UnwindSource &Memory, const RegisterNumbers &Numbers,
                     const dwarf::UnwindRow &Row, DwarfRegisters &Registers) {
  using dwarf::UnwindLocation;
  auto Register = [&](uint32_t I) {
    return I < Numbers.Number ? Registers[I] : std::nullopt;
  };
  const UnwindLocation &OfCfa = Row.getCFAValue();
  if (OfCfa.getLocation() != UnwindLocation::RegPlusOffset || OfCfa.getDereference() ||
      !Register(OfCfa.getRegister()))
    return false;
  uint64_t Cfa = *Register(OfCfa.getRegister()) + OfCfa.getOffset();
  DwarfRegisters Caller = Registers;
  for (unsigned I = 0; I != Numbers.Number; ++I) {
    auto Of = Row.getRegisterLocations().getRegisterLocation(I);
    switch (Of ? Of->getLocation() : UnwindLocation::Same) {
    case UnwindLocation::Unspecified:
    case UnwindLocation::Same:
      // In a leaf function the link register still has the return address.
      if (!Numbers.isPreserved(I) &&
          !(Numbers.hasLink() && I == Numbers.ReturnAddress))
        Caller[I] = std::nullopt;
      break;
    case UnwindLocation::CFAPlusOffset: {
      uint64_t Value = Cfa + Of->getOffset();
      if (Of->getDereference() && !Memory.read(Value, Value))
        return false;
      Caller[I] = Value;
      break;
    }
    case UnwindLocation::RegPlusOffset:
      Caller[I] = Of->getDereference() || Of->getOffset() ? std::nullopt
                                                          : Register(Of->getRegister());
      break;
    case UnwindLocation::Undefined:
    case UnwindLocation::DWARFExpr:
    case UnwindLocation::Constant:
      Caller[I] = std::nullopt;
      break;
    }
  }
  Caller[Numbers.StackPointer] = Cfa;
  if (Numbers.hasLink())
    Caller[Numbers.Pc] = std::exchange(Caller[Numbers.ReturnAddress], std::nullopt);
  if (auto &Pc = Caller[Numbers.Pc])
    Pc = Memory.withoutSignature(*Pc);
  Registers = Caller;
  return true;
}

UnwindSource::~UnwindSource() = default;

Unwound patchbay::unwindStack(const UnwindSource &Memory,
                              const RegisterNumbers &Numbers,
                              const DwarfRegisters &First) {
  Unwound Found;
  DwarfRegisters Registers = First;
  while (Found.Frames.size() < MaxFrames) {
    uint64_t Pc = *Registers[Numbers.Pc];
    // Look up the address before the return address, since a call may be the last
    // instruction of its function.
    uint64_t Code = Found.Frames.empty() ? Pc : Pc - 1;
    Found.Frames.push_back({Pc, Code});
    uint64_t Before = *Registers[Numbers.StackPointer];
    Found.StackPointers.push_back(Before);
    auto E = FrameTable(Memory, Numbers, Memory.frameHeader(Code)).find(Code);
    if (!E)
      break;
    auto R = rowAt(Numbers, *E, Code);
    if (!R)
      break;
    auto Return = R->getRegisterLocations().getRegisterLocation(Numbers.ReturnAddress);
    // An undefined return address marks the thread's first frame.
    if (Return && Return->getLocation() == dwarf::UnwindLocation::Undefined) {
      Found.IsWhole = true;
      break;
    }
    if (!toCaller(Memory, Numbers, *R, Registers) || !Registers[Numbers.Pc])
      break;
    // The innermost function may have an empty frame.
    bool MayBeEmpty = Numbers.hasLink() && Found.Frames.size() == 1;
    uint64_t After = *Registers[Numbers.StackPointer];
    if (After < Before || (After == Before && !MayBeEmpty))
      break;
  }
  return Found;
}
