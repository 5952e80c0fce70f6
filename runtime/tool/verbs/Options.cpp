// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static std::string dashed(StringRef Name) {
  return ((Name.size() == 1 ? "-" : "--") + Name).str();
}

std::string OptionRow::name() const { return dashed(Names.split(',').first); }

StringRef patchbay::nearestName(StringRef Text, ArrayRef<StringRef> Names) {
  SmallVector<StringRef> Near;
  for (StringRef Name : Names)
    if (Text.size() > 2 &&
        (Name.contains(Text) || Name.edit_distance(Text) <= Text.size() / 3))
      Near.push_back(Name);
  return Near.size() == 1 ? Near.front() : StringRef();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Error wrongValue(StringRef Typed, const Twine &Why) {
  return makeError(Usage, "for the " + Typed + " option: " + Why);
}

Expected<size_t> OptionRow::valueIndex(StringRef Typed, StringRef Value) const {
  SmallVector<StringRef> All;
  for (size_t I = 0; I != Values.size(); ++I) {
    if (Values[I].first == Value)
      return I;
    if (!Values[I].second.empty())
      All.push_back(Values[I].first);
  }
  StringRef Near = nearestName(Value, All);
  return wrongValue(Typed, "unknown value '" + Value + "'" +
                               (Near.empty() ? ": use " + join(All, ", ")
                                             : ", did you mean '" + Near.str() + "'"));
}

Error FlagOption::set(StringRef Typed, StringRef Text) {
  Value = Text.empty() || Text == "true";
  return Value || Text == "false"
             ? Error::success()
             : wrongValue(Typed, "'" + Text + "' is neither true nor false");
}

static Error setNumber(StringRef Typed, StringRef Text, unsigned &Value) {
  return to_integer(Text, Value, 10) ? Error::success()
                                     : wrongValue(Typed, "'" + Text + "' is not a number");
}

Error NumberOption::set(StringRef Typed, StringRef Text) {
  return setNumber(Typed, Text, Value);
}

Error NumbersOption::set(StringRef Typed, StringRef Text) {
  for (StringRef Word : split(Text, ','))
    if (Error E = setNumber(Typed, Word, emplace_back()))
      return E;
  return Error::success();
}

Error DurationOption::set(StringRef Typed, StringRef Value) {
  return readDuration(Typed, Value).moveInto(Ns);
}

//===----------------------------------------------------------------------===//
// Words of other tools
//===----------------------------------------------------------------------===//

namespace {
/// A word of perf or uftrace, and its equivalent in patchbay.
struct OtherWord {
  StringLiteral Verb, Word, Here; // Verb: empty if Word is a verb
};
} // namespace

static constexpr OtherWord OtherWords[] = {
    {"", "top", "'patchbay tui -p PID'"},
    {"", "script", "'patchbay replay' or 'patchbay dump'"},
    {"", "diff", "'patchbay report --diff BEFORE AFTER'"},
    {"", "stat", "'patchbay record' and 'patchbay report'"},
    {"", "version", "'patchbay --version'"},
    {"record", "-A", "--args"},
    {"record", "--argument", "--args"},
    {"record", "-R", "--args"},
    {"record", "--retval", "--args"},
    {"record", "--time-filter", "--threshold"},
    {"record", "--patch", "-F"},
    {"record", "-g", "-t graph"},
    {"replay", "-t", "--min"},
    {"replay", "--time-filter", "--min"},
    {"replay", "-r", "--from and --to"},
    {"replay", "--time-range", "--from and --to"},
    {"report", "-t", "--min"},
    {"report", "--time-filter", "--min"},
    {"report", "--stdio", "no option, text is the default"},
    {"dump", "--flame-graph", "--folded"},
    {"dump", "--graphviz", "'patchbay graph'"},
    {"status", "--pid", "-p"},
    {"live", "--pid", "-p"},
    {"record", "--pid", "-p"},
    {"attach", "--pid", "-p"},
    {"list", "--pid", "-p"},
    {"tui", "--pid", "-p"},
};

std::string patchbay::adviceFor(StringRef Verb, StringRef Word) {
  for (const OtherWord &W : OtherWords)
    if (W.Verb == Verb && W.Word == Word)
      return (": use " + W.Here).str();
  return "";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

Error OptionTable::seeHelp(const Twine &Message) const {
  return makeError(Usage, printable(Message.str()) + ": see 'patchbay " + Verb +
                              (Verb.empty() ? "" : " ") + "--help'");
}

OptionRow *OptionTable::find(StringRef Name) const {
  for (OptionRow *Row : Rows)
    if (!Row->Names.empty() && is_contained(split(Row->Names, ','), Name))
      return Row;
  return nullptr;
}

Error OptionTable::unknown(StringRef Typed) const {
  StringRef Name = Typed.ltrim('-'), Near;
  std::string Hint = adviceFor(Verb, Typed);
  auto Distance = [&](StringRef Known) {
    return Known.starts_with(Name) ? 0 : Name.edit_distance(Known);
  };
  std::vector<StringRef> Known = {"help", "version"};
  for (const OptionRow *Row : Rows)
    append_range(Known, split(Row->Names, ','));
  for (StringRef Word : Known)
    if (Word.size() > 1 && Name.size() > 1 && Distance(Word) <= Name.size() / 3 &&
        (Near.empty() || Distance(Word) < Distance(Near)))
      Near = Word;
  if (Hint.empty() && !Near.empty())
    Hint = (", did you mean '--" + Near + "'").str();
  return seeHelp("unknown option '" + Typed + "'" + Hint);
}

// A positional argument takes one word. A list takes all remaining words.
Error OptionTable::parsePositional(const char *Arg, unsigned At) {
  size_t Most = 0;
  for (OptionRow *Row : Rows) {
    if (!Row->Names.empty())
      continue;
    ++Most;
    if (Row->given() && !Row->Meta.contains("..."))
      continue;
    Row->Positions.push_back(At);
    Row->Words.emplace_back(Arg);
    return Row->set("", Arg);
  }
  return seeHelp("too many arguments: give at most " + Twine(Most));
}

Expected<ArrayRef<const char *>> OptionTable::parse(ArrayRef<const char *> Args) {
  bool OnlyPositional = false;
  for (unsigned I = 0; I != Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (OnlyPositional || !Arg.starts_with("-") || Arg == "-") {
      if (RunsProgram)
        return Args.drop_front(I);
      if (Error E = parsePositional(Args[I], I))
        return std::move(E);
      continue;
    }
    if (Arg == "--") {
      OnlyPositional = true;
      continue;
    }
    auto [Typed, Value] = Arg.split('=');
    StringRef Name = Typed.ltrim('-');
    Asked = Name == "h"         ? ShortHelp
            : Name == "help"    ? Help
            : Name == "version" ? Version
                                : Nothing;
    if (Asked)
      return ArrayRef<const char *>();
    bool HasValue = Typed.size() != Arg.size();
    OptionRow *Row = find(Name);
    if (!Row && !Arg.starts_with("--") && (Row = find(Arg.substr(1, 1)))) {
      if (Row->Meta.empty())
        Row = nullptr;
      Typed = Arg.take_front(2); // -Fglob
      Value = Arg.drop_front(2);
      HasValue = true;
    }
    if (!Row)
      return unknown(Arg.split('=').first);
    if (!HasValue && !Row->Meta.empty() && !Row->IsValueOptional) {
      if (I + 1 == Args.size())
        return seeHelp("for the " + Typed + " option: requires a value");
      Value = Args[++I];
    }
    Row->Positions.push_back(I);
    Row->Words.push_back(Value.str());
    if (Error E = Row->set(Typed, Value)) {
      std::string Why = toString(std::move(E));
      return StringRef(Why).starts_with("for the ") ? seeHelp(Why) : makeError(Usage, Why);
    }
  }
  size_t Least = count_if(Rows, [](const OptionRow *Row) {
    return Row->Names.empty() && !Row->given() && !Row->Meta.starts_with("[");
  });
  if (Least && !RunsProgram)
    return seeHelp("too few arguments: give at least " + Twine(Least));
  return ArrayRef<const char *>();
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

static constexpr size_t Width = 80, TextColumn = 26;

// Prints Label, and then Text from Column on, on several lines if necessary.
static void printRow(raw_ostream &OS, const std::string &Label, StringRef Text,
                     size_t Column = TextColumn) {
  OS << Label;
  size_t Used = Label.size();
  if (Used + 2 > Column)
    Used = Width; // the text begins on the next line
  else
    OS.indent(Column - Used), Used = Column;
  bool IsFirst = true;
  for (StringRef Word : split(Text, ' ')) {
    if (Used + !IsFirst + Word.size() > Width) {
      (OS << '\n').indent(Column);
      Used = Column;
      IsFirst = true;
    }
    OS << (IsFirst ? "" : " ") << Word;
    Used += !IsFirst + Word.size();
    IsFirst = false;
  }
  OS << '\n';
}

// Returns "-s, --sort KEY".
static std::string labelOf(const OptionRow &Row) {
  std::vector<std::string> Names;
  for (StringRef Name : split(Row.Names, ','))
    Names.push_back(dashed(Name));
  sort(Names, [](const std::string &A, const std::string &B) {
    return (A.size() == 2) > (B.size() == 2);
  });
  return join(Names, ", ") + (Row.Meta.empty()       ? ""
                              : Row.IsValueOptional ? "[=" + Row.Meta.str() + "]"
                                                     : " " + Row.Meta.str());
}

void OptionTable::printUsage(raw_ostream &OS) const {
  OS << "USAGE: patchbay " << (Verb.empty() ? "[subcommand]" : Verb) << " [options]";
  for (const OptionRow *Row : Rows)
    if (Row->Names.empty())
      OS << ' ' << Row->Meta;
  OS << (RunsProgram ? " -- PROG [ARGS...]\n" : "\n");
}

std::vector<StringRef> OptionTable::sections() const {
  std::vector<StringRef> Sections;
  for (const OptionRow *Row : Rows)
    if (!Row->Names.empty() && !is_contained(Sections, Row->Section))
      Sections.push_back(Row->Section);
  return Sections;
}

void OptionTable::describe(function_ref<std::string(const OptionRow &)> Limits) {
  for (OptionRow *Row : Rows)
    Row->Limits = Limits(*Row);
}

void OptionTable::printHelp(raw_ostream &OS, StringRef Sections) const {
  printUsage(OS);
  OS << '\n' << What << '\n';
  auto [Examples, Rest] = Sections.split("\n\n");
  OS << Examples << "\n\nOPTIONS:\n";
  for (StringRef Section : sections()) {
    OS << "  " << Section << ":\n";
    for (const OptionRow *Row : Rows) {
      if (Row->Names.empty() || Row->Section != Section)
        continue;
      printRow(OS, "  " + labelOf(*Row),
               Row->Help.str() + (Row->Limits.empty() ? "" : "; " + Row->Limits));
      for (const auto &[Name, Help] : Row->Values)
        if (!Help.empty())
          printRow(OS, ("      " + Name).str(), Help);
    }
    OS << '\n';
  }
  OS << "  Help:\n";
  printRow(OS, "  -h", "Show a summary that fits on one screen");
  printRow(OS, "  --help", "Show this help");
  printRow(OS, "  --version", "Show the version");
  OS << '\n' << Rest;
}

void OptionTable::printShortHelp(raw_ostream &OS, StringRef Sections) const {
  printUsage(OS);
  OS << "\nEXAMPLES:\n";
  size_t Left = 3;
  for (StringRef Line : drop_begin(split(Sections.ltrim('\n'), '\n'))) {
    if (!Left-- || Line.empty())
      break;
    OS << Line << '\n';
  }
  if (Rows.empty())
    return;
  OS << "\nOPTIONS: see 'patchbay " << Verb << " --help'\n";
  for (StringRef Section : sections()) {
    std::string Words;
    for (const OptionRow *Row : Rows)
      if (!Row->Names.empty() && Row->Section == Section)
        for (StringRef Name : split(Row->Names, ','))
          Words += (Words.empty() ? "" : " ") + dashed(Name);
    printRow(OS, ("  " + Section).str(), Words, 24);
  }
}

void OptionTable::printCompletions(raw_ostream &OS) const {
  for (const OptionRow *Row : Rows)
    if (!Row->Names.empty())
      for (StringRef Name : split(Row->Names, ',')) {
        OS << dashed(Name) << '\t' << (Row->IsValueOptional ? "" : Row->Meta) << '\t'
           << Row->Help << '\n';
        for (const auto &[Value, Help] : Row->Values)
          if (!Help.empty())
            OS << dashed(Name) << '=' << Value << "\t\t" << Help << '\n';
      }
  OS << "--help\t\tShow the help\n--version\t\tShow the version\n";
}
