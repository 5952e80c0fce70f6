// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TypedArgs.h"
#include "arguments/ArgumentPlaces.h"
#include "names/NameForms.h"
#include "support/Diagnostics.h"
#include "trace/format/typed_spec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace patchbay;

static constexpr StringLiteral Result("retval");

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

// Is Text a name, optionally with members, such as "req->conn.fd"?
static bool isPath(StringRef Text) {
  bool IsStart = true;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (isAlpha(C) || C == '_' || (!IsStart && isDigit(C))) {
      IsStart = false;
    } else if (!IsStart && Text.substr(I).starts_with("->")) {
      ++I;
      IsStart = true;
    } else if (!IsStart && C == '.') {
      IsStart = true;
    } else {
      return false;
    }
  }
  return !IsStart;
}

static bool isTypeName(StringRef Word) {
  return is_contained({"void", "bool", "char", "short", "int", "long", "float",
                       "double", "signed", "unsigned", "wchar_t", "char8_t",
                       "char16_t", "char32_t", "auto"},
                      Word);
}

std::optional<TypedRequest> patchbay::parseTypedRequest(StringRef Text) {
  StringRef Head = Text;
  if (!Head.consume_back(")"))
    return std::nullopt;
  size_t Open = Head.rfind('(');
  if (Open == StringRef::npos || !Open)
    return std::nullopt;
  StringRef Inside = Head.drop_front(Open + 1).trim();
  Head = Head.take_front(Open).rtrim();
  std::vector<std::string> Paths;
  if (Inside != "*") {
    SmallVector<StringRef> Items;
    Inside.split(Items, ',');
    for (StringRef Item : Items) {
      Item = Item.trim();
      if (!isPath(Item) || isTypeName(Item))
        return std::nullopt;
      Paths.push_back(Item.str());
    }
  }
  return TypedRequest{Text.str(), NameFilter(Head.str()), std::move(Paths)};
}

static Error wrongCondition(StringRef Text) {
  return makeError(Usage, "--when: '" + Text +
                              "' is not a name, one of == != < <= > >=, and a "
                              "number or a quoted text, as in 'len > 4096' or "
                              "'name == \"x\"'; several with &&");
}

// Finds an operator in Constant that --when does not support, such as "and" or "||".
// nullptr: none.
static const char *otherOperator(StringRef Constant) {
  if (!Constant.empty() && (Constant.front() == '"' || Constant.front() == '\''))
    Constant = Constant.drop_front().split(Constant.front()).second;
  for (const char *Word : {" and ", " AND ", " or ", " OR ", "||", "&"})
    if (Constant.contains(Word))
      return Word;
  return nullptr;
}

Expected<std::vector<TypedCondition>>
patchbay::parseConditions(ArrayRef<std::string> Texts) {
  std::vector<TypedCondition> Conditions;
  for (StringRef Text : Texts) {
    SmallVector<StringRef> Parts;
    Text.split(Parts, "&&");
    for (StringRef Part : Parts) {
      TypedCondition C;
      C.Text = Part.trim().str();
      size_t At = Part.find_first_of("=!<>");
      // Skip "->".
      while (At != StringRef::npos && At && Part[At] == '>' &&
             Part[At - 1] == '-')
        At = Part.find_first_of("=!<>", At + 1);
      if (At == StringRef::npos && StringRef(C.Text).contains(" and "))
        return makeError(Usage, "--when: '" + C.Text + "': conditions are joined by &&, "
                                    "and each has a name, a comparison and a value, as "
                                    "in 'len > 4096 && name == \"x\"'");
      if (At == StringRef::npos)
        return wrongCondition(C.Text);
      C.Path = Part.take_front(At).trim().str();
      StringRef Rest = Part.drop_front(At);
      for (StringRef Compare : {"==", "!=", "<=", ">=", "<", ">"})
        if (C.Compare.empty() && Rest.consume_front(Compare))
          C.Compare = Compare.str();
      C.Constant = Rest.trim().str();
      if (!isPath(C.Path) || C.Compare.empty() || C.Constant.empty())
        return wrongCondition(C.Text);
      if (const char *Other = otherOperator(C.Constant))
        return makeError(Usage, "--when: '" + C.Text + "': conditions are joined by &&, "
                                    "and all of them have to hold: there is no '" +
                                    StringRef(Other).trim() + "'");
      Conditions.push_back(std::move(C));
    }
  }
  return Conditions;
}

