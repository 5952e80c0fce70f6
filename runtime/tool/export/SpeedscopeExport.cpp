// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as speedscope's own JSON (speedscope.app/file-format-schema.json): profiles of
// type "evented", whose events are by time, and closed in the order in which they are
// within each other.
#include "Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace patchbay;

namespace {
class Profiles : public CallSink {
public:
  explicit Profiles(json::OStream &J) : J(J) {}
  void beginThread(const TraceThread &Thread) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &Thread) override;

private:
  void event(StringRef Type, uint32_t Function, uint64_t Time);

  json::OStream &J;
  // Times are rounded, so that one may be a nanosecond before what it is within.
  uint64_t First = UINT64_MAX, Last = 0;
};
} // namespace

void Profiles::beginThread(const TraceThread &Thread) {
  First = UINT64_MAX;
  Last = 0;
  J.objectBegin();
  J.attribute("type", "evented");
  J.attribute("name", json::fixUTF8(Thread.Name + "-" + utostr(Thread.Tid)));
  J.attribute("unit", "nanoseconds");
  J.attributeBegin("events");
  J.arrayBegin();
}

void Profiles::event(StringRef Type, uint32_t Function, uint64_t Time) {
  Last = std::max(Last, Time);
  First = std::min(First, Last);
  J.object([&] {
    J.attribute("type", Type);
    J.attribute("frame", Function);
    J.attribute("at", Last);
  });
}

void Profiles::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  event("O", Open.back().Function, Open.back().Start);
}

void Profiles::end(ArrayRef<TraceCall> Open, size_t Depth,
                   std::optional<uint64_t> Next) {
  std::vector<std::optional<uint64_t>> Ends = endTimes(Open, Depth, Next);
  for (size_t I = Open.size(); I != Depth; --I)
    event("C", Open[I - 1].Function, Ends[I - 1 - Depth].value_or(Last));
}

void Profiles::endThread(const TraceThread &) {
  J.arrayEnd();
  J.attributeEnd();
  J.attribute("startValue", std::min(First, Last));
  J.attribute("endValue", Last);
  J.objectEnd();
}

void patchbay::exportSpeedscope(Trace &T, raw_ostream &OS) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("$schema",
                "https://www.speedscope.app/file-format-schema.json");
    J.attribute("exporter", "patchbay");
    J.attributeArray("profiles", [&] {
      Profiles All(J);
      readCalls(T, {&All});
    });
    // By then it is known which were called.
    J.attributeObject("shared", [&] {
      J.attributeArray("frames", [&] {
        for (const TraceFunction &F : T.Functions)
          J.object([&] {
            J.attribute("name", json::fixUTF8(F.Name));
            J.attribute("file", json::fixUTF8(F.Module));
          });
      });
    });
  });
  OS << '\n';
}
