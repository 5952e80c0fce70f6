// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions of some hundred million records: a hash table that needs
// one or two probes per record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace patchbay {

struct DataFunction {
  uint32_t Module; // key in DataFile::Modules
  uint64_t Entry;
};

class FunctionSlots {
public:
  static constexpr uint32_t None = UINT32_MAX;

  /// Adds all functions of a file. Call this once. The functions must not move
  /// during the lifetime of this object.
  void add(const std::unordered_map<uint64_t, DataFunction> &Functions) {
    unsigned Bits = 4;
    while (Functions.size() >> (Bits - 1))
      ++Bits;
    Shift = 64 - Bits;
    Table.assign(size_t(1) << Bits, {0, None});
    for (const auto &[Number, Function] : Functions) {
      size_t At = place(Number);
      while (Table[At].Slot != None)
        At = next(At);
      Table[At] = {Number, uint32_t(Of.size())};
      Of.push_back(&Function);
    }
  }
  /// Returns None if no function has this number, otherwise an index. Indices
  /// begin at 0 and have no gaps.
  uint32_t find(uint64_t Number) const {
    if (Table.empty())
      return None;
    size_t At = place(Number);
    while (Table[At].Slot != None && Table[At].Number != Number)
      At = next(At);
    return Table[At].Slot;
  }
  const DataFunction &operator[](uint32_t Slot) const { return *Of[Slot]; }
  size_t size() const { return Of.size(); }

private:
  struct Entry {
    uint64_t Number;
    uint32_t Slot;
  };
  // Fibonacci hashing: Knuth, The Art of Computer Programming, 6.4.
  size_t place(uint64_t Number) const {
    return Number * 0x9e3779b97f4a7c15 >> Shift;
  }
  size_t next(size_t At) const { return (At + 1) & (Table.size() - 1); }

  std::vector<Entry> Table; // less than half full
  unsigned Shift = 0;
  std::vector<const DataFunction *> Of;
};

/// The functions of a file by number. Forked children without functions of
/// their own share their parent's table.
struct FunctionTable {
  std::unordered_map<uint64_t, DataFunction> Functions; // by number
  FunctionSlots Slots;                                  // built from Functions
};

} // namespace patchbay