//===----------------------------------------------------------------------===//
// Locations of values
//===----------------------------------------------------------------------===//

namespace {
/// A value, and the dereferences found so far.
struct Found {
  DWARFDie Type; // without typedefs and qualifiers
  ArgumentPlace Place; // location of the value, or of its address
  std::string Steps;   // "@16" for each pointer that is followed
  uint64_t Offset = 0; // offset in the value
  bool InMemory = false; // Steps or Place give an address, and Offset is relative to it
};
} // namespace

static Error cannot(const Twine &Why) { return makeError(Why); }

// NothingFound: the function lacks the argument, or the structure lacks the member.
static Error notFound(const Twine &Why) { return makeError(NothingFound, Why); }

static constexpr StringLiteral LacksParameters(
    "debug information lacks its arguments: compile with -g (Cargo: debug = 2)");

static std::string listed(ArrayRef<std::string> Names) {
  return Names.empty() ? "none" : join(Names, ", ");
}

// The location of a parameter or of the result.
static Expected<Found> startOf(StringRef Name, const FunctionPlaces &F) {
  Found V;
  if (Name == Result) {
    V.Type = F.ResultType;
    V.Place = F.Result;
  } else {
    std::vector<std::string> Names;
    for (size_t I = 0; I != F.Parameters.size(); ++I) {
      if (F.Parameters[I].Name == Name) {
        V.Type = plainType(F.Parameters[I].Type);
        V.Place = F.Places[I];
      }
      if (!F.Parameters[I].Name.empty())
        Names.push_back(F.Parameters[I].Name);
    }
    if (!V.Type && F.LacksParameters)
      return cannot(LacksParameters);
    if (!V.Type)
      return notFound("has no argument '" + Name + "': it has " + listed(Names));
  }
  if (!V.Place.Why.empty())
    return cannot("'" + Name + "': " + V.Place.Why);
  V.InMemory = V.Place.IsAddress;
  return V;
}

// Dereferences a pointer.
static void follow(Found &V) {
  if (V.InMemory) {
    V.Steps += "@" + utostr(V.Offset);
  } else {
    V.Place.Words = {V.Place.Words[V.Offset / 8]};
    if (!V.Place.Uses.empty())
      V.Place.Uses = {V.Place.Uses[V.Offset / 8]};
  }
  V.InMemory = true;
  V.Offset = 0;
  V.Type = plainType(typeOf(V.Type));
}

static Error goInto(Found &V, StringRef Member, StringRef Path) {
  if (isPointer(V.Type))
    follow(V);
  if (!isRecord(V.Type))
    return cannot("'" + Path + "': the value before '" + Member +
                  "' is not a structure");
  auto M = memberOf(V.Type, Member);
  if (!M && memberNames(V.Type).empty())
    return cannot("'" + Path + "': debug information lacks the members of this structure");
  if (!M)
    return notFound("'" + Path + "': there is no member '" + Member + "': it has " +
                    listed(memberNames(V.Type)));
  if (M->IsBitField)
    return cannot("'" + Path + "' is a bit-field, which is not read");
  V.Offset += M->Offset;
  V.Type = plainType(M->Type);
  return Error::success();
}

static Expected<Found> findValue(StringRef Path, const FunctionPlaces &F) {
  StringRef Rest = Path;
  auto Next = [&] {
    StringRef Name = Rest.take_while([](char C) { return isAlnum(C) || C == '_'; });
    Rest = Rest.drop_front(Name.size());
    if (!Rest.consume_front("->"))
      Rest.consume_front(".");
    return Name;
  };
  auto V = startOf(Next(), F);
  while (V && !Rest.empty())
    if (Error E = goInto(*V, Next(), Path))
      return std::move(E);
  return V;
}

