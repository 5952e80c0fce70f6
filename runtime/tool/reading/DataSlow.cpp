// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the chunks about slow calls, and about the machine and the control group in which
// the process ran.
#include "DataReader.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

Error DataReader::readWhy(StringRef Chunk) {
  auto Of = structAt<pbd_why>(Chunk);
  Out.Why = DataWhy{Of.threshold_ns, Of.have, Of.refused, Of.nr, Of.lost};
  return Error::success();
}

// Keeps the chunk, which is read only when the call is shown.
Error DataReader::readSlow(StringRef Chunk) {
  Out.Slow.push_back(Chunk);
  return Error::success();
}

Error DataReader::readMapped(StringRef Chunk) {
  auto Head = structAt<pbd_maps>(Chunk);
  StringRef Text = Chunk.drop_front(offsetof(pbd_maps, text));
  if (Head.length > Text.size())
    return corrupt(Offset, "mappings of " + Twine(Head.length) + " bytes");
  append_range(Out.Maps[Head.id], parseMappings(Text.take_front(Head.length)));
  return Error::success();
}

Error DataReader::readPlace(StringRef Chunk) {
  auto Of = structAt<pbd_place>(Chunk);
  if (Of.nr_pids > PBD_PLACE_PIDS)
    return corrupt(Offset, Twine(Of.nr_pids) + " process ids");
  DataPlace P;
  P.BootId = name(Of.boot_id);
  P.Cgroup = Chunk.drop_front(offsetof(pbd_place, cgroup)).split('\0').first.str();
  P.PidNamespace = Of.pid_namespace;
  P.PidOutside = Of.pid_outside;
  P.Pids.assign(Of.pid, Of.pid + Of.nr_pids);
  Out.Place = std::move(P);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Slow calls
//===----------------------------------------------------------------------===//

static DataWait waitOf(const pbd_wait &Of) {
  DataWait W;
  W.BeginNs = Of.begin_ns;
  W.Ns = Of.ns;
  W.IsPreempted = Of.flags & PBD_WAIT_PREEMPTED;
  const unsigned Kernel = std::min<unsigned>(Of.nr_kernel, PBD_WAIT_FRAMES - 1);
  W.Kernel.assign(Of.frame, Of.frame + Kernel);
  if (Of.nr_user)
    W.User = Of.frame[Kernel];
  return W;
}

static uint64_t idOf(StringRef Chunk) {
  return structAt<uint64_t>(Chunk, offsetof(pbd_slow, id));
}

// Checks the id, since a running process may have reused the chunk for another call.
std::optional<DataSlow> DataFile::slow(uint64_t Id) const {
  if (SlowById.empty())
    for (size_t I = 0; I != Slow.size(); ++I)
      SlowById[idOf(Slow[I])] = I;
  auto Found = SlowById.find(Id);
  if (!Id || Found == SlowById.end())
    return std::nullopt;
  StringRef Chunk = Slow[Found->second];
  StringRef Stack = Chunk.drop_front(offsetof(pbd_slow, stack));
  const auto Of = structAt<pbd_slow>(Chunk);
  DataSlow S;
  S.BeginNs = Of.begin_ns;
  S.Ns = Of.ns;
  S.OffNs = Of.off_ns;
  S.PreemptedNs = Of.preempted_ns;
  S.NrWaits = Of.nr_waits;
  S.IsWhole = Of.flags & PBD_SLOW_WHOLE;
  S.Maps = Of.maps;
  for (uint64_t I = 0; I != std::min<uint64_t>(Of.nr_waits, PBD_WAITS); ++I)
    S.Waits.push_back(waitOf(Of.wait[I]));
  S.Here.assign(std::begin(Of.here), std::end(Of.here));
  S.CallerPc = Of.caller_pc;
  S.CallerSp = Of.caller_sp;
  S.CallerFp = Of.caller_fp;
  S.StackBegin = Of.stack_begin;
  S.StackErrno = Of.stack_error;
  S.Stack = Stack.take_front(Of.stack_size);
  if (Of.stack_size > Stack.size() || idOf(Chunk) != Id)
    return std::nullopt;
  return S;
}
