// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   size of the JSON, 4 bytes
//   JSON:
//     names                     for each function an array of names: see formsOf()
//     modules, module           module: for each function, its index in modules
//     after, before             columns of the table, each an array by function, null
//                               for unknown values; before is null for a single
//                               recording
//     p                         with two recordings: see likelihood()
//     unit, unitBefore          units of histograms, in ns
//     sources                   source lines of functions; empty strings if unknown
//     threads                   [name, process, calls, busy, rows]
//     processes                 names of processes
//     begin, length             begin and length of the timeline, in ns; begin is a string
//     beginAfter                ns from the begin of recording to the begin of the timeline
//     directory                 directory of the recording, quoted for a shell
//     resolution, maxRows, deeper       see Timeline
//     activityBegin, activityPart       see Timeline; relative to the timeline's begin
//     cpu                       CPU time of all processes, in ns; 0 if unknown
//     noted                     number of calls with further data
//     notes                     [thread, row, span, text], for the longest of these calls
//     marksLeftOut, markNamesLeftOut  see CallNotes::marksLeftOut(), namesLeftOut()
//     marks                     [name, are values, all, times, threads, values] for each
//                               name; times are relative to the timeline's begin
//     noCalls, noDurations      see PageContent
//   LEB128:
//     tree: number of nodes; then one column after another: depth of the previous node
//       plus 1 minus the node's depth, function + 2 (0: all, 1: others), paths, and
//       calls, total, self, open, cut off of After; with two recordings, the same of Before
//     activity, for each function: number of parts with calls; for each such part, the
//       number of parts without calls before it, and the number of calls
//     histograms, for each function: number of buckets, and the buckets; with two
//       recordings, the same of Before
//     timeline, for each row of each thread: number of spans; then one column after
//       another: gap to the previous span, length, 4 * calls + open + 2 * cut off,
//       function, length minus busy; last, the number of spans with TimelineSpan::Within;
//       for each such span, the number of other spans before it, and Within
#include "PageData.h"
#include "names/ShortNames.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace patchbay;

namespace {

class Writer {
public:
  using Forms = std::vector<std::vector<std::string>>;
  Writer(const PageContent &C, const Forms &Names) : C(C), Names(Names) {}
  std::string all();

private:
  std::string json();
  void notes(json::OStream &J);
  void marks(json::OStream &J);
  void columns(json::OStream &J, StringRef Name, const Trace &T,
               const FunctionDurations *PageFunction::*Side);
  void sums(PageSums PageNode::*Side);
  void tree();
  void activity();
  void histograms();
  void row(ArrayRef<TimelineSpan> Row);
  void timeline();
  void number(uint64_t N) { encodeULEB128(N, Numbers); }

  const PageContent &C;
  const Forms &Names;
  std::string NumberText;
  raw_string_ostream Numbers{NumberText};
};

} // namespace

void Writer::columns(json::OStream &J, StringRef Name, const Trace &T,
                     const FunctionDurations *PageFunction::*Side) {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const PageFunction &F : C.Functions)
        J.value(Value(*(F.*Side)));
    });
  };
  auto OrNull = [](bool IsKnown, uint64_t N) {
    return IsKnown ? json::Value(N) : json::Value(nullptr);
  };
  bool HasSelf = T.hasEvents();
  J.attributeObject(Name, [&] {
    using F = const FunctionDurations &;
    Column("calls", [](F Of) { return Of.Calls; });
    Column("total", [&](F Of) {
      return OrNull(Of.Timed || Of.unfinished(), Of.Total);
    });
    Column("self", [&](F Of) {
      return OrNull(HasSelf && (Of.Timed || Of.unfinished()), Of.Self);
    });
    Column("average", [&](F Of) { return OrNull(Of.Timed, Of.average()); });
    // Average cost per call. The page marks times that are mostly the cost of tracing.
    Column("cost", [](F Of) {
      return Of.Calls ? (Of.Measured - std::min(Of.Measured, Of.Total)) / Of.Calls : 0;
    });
    for (auto [Key, Part] : {std::pair("p50", 0.5), {"p95", 0.95}, {"p99", 0.99}})
      Column(Key, [&, P = Part](F Of) {
        return OrNull(Of.Durations.calls(), Of.quantile(P));
      });
    Column("longest", [&](F Of) { return OrNull(Of.Timed, Of.Longest); });
    Column("unfinished", [](F Of) { return Of.unfinished(); });
  });
}

