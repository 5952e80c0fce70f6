// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments with names and types: their description from trace/format/typed_spec.h,
// and the values of a call.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace patchbay {

/// A value of a function.
struct TypedField {
  std::string Name;
  char Kind = 0;
  unsigned Size = 0; // bytes of a number
  bool IsResult = false;
  bool IsUnused = false; // callers may pass any value
  std::map<uint64_t, std::string> Enumerators; // by value, truncated to Size
};

/// Parses the fields of a string, up to the first invalid one.
std::vector<TypedField> parseTypedFields(llvm::StringRef Text);

/// A record of PBD_TYPED.
struct TypedPart {
  uint8_t Field, Part, State;
  uint64_t Word;
};

/// The value of a field as a literal of C, or the reason in <> if it has none.
/// The value of an unused argument is shown as <unused: VALUE>.
std::string typedText(const TypedField &F, size_t Number,
                      llvm::ArrayRef<TypedPart> Parts);

/// The same for JSON: numbers with all their digits, addresses as hexadecimal strings,
/// null for null pointers, and {"unknown": WHY} for missing values and unused arguments.
llvm::json::Value typedJson(const TypedField &F, size_t Number,
                            llvm::ArrayRef<TypedPart> Parts);
/// A number for JSON, which has finite numbers only. Others become strings.
llvm::json::Value jsonNumber(double Number);

} // namespace patchbay
