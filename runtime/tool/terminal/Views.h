// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of figures, each a list of lines with one selected. Browser.h handles
// the keys that all views share.
#pragma once

#include "Figures.h"
#include "Terminal.h"
#include "analysis/Outliers.h"
#include "showing/ReportTable.h"
#include <set>

namespace patchbay {

class View {
public:
  virtual ~View();
  /// Fits into Width columns, as far as names can be shortened.
  virtual std::string title(size_t Width) const = 0;
  /// The line above the list.
  virtual std::string head(size_t /*Width*/) { return ""; }
  /// The window now has this many columns.
  virtual void fit(size_t /*Width*/) {}
  virtual size_t lines() const = 0;
  virtual std::pair<std::string, Style> line(size_t I, size_t Width) = 0;
  /// The function of a line; UINT32_MAX: none.
  virtual uint32_t functionAt(size_t /*I*/) const { return UINT32_MAX; }
  /// Handles a key of this view; false: it has no such key.
  virtual bool key(int /*Key*/) { return false; }
  /// The text if there are no lines.
  virtual std::string empty() const = 0;

  size_t Selected = 0, Top = 0;
};

/// Functions, as in `patchbay report`.
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
  /// Sorts the present figures. Before the figures change, call remember(), so that the
  /// same function stays selected.
  void update();
  void remember();
  void setFilter(llvm::StringRef Text);

private:
  enum Column { Rate, Busy, FirstOfField }; // followed by those of Field
  static unsigned ofField(Field F) { return FirstOfField + unsigned(F); }
  std::vector<unsigned> fitting(size_t Width) const;
  std::string titleOf(unsigned Column) const;
  std::string text(unsigned Column, uint32_t Function) const;
  void sortBy(int Step);

  const Figures &F;
  std::vector<unsigned> Columns;
  size_t SortColumn = 0; // in Columns
  bool Inverted = false;
  std::string Filter;
  std::vector<uint32_t> Order;
  std::optional<FunctionKey> Was; // the selected function
  std::optional<FunctionShares> Shares;
};

/// A tree with nodes that can be folded, as in `patchbay graph`.
class TreeView : public View {
public:
  /// Of: the function whose callers or callees it shows; none: the tree of all calls.
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
  std::vector<uint32_t> Order, Shown; // of nodes: all, and those that are not
                                      // folded
  std::vector<uint32_t> PlaceOf;      // of nodes, in Order
  std::set<uint32_t> Folded;
};

/// Durations of a function's calls, as in `patchbay report --histogram`.
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

/// Slow calls of a function and its other calls, as in `patchbay outliers`.
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
  std::string Title; // behind the name
  CallTree Slow;
  std::vector<OutlierLine> Lines;
};

/// Splits Line into lines of at most Width columns, and indents all but the
/// first. A line with a longer word is longer.
std::vector<std::string> wrapped(std::string Line, size_t Width, size_t Indent);

/// A text. The rest of long lines continues below their second word.
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

} // namespace patchbay