// Writes the notes for spans that consist of one call.
void Writer::notes(json::OStream &J) {
  const std::vector<TimelineThread> &Threads = C.Times->Threads;
  J.attribute("noted", C.Notes->calls());
  J.attributeArray("notes", [&] {
    for (size_t I = 0; C.Notes->calls() && I != Threads.size(); ++I)
      for (size_t R = 0; R != Threads[I].Rows.size(); ++R)
        for (size_t S = 0; S != Threads[I].Rows[R].size(); ++S) {
          const TimelineSpan &Span = Threads[I].Rows[R][S];
          StringRef Text = Span.Calls == 1 ? C.Notes->at(I, R, Span.Start) : "";
          if (!Text.empty())
            J.array([&] {
              J.value(I);
              J.value(R);
              J.value(S);
              J.value(json::fixUTF8(Text));
            });
        }
  });
}

void Writer::marks(json::OStream &J) {
  auto Column = [&](const NotedMarks &Of, auto Value) {
    J.array([&] {
      for (const NotedMarks::Event &E : Of.Events)
        J.value(Value(E));
    });
  };
  J.attribute("marksLeftOut", C.Notes->marksLeftOut());
  J.attribute("markNamesLeftOut", C.Notes->namesLeftOut());
  J.attributeArray("marks", [&] {
    for (const auto &[Row, Of] : C.Notes->marks())
      J.array([&, &Row = Row, &Of = Of] {
        J.value(json::fixUTF8(Row.first));
        J.value(Row.second);
        J.value(Of.All);
        Column(Of, [&](auto &E) { return E.Start - std::min(E.Start, C.Times->Begin); });
        Column(Of, [](auto &E) { return E.Thread; });
        Column(Of, [](auto &E) { return E.Value; });
      });
  });
}

std::string Writer::json() {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  std::vector<StringRef> Modules;
  StringMap<size_t> ModulePlaces;
  J.object([&] {
    J.attributeArray("names", [&] {
      for (const std::vector<std::string> &Of : Names)
        J.array([&] {
          for (const std::string &Name : Of)
            J.value(json::fixUTF8(Name));
        });
    });
    J.attributeArray("module", [&] {
      for (const PageFunction &F : C.Functions) {
        auto [At, New] = ModulePlaces.try_emplace(F.Module, Modules.size());
        if (New)
          Modules.push_back(F.Module);
        J.value(At->second);
      }
    });
    J.attributeArray("modules", [&] {
      for (StringRef M : Modules)
        J.value(json::fixUTF8(M));
    });
    J.attributeArray("sources", [&] {
      for (const PageFunction &F : C.Functions)
        J.value(json::fixUTF8(F.Source));
    });
    columns(J, "after", *C.T, &PageFunction::After);
    if (C.Before) {
      columns(J, "before", *C.Before, &PageFunction::Before);
      J.attributeArray("p", [&] {
        for (const PageFunction &F : C.Functions) {
          auto P = likelihood(F.Before->Durations, F.After->Durations);
          J.value(P ? json::Value(*P) : json::Value(nullptr));
        }
      });
    } else {
      J.attribute("before", nullptr);
    }
    J.attribute("unit", C.T->BucketUnit);
    J.attribute("unitBefore", C.Before ? C.Before->BucketUnit : 1);
    J.attributeArray("processes", [&] {
      for (const TraceProcess &P : C.T->Processes)
        J.value(json::fixUTF8(join(P.Data.Args, " ") + " (" + utostr(P.Data.Pid) +
                              ")"));
    });
    const Timeline &Times = *C.Times;
    J.attributeArray("threads", [&] {
      for (size_t I = 0; I != Times.Threads.size(); ++I)
        J.array([&] {
          const TraceThread &Thread = C.T->Threads[I];
          J.value(json::fixUTF8(Thread.Name + "-" + utostr(Thread.Tid)));
          J.value(Thread.Process);
          J.value(Times.Threads[I].Calls);
          J.value(Times.Threads[I].Busy);
          J.value(Times.Threads[I].Rows.size());
        });
    });
    bool Any = Times.End >= Times.Begin;
    J.attribute("begin", utostr(Any ? Times.Begin : 0));
    J.attribute("beginAfter",
                Any ? double(Times.Begin) - double(C.T->range().first) : 0);
    J.attribute("directory", json::fixUTF8(shellQuoted(C.Dir)));
    J.attribute("length", Any ? Times.End - Times.Begin : 0);
    J.attribute("resolution", Times.resolution());
    J.attribute("maxRows", Times.maxRows());
    J.attribute("deeper", Times.hasDeeper());
    J.attribute("activityBegin",
                Any ? double(Times.ActivityBegin) - double(Times.Begin) : 0);
    J.attribute("activityPart", Times.ActivityPart);
    uint64_t Cpu = 0;
    for (const TraceProcess &P : C.T->Processes)
      if (P.Data.Session)
        Cpu = SaturatingAdd(Cpu, P.Data.Session->CpuNs);
    J.attribute("cpu", Cpu);
    notes(J);
    marks(J);
    J.attribute("noCalls", C.NoCalls);
    J.attribute("noDurations", C.NoDurations);
  });
  return Text;
}

