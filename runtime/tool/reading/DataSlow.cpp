// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the chunks about slow calls, and about the place where the process ran.
#include "DataReader.h"
#include "trace/format/format.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

Error DataReader::readWhy(StringRef Chunk) {
  if (Chunk.size() < sizeof(pbd_why))
    return corrupt(Offset, "chunk of slow calls is too small");
  Out.Why = DataWhy{u64(Chunk, offsetof(pbd_why, threshold_ns)),
                    u32(Chunk, offsetof(pbd_why, have)),
                    u32(Chunk, offsetof(pbd_why, refused)),
                    u64(Chunk, offsetof(pbd_why, nr)),
                    u64(Chunk, offsetof(pbd_why, lost))};
  return Error::success();
}

// The rest is read when the call is shown.
Error DataReader::readSlow(StringRef Chunk) {
  if (Chunk.size() < sizeof(pbd_slow))
    return corrupt(Offset, "slow call is too small");
  Out.Slow.push_back(Chunk);
  return Error::success();
}

// START-END rwxp OFFSET DEVICE INODE PATH
static std::optional<DataMapping> parseMapping(StringRef Line) {
  DataMapping M;
  auto [Range, Rest] = Line.split(' ');
  auto [Begin, End] = Range.split('-');
  auto [Rights, BehindRights] = Rest.split(' ');
  auto [Offset, BehindOffset] = BehindRights.split(' ');
  auto [Device, BehindDevice] = BehindOffset.split(' ');
  auto [Inode, Path] = BehindDevice.split(' ');
  if (Begin.getAsInteger(16, M.Begin) || End.getAsInteger(16, M.End) ||
      Offset.getAsInteger(16, M.Offset) || Inode.getAsInteger(10, M.Inode))
    return std::nullopt;
  M.Path = Path.ltrim(' ').str();
  return M;
}

Error DataReader::readMapped(StringRef Chunk) {
  constexpr size_t TextAt = offsetof(pbd_maps, text);
  if (Chunk.size() < TextAt)
    return corrupt(Offset, "chunk of mappings is too small");
  uint32_t Length = u32(Chunk, offsetof(pbd_maps, length));
  if (Length > Chunk.size() - TextAt)
    return corrupt(Offset, "mappings of " + Twine(Length) + " bytes");
  std::vector<DataMapping> &Maps = Out.Maps[u32(Chunk, offsetof(pbd_maps, id))];
  for (StringRef Line : split(Chunk.substr(TextAt, Length).rtrim('\n'), '\n'))
    if (std::optional<DataMapping> M = parseMapping(Line))
      Maps.push_back(std::move(*M));
  return Error::success();
}

Error DataReader::readPlace(StringRef Chunk) {
  constexpr size_t CgroupAt = offsetof(pbd_place, cgroup);
  if (Chunk.size() < CgroupAt)
    return corrupt(Offset, "chunk of the place is too small");
  DataPlace P;
  P.BootId = name(Chunk, offsetof(pbd_place, boot_id), PBD_BOOT_ID);
  P.Cgroup = name(Chunk, CgroupAt, Chunk.size() - CgroupAt);
  P.PidNamespace = u64(Chunk, offsetof(pbd_place, pid_namespace));
  P.PidOutside = u32(Chunk, offsetof(pbd_place, pid_outside));
  uint32_t Nr = u32(Chunk, offsetof(pbd_place, nr_pids));
  if (Nr > PBD_PLACE_PIDS)
    return corrupt(Offset, Twine(Nr) + " process ids");
  for (uint32_t I = 0; I != Nr; ++I)
    P.Pids.push_back(u32(Chunk, offsetof(pbd_place, pid) + I * sizeof(uint32_t)));
  Out.Place = std::move(P);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

namespace {
/// Reads numbers of a chunk that has all bytes of a pbd_slow.
class SlowChunk {
public:
  SlowChunk(StringRef Bytes, endianness Order) : Bytes(Bytes), Order(Order) {}
  uint64_t u64(uint64_t At) const {
    return support::endian::read64(Bytes.data() + At, Order);
  }
  uint32_t u32(uint64_t At) const {
    return support::endian::read32(Bytes.data() + At, Order);
  }
  uint16_t u16(uint64_t At) const {
    return support::endian::read16(Bytes.data() + At, Order);
  }
  DataWait wait(uint64_t At) const;
  std::optional<DataSlow> read() const;

private:
  StringRef Bytes;
  endianness Order;
};
} // namespace

DataWait SlowChunk::wait(uint64_t At) const {
  DataWait W;
  W.BeginNs = u64(At + offsetof(pbd_wait, begin_ns));
  W.Ns = u64(At + offsetof(pbd_wait, ns));
  W.IsPreempted = u32(At + offsetof(pbd_wait, flags)) & PBD_WAIT_PREEMPTED;
  unsigned Kernel = std::min<unsigned>(u16(At + offsetof(pbd_wait, nr_kernel)),
                                       PBD_WAIT_FRAMES - 1);
  for (unsigned I = 0; I != Kernel; ++I)
    W.Kernel.push_back(u64(At + offsetof(pbd_wait, frame) + I * 8));
  if (u16(At + offsetof(pbd_wait, nr_user)))
    W.User = u64(At + offsetof(pbd_wait, frame) + Kernel * 8);
  return W;
}

std::optional<DataSlow> SlowChunk::read() const {
  DataSlow S;
  S.BeginNs = u64(offsetof(pbd_slow, begin_ns));
  S.Ns = u64(offsetof(pbd_slow, ns));
  S.OffNs = u64(offsetof(pbd_slow, off_ns));
  S.PreemptedNs = u64(offsetof(pbd_slow, preempted_ns));
  S.NrWaits = u64(offsetof(pbd_slow, nr_waits));
  S.IsWhole = u32(offsetof(pbd_slow, flags)) & PBD_SLOW_WHOLE;
  S.Maps = u32(offsetof(pbd_slow, maps));
  for (uint64_t I = 0; I != std::min<uint64_t>(S.NrWaits, PBD_WAITS); ++I)
    S.Waits.push_back(wait(offsetof(pbd_slow, wait) + I * sizeof(pbd_wait)));
  for (unsigned I = 0; I != PBD_HERE; ++I)
    S.Here.push_back(u64(offsetof(pbd_slow, here) + I * 8));
  S.CallerPc = u64(offsetof(pbd_slow, caller_pc));
  S.CallerSp = u64(offsetof(pbd_slow, caller_sp));
  S.CallerFp = u64(offsetof(pbd_slow, caller_fp));
  S.StackBegin = u64(offsetof(pbd_slow, stack_begin));
  S.StackErrno = u32(offsetof(pbd_slow, stack_error));
  uint32_t Size = u32(offsetof(pbd_slow, stack_size));
  constexpr size_t StackAt = offsetof(pbd_slow, stack);
  if (Size > Bytes.size() - StackAt)
    return std::nullopt;
  S.Stack = Bytes.substr(StackAt, Size);
  return S;
}

// While the process runs, the chunk may belong to another call by now.
std::optional<DataSlow> DataFile::slow(uint64_t Id) const {
  if (SlowById.empty())
    for (size_t I = 0; I != Slow.size(); ++I)
      SlowById[SlowChunk(Slow[I], Order).u64(offsetof(pbd_slow, id))] = I;
  auto Found = SlowById.find(Id);
  if (!Id || Found == SlowById.end())
    return std::nullopt;
  SlowChunk Chunk(Slow[Found->second], Order);
  std::optional<DataSlow> S = Chunk.read();
  if (Chunk.u64(offsetof(pbd_slow, id)) != Id)
    return std::nullopt;
  return S;
}
