// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments with names and types: parses the description of arguments
// (trace/format/typed_spec.h), and formats the values of a call.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace patchbay {

/// An argument or result of a function.
struct TypedField {
  std::string Name;
  char Kind = 0;
  unsigned Size = 0; // size of a number in bytes
  bool IsResult = false;
  bool IsUnused = false; // callers may pass any value
  std::map<uint64_t, std::string> Enumerators; // by value, truncated to Size
};

/// Parses the fields of a string. Stops at the first invalid field.
std::vector<TypedField> parseTypedFields(llvm::StringRef Text);

/// The contents of a PBD_TYPED record.
struct TypedPart {
  uint8_t Field, Part, State;
  uint64_t Word;
};

/// The value of a field as a C literal, or the reason in <> why the value is unknown. An
/// unused argument is shown as <unused: VALUE>.
std::string typedText(const TypedField &F, size_t Number,
                      llvm::ArrayRef<TypedPart> Parts);

/// The value as JSON: numbers with all their digits, addresses as hexadecimal strings,
/// null for null pointers, and {"unknown": WHY} for unknown values and unused arguments.
llvm::json::Value typedJson(const TypedField &F, size_t Number,
                            llvm::ArrayRef<TypedPart> Parts);
/// A number as JSON. Infinities and NaN become strings, since JSON has no such numbers.
llvm::json::Value jsonNumber(double Number);

} // namespace patchbay