void Writer::sums(PageSums PageNode::*Side) {
  for (uint64_t PageSums::*Column :
       {&PageSums::Calls, &PageSums::Total, &PageSums::Self, &PageSums::Open,
        &PageSums::CutOff})
    for (const PageNode &N : C.Tree)
      number(N.*Side.*Column);
}

void Writer::tree() {
  number(C.Tree.size());
  uint32_t Deepest = 0;
  for (const PageNode &N : C.Tree) {
    number(Deepest - N.Depth);
    Deepest = N.Depth + 1;
  }
  for (const PageNode &N : C.Tree)
    number(uint32_t(N.Function == PageNode::All      ? 0
                    : N.Function == PageNode::Others ? 1
                                                     : N.Function + 2));
  for (const PageNode &N : C.Tree)
    number(N.Paths);
  sums(&PageNode::After);
  if (C.Before)
    sums(&PageNode::Before);
}

void Writer::activity() {
  std::vector<const std::vector<uint32_t> *> Of(C.Functions.size());
  for (size_t I = 0; I != C.Times->Activity.size(); ++I)
    if (!C.Times->Activity[I].empty())
      Of[C.PlaceOf[I]] = &C.Times->Activity[I];
  for (const std::vector<uint32_t> *Parts : Of) {
    if (!Parts) {
      number(0);
      continue;
    }
    number(Parts->size() - llvm::count(*Parts, 0u));
    uint64_t Empty = 0;
    for (uint32_t N : *Parts) {
      if (!N) {
        ++Empty;
        continue;
      }
      number(std::exchange(Empty, 0));
      number(N);
    }
  }
}

void Writer::histograms() {
  auto Add = [&](ArrayRef<uint64_t> Buckets) {
    number(Buckets.size());
    for (uint64_t N : Buckets)
      number(N);
  };
  for (const PageFunction &F : C.Functions) {
    Add(F.After->Buckets);
    if (C.Before)
      Add(F.Before->Buckets);
  }
}

void Writer::row(ArrayRef<TimelineSpan> Row) {
  number(Row.size());
  uint64_t End = C.Times->Begin;
  // If a thread's own clock is stopped, a span may begin before the previous span ends.
  std::vector<uint64_t> Lengths;
  for (const TimelineSpan &S : Row) {
    uint64_t Start = std::max(S.Start, End);
    number(Start - End);
    End = std::max(Start, SaturatingAdd(S.Start, S.Length));
    Lengths.push_back(End - Start);
  }
  for (uint64_t Length : Lengths)
    number(Length);
  for (const TimelineSpan &S : Row)
    number(4 * S.Calls + S.Open + 2 * S.CutOff);
  for (const TimelineSpan &S : Row)
    number(C.PlaceOf[S.Function]);
  for (size_t I = 0; I != Row.size(); ++I)
    number(Lengths[I] - std::min(Row[I].Busy, Lengths[I]));
  number(llvm::count_if(Row, [](const TimelineSpan &S) { return S.Within; }));
  uint64_t Without = 0;
  for (const TimelineSpan &S : Row) {
    if (!S.Within) {
      ++Without;
      continue;
    }
    number(std::exchange(Without, 0));
    number(S.Within);
  }
}

void Writer::timeline() {
  for (const TimelineThread &Thread : C.Times->Threads)
    for (const std::vector<TimelineSpan> &Row : Thread.Rows)
      row(Row);
}

std::string Writer::all() {
  std::string Json = json();
  tree();
  activity();
  histograms();
  timeline();
  char Size[4];
  support::endian::write32le(Size, Json.size());
  return std::string(Size, sizeof(Size)) + Json + NumberText;
}

// For each name: its unique short forms, longest first, and then its own() form.
static std::vector<std::vector<std::string>> formsOf(std::vector<std::string> Names) {
  const size_t Size = Names.size();
  ShortNames Short(std::move(Names), "\u2026");
  std::vector<std::vector<std::string>> Result;
  for (size_t I = 0; I != Size; ++I) {
    Result.push_back(Short.all(I));
    Result.back().push_back(Short.own(I));
  }
  return Result;
}

