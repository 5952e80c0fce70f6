// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that one processor makes and another uses, once.
#ifndef PATCHBAY_TOOL_HANDOVER_H
#define PATCHBAY_TOOL_HANDOVER_H

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace patchbay {

/// To becomes what is in From, which stays as it is. The stores go around this
/// processor's caches (Intel's Optimization Reference Manual, 9.4.1, "streaming stores";
/// of AMD's Software Optimization Guides the chapter on them): otherwise each line of a
/// buffer that is used again is fetched from the other processor to be written, and
/// fetched from this one to be read, and where both are far apart that takes longer than
/// what is done with it.
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
  // Such stores are in no order with those after them: SFENCE (Intel SDM, volume 2).
  __builtin_ia32_sfence();
#else
  if (!From.empty())
    std::memcpy(To.data(), From.data(), From.size() * sizeof(T));
#endif
}

} // namespace patchbay

#endif
