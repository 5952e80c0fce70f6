// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameForms.h"
#include "NameParts.h"
#include "RustNames.h"
#include "patchbay/names.h"
#include "llvm/ADT/Twine.h"
#include <fnmatch.h>

using namespace llvm;
using namespace patchbay;

static void replaceAll(std::string &In, StringRef Old, StringRef New) {
  for (size_t At = In.find(Old.data()); At != std::string::npos;
       At = In.find(Old.data(), At + New.size()))
    In.replace(At, Old.size(), New.data(), New.size());
}

// The namespaces are those of libstdc++ and of libc++.
std::string patchbay::readableName(StringRef Demangled) {
  std::string Name = rustName(Demangled);
  if (!Demangled.contains("::basic_string"))
    return Name;
  for (StringRef Inner : {"__cxx11::", "__1::", ""}) {
    std::string Traits = "std::" + (Inner == "__1::" ? Inner : "").str();
    std::string Of = "<char, " + Traits + "char_traits<char>";
    replaceAll(Name, ("std::" + Inner + "basic_string").str() + Of + ", " +
                         Traits + "allocator<char>>",
               "std::string");
    replaceAll(Name, ("std::" + Inner + "basic_string_view").str() + Of + ">",
               "std::string_view");
  }
  return Name;
}

// What is a parameter list ends the name, unless something of that function follows:
// "f(int)::{lambda()#1}::operator()() const". A space ends the type of the result.
static std::string shortForm(StringRef Name, bool WithTemplates) {
  std::string Result;
  bool IsOver = false, WasOperator = false;
  for (NameParts P(Name); !P.empty();) {
    StringRef Part = P.next();
    if (IsOver && Part != ":")
      continue;
    IsOver = false;
    if (isParameters(Part, Result))
      IsOver = !Result.empty();
    else if (Part == " " && !WasOperator) // "operator<< <int>"
      Result.clear();
    else if (Part.starts_with("<") && Part.size() > 1) {
      // Rust's "<Type as Trait>::f" has it in front, its "f::<Type>" behind "::".
      if (WithTemplates || Result.empty())
        Result += Part;
      else
        Result.resize(StringRef(Result).rtrim(':').size());
    }
    else if (Part != " " && !Part.starts_with("[abi:"))
      Result += Part;
    WasOperator = Part.starts_with("operator");
  }
  return Result.empty() ? Name.str() : Result;
}

std::string patchbay::withoutParameters(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/true);
}

std::string patchbay::plainName(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/false);
}

// "svc::Cache<int>::get" of "svc::Cache<int>::get<int>": a template is not called with
// its arguments as a rule.
static StringRef withoutLastArguments(StringRef Name) {
  size_t Last = 0, Size = 0;
  for (NameParts P(Name); !P.empty(); Size += Last)
    Last = P.next().size();
  bool IsArguments = Last > 2 && Name[Size - Last] == '<';
  return IsArguments ? Name.drop_back(Last).rtrim(':') : Name;
}

bool patchbay::isMatchedBy(const std::string &Name, const std::string &Glob) {
  if (fnmatch(Glob.c_str(), Name.c_str(), 0) == 0)
    return true;
  std::string Closed = Glob;
  if (!patchbay_close_up(Closed.data()))
    return false;
  std::string NameClosed = Name;
  patchbay_close_up(NameClosed.data());
  return fnmatch(Closed.c_str(), NameClosed.c_str(), 0) == 0;
}

bool patchbay::isNamedBy(StringRef Demangled, const std::string &Glob) {
  auto Is = [&](const std::string &Form) { return isMatchedBy(Form, Glob); };
  std::string Readable = readableName(Demangled);
  std::string Qualified = withoutParameters(Readable);
  return Demangled == Glob || Is(Demangled.str()) || Is(Readable) ||
         Is(Qualified) || Is(withoutLastArguments(Qualified).str()) ||
         Is(plainName(Readable));
}