static bool isCharArray(DWARFDie Type) {
  return Type && Type.getTag() == dwarf::DW_TAG_array_type &&
         scalarKind(typeOf(Type)) == "c";
}

static Error notOnItsOwn(StringRef Path) {
  return cannot("'" + Path +
                "' begins in the middle of a register or of a copied value");
}

// The source of the word at offset At of the value: "r1@16".
static Expected<std::string> sourceOf(StringRef Path, const Found &V,
                                      uint64_t At) {
  std::string Source;
  At += V.Offset;
  if (V.InMemory)
    Source = V.Place.Words[0] + V.Steps + "@" + utostr(At);
  else if (At % 8 || At / 8 >= V.Place.Words.size())
    return notOnItsOwn(Path);
  else
    Source = V.Place.Words[At / 8];
  if (size_t(count(Source, '@')) > PB_TYPED_STEPS)
    return cannot("'" + Path + "' goes through more than " +
                  Twine(PB_TYPED_STEPS) + " pointers");
  return Source;
}

// Kind and source of a value of a scalar type: "u8:r1@16".
static Expected<std::string> kindAndSource(StringRef Path, Found V) {
  // Read the target of a reference, and of a pointer to a string.
  if (isPointer(V.Type) &&
      (!stringKind(typeOf(V.Type)).empty() || viewOf(typeOf(V.Type)) ||
       V.Type.getTag() != dwarf::DW_TAG_pointer_type))
    follow(V);
  if (auto View = viewOf(V.Type)) {
    auto Text = sourceOf(Path, V, View->Text);
    if (!Text)
      return Text.takeError();
    auto Length = sourceOf(Path, V, View->Length);
    if (!Length)
      return Length.takeError();
    return "v:" + *Text + "#" + *Length;
  }
  std::string Kind = stringKind(V.Type);
  bool IsObject = !Kind.empty();
  if (isCharArray(V.Type)) {
    IsObject = true;
    Kind = "t" + utostr(std::min<uint64_t>(sizeOf(V.Type), PB_TYPED_TEXT));
  }
  if (Kind.empty())
    Kind = scalarKind(V.Type);
  if (Kind.empty() || Kind == "t0") {
    const std::vector<std::string> Members =
        isRecord(V.Type) ? memberNames(V.Type) : std::vector<std::string>();
    return cannot("'" + Path + "' has a type that cannot be recorded" +
                  (Members.empty() ? "" : ": name one of its members: " + listed(Members)));
  }
  if (IsObject && !V.InMemory)
    return notOnItsOwn(Path);
  auto Source = sourceOf(Path, V, 0);
  if (!Source)
    return Source.takeError();
  return Kind + ":" + *Source;
}

// The constant in the format of PATCHBAY options. Fails if the constant contains a
// separator of that format.
static Expected<std::string> constantFor(const TypedCondition &C,
                                         StringRef Kind) {
  StringRef Text = C.Constant;
  bool IsQuoted = Text.size() >= 2 && Text.front() == Text.back() &&
                  (Text.front() == '"' || Text.front() == '\'');
  auto Wrong = [&](const Twine &Why) {
    return makeError(Usage, "--when '" + Twine(C.Text) + "': " + Why);
  };
  if (StringRef("stSLv").contains(Kind[0])) {
    if (!IsQuoted || (C.Compare != "==" && C.Compare != "!="))
      return Wrong("'" + C.Path + "' is a string: compare it by == or != with a quoted string");
    Text = Text.drop_front().drop_back();
    if (Text.size() > PB_TYPED_TEXT || Text.contains(';'))
      return Wrong("a string has at most " + Twine(PB_TYPED_TEXT) +
                   " bytes here and no semicolon");
    return Text.str();
  }
  if (Kind[0] == 'd' || Kind[0] == 'f') {
    double Number;
    if (Text.getAsDouble(Number))
      return Wrong("'" + Text + "' is not a number");
    uint64_t Bits = Kind[0] == 'd' ? bit_cast<uint64_t>(Number)
                                   : uint64_t(bit_cast<uint32_t>(float(Number)))
                                         << 32;
    return itostr(int64_t(Bits));
  }
  if (Text == "true" || Text == "false")
    return std::string(Text == "true" ? "1" : "0");
  if (Text == "NULL" || Text == "nullptr")
    return std::string("0");
  if (IsQuoted && Text.size() == 3 && Kind[0] == 'c')
    return itostr(int8_t(Text[1]));
  // Accept the name of an enumerator with or without the name of its type.
  StringRef Name = Text.substr(Text.rfind(':') + 1);
  StringRef Names = Kind.split('{').second.split('}').first;
  SmallVector<StringRef> Pairs;
  Names.split(Pairs, '/', -1, /*KeepEmpty=*/false);
  for (StringRef Pair : Pairs)
    if (Pair.split('=').first == Name)
      return Pair.split('=').second.str();
  int64_t Signed;
  uint64_t Unsigned;
  if (to_integer(Text, Unsigned))
    return utostr(Unsigned);
  if (to_integer(Text, Signed)) {
    if (StringRef("ubxE").contains(Kind[0]))
      return Wrong("'" + C.Path + "' is unsigned, so it is never " + Text);
    return itostr(Signed);
  }
  return Wrong("'" + Text + "' is not a number" +
               (Names.empty() ? "" : ", and none of its enumerators"));
}

