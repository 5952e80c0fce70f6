// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that were recorded with names and types: what trace/typed_spec.h says of
// them, and what a call had.
#ifndef PATCHBAY_TOOL_TYPEDTEXT_H
#define PATCHBAY_TOOL_TYPEDTEXT_H

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
  unsigned Size = 0; // bytes, of a number
  bool IsResult = false;
  std::map<uint64_t, std::string> Enumerators; // by value, as wide as Size
};

/// Those of a text; what makes no sense ends it.
std::vector<TypedField> parseTypedFields(llvm::StringRef Text);

/// A record of PBD_TYPED.
struct TypedPart {
  uint8_t Field, Part, State;
  uint64_t Word;
};

/// The value of a field as a literal of C, or in <> why there is none.
std::string typedText(const TypedField &F, size_t Number,
                      llvm::ArrayRef<TypedPart> Parts);

/// The same for JSON: numbers with all their digits, addresses as hexadecimal
/// texts, null of a pointer that is, and {"unknown": WHY} where there is no
/// value.
llvm::json::Value typedJson(const TypedField &F, size_t Number,
                            llvm::ArrayRef<TypedPart> Parts);
/// A number for JSON, which has none that are not finite: these become texts.
llvm::json::Value jsonNumber(double Number);

} // namespace patchbay

#endif
