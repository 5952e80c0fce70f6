// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of figures. Each view is a list of lines with one selected line. Browser handles the keys
// that all views share.
#pragma once

#include "Figures.h"
#include "Terminal.h"
#include "analysis/Outliers.h"

namespace patchbay {

class View {
public:
  virtual ~View();
  /// Title of the view. Fits into Width columns if names can be shortened enough.
  virtual std::string title(size_t Width) const = 0;
  /// The line above the list.
  virtual std::string head(size_t /*Width*/) { return ""; }
  /// Called when the window has a new width.
  virtual void fit(size_t /*Width*/) {}
  virtual size_t lines() const = 0;
  virtual std::pair<std::string, Style> line(size_t I, size_t Width) = 0;
  /// The function of a line; UINT32_MAX: none.
  virtual uint32_t functionAt(size_t /*I*/) const { return UINT32_MAX; }
  /// Handles a key of this view. Returns false for other keys.
  virtual bool key(int /*Key*/) { return false; }
  /// The message for a view without lines.
  virtual std::string empty() const = 0;

  size_t Selected = 0, Top = 0;
};

/// Functions, like `patchbay report`.
class TableView : public View {
public:
  explicit TableView(const Figures &F);
  std::string title(size_t Width) const override;
  std::string head(size_t Width) override;
  size_t lines() const override { return Order.size(); }
  std::pair<std::string, Style> line(size_t I, size_t Width) override;
  uint32_t functionAt(size_t I) const override { return Order[I]; }
  bool key(int Key) override;
  std::string empty() const override;
  /// Sorts the current figures. remember() must be called before the figures change, so that the
  /// same function stays selected.
  void update();
  void remember();
  void setFilter(llvm::StringRef Text);

private:
  enum Column { Rate, Busy, FirstOfField }; // further columns are those of Field
  static unsigned ofField(Field F) { return FirstOfField + unsigned(F); }
  std::vector<unsigned> fitting(size_t Width) const;
  std::string titleOf(unsigned Column) const;
  std::string text(unsigned Column, uint32_t Function) const;
  void sortBy(int Step);

  const Figures &F;
  std::vector<unsigned> Columns;
  size_t SortColumn = 0; // index in Columns
  bool Inverted = false;
  std::string Filter;
  std::vector<uint32_t> Order;
  std::optional<FunctionKey> Was; // the selected function
  std::optional<FunctionShares> Shares;
};

/// A tree whose nodes can be folded, like `patchbay graph`.
class TreeView : public View {
public:
  /// Of: the function whose callers or callees are shown; std::nullopt: the tree of all
  /// calls.
  TreeView(const Figures &F, CallTree Tree, std::string Title,
           std::optional<uint32_t> Of, size_t Unfolded);
  std::string title(size_t Width) const override;
  std::string head(size_t Width) override;
  size_t lines() const override { return Shown.size(); }
  std::pair<std::string, Style> line(size_t I, size_t Width) override;
  uint32_t functionAt(size_t I) const override { return Tree[Shown[I]].Function; }
  bool key(int Key) override;
  std::string empty() const override;

private:
  void fold(bool Folded, bool All);
  void update();
  bool hasSubs(size_t Place) const;

  const Figures &F;
  CallTree Tree;
  std::string Title;
  std::optional<uint32_t> Of;
  std::vector<uint32_t> Order, Shown; // indices of all nodes, and of visible nodes
  std::vector<uint32_t> PlaceOf;      // by node: index in Order
  std::set<uint32_t> Folded;
};

/// Durations of a function's calls, like `patchbay report --histogram`.
class HistogramView : public View {
public:
  HistogramView(const Figures &F, uint32_t Function);
  std::string title(size_t Width) const override;
  size_t lines() const override { return Lines.size(); }
  std::pair<std::string, Style> line(size_t I, size_t) override {
    return {Lines[I], Style::Plain};
  }
  std::string empty() const override;

private:
  const Figures &F;
  uint32_t Function;
  std::vector<std::string> Lines;
};

/// Slow calls of a function, compared with its other calls, like `patchbay outliers`.
class OutliersView : public View {
public:
  OutliersView(const Figures &F, uint32_t Function);
  std::string title(size_t Width) const override;
  std::string head(size_t Width) override;
  size_t lines() const override { return Lines.size(); }
  std::pair<std::string, Style> line(size_t I, size_t Width) override;
  uint32_t functionAt(size_t I) const override { return Slow[Lines[I].Node].Function; }
  std::string empty() const override { return "no call is much slower than the others"; }

private:
  const Figures &F;
  uint32_t Function;
  std::string Title; // text after the function's name
  CallTree Slow;
  std::vector<OutlierLine> Lines;
};

/// Splits Line into lines of at most Width columns, and indents all except the first. A line
/// with a longer word exceeds Width.
std::vector<std::string> wrapped(std::string Line, size_t Width, size_t Indent);

/// A help text. In a line of two columns, continuation lines are aligned with the second column.
class HelpView : public View {
public:
  explicit HelpView(llvm::StringRef Text);
  std::string title(size_t) const override { return "keys"; }
  void fit(size_t Width) override;
  size_t lines() const override { return Lines.size(); }
  std::pair<std::string, Style> line(size_t I, size_t) override {
    return {Lines[I], Style::Plain};
  }
  std::string empty() const override { return ""; }

private:
  const std::vector<std::string> Whole;
  std::vector<std::string> Lines;
};

/// Shows views on a terminal.
class Browser {
public:
  Browser(Terminal &Term, Figures &F);
  /// Runs until the user leaves, or until Refresh returns false. Calls Refresh
  /// every IntervalMs (0: never) to update the figures.
  llvm::Error run(unsigned IntervalMs = 0,
                  llvm::function_ref<llvm::Expected<bool>()> Refresh = nullptr);

private:
  enum ViewKind { Functions, Tree, Callers, Callees, Histogram, Outliers, Kinds };
  View &current() { return Help ? *Help : Kind == Functions ? Table : *Other; }
  void show(ViewKind K);
  void open(ViewKind K);
  llvm::Expected<bool> refresh(llvm::function_ref<llvm::Expected<bool>()> Refresh);
  void draw();
  bool handle(int Key); // returns false if the key ends `tui`
  bool type(int Key);
  void move(int64_t By);
  bool find(llvm::StringRef Text, bool Next);

  Terminal &Term;
  Figures &F;
  TableView Table;
  std::unique_ptr<View> Other, Help;
  ViewKind Kind = Functions;
  std::optional<uint32_t> Chosen; // the selected function
  bool Typing = false, Paused = false;
  std::string Text; // typed text to search for
};

} // namespace patchbay
