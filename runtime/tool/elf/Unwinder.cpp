// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Unwinder.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DataExtractor.h"
#include <string>
#include <utility>

using namespace llvm;
using namespace patchbay;

// A deep recursion must not make the thread wait.
static constexpr unsigned MaxFrames = 4096;
// Limit of a table's entry, and of the data for one frame.
static constexpr uint64_t MaxEntry = 1 << 16;

namespace {

/// Where to find a register of the caller.
struct Rule {
  enum Kinds { Same, Undefined, AtOffset, IsOffset, InRegister, Unknown };
  Kinds Kind = Same;
  int64_t Value = 0;
};

DataExtractor littleEndian(StringRef Bytes) {
#if LLVM_VERSION_MAJOR >= 23
  return DataExtractor(Bytes, /*IsLittleEndian=*/true);
#else
  return DataExtractor(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
#endif
}

struct Row {
  std::array<Rule, MaxDwarfRegisters> Registers;
  uint64_t CfaRegister = ~0ull;
  int64_t CfaOffset = 0;
  bool IsKnown = true; // the CFA is register plus offset
};

/// A function's entry in .eh_frame, with the part that several entries share.
struct Entry {
  uint64_t CodeAlign = 1;
  int64_t DataAlign = 1;
  uint64_t Start = 0, Size = 0;
  std::string Common, Own; // instructions
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
// The tables
//===----------------------------------------------------------------------===//

// Without its length.
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
      // An absolute address, or four bytes: compilers make no others.
      Data.skip(At, (Personality & 7) ? 4 : 8);
    } else if (C != 'B') {
      // 'S' marks the caller of a signal handler. The thread was interrupted in
      // an unknown state.
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

// .eh_frame_hdr is a table by address, for a binary search. All linkers use the
// same format for its numbers.
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
// Their instructions
//===----------------------------------------------------------------------===//

namespace {
/// Executes call frame instructions until they are past an address.
class RowMachine {
public:
  RowMachine(const RegisterNumbers &Numbers, const Entry &E, uint64_t Code)
      : Numbers(Numbers), E(E), Code(Code) {}
  std::optional<Row> run();

private:
  bool execute(StringRef Instructions);
  bool executeExtended(uint8_t Opcode, DataExtractor &Data,
                       DataExtractor::Cursor &At);
  void set(uint64_t Register, Rule::Kinds Kind, int64_t Value = 0) {
    if (Register < Numbers.Number)
      Now.Registers[Register] = {Kind, Value};
  }
  bool advance(uint64_t By) {
    Location += By * E.CodeAlign;
    return Location <= Code;
  }

  const RegisterNumbers &Numbers;
  const Entry &E;
  uint64_t Code;
  uint64_t Location = 0;
  Row Now, Initial;
  std::vector<Row> Remembered;
  bool Failed = false;
};
} // namespace

std::optional<Row> RowMachine::run() {
  Location = E.Start;
  if (!execute(E.Common))
    return std::nullopt;
  Initial = Now;
  if (!execute(E.Own) || !Now.IsKnown)
    return std::nullopt;
  return Now;
}

bool RowMachine::execute(StringRef Instructions) {
  DataExtractor Data = littleEndian(Instructions);
  DataExtractor::Cursor At(0);
  bool GoesOn = true;
  while (GoesOn && !Failed && At && At.tell() < Instructions.size()) {
    uint8_t Opcode = Data.getU8(At), Low = Opcode & 0x3f;
    switch (Opcode & 0xc0) {
    case dwarf::DW_CFA_advance_loc:
      GoesOn = advance(Low);
      break;
    case dwarf::DW_CFA_offset:
      set(Low, Rule::AtOffset, Data.getULEB128(At) * E.DataAlign);
      break;
    case dwarf::DW_CFA_restore:
      if (Low < Numbers.Number)
        Now.Registers[Low] = Initial.Registers[Low];
      break;
    default:
      GoesOn = executeExtended(Opcode, Data, At);
    }
  }
  if (Error Wrong = At.takeError()) {
    consumeError(std::move(Wrong));
    return false;
  }
  return !Failed;
}

bool RowMachine::executeExtended(uint8_t Opcode, DataExtractor &Data,
                                 DataExtractor::Cursor &At) {
  uint64_t Register;
  switch (Opcode) {
  case dwarf::DW_CFA_nop:
    return true;
  case dwarf::DW_CFA_advance_loc1:
    return advance(Data.getU8(At));
  case dwarf::DW_CFA_advance_loc2:
    return advance(Data.getU16(At));
  case dwarf::DW_CFA_advance_loc4:
    return advance(Data.getU32(At));
  case dwarf::DW_CFA_offset_extended:
    Register = Data.getULEB128(At);
    set(Register, Rule::AtOffset, Data.getULEB128(At) * E.DataAlign);
    return true;
  case dwarf::DW_CFA_offset_extended_sf:
    Register = Data.getULEB128(At);
    set(Register, Rule::AtOffset, Data.getSLEB128(At) * E.DataAlign);
    return true;
  case dwarf::DW_CFA_val_offset:
    Register = Data.getULEB128(At);
    set(Register, Rule::IsOffset, Data.getULEB128(At) * E.DataAlign);
    return true;
  case dwarf::DW_CFA_restore_extended:
    Register = Data.getULEB128(At);
    if (Register < Numbers.Number)
      Now.Registers[Register] = Initial.Registers[Register];
    return true;
  case dwarf::DW_CFA_undefined:
    set(Data.getULEB128(At), Rule::Undefined);
    return true;
  case dwarf::DW_CFA_same_value:
    set(Data.getULEB128(At), Rule::Same);
    return true;
  case dwarf::DW_CFA_register:
    Register = Data.getULEB128(At);
    set(Register, Rule::InRegister, Data.getULEB128(At));
    return true;
  case dwarf::DW_CFA_expression:
  case dwarf::DW_CFA_val_expression:
    set(Data.getULEB128(At), Rule::Unknown);
    Data.skip(At, Data.getULEB128(At));
    return true;
  case dwarf::DW_CFA_remember_state:
    Remembered.push_back(Now);
    return true;
  case dwarf::DW_CFA_restore_state:
    if (Remembered.empty())
      break;
    Now = Remembered.back();
    Remembered.pop_back();
    return true;
  case dwarf::DW_CFA_def_cfa:
    Now.CfaRegister = Data.getULEB128(At);
    Now.CfaOffset = Data.getULEB128(At);
    Now.IsKnown = true;
    return true;
  case dwarf::DW_CFA_def_cfa_sf:
    Now.CfaRegister = Data.getULEB128(At);
    Now.CfaOffset = Data.getSLEB128(At) * E.DataAlign;
    Now.IsKnown = true;
    return true;
  case dwarf::DW_CFA_def_cfa_register:
    Now.CfaRegister = Data.getULEB128(At);
    return true;
  case dwarf::DW_CFA_def_cfa_offset:
    Now.CfaOffset = Data.getULEB128(At);
    return true;
  case dwarf::DW_CFA_def_cfa_offset_sf:
    Now.CfaOffset = Data.getSLEB128(At) * E.DataAlign;
    return true;
  case dwarf::DW_CFA_def_cfa_expression:
    // The PLT uses it, among others. The thread leaves such code soon.
    Data.skip(At, Data.getULEB128(At));
    Now.IsKnown = false;
    return true;
  case dwarf::DW_CFA_GNU_args_size:
    Data.getULEB128(At);
    return true;
  case dwarf::DW_CFA_AARCH64_negate_ra_state:
    // Tells whether the return address is signed. The signature is removed in
    // any case.
    if (!Numbers.hasLink())
      break;
    return true;
  }
  Failed = true;
  return false;
}

//===----------------------------------------------------------------------===//
// From frame to frame
//===----------------------------------------------------------------------===//

// False: not known. An undefined return address marks the first frame.
static bool toCaller(const UnwindSource &Memory, const RegisterNumbers &Numbers,
                     const Row &R, DwarfRegisters &Registers) {
  if (R.CfaRegister >= Numbers.Number || !Registers[R.CfaRegister])
    return false;
  uint64_t Cfa = *Registers[R.CfaRegister] + R.CfaOffset;
  DwarfRegisters Caller = Registers;
  for (unsigned I = 0; I != Numbers.Number; ++I) {
    const Rule &Of = R.Registers[I];
    uint64_t Value;
    switch (Of.Kind) {
    case Rule::Same:
      // In a function that has called no other, the link register still has it.
      if (!Numbers.isPreserved(I) &&
          !(Numbers.hasLink() && I == Numbers.ReturnAddress))
        Caller[I] = std::nullopt;
      break;
    case Rule::Undefined:
    case Rule::Unknown:
      Caller[I] = std::nullopt;
      break;
    case Rule::AtOffset:
      if (!Memory.read(Cfa + Of.Value, Value))
        return false;
      Caller[I] = Value;
      break;
    case Rule::IsOffset:
      Caller[I] = Cfa + Of.Value;
      break;
    case Rule::InRegister:
      Caller[I] = uint64_t(Of.Value) < Numbers.Number
                      ? Registers[Of.Value]
                      : std::nullopt;
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
    // A call may be the last instruction of its function.
    uint64_t Code = Found.Frames.empty() ? Pc : Pc - 1;
    Found.Frames.push_back({Pc, Code});
    uint64_t Before = *Registers[Numbers.StackPointer];
    Found.StackPointers.push_back(Before);
    auto E = FrameTable(Memory, Numbers, Memory.frameHeader(Code)).find(Code);
    if (!E)
      break;
    auto R = RowMachine(Numbers, *E, Code).run();
    if (!R)
      break;
    if (R->Registers[Numbers.ReturnAddress].Kind == Rule::Undefined) {
      Found.IsWhole = true;
      break;
    }
    if (!toCaller(Memory, Numbers, *R, Registers) || !Registers[Numbers.Pc])
      break;
    // The innermost function may have pushed nothing.
    bool MayBeEmpty = Numbers.hasLink() && Found.Frames.size() == 1;
    uint64_t After = *Registers[Numbers.StackPointer];
    if (After < Before || (After == Before && !MayBeEmpty))
      break;
  }
  return Found;
}
