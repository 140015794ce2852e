// What is asked of a GPU's texture unit, and of ours: textures, surfaces, their elements, coordinates. The
// same on every machine; record.cu and compare.cc include it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace texture_cases {

enum Geometry { k1d, kA1d, k2d, kA2d, k3d, kCube, kAcube, kBuffer, kPitch };
enum Type { kU8, kS8, kU16, kS16, kU32, kS32, kF16, kF32 };
enum Address { kWrap, kClamp, kMirror, kBorder };  // as cudaTextureAddressMode

constexpr int kThreads = 128;  // of a case: the first half was looked at when the rules were written

struct Case {
  std::string kernel;  // of kernels.cu; "sust..." and "sured..." leave the array as result
  Geometry geometry = k2d;
  Type type = kF32;
  int channels = 1;
  uint32_t width = 13, height = 1, depth = 1;  // depth: also layers; of cubes six for each
  Address address = kClamp;
  bool linear = false, normalized = false, as_float = false;  // as_float: integers as [0, 1] or [-1, 1]
  bool srgb = false;
  int levels = 1;
  bool linear_levels = false;
  float bias = 0, least = 0, most = 0;  // of levels
  float border[4] = {0, 0, 0, 0};
  bool probe = false;  // elements 0 and 1 in turns: a filtered value is a weight
  int wide = 0;        // 1: of very different sizes; 2: any bits

  bool surface() const { return kernel[0] == 's'; }
  bool stores() const { return surface() && kernel[2] != 'l' && kernel[2] != 'q'; }
  bool layered() const { return geometry == kA1d || geometry == kA2d || geometry == kAcube; }
  bool cube() const { return geometry == kCube || geometry == kAcube; }
};

inline int bytes_of(Type t) { return t < kU16 ? 1 : t < kU32 || t == kF16 ? 2 : 4; }
inline uint32_t at_level(uint32_t n, int level) { return n >> level == 0 ? 1 : n >> level; }
inline uint32_t depth_at(const Case& c, int level) {
  return c.layered() || c.cube() ? c.depth : at_level(c.depth, level);
}

inline uint64_t hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t z = a * 0x9e3779b97f4a7c15ULL + b * 0xbf58476d1ce4e5b9ULL + c * 0x94d049bb133111ebULL + 0x1234567;
  for (int i = 0; i < 2; ++i) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
  }
  return z;
}

// The elements of a level, x fastest, then y, then z or the layer.
inline std::vector<uint8_t> elements(const Case& c, size_t number, int level) {
  const size_t count = size_t{at_level(c.width, level)} * at_level(c.height, level) * depth_at(c, level);
  std::vector<uint8_t> out;
  for (size_t i = 0; i < count * static_cast<size_t>(c.channels); ++i) {
    const uint64_t h = hash(number, i, static_cast<uint64_t>(level) + 77);
    uint32_t bits = static_cast<uint32_t>(h);
    if (c.wide != 0) {
      bits = c.wide == 2      ? bits
             : c.type == kF16 ? bits & 0xffff & ~0x4000U
                              : (bits & 0x807fffff) | (110 + (h >> 32) % 36) << 23;
    } else if (c.type == kF16) {
      bits = c.probe ? (i % 2 != 0 ? 0x3c00 : 0) : (bits & 0x83ff) | (10 + (bits >> 16) % 8) << 10;
    } else if (c.type == kF32) {
      const float f = c.probe ? static_cast<float>(i % 2)
                              : static_cast<float>(static_cast<int32_t>(bits) >> 7) / 8388608.0F;
      std::memcpy(&bits, &f, 4);
    } else if (c.probe) {
      bits = i % 2 != 0 ? 0x7fffffff : 0;
      bits >>= 32 - 8 * bytes_of(c.type);
    }
    for (int b = 0; b < bytes_of(c.type); ++b) {
      out.push_back(static_cast<uint8_t>(bits >> 8 * b));
    }
  }
  return out;
}

struct Coordinates {
  float f[4];    // x, y, z; the level, or the step of .grad
  int32_t n[4];  // x, y, z, layer
};

inline float coordinate(uint64_t h, uint32_t n, bool normalized) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const double size = n;
  const uint64_t kind = h % 8, r = h >> 3;
  double x = 0;
  if (kind < 3) {
    x = (static_cast<double>(r % 1048573) / 1048573.0 * 2 - 0.5) * size;
  } else if (kind < 6) {
    x = static_cast<double>(r % (n + 4)) - 2 +
        (kind == 3   ? 0
         : kind == 4 ? 0.5
                     : static_cast<double>((r >> 20) % 512) / 512);
  } else if (kind == 6) {
    x = static_cast<double>(r % (n + 1)) - 0 + static_cast<double>((r >> 20) % 512) / 512;
    const float f = static_cast<float>(normalized ? x / size : x);
    return std::nextafterf(f, (r >> 40) % 2 != 0 ? kInf : -kInf);
  } else {
    const float special[16] = {0.0F,
                               -0.0F,
                               std::numeric_limits<float>::quiet_NaN(),
                               kInf,
                               -kInf,
                               1e10F,
                               -1e10F,
                               static_cast<float>(n),
                               std::nextafterf(static_cast<float>(n), 0.0F),
                               static_cast<float>(n) - 0.5F,
                               3 * static_cast<float>(n) + 0.25F,
                               -3 * static_cast<float>(n) - 0.25F,
                               1e-30F,
                               16777218.0F,
                               2147483648.0F,
                               -2147483648.0F};
    const float f = special[r % 16];
    return normalized ? f / static_cast<float>(n) : f;
  }
  return static_cast<float>(normalized ? x / size : x);
}

