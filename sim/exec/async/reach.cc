#include "sim/exec/async/reach.h"

namespace heddle::exec {
namespace {

template <class Word>
void copy_words(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += sizeof(Word)) {
    const Word w = __atomic_load_n(reinterpret_cast<const Word*>(from + i), __ATOMIC_ACQUIRE);
    __atomic_store_n(reinterpret_cast<Word*>(to + i), w, __ATOMIC_RELEASE);
  }
}

}  // namespace

uint8_t* reach(const Spaces& spaces, uint32_t lane, const At& at, uint64_t bytes, uint64_t align, Use use,
               std::string_view what) {
  if (at.address % align != 0) {
    throw Fault{refusal(spaces, what, at.address, bytes, align, {Refusal::kMisaligned, lane, at.space})};
  }
  Space space = at.space;
  uint64_t address = at.address;
  uint8_t* const bytes_at = locate(spaces, lane, space, address, bytes);
  if (bytes_at == nullptr) {
    throw Fault{refusal(spaces, what, at.address, bytes, align, {Refusal::kOutOfBounds, lane, space})};
  }
  if (use == Use::kWrite && (space == Space::kConst || space == Space::kParam)) {
    throw Fault{refusal(spaces, what, at.address, bytes, align, {Refusal::kReadOnly, lane, space})};
  }
  if (!spaces.written.empty() && use != Use::kName &&
      !check_written(spaces, at.space, at.address, bytes, use == Use::kRead, use == Use::kWrite)) {
    throw Fault{refusal(spaces, what, at.address, bytes, align, {Refusal::kUnwritten, lane, space})};
  }
  return bytes_at;
}

void copy_bytes(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  const auto together = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  if (together % 8 == 0) {
    copy_words<uint64_t>(to, from, bytes);
  } else if (together % 4 == 0) {
    copy_words<uint32_t>(to, from, bytes);
  } else {
    copy_words<uint8_t>(to, from, bytes);
  }
}

}  // namespace heddle::exec
