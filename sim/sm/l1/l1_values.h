// The values behind an L1's tags, for programs that compute: what its lines hold, and what its loads have got
// so far. A load takes what the L1 has when it looks it up, and the rest from the answers to its misses; a
// line keeps what the SM has stored into it while a miss was under way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/isa/program.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::sm {

class L1Values {
 public:
  // For so many entries of the tags.
  explicit L1Values(size_t lines) : lines_(lines) {}

  // ---- lines, by the number of their entry ----
  // Another line takes the place.
  void forget(size_t n) { lines_[n].written = {}; }
  void forget(size_t n, uint8_t sectors) {
    for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
      lines_[n].written[s] = sectors >> s & 1 ? 0 : lines_[n].written[s];
    }
  }
  // The bytes of a store to it.
  void store(size_t n, const memory::Payload& p);
  // `sectors` have come, and are not valid yet: what has been stored meanwhile stays.
  void fill(size_t n, uint8_t sectors, const memory::Payload& p);

  // ---- loads ----
  struct Load {
    isa::LaneValues values;
    std::array<uint64_t, isa::LaneRoom::kLanes> address;  // by lane
    std::array<uint16_t, isa::LaneRoom::kLanes> has;      // bytes, by lane
    uint32_t mask = 0, ticket = 0, width = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(mask, ticket, width);
      for (uint32_t m = mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(m));
        ar(address[lane], has[lane]);
        for (uint32_t bytes = has[lane]; bytes != 0; bytes &= bytes - 1) {
          ar.bytes({&values.data[lane][std::countr_zero(bytes)], 1});
        }
      }
    }
  };
  Load& load(uint32_t i) {
    if (i >= loads_.size()) {
      loads_.resize(i + 1);
    }
    return loads_[i];
  }
  // From the entry of `line`, of which `valid` sectors are there.
  void take(Load& l, uint64_t line, size_t n, uint8_t valid) const;
  // From the answer of a miss: `sectors` of `line`.
  static void take(Load& l, uint64_t line, uint8_t sectors, const memory::Payload& p);
  // From the answer of an atomic.
  static void take_old(Load& l, const memory::Payload& p);

  // Of a line, of which `valid` sectors are there.
  template <class Archive>
  void serialize_line(Archive& ar, size_t n, uint8_t valid) {
    Line& l = lines_[n];
    std::array<uint32_t, memory::kSectorsPerLine> there;
    for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
      const bool whole = (valid >> s & 1) != 0;
      if (!whole) {
        ar(l.written[s]);
      }
      there[s] = whole ? ~0u : l.written[s];
    }
    memory::serialize_bytes(ar, l.data, there);
  }

 private:
  struct Line {
    std::array<uint8_t, memory::kLineBytes> data;
    std::array<uint32_t, memory::kSectorsPerLine> written;  // bytes of sectors that are not valid
  };
  static void take_bytes(Load& l, uint64_t line, const uint8_t* data,
                         const std::array<uint32_t, memory::kSectorsPerLine>& there);

  std::vector<Line> lines_;
  std::vector<Load> loads_;
};

}  // namespace heddle::sm
