// Tensor maps: every one that was measured on the H200, and tiles against a loop over elements.
#include "sim/isa/tensor_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/isa/recorded_copy.h"

namespace heddle::isa {
namespace {

constexpr const char* kMeasured = "tools/microbench/results/h200_tensor_maps.txt";

using Words = std::array<uint64_t, 16>;

TensorMapBytes bytes_of(const Words& w) {
  TensorMapBytes b;
  std::memcpy(b.data(), w.data(), b.size());
  return b;
}
Words words_of(const TensorMapBytes& b) {
  Words w;
  std::memcpy(w.data(), b.data(), b.size());
  return w;
}

struct Row {
  std::string name;
  Words words{};
};

std::vector<Row> measured() {
  std::ifstream in(kMeasured);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(';'), second = line.find(';', first + 1);
    REQUIRE(second != std::string::npos);
    REQUIRE(line.substr(first + 1, second - first - 1) == "0");  // the driver took it
    Row r{line.substr(0, first), {}};
    std::istringstream words(line.substr(second + 1));
    for (uint64_t& w : r.words) {
      words >> std::hex >> w;
    }
    REQUIRE(words);
    rows.push_back(r);
  }
  return rows;
}

// tools/microbench/tensor_map.h's Map, and what tensor_maps.cu changes of it in the row of that name.
struct Parameters {
  int type = 6;
  uint32_t rank = 2;
  uint64_t address = 0x7f0000000000, dim[5] = {1024, 512, 7, 5, 3},
           stride[4] = {2048, 1048576, 8388608, 67108864};
  uint32_t box[5] = {64, 32, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 0, promotion = 0;
  bool im2col = false;
  int lower[3] = {}, upper[3] = {};
  unsigned channels = 0, pixels = 0;
};

bool is(const std::string& name, const char* format, int& n) {
  int end = 0;
  return std::sscanf(name.c_str(), (std::string(format) + "%n").c_str(), &n, &end) == 1 &&
         static_cast<size_t>(end) == name.size();
}

Parameters parameters(const std::string& name) {
  Parameters p;
  int n = 0;
  if (is(name, "type=%d", n)) {
    p.type = n, p.stride[0] = 8192, p.box[0] = 16;
  } else if (is(name, "rank=%d", n)) {
    p.rank = static_cast<uint32_t>(n);
  } else if (is(name, "swizzle=%d", n)) {
    p.swizzle = n, p.box[0] = n == 1 ? 16 : n == 2 ? 32 : 64;
  } else if (is(name, "interleave=%d", n)) {
    p.interleave = n, p.rank = 3, p.box[0] = 8, p.swizzle = n == 2;
  } else if (is(name, "l2_promotion=%d", n)) {
    p.promotion = n;
  } else if (name == "address=0x123456789ab0") {
    p.address = 0x123456789ab0;
  } else if (is(name, "dim%d=0x12345", n)) {
    p.rank = 5, p.dim[n] = 0x12345, p.stride[0] = n == 0 ? 0x24690 : p.stride[0];
  } else if (is(name, "stride%d=0xfffffffff0", n)) {
    p.rank = 5, p.stride[n] = 0xfffffffff0;
  } else if (is(name, "box%d=256", n)) {
    p.rank = 5, p.box[0] = 8, p.box[1] = 1, p.box[n] = 256;
  } else if (is(name, "element_stride%d=3", n)) {
    p.rank = 5;
    std::fill(p.box, p.box + 5, 8u), p.box[0] = 64, p.box[4] = 2;
    std::fill(p.dim + 1, p.dim + 5, uint64_t{64});
    p.step[n] = 3;
  } else if (std::sscanf(name.c_str(), "im2col rank=%u lower=%d,%d,%d upper=%d,%d,%d channels=%u pixels=%u",
                         &p.rank, &p.lower[0], &p.lower[1], &p.lower[2], &p.upper[0], &p.upper[1],
                         &p.upper[2], &p.channels, &p.pixels) == 9) {
    p.im2col = true, p.swizzle = 3;
    std::fill(p.dim + 1, p.dim + 5, uint64_t{64});
  } else {
    REQUIRE((name == "base" || name == "fill=1"));  // NaN or 0 outside is nothing that takes time
  }
  return p;
}

// By type, as the driver's enumeration counts.
constexpr uint32_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

TEST_CASE("every tensor map that was measured is read as what the driver was given") {
  const std::vector<Row> rows = measured();
  CHECK(rows.size() == 60);
  for (const Row& r : rows) {
    CAPTURE(r.name);
    TensorMap m;
    const std::string wrong = decode(bytes_of(r.words), m);
    if (r.name == "dim1=2^32") {
      CHECK(wrong == "a tensor map with 2^32 elements in dimension 1");
      continue;
    }
    const Parameters p = parameters(r.name);
    REQUIRE(wrong == "");
    CHECK(m.address == p.address);
    CHECK(m.rank == p.rank);
    CHECK(m.element_bytes == kBytes[p.type]);
    CHECK(m.interleave == p.interleave);
    CHECK(m.swizzle == p.swizzle);
    CHECK(m.promotion == p.promotion);
    CHECK(m.im2col == p.im2col);
    for (uint32_t d = 0; d < p.rank; ++d) {
      CAPTURE(d);
      CHECK(m.size[d] == p.dim[d]);
      CHECK(m.step[d] == p.step[d]);
      CHECK(m.stride[d] == (d == 0 ? kBytes[p.type] : p.stride[d - 1]));
      CHECK(m.box[d] == (p.im2col ? 0 : p.box[d]));
    }
    CHECK(m.channels == p.channels);
    CHECK(m.pixels == p.pixels);
    for (int i = 0; i < 3; ++i) {
      CHECK(m.lower[i] == p.lower[i]);
      CHECK(m.upper[i] == p.upper[i]);
    }
  }
}

TEST_CASE("a map that was read is written as it was") {
  // But for words 8 on, and what nothing depends on: the type beyond its size, the fill, the bit of tf32.
  constexpr uint64_t kLost = uint64_t{0xf} << 7 | uint64_t{3} << 15;
  for (const Row& r : measured()) {
    CAPTURE(r.name);
    TensorMap m, again;
    if (!decode(bytes_of(r.words), m).empty()) {
      continue;
    }
    const Words w = words_of(encode(m));
    for (size_t i = 0; i < 8; ++i) {
      CAPTURE(i);
      const uint64_t counts = i == 1 ? ~kLost : ~uint64_t{0};
      CHECK((w[i] & counts) == (r.words[i] & counts));
    }
    REQUIRE(decode(bytes_of(w), again) == "");
    CHECK(again.element_bytes == m.element_bytes);
  }
}

// The largest that each field of the 128 bytes holds, and the smallest.
TEST_CASE("a map whose fields are all as large, or as small, as they can be is read as it was written") {
  for (const bool largest : {true, false}) {
    for (const bool im2col : {false, true}) {
      for (int rank = im2col ? 3 : 1; rank <= 5; ++rank) {
        CAPTURE(largest, im2col, rank);
        const int bits = rank == 3 ? 16 : rank == 4 ? 8 : 5;  // of a corner
        TensorMap m;
        m.im2col = im2col;
        m.rank = static_cast<uint8_t>(rank);
        m.address = largest ? ~uint64_t{0} : 0;
        m.type = largest ? 10 : 0;
        m.element_bytes = largest ? 2 : 1;
        m.interleave = m.swizzle = m.promotion = largest ? 3 : 0;
        m.tf32 = m.nan_fill = largest;
        for (int d = 0; d < rank; ++d) {
          m.size[d] = largest ? UINT32_MAX : 1;
          m.step[d] = largest ? 8 : 1;
          m.stride[d] = d == 0 ? m.element_bytes : largest ? ((uint64_t{1} << 36) - 1) * 16 : 0;
          m.box[d] = im2col ? 0 : largest ? 256 : 1;
        }
        if (im2col) {
          m.channels = largest ? 256 : 1;
          m.pixels = largest ? 1024 : 1;
          for (int i = 0; i < rank - 2; ++i) {
            m.lower[i] = m.upper[i] = largest ? (1 << (bits - 1)) - 1 : -(1 << (bits - 1));
          }
        }
        TensorMap again;
        REQUIRE(decode(encode(m), again) == "");
        CHECK(again.address == m.address);
        CHECK(again.rank == m.rank);
        CHECK(again.type == m.type);
        CHECK(again.element_bytes == m.element_bytes);
        CHECK(again.interleave == m.interleave);
        CHECK(again.swizzle == m.swizzle);
        CHECK(again.promotion == m.promotion);
        CHECK(again.tf32 == m.tf32);
        CHECK(again.nan_fill == m.nan_fill);
        CHECK(again.im2col == m.im2col);
        CHECK(again.size == m.size);
        CHECK(again.step == m.step);
        CHECK(again.stride == m.stride);
        CHECK(again.box == m.box);
        CHECK(again.channels == m.channels);
        CHECK(again.pixels == m.pixels);
        CHECK(again.lower == m.lower);
        CHECK(again.upper == m.upper);
      }
    }
  }
}

TEST_CASE("what is no tensor map, and why") {
  Words w = measured().front().words;
  TensorMap m;
  const auto with = [&](uint64_t clear, uint64_t set) {
    Words other = w;
    other[1] = (other[1] & ~clear) | set;
    return decode(bytes_of(other), m);
  };
  for (uint64_t rank = 6; rank <= 8; ++rank) {
    CHECK(with(7 << 4, (rank - 1) << 4) ==
          "a tensor map of " + std::to_string(rank) + " dimensions (legal: 1..5)");
  }
  for (uint64_t type = 11; type <= 15; ++type) {
    CHECK(with(15 << 7, type << 7) ==
          "element type " + std::to_string(type) + " of a tensor map (legal: 0..10)");
  }
  CHECK(with(0, 1) == "an im2col tensor map of 2 dimensions (legal: 3..5)");
  CHECK(with(7 << 4, 1) == "an im2col tensor map of 1 dimensions (legal: 3..5)");
  CHECK(with(7 << 4, 2 << 4 | 1) == "");
}

// A small sequence of numbers, the same on every machine.
class Numbers {
 public:
  // From `low` to `high`.
  int64_t operator()(int64_t low, int64_t high) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return low + static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint64_t state_ = 1;
};

TensorMap some_map(Numbers& n, uint32_t rank) {
  TensorMap m;
  m.address = 0x7f0000000000;
  m.rank = static_cast<uint8_t>(rank);
  m.element_bytes = static_cast<uint8_t>(1 << n(0, 3));
  uint64_t stride = m.element_bytes;
  for (uint32_t d = 0; d < rank; ++d) {
    m.size[d] = static_cast<uint32_t>(n(1, 9));
    m.stride[d] = d == 0 ? m.element_bytes : stride;
    m.box[d] = static_cast<uint32_t>(n(1, 5));
    m.step[d] = d == 0 ? 1 : static_cast<uint32_t>(n(1, 3));
    stride = (m.stride[d] * m.size[d] + 15) / 16 * 16;
  }
  return m;
}

using Elements = std::vector<uint64_t>;  // the addresses of those of a row that are inside the tensor

Elements elements_of(const TensorMap& m, const TensorTile::Row& r) {
  Elements e;
  for (uint64_t a = r.address; a < r.address + r.bytes; a += m.element_bytes) {
    e.push_back(a);
  }
  return e;
}
// `count` elements from there on, element by element.
Elements row_at(const TensorMap& m, std::array<int64_t, kMaxTensorRank> at, uint32_t count) {
  Elements e;
  for (uint32_t i = 0; i < count; ++i, ++at[0]) {
    uint64_t address = m.address;
    bool inside = true;
    for (uint32_t d = 0; d < m.rank; ++d) {
      inside = inside && at[d] >= 0 && at[d] < m.size[d];
      address += static_cast<uint64_t>(at[d]) * m.stride[d];
    }
    if (inside) {
      e.push_back(address);
    }
  }
  return e;
}

TEST_CASE("tiles of all ranks, inside, across and outside the tensor, as a loop over their elements") {
  Numbers n;
  uint32_t cut = 0, outside = 0, whole = 0;
  for (int round = 0; round < 2000; ++round) {
    const TensorMap m = some_map(n, 1 + static_cast<uint32_t>(round) % kMaxTensorRank);
    TensorCoordinates at{};
    for (uint32_t d = 0; d < m.rank; ++d) {
      at[d] = static_cast<int32_t>(n(-4, m.size[d] + 2));
    }
    const TensorTile t = tiled(m, at);
    std::array<int64_t, kMaxTensorRank> p{};
    std::copy(at.begin(), at.end(), p.begin());
    uint32_t row = 0;
    for (bool more = true; more;) {
      const Elements expected = row_at(m, p, m.box[0]);
      CHECK(elements_of(m, t.row(row)) == expected);
      ++(expected.empty() ? outside : expected.size() < m.box[0] ? cut : whole);
      ++row;
      more = false;
      for (uint32_t d = 1; d < m.rank && !more; ++d) {
        p[d] += m.step[d];
        more = p[d] < at[d] + int64_t{m.box[d]};
        p[d] = more ? p[d] : at[d];
      }
    }
    CHECK(t.rows == row);
    CHECK(t.row_bytes == m.box[0] * m.element_bytes);
    CHECK(t.bytes() == uint64_t{row} * m.box[0] * m.element_bytes);
  }
  CHECK(cut > 300);
  CHECK(outside > 500);
  CHECK(whole > 300);
}

TEST_CASE("of a row with element strides every n-th element comes to shared memory") {
  Numbers n;
  TensorMap m = some_map(n, 2);
  m.element_bytes = 4, m.box = {64, 2}, m.step = {3, 1};
  CHECK(tiled(m, {}).row_bytes == 22 * 4);  // 0, 3, ..., 63
  CHECK(tiled(m, {}).bytes() == 2 * 22 * 4);
}

TEST_CASE("pixels of an im2col copy walk through the bounding box of each image, its first dimension first") {
  Numbers n;
  uint32_t outside = 0, next_image = 0;
  for (int round = 0; round < 2000; ++round) {
    TensorMap m = some_map(n, 3 + static_cast<uint32_t>(round) % 3);
    const uint32_t spatial = m.rank - 2u, images = m.rank - 1u;
    m.im2col = true;
    m.channels = static_cast<uint32_t>(n(1, 8));
    m.pixels = static_cast<uint32_t>(n(1, 40));
    std::array<int64_t, 3> low{}, high{};
    TensorCoordinates at{};
    std::array<uint16_t, 3> offsets{};
    at[0] = static_cast<int32_t>(n(0, m.size[0] - 1));
    at[images] = static_cast<int32_t>(n(0, m.size[images] - 1));
    for (uint32_t i = 0; i < spatial; ++i) {
      m.size[i + 1] = static_cast<uint32_t>(n(4, 9));
      m.lower[i] = static_cast<int32_t>(n(-2, 1));
      m.upper[i] = static_cast<int32_t>(n(-2, 0));
      low[i] = m.lower[i];
      high[i] = int64_t{m.size[i + 1]} + m.upper[i];
      offsets[i] = static_cast<uint16_t>(n(0, 2));
      // Kernels begin at a position that the steps come to.
      const int64_t steps = (high[i] - low[i] + m.step[i + 1] - 1) / m.step[i + 1];
      at[i + 1] = static_cast<int32_t>(low[i] + n(0, steps - 1) * m.step[i + 1]);
    }
    const TensorTile t = im2col(m, at, offsets);
    CHECK(t.rows == m.pixels);
    CHECK(t.row_bytes == m.channels * m.element_bytes);
    std::array<int64_t, kMaxTensorRank> p{};
    std::copy(at.begin(), at.end(), p.begin());
    for (uint32_t row = 0; row < m.pixels; ++row) {
      std::array<int64_t, kMaxTensorRank> read = p;
      for (uint32_t i = 0; i < spatial; ++i) {
        read[i + 1] += offsets[i];
      }
      const Elements expected = row_at(m, read, m.channels);
      CHECK(elements_of(m, t.row(row)) == expected);
      outside += expected.empty();
      bool carry = true;
      for (uint32_t i = 0; i < spatial && carry; ++i) {
        p[i + 1] += m.step[i + 1];
        carry = p[i + 1] >= high[i];
        p[i + 1] = carry ? low[i] : p[i + 1];
      }
      p[images] += carry;
      next_image += carry;
    }
  }
  CHECK(outside > 500);
  CHECK(next_image > 500);
}

TEST_CASE("a prefetch of more than a tile can have is an error") {
  TensorMap m;
  m.rank = 3;
  m.element_bytes = 4;
  m.size = {1024, 1024, 1024};
  m.stride = {4, 4096, 4096 * 1024};
  m.box = {64, 32, 32};
  m.step = {1, 1, 1};
  const auto why = [&m] {
    KernelImage image;
    image.tensor_maps.push_back({0x2000, encode(m), false});
    Instr in;
    in.async.kind = AsyncKind::kTensorPrefetch;
    std::array<uint64_t, kRecordedRegisters + 1> values{};  // and the map's place
    RecordedCopy copy;
    return read_copy(image, in, values, 1 << 16, copy);
  };
  CHECK(why() == "");
  m.box[2] = 33;
  CHECK(why() == "a tensor prefetch of 270336 bytes (legal: up to 262144, no tile has more)");
}

}  // namespace
}  // namespace heddle::isa