std::string patchbay::pageData(const PageContent &Content, size_t MaxSize) {
  std::vector<std::string> Names;
  for (const PageFunction &F : Content.Functions)
    Names.push_back(F.Name);
  const Writer::Forms Forms = formsOf(std::move(Names));
  for (;;) {
    std::string Plain = Writer(Content, Forms).all();
    std::string Text;
    if (compression::zlib::isAvailable()) {
      SmallVector<uint8_t> Small;
      compression::zlib::compress(arrayRefFromStringRef(Plain), Small);
      Text = "z" + encodeBase64(Small);
    } else {
      Text = "p" + encodeBase64(Plain);
    }
    if (Text.size() <= MaxSize)
      return Text;
    // Estimate the number of spans that fit: spans are most of the data, and their average
    // size hardly changes.
    size_t Enough = double(Content.Times->spans()) * MaxSize / Text.size();
    bool Changed = false;
    while (Content.Times->spans() > Enough && Content.Times->coarsen())
      Changed = true;
    if (!Changed && !Content.Times->coarsen())
      return Text;
  }
}

uint32_t PageTree::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Nodes.size()));
  if (New)
    Nodes.push_back({Function, Parent, Nodes[Parent].Depth + 1, {}, {}, 0});
  return At->second;
}

static void addTo(PageSums &Sum, const PageSums &S) {
  Sum.Calls += S.Calls;
  Sum.Total += S.Total;
  Sum.Self += S.Self;
  Sum.Open += S.Open;
  Sum.CutOff += S.CutOff;
}

void PageTree::add(const CallTree &Tree, ArrayRef<uint32_t> Of, bool IsBefore) {
  std::vector<uint32_t> Places(Tree.size());
  for (uint32_t I = 0; I != Tree.size(); ++I) {
    const CallNode &N = Tree[I];
    if (I)
      Places[I] = sub(Places[N.Parent], Of[N.Function]);
    PageNode &To = Nodes[Places[I]];
    addTo(IsBefore ? To.Before : To.After,
          {N.Calls, N.Total, N.Self, N.Open, N.CutOff});
  }
}

static uint64_t weight(const PageNode &N) {
  return std::max(N.After.Total, N.Before.Total);
}

void PageTree::dropRare(size_t MaxNodes) {
  std::vector<uint64_t> Weights;
  for (const PageNode &N : Nodes)
    Weights.push_back(weight(N));
  std::nth_element(Weights.begin(), Weights.begin() + MaxNodes, Weights.end(),
                   std::greater<>());
  uint64_t TooLittle = Weights[MaxNodes];
  std::vector<PageNode> Kept;
  // For each node: its index in Kept, or the index of the node that it was merged into.
  std::vector<uint32_t> Places;
  DenseMap<uint32_t, uint32_t> OthersOf; // nodes for "others", by parent
  for (uint32_t I = 0; I != Nodes.size(); ++I) {
    PageNode N = Nodes[I];
    N.Parent = I ? Places[N.Parent] : 0;
    bool IsWithin = I && Kept[N.Parent].Function == PageNode::Others;
    if (!I || (!IsWithin && weight(N) > TooLittle)) {
      Places.push_back(Kept.size());
      Kept.push_back(N);
      continue;
    }
    uint32_t To = N.Parent;
    if (!IsWithin) {
      auto [At, New] = OthersOf.try_emplace(N.Parent, uint32_t(Kept.size()));
      To = At->second;
      if (New)
        Kept.push_back({PageNode::Others, N.Parent, N.Depth, {}, {}, 0});
    }
    // The node for "others" already includes the time of the descendants of its nodes.
    if (IsWithin)
      N.After.Total = N.Before.Total = 0;
    addTo(Kept[To].After, N.After);
    addTo(Kept[To].Before, N.Before);
    ++Kept[To].Paths;
    Places.push_back(To);
  }
  Nodes = std::move(Kept);
}

std::vector<PageNode> PageTree::finish(size_t MaxNodes) {
  if (Nodes.size() > MaxNodes)
    dropRare(MaxNodes);
  std::vector<PageNode> InOrder = {Nodes[0]};
  for (uint32_t I :
       inOrder(Nodes.size(), [&](uint32_t Of) { return Nodes[Of].Parent; },
               [&](uint32_t A, uint32_t B) {
                 return std::make_tuple(weight(Nodes[B]), Nodes[A].Function) <
                        std::make_tuple(weight(Nodes[A]), Nodes[B].Function);
               }))
    InOrder.push_back(Nodes[I]);
  return InOrder;
}
