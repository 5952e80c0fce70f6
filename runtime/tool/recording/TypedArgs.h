// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --args 'parse(name, req->uri, retval)' and --when 'len > 4096': finds the location of
// each named value in registers or memory, for each function, from debug information. The
// runtime reads the values there (trace/format/typed_spec.h).
#pragma once

#include "arguments/DwarfFunctions.h"
#include "names/NameFilter.h"
#include <map>

namespace patchbay {

struct TypedCondition {
  std::string Text; // as the user wrote it
  std::string Path, Compare, Constant;
};

struct TypedRequest {
  std::string Text; // as the user wrote it
  NameFilter Functions;
  std::vector<std::string> Paths; // empty: all arguments, and the result
  /// For each path, the reason why the first function lacks the value. The reason is
  /// empty once a function has the value.
  std::map<std::string, std::string> Missing = {};
};

/// std::nullopt for a glob with parameters, such as 'parse(int)'.
std::optional<TypedRequest> parseTypedRequest(llvm::StringRef Text);

/// Parses the conditions of --when, all of which must hold: "len > 4096 && name ==
/// 'x'".
llvm::Expected<std::vector<TypedCondition>>
parseConditions(llvm::ArrayRef<std::string> Texts);

class TypedArgs {
public:
  std::vector<TypedRequest> Requests;
  std::vector<TypedCondition> Conditions;
  /// Directories to search for debug files.
  std::vector<std::string> Roots = {""};

  /// If a request selects the function, adds its arguments to options(), and returns
  /// true. NameForRuntime is the name by which the runtime finds the function. Fails if
  /// the function lacks a requested value.
  llvm::Expected<bool> add(const ElfImage &Image, const SiteRecord &Record,
                           llvm::ArrayRef<llvm::StringRef> Symbols,
                           const std::string &NameForRuntime);
  /// If the function is declared in <patchbay/mark.h>, records its arguments.
  void addMark(const ElfImage &Image, const SiteRecord &Record,
               llvm::ArrayRef<llvm::StringRef> Symbols, const std::string &NameForRuntime);
  /// Record the arguments of marks?
  bool WithMarks = false;
  /// Must be called after each image.
  void endImage() { Known.reset(); }
  /// Functions whose requested arguments are not recorded, and why.
  llvm::ArrayRef<std::string> leftOut() const { return LeftOut; }
  /// Warnings about recorded arguments, or arguments in conditions, that callers need
  /// not pass.
  llvm::ArrayRef<std::string> unused() const { return Unused; }
  /// Symbols of functions that a request selects by parameter types.
  std::set<std::string> Untyped;
  /// The options for PATCHBAY, one for each function.
  llvm::ArrayRef<std::string> options() const { return Options; }
  /// A message about a request without a function, a name that no function of a request
  /// has, or a condition without a function. Empty if all have a function.
  std::string unmatched() const;
  /// The requests without a function, as the user wrote them.
  std::vector<std::string> unmatchedRequests() const;

private:
  void addOption(const ElfImage &Image, const SiteRecord &Record,
                 const std::string &NameForRuntime, llvm::StringRef Text);
  llvm::Expected<std::string> textFor(llvm::ArrayRef<TypedRequest *> Requests,
                                      llvm::DWARFDie Of, const SiteRecord &Record,
                                      uint16_t Machine, const std::string &Name);
  llvm::Expected<std::vector<std::string>> conditionsFor(const struct FunctionPlaces &F,
                                                         struct UnusedNames &NotUsed);

  std::unique_ptr<DwarfFunctions> Known; // debug information of the last image
  std::vector<std::string> Options, LeftOut, Unused;
  std::set<std::string> Held; // conditions for which a function was found
};

} // namespace patchbay
