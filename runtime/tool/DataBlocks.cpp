// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataBlocks.h"
#include "format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <set>

using namespace llvm;
using namespace patchbay;

namespace {
/// Values lie before their call, but for what signal handlers recorded between.
class ValueReader {
public:
  explicit ValueReader(DataThread &T) : T(T) {}
  void add(const DataEvent &E) {
    DataValues &Of = Pending[{E.Frame, uint32_t(E.Detail)}];
    uint32_t Which = E.Function - PBD_VALUE;
    if (!Which) // what is there is of a call that was lost
      Of = {};
    if (Which < PBD_VALUE_ARGS && Which == Of.Args.size()) {
      Of.Args.push_back(E.Time);
    } else if (Which == PBD_VALUE_RESULT || Which == PBD_VALUE_RESULT_FP) {
      Of.Result = E.Time;
      Of.IsFloat = Which == PBD_VALUE_RESULT_FP;
    }
  }
  void addJump(const DataEvent &E) {
    Jumps.insert({E.Frame, uint32_t(E.Detail)});
  }
  bool takeJump(const DataEvent &Call) {
    return !Jumps.empty() && Jumps.erase({Call.Frame, Call.Function}) &&
           Call.Kind == PBD_RECORD_UNWOUND;
  }
  uint32_t take(const DataEvent &Call) {
    auto At = Pending.find({Call.Frame, Call.Function});
    if (At == Pending.end())
      return 0;
    T.Values.push_back(std::move(At->second));
    Pending.erase(At);
    return T.Values.size();
  }

private:
  DataThread &T;
  std::map<std::pair<uint32_t, uint32_t>, DataValues> Pending;
  std::set<std::pair<uint32_t, uint32_t>> Jumps;
};
} // namespace

static std::string threadName(const DataEvent &E) {
  char Bytes[sizeof(pbd_block::comm)];
  support::endian::write64le(Bytes, E.Time);
  support::endian::write64le(Bytes + 8, E.Detail);
  StringRef Name(Bytes, sizeof(Bytes));
  return Name.take_front(Name.find('\0')).str();
}

void patchbay::addEvents(std::vector<DataBlock> &Blocks, endianness Order,
                         bool OnlyThreads, DataFile &Out) {
  auto U32 = [&](StringRef Bytes, uint64_t At) {
    return support::endian::read32(Bytes.data() + At, Order);
  };
  auto U64 = [&](StringRef Bytes, uint64_t At) {
    return support::endian::read64(Bytes.data() + At, Order);
  };
  llvm::sort(Blocks, [](const DataBlock &A, const DataBlock &B) {
    return std::make_tuple(A.Thread, A.Seq, A.Records.data()) <
           std::make_tuple(B.Thread, B.Seq, B.Records.data());
  });
  std::map<uint32_t, ValueReader> Values;
  for (const DataBlock &B : Blocks) {
    DataThread *T;
    ValueReader *Reader;
    auto GoOnWith = [&](uint32_t Thread) {
      T = &Out.Threads[Thread];
      Reader = &Values.try_emplace(Thread, *T).first->second;
    };
    GoOnWith(B.Thread);
    for (uint64_t At = 0; B.Records.size() - At >= sizeof(pbd_record);
         At += sizeof(pbd_record)) {
      uint64_t Last = U64(B.Records, At + offsetof(pbd_record, last));
      uint8_t Kind = Last & ((1u << PBD_KIND_BITS) - 1);
      uint8_t Pass = Last >> PBD_KIND_BITS & ((1u << PBD_PASS_BITS) - 1);
      // A hole, or what is left of an earlier pass.
      if (Kind == PBD_RECORD_NONE || Pass != B.Pass % (1u << PBD_PASS_BITS))
        continue;
      DataEvent E = {U64(B.Records, At + offsetof(pbd_record, time)),
                     Last >> PBD_DETAIL_SHIFT,
                     U32(B.Records, At + offsetof(pbd_record, function)),
                     U32(B.Records, At + offsetof(pbd_record, frame)),
                     Kind,
                     0};
      if (OnlyThreads && E.Function != PBD_THREAD &&
          E.Function != PBD_THREAD_NAME)
        continue;
      if (E.Function == PBD_ASLEEP) {
        T->Sleeps.push_back({E.Time, E.Detail});
      } else if (E.Function == PBD_THREAD) {
        GoOnWith(E.Time);
        T->Tid = E.Detail;
      } else if (E.Function == PBD_THREAD_NAME) {
        // A block that the thread began later has a newer one.
        if (T->Name.empty())
          T->Name = threadName(E);
      } else if (E.Function == PBD_JUMPED) {
        Reader->addJump(E);
      } else if (E.Function >= PBD_VALUE) {
        Reader->add(E);
      } else if (Out.Functions.count(E.Function)) {
        E.Values = Reader->take(E);
        if (Reader->takeJump(E))
          E.Kind = DataEvent::Jumped;
        T->Events.push_back(E);
      }
    }
  }
}
