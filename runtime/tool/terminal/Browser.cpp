// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Views.h"

using namespace llvm;
using namespace patchbay;

static constexpr char KeysText[] = R"(As in perf report and htop:

  Up Down k j        a line up or down
  PgUp PgDn          a page
  Home End g G       first and last line
  Enter c            callers of the selected function, x: its callees
  d                  histogram of its durations, o: its slow calls
  Tab, BackTab       next and previous view
  1 2 3 4 5 6        functions, tree, callers, callees, histogram, outliers
  t F5               tree of calls
  + e Space          fold or unfold a node, E: unfold all, C: fold all
  Right Left         into a node, and out of it
  > < F6             sort by the next or previous column
  I                  invert the order
  / F3 \ F4          show functions whose name contains the text; in trees: find it
  n                  find the next
  p                  live: pause or continue
  h ? F1             this help
  Escape             back to functions; there: clear the filter
  q F10 Ctrl-C       leave
)";

Browser::Browser(Terminal &Term, Figures &F) : Term(Term), F(F), Table(F) {}

void Browser::show(ViewKind K) {
  if (Kind == Functions && Table.lines())
    Chosen = Table.functionAt(Table.Selected);
  else if (Kind != Functions && Other->lines() &&
           Other->functionAt(Other->Selected) != UINT32_MAX)
    Chosen = Other->functionAt(Other->Selected);
  open(K);
}

void Browser::open(ViewKind K) {
  Kind = K;
  if (K == Functions)
    return;
  if (!Chosen && K != Tree) {
    Kind = Functions;
    return;
  }
  switch (K) {
  case Tree:
    Other = std::make_unique<TreeView>(F, F.Tree, "tree of calls",
                                       std::nullopt, 4);
    break;
  case Callers:
    Other = std::make_unique<TreeView>(F, callersOf(F.Tree, *Chosen),
                                       "callers below each; ", Chosen, 50);
    break;
  case Callees:
    Other = std::make_unique<TreeView>(F, calleesOf(F.Tree, *Chosen),
                                       "callees below each; ", Chosen, 4);
    break;
  case Outliers:
    Other = std::make_unique<OutliersView>(F, *Chosen);
    break;
  default:
    Other = std::make_unique<HistogramView>(F, *Chosen);
  }
}

void Browser::draw() {
  View &V = current();
  unsigned Rows = Term.rows(), Width = Term.columns();
  Term.clear();
  if (Rows < 4 || Width < 20) {
    Term.put(0, 0, "too small", Style::Plain);
    return;
  }
  V.fit(Width);
  std::string Head = V.head(Width);
  unsigned First = Head.empty() ? 1 : 2, Seen = Rows - First - 1;
  // Give the view's title more space than the recording's path and the note.
  const std::string Title = shortened(F.Title, Width / 2) + ": ";
  const std::string Note = F.Note.empty() ? "" : "; " + F.Note;
  const size_t Used = columnsOf(Title) + std::min<size_t>(columnsOf(Note), Width / 4);
  Term.put(0, 0, Title + V.title(Width - std::min<size_t>(Used, Width)) + Note,
           Style::Bar, Width);
  if (First == 2)
    Term.put(1, 0, Head, Style::Title, Width);
  V.Selected = std::min(V.Selected, V.lines() ? V.lines() - 1 : 0);
  if (V.Selected < V.Top)
    V.Top = V.Selected;
  if (V.Selected >= V.Top + Seen)
    V.Top = V.Selected - Seen + 1;
  for (size_t I = V.Top; I < V.lines() && I < V.Top + Seen; ++I) {
    auto [Line, How] = V.line(I, Width);
    Term.put(First + (I - V.Top), 0, Line, I == V.Selected ? Style::Selected : How,
             Width);
  }
  if (!V.lines())
    for (auto [I, Line] : enumerate(wrapped(V.empty(), Width, /*Indent=*/0)))
      if (I < Seen)
        Term.put(First + I, 0, Line, Style::Quiet);
  std::string Foot = Typing       ? "/" + Text
                     : Width < 97 ? "h help  q leave  1 functions 2 tree 3 "
                                    "callers 4 callees 5 histogram 6 outliers"
                                  : "1 functions 2 tree 3 callers 4 callees 5 "
                                    "histogram 6 outliers  / find  > < sort  "
                                    "h help  q leave";
  if (!Typing && Paused)
    Foot = "paused (p)  " + Foot;
  Term.put(Rows - 1, 0, Foot, Style::Bar, Width);
}

void Browser::move(int64_t By) {
  View &V = current();
  if (V.lines())
    V.Selected = std::clamp<int64_t>(int64_t(V.Selected) + By, 0, V.lines() - 1);
}

