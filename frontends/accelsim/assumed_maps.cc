#include "frontends/accelsim/assumed_maps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "frontends/accelsim/line_reader.h"
#include "frontends/accelsim/scan.h"
#include "sim/isa/recorded_copy.h"
#include "sim/isa/tensor_map.h"

namespace heddle::accelsim {
namespace {

using isa::kMaxTensorRank;
using Values = std::array<uint64_t, isa::kRecordedRegisters>;

constexpr uint32_t kRowBytes = 128, kLargestBox = 256;
constexpr uint64_t kFarAway = uint64_t{1} << 50;  // no GPU's address space reaches so far,
constexpr uint64_t kApart = uint64_t{1} << 40;    // and no tensor is so large
constexpr size_t kDescriptor = 7, kBehindDescriptor = 9;

// What the copies by one descriptor have in common.
struct Seen {
  isa::AsyncOp form;
  bool any = false;
  std::array<int64_t, kMaxTensorRank> first{}, highest{};
  std::array<uint64_t, kMaxTensorRank>
      step{};                    // greatest common divisor of the distances; 0: always the same
  std::vector<uint64_t> places;  // in shared memory, of the first block's copies
  uint64_t apart = 0;            // the smallest distance between these
  uint64_t bytes = 0;            // of a copy; 0: not known yet
};

// What the first block's copies bring to a barrier object, and what it expects.
struct Arrivals {
  std::map<uint64_t, uint64_t> copies;  // by descriptor; one that several blocks get counts as often
  uint64_t expected = 0;
  bool other = false;  // copies with known maps bring bytes, too
};

const char* number(const char* p, uint64_t& v) {
  const char* q = scan_hex(skip_blanks(p), v);
  return q ? skip_blanks(q) : nullptr;
}

class Finder {
 public:
  explicit Finder(isa::KernelImage& image) : image_(image) {}

  void line(const char* p) {
    uint64_t block = 0, warp = 0, ordinal = 0, pc = 0;
    for (uint64_t* v : {&block, &warp, &ordinal}) {
      p = p ? scan_dec(skip_blanks(p), *v) : nullptr;
    }
    p = p ? number(p, pc) : nullptr;
    const int64_t n = p && pc <= UINT32_MAX ? image_.index_of(static_cast<uint32_t>(pc)) : -1;
    if (n < 0) {
      return;  // ExtraReader says what is wrong
    }
    const isa::Instr& in = image_.code[static_cast<size_t>(n)];
    const bool is_copy = *p == 'U' && isa::is_tensor_copy(in.async.kind);
    const bool expects = *p == 'B' && in.syncs.bytes == isa::SyncsForm::Bytes::kExpect;
    if (is_copy || expects) {
      first_block_ = first_block_ == kNone ? block : first_block_;
    }
    if (is_copy) {
      copy(in, block, p + 1);
    } else if (expects && block == first_block_) {
      expect(p + 1);
    }
  }

  void finish() {
    solve();
    uint64_t base = kFarAway;
    for (const auto& [descriptor, s] : seen_) {
      isa::RecordedMap map;
      map.address = descriptor;
      map.assumed = true;
      map.bytes = isa::encode(map_of(s, base));
      image_.tensor_maps.push_back(map);
      base += kApart;
    }
  }

 private:
  void copy(const isa::Instr& in, uint64_t block, const char* p) {
    Values v{};
    for (uint64_t& x : v) {
      p = p ? number(p, x) : nullptr;
    }
    if (!p) {
      return;
    }
    isa::RecordedCopy known;
    if (!isa::read_copy(image_, in, v, UINT64_MAX, known).empty()) {
      return;
    }
    const uint64_t others = in.async.multicast ? std::popcount(v[kBehindDescriptor] >> 16) : 1;
    if (known.known) {
      if (block == first_block_ && isa::is_load(in.async.kind)) {
        arrivals_[known.op.barrier].other = true;
      }
      return;
    }
    const uint64_t descriptor = v[kDescriptor] | v[kDescriptor + 1] << 32;
    Seen& s = seen_[descriptor];
    s.form = in.async;
    const size_t at = in.async.kind == isa::AsyncKind::kTensorPrefetch ? 0
                      : isa::is_load(in.async.kind)                    ? 2
                                                                       : 1;
    for (uint32_t d = 0; d < kMaxTensorRank; ++d) {
      const auto c = static_cast<int32_t>(static_cast<uint32_t>(v[at + d]));
      s.first[d] = s.any ? s.first[d] : c;
      s.highest[d] = s.any ? std::max<int64_t>(s.highest[d], c) : c;
      s.step[d] = std::gcd(s.step[d], static_cast<uint64_t>(std::abs(c - s.first[d])));
    }
    s.any = true;
    if (block == first_block_) {
      s.places.push_back(v[0]);
      if (isa::is_load(in.async.kind)) {
        arrivals_[known.op.barrier].copies[descriptor] += others;
      }
    }
  }

  // Of the first lane: the address, and how many bytes.
  void expect(const char* p) {
    uint64_t mode = 0, address = 0, bytes = 0;
    p = number(p, mode);
    p = p ? number(p, address) : nullptr;
    for (; p && *p != '\n' && *p != 'V'; p = skip_blanks(skip_token(p))) {
    }
    p = p && *p == 'V' ? number(p + 1, mode) : nullptr;
    if (p && number(p, bytes)) {
      arrivals_[address & isa::kSharedOffset].expected += bytes;
    }
  }

