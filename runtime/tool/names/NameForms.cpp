// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameForms.h"
#include "trace/format/name_forms.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::readableName(StringRef Demangled) {
  std::string Name = rustName(Demangled);
  Name.resize(pb_name_strings(Name.data(), Name.size()));
  return Name;
}

static std::string shortForm(StringRef Name, bool WithTemplates) {
  if (Name.empty())
    return "";
  std::string Result(Name.size(), 0);
  Result.resize(pb_name_short(Name.data(), Name.size(), WithTemplates, Result.data()));
  return Result;
}

std::string patchbay::withoutParameters(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/true);
}

std::string patchbay::plainName(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/false);
}

bool patchbay::isMatchedBy(const std::string &Name, const std::string &Glob) {
  return pb_name_matches(Name.c_str(), Glob.c_str()) > 0;
}

bool patchbay::isNamedBy(StringRef Demangled, const std::string &Glob) {
  std::string Name = Demangled.str(), Rust = rustName(Demangled);
  auto Is = [&](const std::string &Text) {
    return pb_name_is_meant(Text.c_str(), Glob.c_str()) > 0;
  };
  return Is(Name) || (Rust != Name && Is(Rust));
}
