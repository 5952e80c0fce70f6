// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of a verb's options. The command uses the table to parse arguments, and to print
// the help and shell completions. help-to-man.py makes the man pages from the help.
#pragma once

#include "recording/OutputDir.h"
#include "support/Diagnostics.h"
#include "support/Terminal.h"
#include <initializer_list>

namespace patchbay {

class OptionRow;
struct DisplayOptions;

class OptionTable {
public:
  OptionTable(llvm::StringRef Verb, llvm::StringRef What, bool RunsProgram = false)
      : Verb(Verb), What(What), RunsProgram(RunsProgram) {}

  /// Further rows belong to this section of the help.
  OptionTable &in(llvm::StringRef Section) {
    Current = Section;
    return *this;
  }
  /// Parses the arguments after the verb. Returns PROG and its arguments. PROG follows "--",
  /// or is the first argument that is neither an option nor a value. The first of -h, --help
  /// and --version ends the parsing and is stored in Asked.
  llvm::Expected<llvm::ArrayRef<const char *>> parse(llvm::ArrayRef<const char *> Args);
  /// Prints the help. Sections: Verb::Help.
  void printHelp(llvm::raw_ostream &OS, llvm::StringRef Sections) const;
  /// Prints a help of one screen: usage, three examples and the names of options.
  void printShortHelp(llvm::raw_ostream &OS, llvm::StringRef Sections) const;
  /// Prints a line for each option, "NAME<tab>VALUE<tab>HELP", and for each of its
  /// values, "NAME=VALUE<tab><tab>HELP".
  void printCompletions(llvm::raw_ostream &OS) const;
  /// Adds to each option's help which options it needs and excludes.
  void describe(llvm::function_ref<std::string(const OptionRow &)> Limits);
  /// An error with Message and a reference to the help.
  llvm::Error seeHelp(const llvm::Twine &Message) const;

  const llvm::StringRef Verb, What;
  const bool RunsProgram;
  enum Request { Nothing, ShortHelp, Help, Version } Asked = Nothing;
  const DisplayOptions *Display = nullptr;

private:
  friend class OptionRow;
  OptionRow *find(llvm::StringRef Name) const;
  llvm::Error parsePositional(const char *Arg, unsigned At);
  llvm::Error unknown(llvm::StringRef Typed) const;
  void printUsage(llvm::raw_ostream &OS) const;
  std::vector<llvm::StringRef> sections() const;

  llvm::StringRef Current = "General";
  std::vector<OptionRow *> Rows;
};

/// One option or positional argument, with its values on the command line.
class OptionRow {
public:
  OptionRow(OptionTable &Table, llvm::StringRef Names, llvm::StringRef Meta,
            llvm::StringRef Help, bool IsValueOptional = false)
      : Names(Names), Meta(Meta), Help(Help), Section(Table.Current),
        IsValueOptional(IsValueOptional) {
    Table.Rows.push_back(this);
  }
  OptionRow(const OptionRow &) = delete;
  virtual ~OptionRow() = default;

  /// The first name of the option, such as "-s" or "--by".
  std::string name() const;
  bool given() const { return !Positions.empty(); }
  /// Typed: the name as given on the command line.
  virtual llvm::Error set(llvm::StringRef Typed, llvm::StringRef Value) = 0;

