// Whose memory an address is, where several devices have one address space.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "sim/memory/message.h"

namespace heddle::memory {

inline constexpr uint8_t kNoDevice = 0xff;

class Owners {
 public:
  // These bytes, whole lines, are in the memory of `device`. Ranges do not overlap.
  void add(uint64_t base, uint64_t bytes, uint8_t device) {
    ranges_[base / kLineBytes] = {(base + bytes) / kLineBytes, device, 0, {}};
  }
  // Each page of them has an owner of its own, `device` at first.
  void add_pages(uint64_t base, uint64_t bytes, uint64_t page_bytes, uint8_t device) {
    const uint64_t lines = page_bytes / kLineBytes, all = bytes / kLineBytes;
    ranges_[base / kLineBytes] = {base / kLineBytes + all, device, lines,
                                  std::vector<uint8_t>((all + lines - 1) / lines, device)};
  }
  // The page at this address, of one that was added so.
  void set_page(uint64_t address, uint8_t device) {
    const uint64_t line = address / kLineBytes;
    const auto r = std::prev(ranges_.upper_bound(line));
    r->second.pages[(line - r->first) / r->second.page_lines] = device;
  }
  // The first address of the line's page.
  uint64_t page_of(uint64_t line) const {
    const auto r = std::prev(ranges_.upper_bound(line));
    return (line - (line - r->first) % r->second.page_lines) * kLineBytes;
  }
  // kNoDevice: everybody has memory of his own there.
  uint8_t of(uint64_t line) const {
    auto r = ranges_.upper_bound(line);
    if (r == ranges_.begin() || line >= std::prev(r)->second.end) {
      return kNoDevice;
    }
    const auto& [first, range] = *std::prev(r);
    return range.pages.empty() ? range.device : range.pages[(line - first) / range.page_lines];
  }

 private:
  struct Range {
    uint64_t end;
    uint8_t device;
    uint64_t page_lines;  // of those with owners by page
    std::vector<uint8_t> pages;
  };
  std::map<uint64_t, Range> ranges_;  // by first line
};

}  // namespace heddle::memory
