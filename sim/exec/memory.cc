#include "sim/exec/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/base/align.h"
#include "sim/base/error.h"
#include "sim/exec/layout.h"

namespace heddle::exec {

namespace {
constexpr uint64_t kAlign = 512;
constexpr uint64_t kHeapAlign = 16;
}  // namespace

uint64_t Memory::allocate(uint64_t bytes) {
  if (bytes > uint64_t{1} << 46) {
    throw Error(fmt::format("memory of {} bytes cannot be allocated (legal: up to 2^46)", bytes));
  }
  const uint64_t unit = backing_ != nullptr ? backing_->unit() : kAlign;
  next_ = round_up(next_, unit);
  Owned owned;
  owned.written = Zeroed<uint8_t>(tracks_ ? bytes : 0);
  owned.backing = backing_;
  if (backing_ == nullptr) {
    owned.data = Zeroed<uint8_t>(bytes);
  }
  uint8_t* data = backing_ == nullptr ? owned.data.data() : backing_->map(next_, bytes);
  const uint64_t at = next_;
  uint8_t* written = tracks_ ? owned.written.data() : nullptr;
  insert({at, bytes, data, written}, std::move(owned));
  next_ += round_up(bytes, unit) + kAlign;
  return at;
}

Memory::~Memory() {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (owned_[i].backing != nullptr) {
      owned_[i].backing->unmap(ranges_[i].base, ranges_[i].bytes);
    }
  }
}

void Memory::insert(Range range, Owned owned) {
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), range.base,
                                     [](uint64_t a, const Range& r) { return a < r.base; });
  owned_.insert(owned_.begin() + (next - ranges_.begin()), std::move(owned));
  ranges_.insert(next, range);
}

void Memory::adopt(uint64_t address, std::span<uint8_t> bytes) {
  for (const Range& r : ranges_) {
    if (address < r.base + r.bytes && r.base < address + bytes.size()) {
      throw Error(fmt::format("{} bytes at 0x{:x}: {} bytes at 0x{:x} are there already", bytes.size(),
                              address, r.bytes, r.base));
    }
  }
  Owned owned;
  owned.written = Zeroed<uint8_t>(tracks_ ? bytes.size() : 0);
  std::fill(owned.written.begin(), owned.written.end(), uint8_t{1});
  uint8_t* written = tracks_ ? owned.written.data() : nullptr;
  insert({address, bytes.size(), bytes.data(), written}, std::move(owned));
}

bool Memory::release(uint64_t address) {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].base == address) {
      if (owned_[i].backing != nullptr) {
        owned_[i].backing->unmap(address, ranges_[i].bytes);
      }
      ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(i));
      owned_.erase(owned_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
  }
  return false;
}

const Memory::Range* Memory::nearest(uint64_t address) const {
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                     [](uint64_t a, const Range& r) { return a < r.base; });
  if (next != ranges_.begin()) {
    return &*std::prev(next);
  }
  return next != ranges_.end() ? &*next : nullptr;
}

const Memory::Range* Memory::range(uint64_t address) const {
  const Range* r = nearest(address);
  return r == nullptr || r->at(address, 1) == nullptr ? nullptr : r;
}

void Memory::write(uint64_t address, std::span<const uint8_t> bytes) {
  const Range* r = nearest(address);
  uint8_t* to = r != nullptr ? r->at(address, bytes.size()) : nullptr;
  if (to == nullptr) {
    throw Error(fmt::format("{} bytes at 0x{:x} are not allocated", bytes.size(), address));
  }
  std::copy(bytes.begin(), bytes.end(), to);
  mark_written(address, bytes.size());
}

void Memory::mark_written(uint64_t address, uint64_t bytes) {
  const Range* r = nearest(address);
  if (r != nullptr && r->written != nullptr && r->at(address, bytes) != nullptr) {
    std::fill_n(r->written + (address - r->base), bytes, uint8_t{1});
  }
}

void Memory::read(uint64_t address, std::span<uint8_t> bytes) const {
  const Range* r = nearest(address);
  const uint8_t* from = r != nullptr ? r->at(address, bytes.size()) : nullptr;
  if (from == nullptr) {
    throw Error(fmt::format("{} bytes at 0x{:x} are not allocated", bytes.size(), address));
  }
  std::copy_n(from, bytes.size(), bytes.begin());
}

void Memory::make_heap(uint64_t bytes) {
  if (heap_.empty()) {
    heap_.push_back({allocate(bytes), bytes, false});
  }
}

uint64_t Memory::heap_allocate(uint64_t bytes) {
  const std::lock_guard lock(heap_mutex_);
  const uint64_t size = round_up(std::max<uint64_t>(bytes, 1), kHeapAlign);
  for (size_t i = 0; i < heap_.size(); ++i) {
    if (!heap_[i].used && heap_[i].bytes >= size && size >= bytes) {
      const Piece rest{heap_[i].base + size, heap_[i].bytes - size, false};
      heap_[i] = {heap_[i].base, size, true};
      if (rest.bytes != 0) {
        heap_.insert(heap_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
      }
      return heap_[i].base;
    }
  }
  return 0;
}

void Memory::heap_release(uint64_t address) {
  const std::lock_guard lock(heap_mutex_);
  for (size_t i = 0; i < heap_.size(); ++i) {
    if (heap_[i].base == address && heap_[i].used) {
      heap_[i].used = false;
      const auto join = [&](size_t at) {
        if (at + 1 < heap_.size() && !heap_[at].used && !heap_[at + 1].used) {
          heap_[at].bytes += heap_[at + 1].bytes;
          heap_.erase(heap_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
      };
      join(i);
      if (i > 0) {
        join(i - 1);
      }
      return;
    }
  }
}

}  // namespace heddle::exec
