// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HtmlReport.h"
#include "CallTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace patchbay;

// Up to 2^40 ns, which is 18 minutes.
static constexpr unsigned Buckets = 41;
// A browser draws so many at once. The longest calls are what can be seen.
static constexpr size_t MaxTimeline = 5000;

namespace {

class Page {
public:
  Page(const Trace &T, json::OStream &J) : T(T), J(J) {}
  void write();

private:
  void tree(int64_t Function, const CallNode &N);
  void threads();

  const Trace &T;
  json::OStream &J;
};

} // namespace

void Page::tree(int64_t Function, const CallNode &N) {
  J.array([&] {
    J.value(Function);
    J.value(N.Calls);
    J.value(N.Total);
    J.value(N.Self);
    J.array([&] {
      for (const auto &[Of, Sub] : N.Subs)
        tree(Of, Sub);
    });
  });
}

// Of each thread the longest calls, in order.
static std::vector<const TraceCall *> longest(const TraceThread &Thread) {
  std::vector<const TraceCall *> Calls;
  for (const TraceCall &C : Thread.Calls)
    if (C.hasDuration())
      Calls.push_back(&C);
  llvm::sort(Calls, [](const TraceCall *A, const TraceCall *B) {
    return A->Duration != B->Duration ? A->Duration > B->Duration : A < B;
  });
  if (Calls.size() > MaxTimeline)
    Calls.resize(MaxTimeline);
  llvm::sort(Calls);
  return Calls;
}

void Page::threads() {
  uint64_t Begin = UINT64_MAX, End = 0;
  for (const TraceThread &Thread : T.Threads)
    for (const TraceCall &C : Thread.Calls) {
      Begin = std::min(Begin, C.Start);
      End = std::max(End, SaturatingAdd(C.Start, C.Duration));
    }
  J.attribute("length", End > Begin ? End - Begin : 1);
  J.attributeArray("threads", [&] {
    for (const TraceThread &Thread : T.Threads)
      J.array([&] {
        J.value(json::fixUTF8(Thread.Name + "-" + utostr(Thread.Tid)));
        J.array([&] {
          for (const TraceCall *C : longest(Thread))
            J.array([&] {
              J.value(C->Start - Begin);
              J.value(C->Duration);
              J.value(C->Depth);
              J.value(C->Function);
            });
        });
      });
  });
}

void Page::write() {
  std::vector<std::vector<uint64_t>> Histogram(T.Functions.size(),
                                               std::vector<uint64_t>(Buckets));
  for (const TraceThread &Thread : T.Threads)
    for (const TraceCall &C : Thread.Calls)
      if (C.hasDuration())
        ++Histogram[C.Function][C.Duration
                                    ? std::min(Log2_64(C.Duration), Buckets - 1)
                                    : 0];
  J.object([&] {
    J.attributeArray("functions", [&] {
      for (const TraceFunction &F : T.Functions)
        J.value(json::fixUTF8(F.Name));
    });
    J.attributeBegin("root");
    tree(-1, callTree(T));
    J.attributeEnd();
    J.attributeArray("histogram", [&] {
      for (const auto &Of : Histogram)
        J.array([&] {
          for (uint64_t N : Of)
            J.value(N);
        });
    });
    threads();
  });
}

static std::string escaped(StringRef Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printHTMLEscaped(json::fixUTF8(Text), OS);
  return Result;
}

void patchbay::printHtml(const Trace &T, StringRef Title, raw_ostream &OS) {
  std::string Data;
  raw_string_ostream DataOS(Data);
  json::OStream J(DataOS);
  Page(T, J).write();
  OS << HtmlHead << "<title>" << escaped(Title) << "</title>\n<h1>"
     << escaped(Title)
     << "</h1>\n<script id=\"trace\" type=\"application/json\">";
  // A name like </script> must not end it; JSON has another way to write <.
  for (char C : Data)
    if (C == '<')
      OS << "\\u003c";
    else
      OS << C;
  OS << "</script>" << HtmlScript;
}
