// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrometheusText.h"
#include "Histogram.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;
using namespace patchbay;

// A line of text is one sample, and quotes are around values.
static std::string escaped(StringRef Text) {
  std::string Result;
  for (char C : json::fixUTF8(Text))
    Result += C == '\n'              ? "\\n"
              : C == '"' || C == '\\' ? std::string("\\") + C
                                      : std::string(1, C);
  return Result;
}

// Without the errors of floating point.
static std::string seconds(uint64_t Ns) {
  return formatv("{0}.{1:d9}", Ns / 1000000000, Ns % 1000000000).str();
}

static std::string labels(const Trace &T, const FunctionDurations &F, Apart By) {
  const TraceFunction &Of = T.Functions[F.Function];
  std::string Text = "function=\"" + escaped(Of.Name) + "\",module=\"" +
                     escaped(sys::path::filename(Of.Module)) + "\"";
  if (By != Apart::Nothing)
    Text += (By == Apart::Thread ? ",thread=\"" : ",caller=\"") + escaped(F.Of) + "\"";
  return Text;
}

namespace {
/// Metrics of functions, by their labels.
class Metrics {
public:
  Metrics(raw_ostream &OS) : OS(OS) {}
  void add(std::string Labels, const FunctionDurations &F);
  void counter(StringRef Name, StringRef Help,
               function_ref<std::string(const FunctionDurations &)> Value) const;
  void histogram(StringRef Name, StringRef Help, double Unit) const;

private:
  void head(StringRef Name, StringRef Type, StringRef Help) const {
    OS << "# HELP " << Name << ' ' << Help << "\n# TYPE " << Name << ' ' << Type << '\n';
  }
  raw_ostream &OS;
  std::map<std::string, FunctionDurations> ByLabels;
};
} // namespace

void Metrics::add(std::string Labels, const FunctionDurations &F) {
  FunctionDurations &Sum = ByLabels[std::move(Labels)];
  // All that were made, also where only some of them are recorded.
  Sum.Calls += std::max(F.Calls, F.Made);
  Sum.Timed += F.Timed;
  Sum.Open += F.Open;
  Sum.CutOff += F.CutOff;
  Sum.Sum += F.Sum;
  Sum.Self += F.Self;
  Sum.Buckets.resize(std::max(Sum.Buckets.size(), F.Buckets.size()));
  for (size_t I = 0; I != F.Buckets.size(); ++I)
    Sum.Buckets[I] += F.Buckets[I];
}

void Metrics::counter(StringRef Name, StringRef Help,
                      function_ref<std::string(const FunctionDurations &)> Value) const {
  head(Name, "counter", Help);
  for (const auto &[Labels, F] : ByLabels)
    OS << Name << '{' << Labels << "} " << Value(F) << '\n';
}

// All functions have the same buckets, so that they can be summed. A bucket's limit is
// in it, and our next one begins a nanosecond behind it.
void Metrics::histogram(StringRef Name, StringRef Help, double Unit) const {
  size_t First = SIZE_MAX, End = 0;
  for (const auto &[Labels, F] : ByLabels)
    for (size_t I = 0; I != F.Buckets.size(); ++I)
      if (F.Buckets[I]) {
        First = std::min(First, I);
        End = std::max(End, I + 1);
      }
  head(Name, "histogram", Help);
  for (const auto &[Labels, F] : ByLabels) {
    uint64_t Calls = 0;
    for (size_t I = First; I < End; ++I) {
      Calls += I < F.Buckets.size() ? F.Buckets[I] : 0;
      OS << Name << "_bucket{" << Labels << ",le=\""
         << seconds(bucketStart(Unit, I + 1) - 1) << "\"} " << Calls << '\n';
    }
    OS << Name << "_bucket{" << Labels << ",le=\"+Inf\"} " << F.Timed << '\n'
       << Name << "_sum{" << Labels << "} " << seconds(F.Sum) << '\n'
       << Name << "_count{" << Labels << "} " << F.Timed << '\n';
  }
}

void patchbay::printPrometheus(const Trace &T,
                               ArrayRef<FunctionDurations> Functions,
                               ArrayRef<size_t> Order, Apart By, uint64_t Lost,
                               raw_ostream &OS) {
  Metrics M(OS);
  for (size_t I : Order)
    M.add(labels(T, Functions[I], By), Functions[I]);
  M.counter("patchbay_calls_total", "Calls of the function.",
            [](const auto &F) { return std::to_string(F.Calls); });
  if (T.hasEvents() && T.hasDurations()) {
    M.counter("patchbay_unfinished_calls_total", "Calls that were not seen to return.",
              [](const auto &F) { return std::to_string(F.unfinished()); });
    if (!T.isSampled())
      M.counter("patchbay_self_seconds_total",
                "Time in the function without the functions that it called.",
                [](const auto &F) { return seconds(F.Self); });
  }
  if (T.hasDurations())
    M.histogram("patchbay_call_duration_seconds",
                "How long the calls took that were seen to return.", T.BucketUnit);
  OS << "# HELP patchbay_lost_events_total Events that are not in the recording.\n"
        "# TYPE patchbay_lost_events_total counter\n"
        "patchbay_lost_events_total "
     << Lost << '\n';
}