// Searches the lines of a tree, beginning with the selected line.
bool Browser::find(StringRef What, bool Next) {
  View &V = current();
  for (size_t I = Next; I <= V.lines() && !What.empty(); ++I) {
    size_t At = (V.Selected + I) % std::max<size_t>(V.lines(), 1);
    uint32_t Function = At < V.lines() ? V.functionAt(At) : UINT32_MAX;
    if (Function != UINT32_MAX &&
        StringRef(F.T->Functions[Function].Name).contains_insensitive(What)) {
      V.Selected = At;
      return true;
    }
  }
  return false;
}

bool Browser::type(int Key) {
  if (Key == keys::Interrupt)
    return false;
  if (Key == keys::Enter) {
    Typing = false;
  } else if (Key == keys::Escape) {
    Typing = false;
    Text.clear();
  } else if (Key == keys::Backspace) {
    // Remove all bytes of a UTF-8 character.
    while (!Text.empty() && (Text.back() & 0xc0) == 0x80)
      Text.pop_back();
    if (!Text.empty())
      Text.pop_back();
  } else if (Key >= ' ' && Key < 256 && Key != 127) {
    Text += char(Key);
  }
  if (Kind == Functions)
    Table.setFilter(Text);
  else
    find(Text, /*Next=*/false);
  return true;
}

bool Browser::handle(int Key) {
  if (Typing)
    return type(Key);
  if (Help) {
    if (Key == keys::Interrupt)
      return false;
    if (Key != keys::Up && Key != keys::Down && Key != keys::PageUp &&
        Key != keys::PageDown && Key != keys::None) {
      Help.reset();
      return true;
    }
  }
  if (current().key(Key))
    return true;
  int Page = std::max<int>(int(Term.rows()) - 4, 1);
  switch (Key) {
  case keys::Interrupt:
  case 'q':
  case keys::F10:
    return false;
  case keys::Escape:
    if (Kind == Functions)
      Table.setFilter(Text = "");
    Kind = Functions;
    break;
  case keys::Up:
  case 'k':
    move(-1);
    break;
  case keys::Down:
  case 'j':
    move(1);
    break;
  case keys::PageUp:
    move(-Page);
    break;
  case keys::PageDown:
    move(Page);
    break;
  case keys::Home:
  case 'g':
    move(INT32_MIN);
    break;
  case keys::End:
  case 'G':
    move(INT32_MAX);
    break;
  case keys::Enter:
    show(F.hasTree() ? Callers : Histogram);
    break;
  case '\t':
    show(ViewKind((Kind + 1) % Kinds));
    break;
  case keys::BackTab:
    show(ViewKind((Kind + Kinds - 1) % Kinds));
    break;
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
    show(ViewKind(Key - '1'));
    break;
  case 't':
  case keys::F1 + 4:
    show(Tree);
    break;
  case 'c':
    show(Callers);
    break;
  case 'x':
    show(Callees);
    break;
  case 'd':
    show(Histogram);
    break;
  case 'o':
    show(Outliers);
    break;
  case '/':
  case '\\':
  case keys::F1 + 2:
  case keys::F1 + 3:
    Typing = true;
    Text.clear();
    break;
  case 'n':
    find(Text, /*Next=*/true);
    break;
  case 'p':
    Paused = F.Seconds && !Paused;
    break;
  case 'h':
  case '?':
  case keys::F1:
    Help = std::make_unique<HelpView>(KeysText);
    break;
  }
  return true;
}

// Reads new data. Finds the selected function again by its key, since its index may change.
Expected<bool> Browser::refresh(function_ref<Expected<bool>()> Refresh) {
  std::optional<FunctionKey> Was;
  if (Chosen)
    Was = F.key(*Chosen);
  Table.remember();
  Expected<bool> More = Refresh();
  if (!More)
    return More.takeError();
  Chosen.reset();
  for (uint32_t I = 0; I != F.T->Functions.size() && Was; ++I)
    if (F.key(I) == *Was)
      Chosen = I;
  Table.update();
  if (Kind == Functions)
    return More;
  size_t Selected = Other->Selected, Top = Other->Top;
  open(Kind);
  if (Kind != Functions) {
    Other->Selected = Selected;
    Other->Top = Top;
  }
  return More;
}

Error Browser::run(unsigned IntervalMs,
                   function_ref<Expected<bool>()> Refresh) {
  using Clock = std::chrono::steady_clock;
  auto Next = Clock::now() + std::chrono::milliseconds(IntervalMs);
  for (;;) {
    draw();
    int Wait = -1;
    if (IntervalMs) {
      auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Next - Clock::now());
      Wait = std::clamp<int64_t>(Left.count(), 0, IntervalMs);
    }
    // Check twice a second whether a signal has asked the command to end.
    int Key = Term.key(Wait < 0 ? 500 : Wait);
    if (!handle(Key))
      return Error::success();
    if (!IntervalMs || Clock::now() < Next)
      continue;
    Next = Clock::now() + std::chrono::milliseconds(IntervalMs);
    if (Paused)
      continue;
    Expected<bool> More = refresh(Refresh);
    if (!More)
      return More.takeError();
    Paused = !*More;
  }
}