  /// "s,sort"; empty for a positional argument. One-letter names accept a value without
  /// a space.
  const llvm::StringRef Names;
  /// Meta: the word for the value in the help; empty for an option without a value. For a
  /// positional argument, Meta has the number of arguments: [DIR], BIN or PROGRAM...
  const llvm::StringRef Meta, Help, Section;
  const bool IsValueOptional;
  /// Text for the help: which options this option needs and excludes.
  std::string Limits;
  /// Named values with their help. Names without help are deprecated.
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> Values;
  /// The given values, and the position of each on the command line.
  std::vector<std::string> Words;
  std::vector<unsigned> Positions;

protected:
  /// The index of Value in Values. The error suggests a similar value, or lists all values.
  llvm::Expected<size_t> valueIndex(llvm::StringRef Typed, llvm::StringRef Value) const;
};

/// An option without a value: --all, --all=true or --all=false.
class FlagOption : public OptionRow {
public:
  FlagOption(OptionTable &Table, llvm::StringRef Names, llvm::StringRef Help,
             bool Default = false)
      : OptionRow(Table, Names, "", Help), Value(Default) {}
  operator bool() const { return Value; }
  llvm::Error set(llvm::StringRef Typed, llvm::StringRef Text) override;

private:
  bool Value;
};

/// An option with a string as its value. If given several times, the last value is used.
class StringOption : public OptionRow, public std::string {
public:
  StringOption(OptionTable &Table, llvm::StringRef Names, llvm::StringRef Meta,
               llvm::StringRef Help, const char *Default = "", bool IsValueOptional = false)
      : OptionRow(Table, Names, Meta, Help, IsValueOptional), std::string(Default) {}
  using std::string::operator=;
  llvm::Error set(llvm::StringRef, llvm::StringRef Value) override {
    assign(Value.data(), Value.size());
    return llvm::Error::success();
  }
};

/// An option with strings as its values. If given several times, all values are used.
class StringsOption : public OptionRow, public std::vector<std::string> {
public:
  using OptionRow::OptionRow;
  llvm::Error set(llvm::StringRef, llvm::StringRef Value) override {
    push_back(Value.str());
    return llvm::Error::success();
  }
};

class NumberOption : public OptionRow {
public:
  using OptionRow::OptionRow;
  operator unsigned() const { return Value; }
  llvm::Error set(llvm::StringRef Typed, llvm::StringRef Text) override;

private:
  unsigned Value = 0;
};

/// A list of numbers: separated by commas, or given by several options.
class NumbersOption : public OptionRow, public std::vector<unsigned> {
public:
  using OptionRow::OptionRow;
  llvm::Error set(llvm::StringRef Typed, llvm::StringRef Text) override;
};

/// A duration with a unit, in nanoseconds.
class DurationOption : public OptionRow {
public:
  DurationOption(OptionTable &Table, llvm::StringRef Names, llvm::StringRef Help,
                 uint64_t Default = 0)
      : OptionRow(Table, Names, "DURATION", Help), Ns(Default) {}
  operator uint64_t() const { return Ns; }
  llvm::Error set(llvm::StringRef Typed, llvm::StringRef Value) override;

private:
  uint64_t Ns;
};

/// An option with a fixed set of values.
template <class T> class ChoiceOption : public OptionRow {
public:
  struct Row {
    llvm::StringRef Name;
    T Value;
    llvm::StringRef Help = ""; // empty: a deprecated name, accepted but not shown
  };
  /// OrElse: the value if the option is given without a value; empty: the option needs a value.
  ChoiceOption(OptionTable &Table, llvm::StringRef Names, llvm::StringRef Meta,
               llvm::StringRef Help, T Default, std::initializer_list<Row> Rows,
               llvm::StringRef OrElse = "")
      : OptionRow(Table, Names, Meta, Help, !OrElse.empty()), Value(Default), OrElse(OrElse) {
    for (const Row &R : Rows) {
      Values.emplace_back(R.Name, R.Help);
      Meanings.push_back(R.Value);
    }
  }
  operator T() const { return Value; }
  void choose(T New) { Value = New; }
  /// The value with this name.
  std::optional<T> meaning(llvm::StringRef Name) const {
    for (size_t I = 0; I != Values.size(); ++I)
      if (Values[I].first == Name)
        return Meanings[I];
    return std::nullopt;
  }
  llvm::Error set(llvm::StringRef Typed, llvm::StringRef Text) override {
    auto At = valueIndex(Typed, Text.empty() ? OrElse : Text);
    if (!At)
      return At.takeError();
    Value = Meanings[*At];
    return llvm::Error::success();
  }

private:
  T Value;
  llvm::StringRef OrElse;
  std::vector<T> Meanings;
};

/// The name that contains Text or is similar to Text; empty unless exactly one name does.
llvm::StringRef nearestName(llvm::StringRef Text, llvm::ArrayRef<llvm::StringRef> Names);

/// Advice on a verb or an option of perf or uftrace that has another name in patchbay: ": use
/// ...". Verb: empty if Word is a verb.
std::string adviceFor(llvm::StringRef Verb, llvm::StringRef Word);

/// --symfs, for verbs that show function names of a recording.
struct SymfsOption : StringOption {
  explicit SymfsOption(OptionTable &Table)
      : StringOption(Table.in("General"), "symfs", "DIR",
                     "Search traced files and their debug files below DIR") {}
};

/// The option for the recording that a verb reads: -i DIR, as in perf, or DIR alone.
class InputOption : public std::string {
public:
  explicit InputOption(OptionTable &Table)
      : std::string(DefaultDataDir), Alone(*this, Table, "", "[DIR]", ""),
        Named(*this, Table, "i,input", "DIR", "Read DIR or a .pbd file (default: patchbay.data)") {}
  bool isGiven() const { return Alone.given() || Named.given(); }

private:
  struct Row : OptionRow {
    template <typename... ArgsT>
    Row(InputOption &Of, ArgsT &&...Args) : OptionRow(Args...), Of(Of) {}
    llvm::Error set(llvm::StringRef, llvm::StringRef) override { return Of.choose(); }
    llvm::StringRef last() const { return Words.empty() ? "" : llvm::StringRef(Words.back()); }
    InputOption &Of;
  };
  llvm::Error choose() {
    if (!Named.last().empty() && !Alone.last().empty())
      return makeError(Usage, "two recordings are given: use DIR or -i DIR, not both");
    llvm::StringRef Given = Named.last().empty() ? Alone.last() : Named.last();
    assign(Given.empty() ? DefaultDataDir : Given.str());
    return llvm::Error::success();
  }
  Row Alone, Named;
};

/// --color, --no-pager and --full-names, for verbs that print text for users.
struct DisplayOptions {
  /// WithPager: the output may be long. WithNames: the output has names of
  /// functions.
  explicit DisplayOptions(OptionTable &Table, bool WithPager = true, bool WithNames = false)
      : WithPager(WithPager),
        Color(Table.in("Display"), "color", "WHEN", "Use colours", ColorMode::Auto,
              {{"auto", ColorMode::Auto, "on terminals, unless NO_COLOR is set (default)"},
               {"always", ColorMode::Always, "in files and pipes, too"},
               {"never", ColorMode::Never, "never"}},
              /*OrElse=*/"always"),
        NoPager(Table, "no-pager", "Do not start a pager") {
    Table.Display = this;
    if (WithNames)
      FullNames.emplace(Table, "full-names", "Show full function names");
  }

  bool WithPager;
  ChoiceOption<ColorMode> Color;
  FlagOption NoPager;
  std::optional<FlagOption> FullNames;
};

} // namespace patchbay