//===----------------------------------------------------------------------===//
// TypedArgs
//===----------------------------------------------------------------------===//

static std::vector<std::string> allPaths(const FunctionPlaces &F,
                                         std::vector<std::string> &NotRead) {
  std::vector<std::string> Paths;
  for (auto [I, P] : enumerate(F.Parameters))
    if (!P.Name.empty())
      Paths.push_back(P.Name);
    else if (std::string Why = "argument " + utostr(I + 1) + " has no name";
             !is_contained(NotRead, Why))
      NotRead.push_back(std::move(Why));
  if (F.ResultType)
    Paths.push_back(Result.str());
  return Paths;
}

// The paths of the values that requests name for a function, without duplicates.
static std::vector<std::string> pathsOf(ArrayRef<TypedRequest *> Requests,
                                        const FunctionPlaces &F,
                                        std::vector<std::string> &NotRead) {
  std::vector<std::string> Paths;
  for (const TypedRequest *R : Requests)
    for (const std::string &Path : R->Paths.empty() ? allPaths(F, NotRead) : R->Paths)
      if (!is_contained(Paths, Path))
        Paths.push_back(Path);
  return Paths;
}

namespace patchbay {
/// Names of values that callers need not pass.
struct UnusedNames {
  std::vector<std::string> Unused, Unknown;

  WordUse add(StringRef Path, const Found &V) {
    WordUse Use = WordUse::Used;
    for (size_t I : usedWords(V))
      if (I < V.Place.Uses.size())
        Use = std::max(Use, V.Place.Uses[I]);
    if (Use != WordUse::Used)
      (Use == WordUse::Unused ? Unused : Unknown).push_back("'" + Path.str() + "'");
    return Use;
  }
  /// Adds a warning. Option: "--args". Effect: "recorded values may be wrong".
  void say(StringRef Option, const std::string &Function, StringRef Effect,
           std::vector<std::string> &To) const {
    constexpr StringLiteral Anything = ": the compiler may pass any value, so ";
    if (!Unused.empty())
      To.push_back((Option + ": not used in " + Function + ": " + join(Unused, ", ") +
                    Anything + Effect).str());
    if (!Unknown.empty())
      To.push_back((Option + ": debug information does not say whether " + Function +
                    " uses " + join(Unknown, ", ") + ": if it does not, " + Effect).str());
  }

private:
  // A string view uses two words.
  static std::vector<size_t> usedWords(const Found &V) {
    if (V.InMemory)
      return {0};
    if (viewOf(V.Type))
      return {V.Offset / 8, V.Offset / 8 + 1};
    return {V.Offset / 8};
  }
};
} // namespace patchbay

