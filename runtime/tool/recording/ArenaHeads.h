// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads heads and records in the arena, while processes may be changing them.
#pragma once

#include "trace/format/arena.h"
#include "trace/format/format.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstring>

namespace patchbay {

// The records of a block, except for the last record, which readers ignore.
inline constexpr size_t RecordAt = offsetof(pbd_block, record);
inline constexpr size_t MostRecords = (PBA_CHUNK_SIZE - RecordAt) / sizeof(pbd_record) - 1;

// Counts complete records of a block: a record is complete once its last word is
// written. Those before From are known to be.
inline size_t completeRecords(const char *Block, size_t From, size_t Most = MostRecords) {
  const auto *Record = reinterpret_cast<const pbd_record *>(Block + RecordAt);
  while (From != Most && __atomic_load_n(&Record[From].last, __ATOMIC_ACQUIRE))
    ++From;
  return From;
}

inline uint32_t stateOf(const pba_chunk &Shared) {
  return __atomic_load_n(&Shared.state, __ATOMIC_ACQUIRE);
}

inline bool isOwned(uint32_t State) { return State >= PBA_OWNED && State <= PBA_WRITTEN; }

inline pba_chunk headOf(const pba_chunk &Shared) {
  const uint32_t State = stateOf(Shared);
  pba_chunk Head = Shared;
  Head.state = State;
  return Head;
}

inline bool isOfFile(const pba_chunk &A, const pba_chunk &B) {
  return A.start_ns == B.start_ns && !memcmp(A.file, B.file, sizeof(A.file));
}

inline llvm::StringRef nameOf(const pba_chunk &Head) {
  return llvm::StringRef(Head.file, strnlen(Head.file, sizeof(Head.file)));
}

} // namespace patchbay
