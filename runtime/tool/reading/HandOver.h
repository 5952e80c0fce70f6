// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes data to another processor, which reads it once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace patchbay {

/// Copies From to To. The stores bypass this processor's caches (Intel's Optimization
/// Reference Manual, 9.4.1, "streaming stores"; AMD's Software Optimization Guides have a
/// chapter on them). With normal stores, each cache line of a reused buffer would move
/// from the other processor for writing, and back for reading. If the processors are far
/// apart, that takes longer than the work on the data.
template <typename T>
void handOver(const std::vector<T> &From, std::vector<T> &To) {
  static_assert(std::is_trivially_copyable_v<T>);
  To.resize(From.size());
#if defined(__x86_64__) && defined(__clang__)
  static_assert(sizeof(T) % sizeof(uint64_t) == 0);
  for (size_t I = 0; I != From.size() * sizeof(T) / sizeof(uint64_t); ++I) {
    uint64_t Word;
    std::memcpy(&Word, reinterpret_cast<const char *>(From.data()) + I * sizeof(Word),
                sizeof(Word));
    __builtin_nontemporal_store(Word, reinterpret_cast<uint64_t *>(To.data()) + I);
  }
  // Streaming stores are not ordered with later stores, so use SFENCE (Intel SDM,
  // volume 2).
  __builtin_ia32_sfence();
#else
  if (!From.empty())
    std::memcpy(To.data(), From.data(), From.size() * sizeof(T));
#endif
}

} // namespace patchbay