Expected<std::vector<std::string>> TypedArgs::conditionsFor(const FunctionPlaces &F,
                                                            UnusedNames &NotUsed) {
  std::vector<std::string> Parts;
  for (const TypedCondition &C : Conditions) {
    StringRef Head =
        StringRef(C.Path).take_while([](char Of) { return isAlnum(Of) || Of == '_'; });
    const bool IsOwn = Head == Result ? bool(F.ResultType)
                                      : any_of(F.Parameters, [&](const DwarfParameter &P) {
                                          return P.Name == Head;
                                        });
    if (!IsOwn)
      continue; // the condition may be for another function
    if (auto Whole = startOf(Head, F); !Whole)
      return cannot("the condition '" + C.Text + "' cannot be checked: " +
                    toString(Whole.takeError()));
    auto V = findValue(C.Path, F);
    if (!V) {
      consumeError(V.takeError());
      continue; // another function may have the member
    }
    auto Text = kindAndSource(C.Path, *V);
    if (!Text)
      return Text.takeError();
    auto Constant = constantFor(C, *Text);
    if (!Constant)
      return Constant.takeError();
    NotUsed.add(C.Path, *V);
    Held.insert(C.Text);
    auto [Kind, Source] = StringRef(*Text).rsplit(':');
    Parts.push_back("?" + Kind.split('{').first.str() + ":" + Source.str() +
                    C.Compare + *Constant);
  }
  return Parts;
}

// Notes whether a function has the requested name. The request succeeds if at least one
// function has the name.
static void noteName(ArrayRef<TypedRequest *> Requests, const std::string &Path,
                     const std::string &Function, const Error &E) {
  std::string Why;
  visitErrors(E, [&](const ErrorInfoBase &Info) {
    if (Info.isA<ToolError>() &&
        static_cast<const ToolError &>(Info).code() == NothingFound)
      Why = Info.message();
  });
  for (TypedRequest *R : Requests)
    if (!is_contained(R->Paths, Path))
      continue;
    else if (Why.empty())
      R->Missing[Path] = "";
    else
      R->Missing.try_emplace(Path, Function + ": " + Why);
}

Expected<std::string> TypedArgs::textFor(ArrayRef<TypedRequest *> Requests,
                                         DWARFDie Of, const SiteRecord &Record,
                                         uint16_t Machine, const std::string &Name) {
  FunctionPlaces F = placesOf(Of, Record, Machine);
  UnusedNames InConditions, InValues;
  auto Checks = conditionsFor(F, InConditions);
  if (!Checks)
    return Checks.takeError();
  std::vector<std::string> Parts, NotRead;
  for (const std::string &Path : pathsOf(Requests, F, NotRead)) {
    auto V = findValue(Path, F);
    auto Text = V ? kindAndSource(Path, *V) : V.takeError();
    Error E = Text ? Error::success() : Text.takeError();
    noteName(Requests, Path, Name, E);
    if (E) {
      NotRead.push_back(toString(std::move(E)));
    } else if (Parts.size() + Checks->size() == PB_TYPED_VALUES) {
      NotRead.push_back("'" + Path + "': a call has at most " + utostr(PB_TYPED_VALUES) +
                        " values, with conditions");
    } else {
      const bool IsUnused = InValues.add(Path, *V) == WordUse::Unused;
      Parts.push_back(Path + (IsUnused ? "?=" : "=") + *Text);
    }
  }
  if (Parts.empty() && any_of(Requests, [](auto *R) { return !R->Paths.empty(); })) {
    NotRead.erase(llvm::unique(NotRead), NotRead.end()); // paths may fail alike
    return cannot(join(NotRead, "; "));
  }
  append_range(Parts, *Checks);
  if (Parts.empty() && F.LacksParameters)
    return cannot(LacksParameters);
  if (Parts.empty())
    return cannot("has no argument that can be read, and no result" +
                  (NotRead.empty() ? "" : ": " + join(NotRead, "; ")));
  if (!NotRead.empty())
    LeftOut.push_back(Name + ": " + join(NotRead, "; "));
  InValues.say("--args", Name, "recorded values may be wrong", Unused);
  InConditions.say("--when", Name, "the wrong calls may be recorded", Unused);
  return join(Parts, ";");
}

