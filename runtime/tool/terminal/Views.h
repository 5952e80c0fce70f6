// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of figures, each a list of lines of which one is selected. What keys do that all
// views share is in Browser.h.
#ifndef PATCHBAY_TOOL_VIEWS_H
#define PATCHBAY_TOOL_VIEWS_H

#include "Figures.h"
#include "Terminal.h"
#include "showing/ReportTable.h"
#include <set>

namespace patchbay {

class View {
public:
  virtual ~View();
  /// In so many columns, as far as names can be shortened.
  virtual std::string title(size_t Width) const = 0;
  /// What is above the lines.
  virtual std::string head(size_t /*Width*/) { return ""; }
  /// The window has that many columns from now on.
  virtual void fit(size_t /*Width*/) {}
  virtual size_t lines() const = 0;
  virtual std::pair<std::string, Style> line(size_t I, size_t Width) = 0;
  /// The function of a line; UINT32_MAX: none.
  virtual uint32_t functionAt(size_t /*I*/) const { return UINT32_MAX; }
  /// Whether the key is one of this view's.
  virtual bool key(int /*Key*/) { return false; }
  /// What it says where there is no line.
  virtual std::string empty() const = 0;

  size_t Selected = 0, Top = 0;
};

/// Functions, as `patchbay report` has them.
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
  /// Sorts what is in the figures now. The same function stays selected, if they are
  /// others, too, and remember() was called before they were.
  void update();
  void remember();
  void setFilter(llvm::StringRef Text);

private:
  enum Column { Rate, Busy, FirstOfField }; // and those of Field, behind these
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
  std::optional<FunctionKey> Was; // the function that is selected
};

/// A tree whose nodes can be folded, as `patchbay graph` has it.
class TreeView : public View {
public:
  /// Of: whose callers or callees it has; none: the tree of all calls.
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
  std::vector<uint32_t> Order, Shown; // of nodes: all, and those not folded away
  std::vector<uint32_t> PlaceOf;      // of nodes, in Order
  std::set<uint32_t> Folded;
};

/// How long calls of a function took, as `patchbay report --histogram` has it.
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

/// Lines of at most Width columns, all but the first indented; a word that is
/// wider has one that is longer.
std::vector<std::string> wrapped(std::string Line, size_t Width, size_t Indent);

/// A text: of lines that are too long the rest is below the second word of
/// them.
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

#endif
