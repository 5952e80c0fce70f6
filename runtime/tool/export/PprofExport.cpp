// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace as pprof's protobuf (github.com/google/pprof, proto/profile.proto). Each stack
// has the number and the self time in nanoseconds of its calls. Threads are labels.
#include "Export.h"
#include "Protobuf.h"
#include "analysis/CallTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"

using namespace llvm;
using namespace patchbay;

namespace {

// Profile
constexpr unsigned SampleTypeField = 1, SampleField = 2, MappingField = 3,
                   LocationField = 4, FunctionField = 5, StringField = 6,
                   TimeField = 9, DurationField = 10, DefaultSampleType = 14;
// ValueType, Sample, Label, Mapping, Location, Line, Function
constexpr unsigned TypeOf = 1, UnitOf = 2;
constexpr unsigned SampleLocations = 1, SampleValues = 2, SampleLabel = 3;
constexpr unsigned LabelKey = 1, LabelText = 2;
constexpr unsigned MappingId = 1, MappingFile = 5, MappingBuildId = 6,
                   MappingHasFunctions = 7;
constexpr unsigned LocationId = 1, LocationMapping = 2, LocationAddress = 3,
                   LocationLine = 4, LineFunction = 1;
constexpr unsigned FunctionId = 1, FunctionName = 2, FunctionSystemName = 3;

class Profile {
public:
  explicit Profile(const Trace &T) : T(T) { string(""); }
  void types();
  void samples(StringRef Thread, const CallTree &Tree);
  void functions();
  void times();
  std::string finish();

private:
  uint64_t string(StringRef Text) {
    auto [At, New] = StringOf.try_emplace(Text, Strings.size());
    if (New)
      Strings.push_back(Text.str());
    return At->second;
  }
  const Trace &T;
  ProtobufMessage Out;
  StringMap<uint64_t> StringOf;
  std::vector<std::string> Strings;
};

} // namespace

void Profile::types() {
  auto Add = [&](StringRef Type, StringRef Unit) {
    ProtobufMessage Value;
    Value.number(TypeOf, string(Type));
    Value.number(UnitOf, string(Unit));
    Out.message(SampleTypeField, Value);
  };
  Add("calls", "count");
  Add("time", "nanoseconds");
  Out.number(DefaultSampleType, string(T.hasDurations() ? "time" : "calls"));
}

void Profile::samples(StringRef Thread, const CallTree &Tree) {
  ProtobufMessage Label;
  Label.number(LabelKey, string("thread"));
  Label.number(LabelText, string(Thread));
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    std::vector<uint64_t> Stack; // innermost first
    for (uint32_t N = I; N; N = Tree[N].Parent)
      Stack.push_back(Tree[N].Function + 1);
    ProtobufMessage Sample;
    Sample.packed(SampleLocations, Stack);
    Sample.packed(SampleValues, {Tree[I].Calls, Tree[I].Self});
    Sample.message(SampleLabel, Label);
    Out.message(SampleField, Sample);
  }
}

void Profile::functions() {
  std::map<std::pair<StringRef, StringRef>, uint64_t> Mappings;
  for (uint64_t I = 0; I != T.Functions.size(); ++I) {
    const TraceFunction &F = T.Functions[I];
    auto [At, New] =
        Mappings.try_emplace({F.Module, F.BuildId}, Mappings.size() + 1);
    if (New) {
      ProtobufMessage Mapping;
      Mapping.number(MappingId, At->second);
      Mapping.number(MappingFile, string(json::fixUTF8(F.Module)));
      Mapping.number(MappingBuildId,
                     string(toHex(F.BuildId, /*LowerCase=*/true)));
      Mapping.number(MappingHasFunctions, 1);
      Out.message(MappingField, Mapping);
    }
    ProtobufMessage Line, Location, Function;
    Line.number(LineFunction, I + 1);
    Location.number(LocationId, I + 1);
    Location.number(LocationMapping, At->second);
    Location.number(LocationAddress, F.Entry);
    Location.message(LocationLine, Line);
    Out.message(LocationField, Location);
    Function.number(FunctionId, I + 1);
    Function.number(FunctionName, string(json::fixUTF8(F.Name)));
    Function.number(FunctionSystemName, string(json::fixUTF8(F.Name)));
    Out.message(FunctionField, Function);
  }
}

void Profile::times() {
  uint64_t First = UINT64_MAX, Began = UINT64_MAX, End = 0;
  for (const TraceProcess &P : T.Processes)
    if (P.Data.Session) {
      First = std::min(First, P.Data.Session->First.RealtimeNs);
      Began = std::min(Began, P.Data.Session->First.MonotonicNs);
      End = std::max(End, P.End);
    }
  Out.number(TimeField, First);
  Out.number(DurationField, End - std::min(Began, End));
}

std::string Profile::finish() {
  for (const std::string &Text : Strings)
    Out.bytes(StringField, Text);
  return Out.str().str();
}

// Compresses into the gzip format (RFC 1952). Replaces zlib's header and checksum (RFC 1950) by
// gzip's.
static std::string gzipped(StringRef Plain) {
  if (!compression::zlib::isAvailable())
    return Plain.str(); // pprof reads uncompressed data, too
  SmallVector<uint8_t> Small;
  compression::zlib::compress(arrayRefFromStringRef(Plain), Small);
  std::string Result("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  Result += toStringRef(Small).drop_front(2).drop_back(4);
  char End[8];
  support::endian::write32le(End, crc32(arrayRefFromStringRef(Plain)));
  support::endian::write32le(End + 4, uint32_t(Plain.size()));
  return Result.append(End, sizeof(End));
}

void patchbay::exportPprof(Trace &T, raw_ostream &OS) {
  TreesByThread All(T);
  readCalls(T, {&All}, /*StacksApart=*/true);
  Profile Out(T);
  Out.types();
  for (auto &[Thread, Builder] : All.Trees)
    Out.samples(json::fixUTF8(Thread), Builder->finish());
  Out.functions();
  Out.times();
  OS << gzipped(Out.finish());
}
