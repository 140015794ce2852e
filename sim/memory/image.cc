#include "sim/memory/image.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/archive.h"

namespace heddle::memory {

void Image::map(uint64_t base, uint64_t bytes) {
  const uint64_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), base,
                                     [](uint64_t b, const Range& r) { return b < r.base; });
  const bool behind = next != ranges_.begin() && std::prev(next)->base + std::prev(next)->data->size() > base;
  if (bytes == 0 || base % kPageBytes != 0 || base + whole < base || behind ||
      (next != ranges_.end() && base + whole > next->base)) {
    throw Error(
        fmt::format("memory of {} bytes at 0x{:x} cannot be mapped (legal: at multiples of {}, where "
                    "nothing is yet)",
                    bytes, base, kPageBytes));
  }
  ranges_.insert(next, Range{base, bytes, std::make_unique<Zeroed<uint8_t>>(whole)});
}

void Image::unmap(uint64_t base) {
  std::erase_if(ranges_, [&](const Range& r) { return r.base == base; });
}

const Image::Range* Image::range(uint64_t address) const {
  const auto r = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                  [](uint64_t a, const Range& x) { return a < x.base; });
  return r == ranges_.begin() ? nullptr : &*std::prev(r);
}

const uint8_t* Image::find(uint64_t address, uint64_t bytes) const {
  const Range* r = range(address);
  const uint64_t offset = r ? address - r->base : 0;
  return r && offset < r->bytes && bytes <= r->bytes - offset ? r->data->data() + offset : nullptr;
}

void Image::write(uint64_t address, std::span<const uint8_t> bytes) {
  uint8_t* to = find(address, bytes.size());
  if (!to) {
    throw Error(fmt::format("{} bytes at 0x{:x} are not mapped", bytes.size(), address));
  }
  std::copy(bytes.begin(), bytes.end(), to);
}

void Image::read(uint64_t address, std::span<uint8_t> bytes) const {
  const uint8_t* from = find(address, bytes.size());
  if (!from) {
    throw Error(fmt::format("{} bytes at 0x{:x} are not mapped", bytes.size(), address));
  }
  std::copy_n(from, bytes.size(), bytes.begin());
}

void Image::serialize(Archive& ar) {
  ar.mark("image");
  const size_t n = ar.size(ranges_.size());
  if (ar.reading()) {
    ranges_.clear();
  }
  for (size_t i = 0; i < n; ++i) {
    uint64_t base = ar.reading() ? 0 : ranges_[i].base, bytes = ar.reading() ? 0 : ranges_[i].bytes;
    ar(base, bytes);
    if (ar.reading()) {
      map(base, bytes);
    }
    ar.pages({ranges_[i].data->data(), ranges_[i].data->size()});
  }
}

}  // namespace heddle::memory
