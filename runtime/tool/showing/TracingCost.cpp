// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TracingCost.h"
#include "names/NameForms.h"
#include "reading/ValueReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

// Messages include advice if the cost is at least this share of the CPU time.
static constexpr double Large = 0.2;

// Excluding functions is useful if the exclusion saves at least this share of the calls.
static constexpr double Helpful = 0.3;

void TracingCost::add(const DataFile &Data, TracedNames &Names) {
  if (!Data.Session || !Data.Session->CostInside)
    return;
  const DataSession &S = *Data.Session;
  // A process that restricted its system calls could not read its CPU time at the end.
  if (S.Flags & PBD_SESSION_SANDBOX)
    return;
  const uint64_t Here = Data.tracedCalls();
  Calls = SaturatingAdd(Calls, Here);
  CostNs += double(Here) * double(S.CostInside + S.CostOutside) / 1000;
  ErrorNs += double(Here) * double(S.CostError) / 1000;
  CpuNs += double(S.CpuNs);
  if (share() >= Large)
    sample(Data, Names);
}

// Finds the most frequent functions, using a sample of the records of each block.
void TracingCost::sample(const DataFile &Data, TracedNames &Names) {
  static constexpr size_t MostBlocks = 256, OfBlock = 256;
  std::map<uint32_t, uint64_t> ByNumber;
  size_t Step = Data.Blocks.size() / MostBlocks + 1;
  for (size_t I = 0; I < Data.Blocks.size(); I += Step) {
    const DataBlock &B = Data.Blocks[I];
    size_t Records = std::min(B.Records.size() / DataRecord::Size, OfBlock);
    for (size_t R = 0; R != Records; ++R) {
      DataRecord Record = DataRecord::read(B.Records.data() + R * DataRecord::Size,
                                           DataRecord::passBits(B.Pass));
      if (Record.isCall() && Record.Kind != PBD_RECORD_NONE)
        ++ByNumber[Record.Function];
    }
    Data.release(B.Records);
  }
  for (auto [Number, N] : ByNumber)
    if (uint32_t Slot = Data.slots().find(Number); Slot != FunctionSlots::None) {
      const DataFunction &F = Data.slots()[Slot];
      if (auto M = Data.Modules.find(F.Module); M != Data.Modules.end())
        Sampled[plainName(Names.function(M->second, F.Entry))] += N;
    }
}

// A function to suggest for -N or, if no single function suffices, a namespace or class.
// Empty if each exclusion would save too few calls, or all calls.
std::string TracingCost::busiest() const {
  std::map<StringRef, uint64_t> Scopes;
  uint64_t All = 0;
  for (const auto &[Name, N] : Sampled) {
    All += N;
    if (auto [Scope, Rest] = StringRef(Name).split("::");
        !Rest.empty() && !Scope.contains('('))
      Scopes[Scope] += N;
  }
  auto Most = [&](const auto &Of) {
    return llvm::max_element(
        Of, [](const auto &A, const auto &B) { return A.second < B.second; });
  };
  auto Helps = [&](uint64_t N) {
    return double(N) >= Helpful * double(All) && N < All;
  };
  if (auto Name = Most(Sampled); Name != Sampled.end() && Helps(Name->second))
    return Name->first;
  // Do not suggest the program's only scope, which the user wants to record.
  if (auto Scope = Most(Scopes); Scopes.size() > 1 && Helps(Scope->second))
    return (Scope->first + "::*").str();
  return "";
}

// A count with three digits: "21.6 M".
static std::string shortCount(uint64_t N) {
  static constexpr std::pair<double, const char *> Units[] = {
      {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (auto [Factor, Unit] : Units)
    if (double(N) >= 10 * Factor || (Factor > 1e3 && double(N) >= Factor))
      return formatv("{0:f1}{1}", double(N) / Factor, Unit).str();
  return utostr(N);
}

std::string TracingCost::text() const {
  if (!Calls || CpuNs <= 0)
    return "";
  const bool InSeconds = CpuNs >= 1e9;
  const double Unit = InSeconds ? 1e9 : 1e6;
  // The cost is an estimate and may exceed the CPU time.
  std::string Took = CostNs < CpuNs ? formatv("{0:f1}", CostNs / Unit).str() : "nearly all";
  return formatv("{0} call{1}, tracing took {2} of {3:f1} {4} of CPU time ({5:f0} ns a "
                 "call, +-{6:f0})",
                 shortCount(Calls), Calls == 1 ? "" : "s", Took,
                 CpuNs / Unit, InSeconds ? "s" : "ms", CostNs / double(Calls),
                 ErrorNs / double(Calls))
      .str();
}

std::string TracingCost::advice() const {
  if (share() < Large)
    return "";
  std::string Most = busiest();
  return "try " + (Most.empty() ? "" : "-N '" + Most + "' or ") + "--max-overhead 10%";
}