  // The bytes of each descriptor's copies.
  void solve() {
    for (auto& [descriptor, s] : seen_) {
      std::sort(s.places.begin(), s.places.end());
      for (size_t i = 1; i < s.places.size(); ++i) {
        const uint64_t apart = s.places[i] - s.places[i - 1];
        s.apart = apart && (s.apart == 0 || apart < s.apart) ? apart : s.apart;
      }
      s.bytes = isa::is_load(s.form.kind) ? 0 : s.apart;
    }
    // What one barrier object expects of one descriptor first, then what is left of several.
    for (const size_t unknown : {1, 2, 3}) {
      for (const auto& [address, a] : arrivals_) {
        share(a, unknown);
      }
    }
    for (auto& [descriptor, s] : seen_) {
      s.bytes = s.bytes ? s.bytes : kRowBytes * std::max<uint64_t>(1, s.step[1]);
    }
  }

  // Several descriptors that are not known get as much as their steps make it, if that comes to what is
  // expected. Else one of two fills the distance between its places, and the other gets the rest, if it fits
  // between its own. Else all get the same.
  void share(const Arrivals& a, size_t unknown) {
    uint64_t left = a.expected, copies = 0, by_steps = 0;
    std::vector<std::pair<Seen*, uint64_t>> open;
    for (const auto& [descriptor, n] : a.copies) {
      if (Seen& s = seen_[descriptor]; s.bytes) {
        left -= std::min(left, n * s.bytes);
      } else {
        open.emplace_back(&s, n);
        copies += n;
        by_steps += n * kRowBytes * s.step[1];
      }
    }
    if (a.other || open.size() != unknown || left < copies * kRowBytes) {
      return;
    }
    if (by_steps != left && unknown == 2 && (fill(open[0], open[1], left) || fill(open[1], open[0], left))) {
      return;
    }
    for (const auto& [s, n] : open) {
      s->bytes = by_steps == left ? kRowBytes * s->step[1] : left / copies / kRowBytes * kRowBytes;
    }
  }

  static bool fill(const std::pair<Seen*, uint64_t>& whole, const std::pair<Seen*, uint64_t>& rest,
                   uint64_t left) {
    const uint64_t taken = whole.first->apart * whole.second;
    const uint64_t each = taken < left ? (left - taken) / rest.second : 0;
    if (taken == 0 || each == 0 || each % kRowBytes != 0 || each * rest.second + taken != left ||
        each > rest.first->apart) {
      return false;
    }
    whole.first->bytes = whole.first->apart;
    rest.first->bytes = each;
    return true;
  }

  static isa::TensorMap map_of(const Seen& s, uint64_t base) {
    isa::TensorMap m;
    m.address = base;
    m.im2col = s.form.im2col;
    m.rank = std::clamp<uint8_t>(s.form.dimensions, m.im2col ? 3 : 1, kMaxTensorRank);
    const uint64_t row = std::min<uint64_t>(s.bytes, kRowBytes);
    // 1, 2, 4 or 8 bytes.
    const uint64_t elements = std::clamp<uint64_t>(std::bit_floor(s.step[0]), kRowBytes / 8, kRowBytes);
    m.element_bytes = static_cast<uint8_t>(s.step[0] ? kRowBytes / elements : 2);
    m.box.fill(1);
    m.step.fill(1);
    m.box[0] = static_cast<uint32_t>(std::max<uint64_t>(1, row / m.element_bytes));
    uint64_t rows = std::max<uint64_t>(1, s.bytes / kRowBytes);
    m.channels = m.box[0];
    m.pixels = static_cast<uint32_t>(std::min<uint64_t>(rows, kLargestBox));
    for (uint32_t d = 1; d < m.rank && !m.im2col; ++d) {
      const bool last = d + 1 == m.rank;
      const uint64_t most = last || s.step[d] == 0 ? rows : std::min(rows, s.step[d]);
      m.box[d] = static_cast<uint32_t>(std::clamp<uint64_t>(most, 1, kLargestBox));
      rows = (rows + m.box[d] - 1) / m.box[d];
    }
    uint64_t stride = 0;
    for (uint32_t d = 0; d < m.rank; ++d) {
      m.stride[d] = d == 0 ? m.element_bytes : stride;
      m.size[d] = static_cast<uint32_t>(std::clamp<int64_t>(s.highest[d] + m.box[d], 1, INT32_MAX));
      const uint64_t bytes = m.size[d] * m.stride[d];
      stride = (bytes + 15) / 16 * 16;
    }
    return m;
  }

  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  isa::KernelImage& image_;
  uint64_t first_block_ = kNone;
  std::map<uint64_t, Seen> seen_;  // by the descriptor's address
  std::map<uint64_t, Arrivals> arrivals_;
};

}  // namespace

void assume_maps(std::unique_ptr<ByteStream> extra, isa::KernelImage& image) {
  if (std::none_of(image.code.begin(), image.code.end(),
                   [](const isa::Instr& in) { return isa::is_tensor_copy(in.async.kind); })) {
    return;
  }
  LineReader in(std::move(extra));
  Finder finder(image);
  for (std::string_view line; in.next_content(line);) {
    finder.line(line.data());
  }
  finder.finish();
}

}  // namespace heddle::accelsim