inline Coordinates coordinates(const Case& c, size_t number, int thread) {
  Coordinates out{};
  const uint32_t size[3] = {c.width, c.height, c.layered() ? 1 : c.depth};
  const auto t = static_cast<uint64_t>(thread);
  for (uint64_t d = 0; d < 3; ++d) {
    const uint64_t h = hash(number, t, d + 1000);
    if (c.cube()) {
      const float corner[4] = {1, -1, 0.5, 0};
      out.f[d] = h % 4 != 0 ? static_cast<float>(static_cast<double>((h >> 2) % 2000003) / 1000001.0 - 1.0)
                            : corner[(h >> 2) % 4];
    } else {
      out.f[d] = coordinate(h, size[d], c.normalized);
    }
    const int32_t n = static_cast<int32_t>((h >> 8) % (size[d] + 6)) - 3;
    const int32_t inside = static_cast<int32_t>((h >> 8) % size[d]);
    const int32_t special[4] = {-2147483647 - 1, 2147483647, 1 << 20, -(1 << 20)};
    out.n[d] = h % 16 == 0 ? special[(h >> 4) % 4] : h % 16 < 8 ? inside : n;
  }
  const uint64_t h = hash(number, t, 2000);
  const int layers = c.layered() ? static_cast<int>(c.cube() ? c.depth / 6 : c.depth) : 1;
  out.n[3] = h % 4 == 0 ? static_cast<int>((h >> 2) % static_cast<uint64_t>(layers + 4)) - 2
                        : static_cast<int>((h >> 2) % static_cast<uint64_t>(layers));
  const double level = static_cast<double>((h >> 20) % 1000003) / 1000003.0 * (c.levels + 2) - 1;
  out.f[3] = static_cast<float>((h >> 4) % 4 == 0 ? std::floor(level * 2) / 2 : level);
  if (c.kernel.rfind("texg", 0) == 0) {  // a step that makes such a level
    out.f[3] = static_cast<float>(std::exp2(level) / (c.normalized ? c.width : 1));
  }
  return out;
}

// Places that stores go to, each once; of those outside that are moved to the edge all store the same there.
inline Coordinates store_coordinates(const Case& c, int thread) {
  Coordinates out{};
  const bool flat = c.geometry == k1d || c.geometry == kA1d;
  const int row = static_cast<int>(c.width) + 4;
  out.n[0] = flat ? thread - 10 : thread % row - 2;
  out.n[1] = flat ? 0 : thread / row - 2;
  out.n[2] = c.geometry == k3d ? thread % 9 - 1 : 0;
  out.n[3] = c.layered() ? thread % 5 - 1 : 0;
  return out;
}

struct Values {
  uint32_t v[4];
};

// What a thread stores or combines with what is there.
inline Values values(const Case& c, size_t number, const Coordinates& at) {
  const auto edge = [](int n, uint32_t size) {
    return static_cast<uint64_t>(n < 0 ? 0 : n >= static_cast<int>(size) ? static_cast<int>(size) - 1 : n);
  };
  const uint64_t place = edge(at.n[0], c.width) + 100 * edge(at.n[1], c.height) +
                         10000 * edge(c.layered() ? at.n[3] : at.n[2], c.depth);
  Values out{};
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t h = hash(number, place, i + 3000);
    out.v[i] = static_cast<uint32_t>(h);
    if (c.type >= kF16 && c.kernel[3] == 't' && c.kernel[4] == 'p') {
      const float scale[4] = {1.0F, 300.0F, 70000.0F, 1e-7F};
      const float f = static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(h))) / 2147483648.0F *
                      scale[(h >> 40) % 4];
      std::memcpy(&out.v[i], &f, 4);
    } else if ((h >> 40) % 2 != 0) {
      out.v[i] = (h >> 41) % 2 != 0 ? 0U - (out.v[i] & 0xff) : out.v[i] & 0x3ff;
    }
  }
  return out;
}

// Coordinates of a launch's threads. In `byte` forms x counts bytes.
inline Coordinates launch_coordinates(const Case& c, size_t number, int thread) {
  Coordinates out = c.stores() ? store_coordinates(c, thread) : coordinates(c, number, thread);
  const bool formatted = c.kernel.rfind("sustp", 0) == 0 || c.kernel.find("_p_") != std::string::npos;
  if (c.surface() && !formatted) {
    out.n[0] = static_cast<int32_t>(static_cast<uint32_t>(out.n[0]) *
                                    static_cast<uint32_t>(c.channels * bytes_of(c.type)));
  }
  return out;
}

}  // namespace texture_cases
