// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FunctionNames.h"
#include "NameForms.h"
#include "elf/Bolt.h"
#include "patchbay/names.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace patchbay;

Expected<FunctionNames> FunctionNames::read(const ElfImage &Image,
                                            ArrayRef<std::string> Roots) {
  FunctionNames Result;
  if (Error E = Image.symbolNames().moveInto(Result.Own))
    return std::move(E);
  if (!Roots.empty() && Result.Own.stripped())
    Result.Apart = findSymbolFile(&Image, Image.path(),
                                  toStringRef(Image.buildId()), Roots);
  return Result;
}

std::vector<StringRef> FunctionNames::at(uint64_t Entry) const {
  std::vector<StringRef> Names = known().at(Entry);
  for (StringRef Name : Own.at(Entry))
    if (!is_contained(Names, Name))
      Names.push_back(Name);
  return Names;
}

std::string FunctionNames::nameForRuntime(const ElfImage &Image,
                                          uint64_t Entry) const {
  if (std::vector<StringRef> Names = Own.at(Entry); !Names.empty())
    return Names.front().str();
  std::string Module = Image.buildId().empty()
                           ? Image.path()
                           : toHex(Image.buildId(), /*LowerCase=*/true);
  return "@" + Module + "+" + utohexstr(Entry, /*LowerCase=*/true);
}

Expected<TraceableFunctions> TraceableFunctions::read(const ElfImage &Image,
                                                      ArrayRef<std::string> Roots) {
  TraceableFunctions Result;
  if (Error E = Image.records().moveInto(Result.Records))
    return std::move(E);
  const size_t All = Result.Records.size();
  std::string Unslotted;
  if (Error E = All ? unslottedText(Image).moveInto(Unslotted)
                    : whyNoRecords(Image).moveInto(Result.WhyNone))
    return std::move(E);
  if (!All)
    return std::move(Result);
  if (!Unslotted.empty())
    Result.Warnings.push_back(std::move(Unslotted));
  if (Error E = FunctionNames::read(Image, Roots).moveInto(Result.Names))
    return std::move(E);
  if (Error E = removeMoved(Image, Result.Names.own(), Result.Records))
    return std::move(E);
  if (size_t Moved = All - Result.Records.size())
    (Result.Records.empty() ? Result.WhyNone : Result.Warnings.emplace_back()) =
        movedText(Image, Result.Names.own(), Moved, All);
  return std::move(Result);
}

static bool isNumber(StringRef Word) {
  return !Word.empty() && llvm::all_of(Word, isDigit);
}

// Keeps only the suffixes of parts and copies of a function. A suffix is a word, optionally
// followed by a number.
static std::string partsIn(StringRef Suffixes) {
  std::string Parts;
  SmallVector<StringRef> Words;
  Suffixes.drop_front().split(Words, '.');
  for (size_t I = 0; I != Words.size(); ++I) {
    StringRef Word = Words[I];
    bool Numbered = I + 1 != Words.size() && isNumber(Words[I + 1]);
    if (Word == "llvm" || Word == "__uniq") {
      I += Numbered;
    } else if (is_contained({"cold", "part", "specialized", "constprop", "isra",
                             "memprof"},
                            Word)) {
      Parts += ("." + Word).str();
      if (Numbered)
        Parts += ("." + Words[++I]).str();
    } else if (is_contained({"resume", "destroy", "cleanup", "noalloc",
                             "omp_outlined", "omp_outlined_debug__"},
                            Word)) {
      Parts += ("." + Word).str();
    } else if (patchbay_is_version(Word.data(), Word.size())) {
      Parts += ("." + Word).str();
      // "sse4.2" is the name of a processor feature.
      if (Numbered && Word.ends_with("sse4"))
        Parts += ("." + Words[++I]).str();
    }
  }
  return Parts;
}

// The symbol's name without .llvm.N, .__uniq.N, .N, .cfi and the digits of a module (see
// patchbay/names.h). Keeps suffixes of parts and copies of the function:
// parse.llvm.1527.cold becomes parse.cold.
static std::string sourceName(StringRef Symbol) {
  size_t Length = patchbay_source_name_length(Symbol.data(), Symbol.size());
  if (Length == Symbol.size())
    return Symbol.str();
  return Symbol.take_front(Length).str() + partsIn(Symbol.drop_front(Length));
}

// Finds the symbols of entries in CFI's jump table. For such an entry NAME, the function is
// NAME.cfi.
static StringSet<> jumpTableEntries(ArrayRef<SymbolNames::Symbol> Symbols) {
  StringSet<> Names;
  for (const SymbolNames::Symbol &S : Symbols)
    if (StringRef Name = S.Name; Name.consume_back(".cfi"))
      Names.insert(Name);
  return Names;
}

StringSet<> SymbolNames::findShared() const {
  StringMap<uint64_t> Addresses; // addresses of names with a suffix
  for (const Symbol &S : Symbols)
    if (std::string Name = sourceName(S.Name); Name != S.Name)
      Addresses[Name] = S.Address;
  StringSet<> Result;
  if (Addresses.empty())
    return Result;
  StringSet<> JumpTable = jumpTableEntries(Symbols);
  for (const Symbol &S : Symbols) {
    if (JumpTable.contains(S.Name))
      continue;
    std::string Name = sourceName(S.Name);
    auto Known = Addresses.find(Name);
    if (Known != Addresses.end() && Known->second != S.Address)
      Result.insert(Name);
  }
  return Result;
}

bool SymbolNames::isShared(StringRef SourceName) const {
  if (!Shared)
    Shared = findShared();
  return Shared->contains(SourceName);
}

std::vector<std::string> patchbay::displayNames(const SymbolNames &Of,
                                                uint64_t Entry) {
  std::vector<std::string> Result;
  for (StringRef Symbol : Of.at(Entry)) {
    std::string Name = sourceName(Symbol);
    if (Name != Symbol && Of.isShared(Name))
      Name = Symbol.str();
    std::string Readable = printable(readableName(demangle(Name)));
    // The constructors C1 and C2 of a class have the same readable name.
    if (!llvm::is_contained(Result, Readable))
      Result.push_back(std::move(Readable));
  }
  if (Result.empty())
    Result.push_back("0x" + utohexstr(Entry, /*LowerCase=*/true));
  return Result;
}

std::string patchbay::commonName(const SymbolNames &Of, uint64_t Entry) {
  std::vector<StringRef> Symbols = Of.at(Entry);
  return Symbols.empty() ? displayNames(Of, Entry).front()
                         : printable(
                               readableName(demangle(sourceName(Symbols.front()))));
}