Expected<bool> TypedArgs::add(const ElfImage &Image, const SiteRecord &Record,
                              ArrayRef<StringRef> Symbols,
                              const std::string &NameForRuntime) {
  if (Symbols.empty())
    return false;
  std::vector<TypedRequest *> Meant;
  for (TypedRequest &R : Requests) {
    bool IsMeant = R.Functions.match(Symbols) != NameFilter::None;
    // In "f(Name)", Name may be an argument, or the type of a parameter in a glob.
    if (IsMeant && !R.Paths.empty() && NameFilter(R.Text).match(Symbols))
      Untyped.insert(NameForRuntime);
    else if (IsMeant)
      Meant.push_back(&R);
  }
  if (Meant.empty())
    return Untyped.count(NameForRuntime) != 0;
  auto Failed = [&](const Twine &Why) {
    return makeError("--args '" + Meant.front()->Text + "': " + Why);
  };
  if (!Known) {
    auto New = DwarfFunctions::open(Image, Roots);
    if (!New)
      return Failed(toString(New.takeError()));
    Known = std::move(*New);
  }
  std::string Name = readableName(demangle(Symbols.front()));
  DWARFDie Function = Known->at(Record.Entry);
  if (!Function) {
    std::string File = Known->missingFile(Record.Entry);
    return Failed(File.empty() ? "debug information says nothing of " + Name
                               : "the debug information of " + Name + " is in " + File +
                                     ", which cannot be read");
  }
  auto Text = textFor(Meant, Function, Record, Image.machine(), Name);
  if (!Text) {
    std::string Why = toString(Text.takeError());
    if (StringRef(Why).starts_with("--when"))
      return makeError(Usage, Why);
    return Failed(Name + ": " + Why);
  }
  addOption(Image, Record, NameForRuntime, *Text);
  return true;
}

void TypedArgs::addOption(const ElfImage &Image, const SiteRecord &Record,
                          const std::string &NameForRuntime, StringRef Text) {
  std::string File = Image.buildId().empty()
                         ? Image.path()
                         : toHex(Image.buildId(), /*LowerCase=*/true);
  std::string Option = File + "|" + utohexstr(Record.Entry, /*LowerCase=*/true) + "|" +
                       NameForRuntime + "|" + Text.str();
  // A file may be found under several paths.
  if (!is_contained(Options, Option))
    Options.push_back(std::move(Option));
}

void TypedArgs::addMark(const ElfImage &Image, const SiteRecord &Record,
                        ArrayRef<StringRef> Symbols, const std::string &NameForRuntime) {
  if (!WithMarks || Record.Raw.flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
    return;
  if (Record.Raw.gp_args == 1 && is_contained(Symbols, "patchbay_mark"))
    addOption(Image, Record, NameForRuntime, "!name=s:r0");
  if (Record.Raw.gp_args == 2 && is_contained(Symbols, "patchbay_value"))
    addOption(Image, Record, NameForRuntime, "!name=s:r0;value=i8:r1");
}

std::vector<std::string> TypedArgs::unmatchedRequests() const {
  std::vector<std::string> Texts;
  for (const TypedRequest &R : Requests)
    if (!R.Functions.unmatched().empty())
      Texts.push_back(R.Text);
  return Texts;
}

std::string TypedArgs::unmatched() const {
  for (const TypedRequest &R : Requests)
    if (std::string Glob = R.Functions.unmatched(); !Glob.empty())
      return "no function matches " + Glob + " of --args '" + R.Text + "'" +
             (R.Functions.meant().empty() ? "" : ": " + R.Functions.meant());
  for (const TypedRequest &R : Requests)
    for (const auto &[Path, Why] : R.Missing)
      if (!Why.empty())
        return "--args '" + R.Text + "': " + Why;
  for (const TypedCondition &C : Conditions)
    if (!Held.count(C.Text))
      return "--when '" + C.Text + "': no function of --args has such an argument: name "
                                   "functions with their arguments, as in "
             "--args 'parse(name, len)'";
  return "";
}
